//! Statistics of several runs.
//!
//! Means have Student's intervals ([`t_interval`]), which are accurate even for three seeds. Everything else has percentile
//! bootstrap intervals ([`Bootstrap`]) that resample the runs of each algorithm and panel independently, expanded for few
//! runs. `docs/COMPARING.md` reports their coverage.
//!
//! - one run: [`last_five`], [`mean`] over its rounds, [`first_sustained_crossing`];
//! - the runs of one algorithm: [`t_interval`], [`cost_to_reach`], [`RunCurves`] on common points;
//! - two algorithms: [`welch`], [`paired_t`], [`paired_permutation`], [`improvement`], [`cost_ratio`];
//! - over panels, in units of the expert's reward: [`aggregate`], [`performance_profile`], [`stratified_welch`];
//! - many comparisons: [`holm`]; two measures of the same runs: [`spearman`].
//!
//! Results depend only on the numbers and a [`tutelage::Stream`].

mod bootstrap;
mod curve;
mod difference;
mod holm;
mod improvement;
mod interval;
mod profile;
mod ratio;
mod spearman;
mod special;
mod summary;

pub use bootstrap::Bootstrap;
pub use curve::{RunCurves, first_sustained_crossing, isotonic, mean_between};
pub use difference::{Difference, paired_permutation, paired_t, stratified_welch, welch};
pub use holm::holm;
pub use improvement::improvement;
pub use interval::{Interval, t_interval};
pub use profile::{aggregate, performance_profile};
pub use ratio::{LevelComparison, TargetReward, cost_ratio, cost_ratio_at_most, cost_to_reach};
pub use spearman::spearman;
pub use summary::{last_five, mean, sd};

/// Why a statistic cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// There are no runs.
    #[error("no runs; at least 1 is needed")]
    NoRuns,
    /// The runs have different lengths.
    #[error("run {run} has {found} points, the first has {expected}")]
    Lengths {
        /// The index of the run.
        run: usize,
        /// Its number of points.
        found: usize,
        /// The number of points of the first run.
        expected: usize,
    },
    /// No range of costs is covered by all runs.
    #[error("no range of costs is covered by all runs")]
    NoCommonPoints,
    /// The confidence level is invalid.
    #[error("invalid level {0}; expected a number above 0 and below 1")]
    Level(f64),
    /// The number of resamples is 0.
    #[error("0 resamples; at least 1 is needed")]
    NoResamples,
}
