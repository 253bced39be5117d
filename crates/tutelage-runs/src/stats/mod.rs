//! What several runs say together.
//!
//! A curve over seeds is a mean with a percentile bootstrap band; whole runs are resampled, so the points of one run stay
//! together. All of it is a function of the numbers and a [`tutelage::Stream`].

mod bootstrap;
mod compare;
mod summary;

pub use bootstrap::{Band, Bootstrap, Interval};
pub use compare::{Improvement, probability_of_improvement};
pub use summary::{annotations_to_reach, interquartile_mean, mean};

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
    /// An invalid share.
    #[error("the level is {0}; allowed is a number above 0 and below 1")]
    Level(f64),
    /// Too few resamples.
    #[error("0 resamples; at least 1 is needed")]
    NoResamples,
}
