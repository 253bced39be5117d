//! The native half of the Python package: `import tutelage` finds it as `tutelage._native`.
//!
//! No algorithm lives here. Gymnasium environments become an [`tutelage::VectorEnv`], Python experts a [`tutelage::Expert`],
//! Python oracles a [`tutelage::oracle::DurableOracle`], and the durable runner of [`tutelage_runs`] does the rest. The interpreter's
//! lock is released for a whole run and taken once per step of all environments.

#![forbid(unsafe_code)]

mod arrays;
mod command;
mod compare;
mod elsewhere;
mod errors;
mod evaluate;
mod export;
mod learn;
mod material;
mod native;
mod person;
mod policy;
mod python_oracle;
mod reporter;
mod robots;
mod runs;
mod shipped;
mod stored_expert;
mod sweep;
mod teacher;
mod trainer;
mod worlds;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::compare::Comparison;
    #[pymodule_export]
    use super::elsewhere::{Post, carry_out_elsewhere, program, travelling_files};
    #[pymodule_export]
    use super::evaluate::evaluate;
    #[pymodule_export]
    use super::export::{export_annotations, export_tensorboard, replace_file};
    #[pymodule_export]
    use super::learn::{check, learn, refuse_ignored, usual_algorithm};
    #[pymodule_export]
    use super::native::{learn_native, native_policy, native_spec, stored_draft, tasks};
    #[pymodule_export]
    use super::person::Page;
    #[pymodule_export]
    use super::policy::NativePolicy;
    #[pymodule_export]
    use super::robots::{Herd, Robot};
    #[pymodule_export]
    use super::runs::{read_run, run_policy};
    #[pymodule_export]
    use super::stored_expert::StoredExpert;
    #[pymodule_export]
    use super::sweep::sweep;
}
