//! A robot in its own world.

use articulated::{LaneSnapshot, World};
use rand::RngExt;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};

use crate::bullet::task::{Episode, LocomotionTask, SETTINGS};
use crate::bullet::{HORIZON, Robot};

/// The largest initial angle of an actuated joint, in radians.
pub const POSE_RANGE: f64 = 0.1;

/// The most actuated joints of a robot.
const MAX_JOINTS: usize = 8;

/// One of the four locomotion tasks.
///
/// The reward of a step is 1 if the robot is alive, else −1, plus progress in m/s, minus the costs of
/// work, effort and joints at their limits. An episode terminates if the robot falls (the cheetah
/// never does) or if the simulation diverges ([`Locomotion::diverged`]); it is truncated after
/// [`HORIZON`] steps. Rewards are finite even if the state is not.
///
/// Progress is measured at the mean position of the parts and the floor, as in `pybullet_envs`. Only
/// the first observation of a `pybullet_envs` object differs: it omits the floor.
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

    /// Draws each actuated joint uniformly within [`POSE_RANGE`] of zero.
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
    /// Creates a task. [`Env::reset`] or [`Locomotion::reset_to`] starts an episode.
    pub fn new(robot: Robot) -> Result<Locomotion, articulated::Error> {
        let task = LocomotionTask::new(robot);
        let world = World::new(&SETTINGS, &task.model.body)?;
        Ok(Locomotion { rest: world.save(0), world, episode: task.episode(), task })
    }

    /// Returns the robot.
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

    /// Returns whether the last step had a number that is not finite. The episode is then terminated.
    pub fn diverged(&self) -> bool {
        !self.episode.finite
    }

    /// Returns the physics: a world of one lane.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Takes an action, even after the end of the episode.
    pub(crate) fn advance(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.task.check_action(action)?;
        self.task.check_state(state)?;
        self.task.act((&mut self.world, 0), action);
        self.world.step(1);
        Ok(self.task.outcome((&self.world, 0), &mut self.episode, action, state))
    }
}

/// Draws a pose, each joint uniformly within [`POSE_RANGE`] of zero, in order.
pub(crate) fn random_pose(mut rng: Rng) -> [f64; MAX_JOINTS] {
    std::array::from_fn(|_| rng.random_range(-POSE_RANGE..POSE_RANGE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use articulated::JointState;
    use tutelage::Stream;

    #[test]
    fn diverged_episodes_terminate_and_a_reset_recovers() {
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
