//! How long to learn, and whether it can begin.

use crate::progress::{check_progress, check_widths};
use crate::{Action, Algorithm, Drive, Element, LearnError, Progress, Sampling, Spaces, Stream};

/// How long to learn and how to collect.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// How the K states of a round are taken from trajectories.
    pub sampling: Sampling,
    /// The source of all randomness.
    pub stream: Stream,
}

/// Whether algorithm, plan and progress make sense, alone and together.
pub(crate) fn check<S: Element, A: Action, P>(
    algorithm: &Algorithm<S, A>,
    plan: &Plan,
    progress: &Progress<S, A, P>,
    spaces: Spaces,
) -> Result<(), LearnError> {
    match plan {
        Plan { rounds: 0, .. } => return Err(LearnError::NoRounds),
        Plan { states_per_round: 0, .. } => return Err(LearnError::NoStates),
        Plan { sampling: Sampling::Stride(0), .. } => return Err(LearnError::NoStride),
        _ if algorithm.members == 0 => return Err(LearnError::NoMembers),
        _ => algorithm.train_on.check::<A>(spaces)?,
    }
    if let Drive::Stored(stored) = &algorithm.drive {
        let needed = plan.rounds.saturating_mul(plan.states_per_round);
        let stored_rows = stored.len().min(stored.actions.len());
        if stored_rows < needed {
            return Err(LearnError::StoredTooShort { needed, stored: stored_rows });
        }
        check_widths(
            ["a stored state", "a stored action"],
            &stored.states,
            &stored.actions,
            spaces,
        )?;
    }
    check_progress(plan, progress, spaces)
}
