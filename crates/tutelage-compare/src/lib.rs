//! Runs side by side: from any run folders, whatever made them, to learning curves over seeds, a table, tests and figures.
//!
//! - [`find`]: the runs in some folders, as [`ComparedRun`]s: a spec's fields and a line per round.
//! - [`Comparison`]: runs sorted into panels (task and class) and curves (algorithm), and what they say together.
//! - [`figure`]: the learning curves, and a summary over panels.
//!
//! Statistics are those of [`stats`]; nothing here prints or writes.
//!
//! ```
//! use tutelage_compare::{Comparison, SpecFields, ComparedRun, ComparisonSettings};
//! use tutelage_runs::RoundLine;
//!
//! let run = |algorithm: &str, seed: u32, rewards: [f64; 3]| {
//!     let spec = format!("task = \"maze\"\nalgorithm = \"{algorithm}\"\nrounds = 3\nseed = {seed}\n");
//!     let line = |(round, reward)| RoundLine {
//!         round,
//!         annotations: 10 * round,
//!         expert_steps: Some(0),
//!         reward,
//!         reward_sd: 0.0,
//!         reward_random: None,
//!         imitation_loss: None,
//!         seconds: None,
//!     };
//!     let lines = (1..).zip(rewards).map(line).collect();
//!     ComparedRun { source: format!("{algorithm}-{seed}").into(), fields: SpecFields::parse(&spec), lines, expert: Some(10.0) }
//! };
//! let runs = vec![
//!     run("dagger", 1, [0.0, 4.0, 8.0]),
//!     run("dagger", 2, [2.0, 6.0, 8.0]),
//!     run("bd-5", 1, [4.0, 8.0, 9.0]),
//!     run("bd-5", 2, [2.0, 8.0, 10.0]),
//! ];
//! let comparison = Comparison::new(runs, ComparisonSettings::default()).unwrap();
//! let table = comparison.curves();
//! assert_eq!((table[1].curve.as_str(), table[1].seeds), ("BD-5", 2));
//! assert_eq!(table[1].to_reach[1].unwrap().estimate, 19.0); // 7.5, three quarters of the expert's 10
//! ```

#![forbid(unsafe_code)]

mod aggregate;
mod arrange;
mod comparison;
mod cost;
mod fields;
pub mod figure;
mod find;

mod pair;
mod record;
mod run;
mod score;
mod style;

pub mod format;
pub mod stats;
mod table;
pub mod tables;

pub use aggregate::Aggregate;
pub use arrange::{ComparisonPanel, LearningCurve, RunGroup};
pub use comparison::{CompareError, Comparison, ComparisonSettings};
pub use cost::{BadCost, Cost};
pub use fields::SpecFields;
pub use find::{FindError, find};
pub use pair::{CostRatio, PairInPanel, PairOverPanels, Pairs};
pub use record::RunRecord;
pub use run::ComparedRun;
pub use score::CommonBudget;
pub use style::curve_style;
pub use table::{CurveRow, LEVELS};
