//! A run of any kind.

use std::path::Path;

use tutelage::Batch;
use tutelage::evaluation::Evaluation;

use super::{History, RoundResult, RoundTimings, StoreError, read_history, read_policy};
use crate::RoundLine;

/// The history of a run whose kinds of states and actions are known only at run time.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyHistory {
    /// Actions are vectors.
    Vectors(History<f32, f32>),
    /// Actions are indices.
    Indices(History<f32, u32>),
    /// States are indices too.
    Finite(History<u32, u32>),
}

impl From<History<f32, f32>> for AnyHistory {
    fn from(history: History<f32, f32>) -> Self {
        Self::Vectors(history)
    }
}

impl From<History<f32, u32>> for AnyHistory {
    fn from(history: History<f32, u32>) -> Self {
        Self::Indices(history)
    }
}

/// Reads a run of any kind.
pub fn read_any(path: &Path) -> Result<AnyHistory, StoreError> {
    let vectors = match read_history(path) {
        Ok(history) => return Ok(AnyHistory::Vectors(history)),
        Err(error @ StoreError::Damaged { .. }) => error,
        Err(error) => return Err(error),
    };
    let other = read_history(path).map(AnyHistory::Indices);
    other.or_else(|_| read_history(path).map(AnyHistory::Finite)).map_err(|_| vectors)
}

macro_rules! of_each {
    ($any:expr, $history:ident => $value:expr) => {
        match $any {
            AnyHistory::Vectors($history) => $value,
            AnyHistory::Indices($history) => $value,
            AnyHistory::Finite($history) => $value,
        }
    };
}

impl AnyHistory {
    /// The frozen spec.
    pub fn spec(&self) -> &str {
        of_each!(self, history => &history.spec)
    }

    /// The policy that the run in this folder trained after a round ([`read_policy`](super::read_policy)).
    pub fn policy(&self, run: &Path, round: usize) -> Result<Vec<u8>, StoreError> {
        of_each!(self, history => read_policy(run, history, round))
    }

    /// The expert's own evaluation, if it is finished.
    pub fn expert(&self) -> Option<&Evaluation> {
        of_each!(self, history => history.expert.as_ref())
    }

    /// The evaluation after each round.
    pub fn results(&self) -> &[RoundResult] {
        of_each!(self, history => &history.results)
    }

    /// The number of labels.
    pub fn annotations(&self) -> usize {
        of_each!(self, history => history.annotations())
    }

    /// The number of open queries.
    pub fn open_queries(&self) -> usize {
        of_each!(self, history => history.rounds.last().map_or(0, |round| round.open_rows().len()))
    }

    /// The number of labels of each complete round.
    pub fn round_sizes(&self) -> Vec<usize> {
        of_each!(self, history => {
            let settled = history.rounds.iter().filter(|round| round.is_settled());
            settled.map(|round| round.labeled_rows().len()).collect()
        })
    }

    /// The number of steps that the expert drove.
    pub fn expert_steps(&self) -> u64 {
        of_each!(self, history => history.expert_steps())
    }

    /// The queried states of each round, if they are vectors.
    pub fn states(&self) -> Vec<&Batch<f32>> {
        match self {
            Self::Vectors(history) => history.rounds.iter().map(|round| &round.states).collect(),
            Self::Indices(history) => history.rounds.iter().map(|round| &round.states).collect(),
            Self::Finite(_) => vec![],
        }
    }

    /// The lines of all finished rounds ([`RoundLine::all`]).
    pub fn lines(&self, states_per_round: usize, times: &[RoundTimings]) -> Vec<RoundLine> {
        of_each!(self, history => RoundLine::all(history, states_per_round, times))
    }
}
