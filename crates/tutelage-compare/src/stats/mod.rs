//! What several runs say together.
//!
//! Means come with Student's intervals ([`t_interval`]), which hold for as few as three seeds; everything else with a
//! percentile bootstrap over runs, the runs of each algorithm and panel resampled on their own ([`Bootstrap`]), expanded for
//! few runs. How often each covers the truth is told in `docs/COMPARING.md`.
//!
//! - one run: [`last_five`], [`mean`] over its rounds, [`first_sustained_crossing`] crossings;
//! - runs of one kind: [`t_interval`], [`cost_to_reach`], [`RunCurves`] on common points;
//! - two kinds: [`welch`], [`paired_t`], [`paired_permutation`], [`improvement`], [`cost_ratio`];
//! - over panels, in units of the expert's reward: [`aggregate`], [`performance_profile`], [`stratified_welch`];
//! - many comparisons: [`holm`]; two measures of the same runs: [`spearman`].
//!
//! All of it is a function of the numbers and a [`tutelage::Stream`].

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
pub use improvement::{Improvement, improvement, probability_of_improvement};
pub use interval::{Interval, t_interval};
pub use profile::{aggregate, performance_profile};
pub use ratio::{LevelComparison, TargetReward, cost_ratio, cost_ratio_at_most, cost_to_reach};
pub use spearman::spearman;
pub use summary::{last_five, mean, sd};

/// Numbers that no statistic can be made of.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// There is no run.
    #[error("no runs; at least 1 is needed")]
    NoRuns,
    /// Runs of different lengths.
    #[error("run {run} has {found} points, the first has {expected}")]
    Lengths {
        /// Which run.
        run: usize,
        /// How many points it has.
        found: usize,
        /// How many the first has.
        expected: usize,
    },
    /// Runs that have no range of costs in common.
    #[error("the runs have no range of costs in common")]
    NoCommonPoints,
    /// An invalid level.
    #[error("the level is {0}; allowed is a number above 0 and below 1")]
    Level(f64),
    /// Too few resamples.
    #[error("0 resamples; at least 1 is needed")]
    NoResamples,
}
