//! Compares runs: learning curves over seeds, tables, tests and figures, from any run folders.
//!
//! - [`find`]: reads the runs in a folder as [`ComparedRun`]s: the fields of a spec and the result of each round.
//! - [`Comparison`]: runs sorted into panels (task and class) and curves (algorithm), with their statistics, tables
//!   ([`Comparison::to_text`]) and files ([`Comparison::save`]).
//! - [`figure`]: learning curves, and a summary over panels.
//! - [`stats`]: the statistics.
//!
//! ```
//! use tutelage_compare::{ComparedRun, Comparison, ComparisonSettings};
//! use tutelage_runs::RoundLine;
//!
//! let run = |algorithm: &str, seed: u32, rewards: [f64; 3]| {
//!     let spec = format!("task = \"maze\"\nalgorithm = \"{algorithm}\"\nrounds = 3\nseed = {seed}\n");
//!     let line =
//!         |(round, reward)| RoundLine { round, annotations: 10 * round, reward, ..RoundLine::default() };
//!     let lines = (1..).zip(rewards).map(line).collect();
//!     ComparedRun::new(format!("{algorithm}-{seed}").into(), &spec, lines, Some(10.0))
//! };
//! let runs = vec![
//!     run("dagger", 1, [0.0, 4.0, 8.0]),
//!     run("dagger", 2, [2.0, 6.0, 8.0]),
//!     run("bd-5", 1, [4.0, 8.0, 9.0]),
//!     run("bd-5", 2, [2.0, 8.0, 10.0]),
//! ];
//! let comparison = Comparison::new(runs, ComparisonSettings::default())?;
//! let table = comparison.curves();
//! assert_eq!((table[1].curve.as_str(), table[1].seeds), ("BD-5", 2));
//! assert_eq!(table[1].to_reach[1].map(|cost| cost.estimate), Some(19.0)); // 75 % of the expert's 10
//! # Ok::<(), tutelage_compare::CompareError>(())
//! ```

#![forbid(unsafe_code)]

mod arrange;
mod comparison;
mod cost;
mod fields;
pub mod figure;
mod files;
mod find;
pub mod format;
mod numbers;
mod pair;
mod record;
mod run;
mod score;
pub mod stats;
mod style;
pub mod tables;
#[cfg(test)]
mod testbed;

pub use arrange::{ComparisonPanel, LearningCurve, RunGroup};
pub use comparison::{CompareError, Comparison, ComparisonSettings};
pub use cost::{BadCost, Cost};
pub use fields::SpecFields;
pub use files::SaveError;
pub use find::{FindError, find};
pub use numbers::{Aggregate, CurveRow, LEVELS};
pub use pair::{CostRatio, Pair, PairInPanel, PairOverPanels, Pairs};
pub use record::RunRecord;
pub use run::ComparedRun;
pub use score::CommonBudget;
pub use style::curve_style;
