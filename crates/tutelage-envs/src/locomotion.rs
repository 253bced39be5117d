//! The environment: a robot in a world of its own.

use articulated::{LaneSnapshot, World};
use rand::RngExt;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};

use crate::task::{Episode, LocomotionTask, SETTINGS};
use crate::{HORIZON, Robot};

/// At reset each actuated joint is put uniformly within this distance of zero.
pub const POSE_RANGE: f64 = 0.1;

/// No robot has more actuated joints.
const MAX_JOINTS: usize = 8;

/// One of the four locomotion tasks.
///
/// A step's reward is ±1 for being alive or not, plus progress in m/s, minus the costs of work,
/// effort and joints at their limits. An episode is terminated when the robot falls (the cheetah
/// never does) or the simulation diverges, which [`Locomotion::diverged`] tells apart; it is
/// truncated when [`HORIZON`] steps have passed and the robot stands. A reward is finite also where
/// the state is not.
///
/// Every episode is like the second and later ones of a `pybullet_envs` object: the floor counts as
/// a part of the robot in the mean that progress is measured by. (There, it is missing from the
/// first one's first observation.)
#[derive(Debug)]
pub struct Locomotion {
    pub(crate) task: LocomotionTask,
    world: World,
    rest: LaneSnapshot,
    episode: Episode,
}

impl Env for Locomotion {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        self.task.spaces()
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn bounds(&self) -> Bounds {
        Bounds::unit(self.spaces().actions).clipping()
    }

    /// Puts each actuated joint uniformly within [`POSE_RANGE`] of zero.
    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        let pose = random_pose(rng);
        self.reset_to(&pose[..self.robot().action_width()], state)
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        if !self.episode.running {
            return Err(EnvError::NoEpisode);
        }
        let step = self.advance(action, state)?;
        self.episode.running = !step.is_last();
        Ok(step)
    }
}

impl Locomotion {
    /// Builds a task. [`Env::reset`] or [`Locomotion::reset_to`] begins an episode.
    pub fn new(robot: Robot) -> Result<Locomotion, articulated::Error> {
        let task = LocomotionTask::new(robot);
        let world = World::new(&SETTINGS, &task.model.body)?;
        Ok(Locomotion { rest: world.save(0), world, episode: task.episode(), task })
    }

    /// Which task this is.
    pub fn robot(&self) -> Robot {
        self.task.robot
    }

    /// Starts an episode at rest with the actuated joints at `pose`, in radians.
    pub fn reset_to(&mut self, pose: &[f64], state: &mut [f32]) -> Result<(), EnvError> {
        self.task.check_pose(pose)?;
        self.task.check_state(state)?;
        self.world.restore(0, &self.rest);
        self.task.begin((&mut self.world, 0), &mut self.episode, pose, state);
        Ok(())
    }

    /// Whether the last step came to a number that is not finite, which ends an episode as
    /// terminated.
    pub fn diverged(&self) -> bool {
        !self.episode.finite
    }

    /// The physics, to look at: a world of one lane.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Plays one action, whether or not the episode is over.
    pub(crate) fn advance(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.task.check_action(action)?;
        self.task.check_state(state)?;
        self.task.act((&mut self.world, 0), action);
        self.world.step(1);
        Ok(self.task.outcome((&self.world, 0), &mut self.episode, action, state))
    }
}

/// Each number uniform within [`POSE_RANGE`] of zero, drawn in order.
pub(crate) fn random_pose(mut rng: Rng) -> [f64; MAX_JOINTS] {
    std::array::from_fn(|_| rng.random_range(-POSE_RANGE..POSE_RANGE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use articulated::JointState;
    use tutelage::Stream;

    #[test]
    fn a_state_that_is_not_finite_terminates_and_a_reset_recovers() {
        for task in Robot::ALL {
            let mut env = Locomotion::new(task).unwrap();
            let (mut state, action) =
                (vec![0.0; task.state_width()], vec![0.3; task.action_width()]);
            env.reset(Stream::new(1).rng(), &mut state).unwrap();
            let (joint, _) = env.task.model.actuated[0];
            env.world.set_joints(0, [(joint, JointState { position: 0.0, velocity: 1e300 })]);
            let step = env.step(&action, &mut state).unwrap();
            assert!(step.terminated && env.diverged(), "{task}: {state:?}");
            assert!(step.reward.is_finite(), "{task}: {}", step.reward);

            let (mut fresh, mut expected) = (Locomotion::new(task).unwrap(), state.clone());
            env.reset(Stream::new(2).rng(), &mut state).unwrap();
            fresh.reset(Stream::new(2).rng(), &mut expected).unwrap();
            for _ in 0..20 {
                assert_eq!(
                    env.step(&action, &mut state).unwrap(),
                    fresh.step(&action, &mut expected).unwrap()
                );
                assert_eq!(state, expected);
            }
            assert!(!env.diverged());
        }
    }
}
