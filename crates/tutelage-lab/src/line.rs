//! A run's rounds as lines of numbers.

use serde::Serialize;

use crate::store::{History, RoundResult, Seconds};

/// What a round came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundLine {
    /// n.
    pub round: usize,
    /// n·K.
    pub annotations: usize,
    /// The average return of the members' mean.
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
    /// The line of one round.
    pub fn new(result: &RoundResult, states_per_round: usize, seconds: Option<&Seconds>) -> Self {
        Self {
            round: result.round,
            annotations: result.round * states_per_round,
            reward: result.mean.mean_reward(),
            reward_random: result.random.as_ref().map(tutelage::Evaluation::mean_reward),
            imitation_loss: result.mean.imitation_loss(),
            seconds: seconds.map(Seconds::total),
        }
    }

    /// The lines of all rounds that have a result.
    pub fn all<S, A>(
        history: &History<S, A>,
        states_per_round: usize,
        times: &[Seconds],
    ) -> Vec<Self> {
        let seconds = |round| times.iter().find(|seconds| seconds.round == round);
        let line =
            |result: &RoundResult| Self::new(result, states_per_round, seconds(result.round));
        history.results.iter().map(line).collect()
    }
}
