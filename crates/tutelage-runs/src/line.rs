//! A run's rounds as lines of numbers.

use serde::Serialize;
use tutelage::Action;

use crate::store::{History, RoundResult, Seconds, Stored};

/// What a round came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundLine {
    /// n.
    pub round: usize,
    /// |D₁ ∪ … ∪ Dₙ|.
    pub annotations: usize,
    /// The average return of the policy as it is deployed, usually its members' mean.
    pub reward: f64,
    /// The average return of a random member at every step, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_random: Option<f64>,
    /// The imitation loss, where the expert knows its mean action.
    pub imitation_loss: Option<f64>,
    /// How long the round took, where it is known.
    pub seconds: Option<f64>,
}

impl RoundLine {
    /// The line of one round, with so many annotations in all.
    pub fn new(result: &RoundResult, annotations: usize, seconds: Option<&Seconds>) -> Self {
        Self {
            round: result.round,
            annotations,
            reward: result.deployed.mean_reward(),
            reward_random: result.random.as_ref().map(tutelage::Evaluation::mean_reward),
            imitation_loss: result.deployed.imitation_loss(),
            seconds: seconds.map(Seconds::total),
        }
    }

    /// The lines of all rounds that have a result, of a run with K states a round.
    pub fn all<S: Stored, A: Stored + Action>(
        history: &History<S, A>,
        states_per_round: usize,
        times: &[Seconds],
    ) -> Vec<Self> {
        let line = |result: &RoundResult| {
            let annotations = history.annotations_after(result.round, states_per_round);
            let seconds = times.iter().find(|seconds| seconds.round == result.round);
            Self::new(result, annotations, seconds)
        };
        history.results.iter().map(line).collect()
    }
}
