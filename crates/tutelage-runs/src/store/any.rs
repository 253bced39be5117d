//! A run of whatever kind.

use std::path::Path;

use tutelage::Batch;
use tutelage::evaluation::Evaluation;

use super::{History, RoundResult, RoundTimings, StoreError, read_history, read_policy};
use crate::RoundLine;

/// What happened in a run, whatever its states and actions are made of.
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

/// Reads a run without knowing what it is about.
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

    /// The expert's own evaluation, where it came so far.
    pub fn expert(&self) -> Option<&Evaluation> {
        of_each!(self, history => history.expert.as_ref())
    }

    /// What the policy was worth after each round.
    pub fn results(&self) -> &[RoundResult] {
        of_each!(self, history => &history.results)
    }

    /// How many answers the expert has given.
    pub fn annotations(&self) -> usize {
        of_each!(self, history => history.annotations())
    }

    /// How many questions wait for an answer.
    pub fn open_queries(&self) -> usize {
        of_each!(self, history => history.rounds.last().map_or(0, |round| round.open_rows().len()))
    }

    /// How many answers each round has whose questions are all settled.
    pub fn round_sizes(&self) -> Vec<usize> {
        of_each!(self, history => {
            let settled = history.rounds.iter().filter(|round| round.is_settled());
            settled.map(|round| round.labeled_rows().len()).collect()
        })
    }

    /// How many steps the expert drove.
    pub fn expert_steps(&self) -> u64 {
        self.expert_steps_after(usize::MAX)
    }

    /// How many steps the expert drove in the first so many rounds.
    pub fn expert_steps_after(&self, rounds: usize) -> u64 {
        of_each!(self, history => history.expert_steps_after(rounds))
    }

    /// The states asked about in each round, where they are vectors.
    pub fn states(&self) -> Vec<&Batch<f32>> {
        match self {
            Self::Vectors(history) => history.rounds.iter().map(|round| &round.states).collect(),
            Self::Indices(history) => history.rounds.iter().map(|round| &round.states).collect(),
            Self::Finite(_) => vec![],
        }
    }

    /// A line for every round that has a result, of a run with K states a round.
    pub fn lines(&self, states_per_round: usize, times: &[RoundTimings]) -> Vec<RoundLine> {
        of_each!(self, history => RoundLine::all(history, states_per_round, times))
    }
}
