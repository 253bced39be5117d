//! Tasks with given actions.

use tutelage::{Batch, EnvError};

use crate::bullet::{Locomotion, Robot};

/// The result of a replay: `T` actions and `T + 1` states.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The state at the start and after each action.
    pub states: Batch<f32>,
    /// The reward of each action.
    pub rewards: Vec<f64>,
    /// Whether each state terminates an episode.
    pub terminated: Vec<bool>,
    /// Whether each step is at or after the time limit, in a state that does not terminate.
    pub truncated: Vec<bool>,
}

/// Why a replay failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The physics could not be created.
    #[error(transparent)]
    Physics(#[from] articulated::Error),
    /// The initial pose is invalid.
    #[error(transparent)]
    Pose(EnvError),
    /// An action is invalid.
    #[error("step {step}")]
    Action {
        /// Its row.
        step: usize,
        /// The cause.
        source: EnvError,
    },
}

/// Takes `actions` from rest with the actuated joints at `pose`, in radians (by default zero).
///
/// Nothing is reset: the replay continues after termination and after the time limit.
pub fn replay(
    robot: Robot,
    actions: &Batch<f32>,
    pose: Option<&[f64]>,
) -> Result<Replay, ReplayError> {
    let mut env = Locomotion::new(robot)?;
    let mut state = vec![0.0; robot.state_width()];
    let upright = vec![0.0; robot.action_width()];
    env.reset_to(pose.unwrap_or(&upright), &mut state).map_err(ReplayError::Pose)?;
    let mut replay = Replay {
        states: Batch::new(robot.state_width()),
        rewards: Vec::new(),
        terminated: Vec::new(),
        truncated: Vec::new(),
    };
    replay.states.push(&state);
    for (step, action) in actions.rows().enumerate() {
        let result = env
            .advance(action, &mut state)
            .map_err(|source| ReplayError::Action { step, source })?;
        replay.states.push(&state);
        replay.rewards.push(result.reward);
        replay.terminated.push(result.terminated);
        replay.truncated.push(result.truncated);
    }
    Ok(replay)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_continue_after_the_end() {
        let actions = Batch::zeros(1100, 3);
        let replay = replay(Robot::Hopper, &actions, Some(&[0.05, -0.05, 0.0])).unwrap();
        assert_eq!(replay.states.len(), 1101);
        let fall = replay.terminated.iter().position(|&ended| ended).unwrap();
        assert!(
            fall < 200 && replay.terminated[fall..].iter().all(|&ended| ended),
            "a limp hopper falls and stays down"
        );
        assert!(replay.truncated.iter().all(|&ended| !ended), "terminated steps are not truncated");
    }

    #[test]
    fn invalid_input_is_an_error() {
        let mut actions = Batch::zeros(3, 3);
        actions.row_mut(2)[1] = f32::NAN;
        let error = replay(Robot::Hopper, &actions, None).unwrap_err();
        let ReplayError::Action { step: 2, source: EnvError::Value { index: 1, .. } } = error
        else {
            panic!("{error}");
        };
        let error = replay(Robot::Hopper, &Batch::zeros(3, 2), None).unwrap_err();
        let ReplayError::Action { step: 0, source: EnvError::Width { found: 2, .. } } = error
        else {
            panic!("{error}");
        };
        let error = replay(Robot::Hopper, &actions, Some(&[0.0; 6])).unwrap_err();
        assert!(matches!(error, ReplayError::Pose(EnvError::Width { found: 6, .. })), "{error}");
    }
}
