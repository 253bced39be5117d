//! The environment: a robot, what it sees, and what it earns.

use articulated::{JointState, LinkId, Settings, Snapshot, World};

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};

use crate::model::Model;
use crate::observe::{euler, pairwise_sum};
use crate::{HORIZON, Task};

/// Simulated time of an environment step, in seconds.
const TIME_STEP: f64 = 0.0165;

/// Where the robot is to run: a kilometre along x.
const TARGET: [f64; 2] = [1e3, 0.0];

/// At reset each actuated joint is put uniformly within this distance of zero.
pub const POSE_RANGE: f64 = 0.1;

/// No robot has more actuated joints.
const MAX_JOINTS: usize = 8;

/// Weights of the reward: work done by the motors, squared effort, and each joint at its limit.
const WORK_COST: f64 = -2.0;
const EFFORT_COST: f64 = -0.1;
const LIMIT_COST: f64 = -0.1;

/// The reward of a step that no number can be put to: that of a robot that fell where it stood.
const DIVERGED: f64 = -1.0;

pub(crate) const SETTINGS: Settings = Settings {
    gravity: -9.8,
    time_step: TIME_STEP,
    substeps: 4,
    iterations: 5,
    contact_erp: 0.9,
    floor_friction: 0.8,
};

/// One of the four locomotion tasks.
///
/// A step's reward is ±1 for being alive or not, plus progress in m/s, minus the costs of work, effort and joints at their limits. An
/// episode is terminated when the robot falls (the cheetah never does) or the simulation diverges, which [`Locomotion::diverged`] tells
/// apart; it is truncated when [`HORIZON`] steps have passed and the robot stands. A reward is finite also where the state is not.
///
/// Every episode is like the second and later ones of a `pybullet_envs` object: the floor counts as a part of the robot in the mean that
/// progress is measured by. (There, it is missing from the first one's first observation.)
#[derive(Debug)]
pub struct Locomotion {
    task: Task,
    world: World,
    model: Model,
    rest: Snapshot,
    torso: LinkId,
    /// All links, in the order in which their positions are averaged.
    averaged: Vec<LinkId>,
    feet: Vec<LinkId>,
    episode: Episode,
    /// World coordinates of the averaged links and the floor, kept to save the allocation.
    xs: Vec<f64>,
    ys: Vec<f64>,
    work: Vec<f32>,
}

/// What changes during an episode besides the world.
#[derive(Clone, Debug)]
struct Episode {
    /// Whether an episode is under way.
    running: bool,
    steps: usize,
    initial_height: f64,
    potential: f64,
    /// One flag per foot, as of the end of the last step.
    contacts: Vec<f32>,
    /// Whether the last state and reward were finite.
    finite: bool,
}

/// What an observation yields besides the state.
struct View {
    height: f64,
    pitch: f64,
    distance: f64,
    joints_at_limit: usize,
}

impl Env for Locomotion {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: self.task.state_width(), actions: self.task.action_width() }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    /// Puts each actuated joint uniformly within [`POSE_RANGE`] of zero.
    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        let mut pose = [0.0; MAX_JOINTS];
        let pose = &mut pose[..self.task.action_width()];
        pose.fill_with(|| rng.random_range(-POSE_RANGE..POSE_RANGE));
        self.reset_to(pose, state)
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
    pub fn new(task: Task) -> Result<Locomotion, articulated::Error> {
        let model = task.robot();
        let world = World::new(&SETTINGS, &model.body)?;
        let rest = world.save(0);
        let torso = model.link("torso").unwrap_or(LinkId::Base);
        let feet: Vec<LinkId> = task.feet().iter().filter_map(|name| model.link(name)).collect();
        let averaged = averaging_order(torso, world.links());
        let episode = Episode {
            running: false,
            steps: 0,
            initial_height: 0.0,
            potential: 0.0,
            contacts: vec![0.0; feet.len()],
            finite: true,
        };
        let (xs, ys) = (vec![0.0; averaged.len() + 1], vec![0.0; averaged.len() + 1]);
        let work = vec![0.0; task.action_width()];
        Ok(Locomotion { task, world, model, rest, torso, averaged, feet, episode, xs, ys, work })
    }

    /// Which task this is.
    pub fn task(&self) -> Task {
        self.task
    }

    /// Starts an episode at rest with the actuated joints at `pose`, in radians.
    pub fn reset_to(&mut self, pose: &[f64], state: &mut [f32]) -> Result<(), EnvError> {
        check_width("pose", pose.len(), self.task.action_width())?;
        check_width("state", state.len(), self.task.state_width())?;
        check_finite("pose", pose.iter().copied())?;
        self.world.restore(0, &self.rest);
        let joints = self.model.actuated.iter().zip(pose);
        self.world.set_joints(
            0,
            joints.map(|(&(link, _), &position)| (link, JointState { position, velocity: 0.0 })),
        );
        self.episode.running = true;
        self.episode.steps = 0;
        self.episode.contacts.fill(0.0);
        self.episode.initial_height = self.world.position(0, self.torso)[2];
        let view = self.observe(state);
        self.episode.potential = potential(view.distance);
        Ok(())
    }

    /// Whether the last step came to a number that is not finite, which ends an episode as terminated.
    pub fn diverged(&self) -> bool {
        !self.episode.finite
    }

    /// The physics, to look at.
    pub fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn torso_link(&self) -> LinkId {
        self.torso
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Plays one action, whether or not the episode is over.
    pub(crate) fn advance(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        check_width("action", action.len(), self.task.action_width())?;
        check_width("state", state.len(), self.task.state_width())?;
        check_finite("action", action.iter().map(|&x| f64::from(x)))?;

        for ((&(link, _), &torque), &a) in
            self.model.actuated.iter().zip(self.task.torques()).zip(action)
        {
            self.world.add_torque(0, link, torque * f64::from(a.clamp(-1.0, 1.0)));
        }
        self.world.step(1);
        self.episode.steps += 1;

        let view = self.observe(state);
        let alive = self.alive(&view);
        let old = std::mem::replace(&mut self.episode.potential, potential(view.distance));
        let progress = self.episode.potential - old;
        for (flag, &foot) in self.episode.contacts.iter_mut().zip(&self.feet) {
            *flag = f32::from(u8::from(self.world.touches_floor(0, foot)));
        }
        let effort = self.effort(action);
        let reward = if alive { 1.0 } else { -1.0 }
            + progress
            + effort
            + LIMIT_COST * view.joints_at_limit as f64;
        self.episode.finite &= reward.is_finite();
        let reward = if reward.is_finite() { reward } else { DIVERGED };

        let falls = self.task != Task::HalfCheetah;
        let terminated = (falls && !alive) || !self.episode.finite;
        Ok(Step { reward, terminated, truncated: !terminated && self.episode.steps >= HORIZON })
    }

    /// Writes the state; contact flags are those of the end of the previous step.
    fn observe(&mut self, state: &mut [f32]) -> View {
        let joints_at_limit = self.observe_joints(&mut state[8..]);
        let position = self.world.position(0, self.torso);
        let [roll, pitch, yaw] = euler(self.world.rotation(0, self.torso));
        let [to_x, to_y] = self.way_to_target();
        let bearing = to_y.atan2(to_x) - yaw;
        let [vx, vy, vz] = self.velocity_ahead(yaw);

        state[0] = (position[2] - self.episode.initial_height) as f32;
        state[1] = bearing.sin() as f32;
        state[2] = bearing.cos() as f32;
        state[3] = (0.3 * vx) as f32;
        state[4] = (0.3 * vy) as f32;
        state[5] = (0.3 * vz) as f32;
        state[6] = roll as f32;
        state[7] = pitch as f32;
        let contacts = state.len() - self.feet.len();
        state[contacts..].copy_from_slice(&self.episode.contacts);
        for number in state.iter_mut() {
            *number = number.clamp(-5.0, 5.0);
        }
        self.episode.finite = state.iter().all(|number| number.is_finite());
        let height = f64::from(state[0]) + self.episode.initial_height;
        View { height, pitch, distance: (to_y * to_y + to_x * to_x).sqrt(), joints_at_limit }
    }

    /// Writes position (scaled to [-1, 1] between the limits) and a tenth of the speed of each actuated joint; counts those at a limit.
    fn observe_joints(&mut self, state: &mut [f32]) -> usize {
        let mut at_limit = 0;
        let joints = state.as_chunks_mut::<2>().0;
        for ((&(link, [lower, upper]), out), speed) in
            self.model.actuated.iter().zip(joints).zip(&mut self.work)
        {
            let JointState { position, velocity } = self.world.joint(0, link);
            let middle = 0.5 * (lower + upper);
            *out = [(2.0 * (position - middle) / (upper - lower)) as f32, (0.1 * velocity) as f32];
            *speed = out[1];
            at_limit += usize::from(out[0].abs() > 0.99);
        }
        at_limit
    }

    /// From the mean over the parts and the floor to the target.
    fn way_to_target(&mut self) -> [f64; 2] {
        for (index, &link) in self.averaged.iter().enumerate() {
            [self.xs[index], self.ys[index], _] = self.world.position(0, link);
        }
        let count = self.xs.len() as f64; // the last entry, the floor, stays at the origin
        [TARGET[0] - pairwise_sum(&self.xs) / count, TARGET[1] - pairwise_sum(&self.ys) / count]
    }

    /// The torso's velocity turned back by its yaw.
    fn velocity_ahead(&self, yaw: f64) -> [f64; 3] {
        let [vx, vy, vz] = self.world.velocity(0, self.torso);
        // A planar robot's y velocity is taken from its spin about z instead, which is zero.
        let vy = if self.torso == LinkId::Base { vy } else { 0.0 };
        let (sin, cos) = (-yaw).sin_cos();
        [cos * vx - sin * vy, sin * vx + cos * vy, vz]
    }

    fn alive(&self, view: &View) -> bool {
        match self.task {
            Task::Hopper | Task::Walker2d => view.height > 0.8 && view.pitch.abs() < 1.0,
            // Only the feet, entries 0 and 3, may touch the floor.
            Task::HalfCheetah => {
                view.pitch.abs() < 1.0
                    && [1, 2, 4, 5].iter().all(|&foot| self.episode.contacts[foot] == 0.0)
            }
            Task::Ant => view.height > 0.26,
        }
    }

    /// Cost of the motors, in single precision as NumPy computes it; the action is not clipped.
    fn effort(&mut self, action: &[f32]) -> f64 {
        let count = action.len() as f32;
        for (work, &a) in self.work.iter_mut().zip(action) {
            *work = (a * *work).abs();
        }
        let work = pairwise_sum(&self.work) / count;
        for (square, &a) in self.work.iter_mut().zip(action) {
            *square = a * a;
        }
        WORK_COST * f64::from(work) + EFFORT_COST * f64::from(pairwise_sum(&self.work) / count)
    }
}

/// The parts' order in the mean: the first link, the torso, then the others. It decides the last bit of the sum.
fn averaging_order(torso: LinkId, links: usize) -> Vec<LinkId> {
    let mut order: Vec<LinkId> =
        (0..links).map(LinkId::Link).filter(|&link| link != torso).collect();
    order.insert(1, torso);
    order
}

fn potential(distance: f64) -> f64 {
    -distance / TIME_STEP
}

fn check_width(what: &'static str, found: usize, expected: usize) -> Result<(), EnvError> {
    if found == expected { Ok(()) } else { Err(EnvError::Width { what, expected, found }) }
}

fn check_finite(what: &'static str, values: impl Iterator<Item = f64>) -> Result<(), EnvError> {
    match values.enumerate().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some((index, value)) => Err(EnvError::Value { what, index, value, allowed: "finite" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::Stream;

    #[test]
    fn a_state_that_is_not_finite_terminates_and_a_reset_recovers() {
        for task in Task::ALL {
            let mut env = Locomotion::new(task).unwrap();
            let (mut state, action) =
                (vec![0.0; task.state_width()], vec![0.3; task.action_width()]);
            env.reset(Stream::new(1).rng(), &mut state).unwrap();
            let (joint, _) = env.model.actuated[0];
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
