//! The native half of the Python package, imported as `tutelage._native`.
//!
//! It contains no algorithm. It presents Gymnasium environments as a [`tutelage::VectorEnv`], Python experts as a
//! [`tutelage::Expert`] and Python oracles as a [`tutelage::oracle::DurableOracle`]; the runner of [`tutelage_runs`] does the rest.
//! A run releases the interpreter's lock and takes it once per step of all environments.
//!
//! The wheel also ships the `tutelage` command: the `command` module embeds `tutelage-cli`, and it is the only user of
//! that crate here.

#![forbid(unsafe_code)]

mod arrays;
mod builtin;
mod command;
mod compare;
mod errors;
mod evaluate;
mod inputs;
mod learn;
mod observer;
mod oracle;
mod person;
mod policy;
mod python_envs;
mod python_expert;
mod python_oracle;
mod remote;
mod robots;
mod runs;
mod settings;
mod stored_expert;
mod sweep;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        builtin::tasks,
        command::{command, version},
        compare::Comparison,
        evaluate::evaluate,
        learn::{learn, learn_builtin},
        person::Page,
        policy::NativePolicy,
        remote::{TaskEvents, arithmetic, execute_remote, run_files},
        robots::RobotVecEnv,
        runs::{
            builtin_policy, export_annotations, export_tensorboard, read_run, replace_file,
            run_policy,
        },
        settings::{Settings, default_algorithm, defaults},
        stored_expert::StoredExpert,
        sweep::sweep,
    };
}
