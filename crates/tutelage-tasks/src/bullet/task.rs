//! The rules of a task in one lane of a world: observations, rewards and ends of episodes.

use articulated::{JointState, LinkId, LinkMotion, World, WorldSettings};
use tutelage::{EnvError, Spaces, Step};

use crate::bullet::model::Model;
use crate::bullet::observe::{euler, pairwise_sum};
use crate::bullet::{HORIZON, Robot};

/// Simulated seconds per step.
const TIME_STEP: f64 = 0.0165;

/// The target of the run: a kilometer along x.
const TARGET: [f64; 2] = [1e3, 0.0];

/// Weights of the reward: work of the motors, squared effort, joints at a limit.
const WORK_COST: f64 = -2.0;
const EFFORT_COST: f64 = -0.1;
const LIMIT_COST: f64 = -0.1;

/// The reward of a step whose reward is not finite: that of a robot that fell without progress.
const DIVERGED: f64 = -1.0;

pub(crate) const SETTINGS: WorldSettings = WorldSettings {
    gravity: -9.8,
    time_step: TIME_STEP,
    substeps: 4,
    iterations: 5,
    contact_erp: 0.9,
    floor_friction: 0.8,
};

/// What all lanes of a task share.
#[derive(Clone, Debug)]
pub(crate) struct LocomotionTask {
    pub(crate) robot: Robot,
    pub(crate) model: Model,
    pub(crate) torso: LinkId,
    /// The links whose positions are averaged, in order.
    averaged: Vec<LinkId>,
    feet: Vec<LinkId>,
}

/// The state of an episode outside the world.
#[derive(Clone, Debug)]
pub(crate) struct Episode {
    /// Whether the episode is running.
    pub(crate) running: bool,
    steps: usize,
    initial_height: f64,
    potential: f64,
    /// One flag per foot, from the end of the last step.
    contacts: Vec<f32>,
    /// Whether the last state and reward were finite.
    pub(crate) finite: bool,
    /// Buffers: positions of the links, and coordinates of the averaged links and the floor.
    positions: Vec<[f64; 3]>,
    xs: Vec<f64>,
    ys: Vec<f64>,
    work: Vec<f32>,
}

/// Results of an observation that are not in the state.
struct Observed {
    height: f64,
    pitch: f64,
    distance: f64,
    joints_at_limit: usize,
}

impl LocomotionTask {
    pub(crate) fn new(robot: Robot) -> LocomotionTask {
        let model = robot.model();
        let torso = model.link("torso").unwrap_or(LinkId::Base);
        let feet: Vec<LinkId> = robot.feet().iter().filter_map(|name| model.link(name)).collect();
        let averaged = averaging_order(torso, model.body.links.len());
        LocomotionTask { robot, model, torso, averaged, feet }
    }

    pub(crate) fn spaces(&self) -> Spaces {
        Spaces { states: self.robot.state_width(), actions: self.robot.action_width() }
    }

    /// Returns an episode that is not running.
    pub(crate) fn episode(&self) -> Episode {
        Episode {
            running: false,
            steps: 0,
            initial_height: 0.0,
            potential: 0.0,
            contacts: vec![0.0; self.feet.len()],
            finite: true,
            positions: vec![[0.0; 3]; self.model.body.links.len()],
            xs: vec![0.0; self.averaged.len() + 1],
            ys: vec![0.0; self.averaged.len() + 1],
            work: vec![0.0; self.robot.action_width()],
        }
    }

    /// Starts an episode in a lane that is at rest, with the actuated joints at `pose`.
    pub(crate) fn begin(
        &self,
        (world, lane): (&mut World, usize),
        episode: &mut Episode,
        pose: &[f64],
        state: &mut [f32],
    ) {
        let joints = self.model.actuated.iter().zip(pose);
        let still = |position| JointState { position, velocity: 0.0 };
        world.set_joints(lane, joints.map(|(&(link, _), &position)| (link, still(position))));
        episode.running = true;
        episode.steps = 0;
        episode.contacts.fill(0.0);
        episode.initial_height = world.position(lane, self.torso)[2];
        let view = self.observe((world, lane), episode, state);
        episode.potential = potential(view.distance);
    }

    pub(crate) fn check_pose(&self, pose: &[f64]) -> Result<(), EnvError> {
        EnvError::check_width("pose", pose.len(), self.robot.action_width())?;
        EnvError::check_values("pose", pose, "a finite number", |x| x.is_finite())
    }

    pub(crate) fn check_action(&self, action: &[f32]) -> Result<(), EnvError> {
        EnvError::check_width("action", action.len(), self.robot.action_width())?;
        EnvError::check_values("action", action, "a finite number", |x| x.is_finite())
    }

    pub(crate) fn check_state(&self, state: &[f32]) -> Result<(), EnvError> {
        EnvError::check_width("state", state.len(), self.robot.state_width())
    }

    /// Applies a lane's action to its motors for the next step of the world.
    pub(crate) fn act(&self, (world, lane): (&mut World, usize), action: &[f32]) {
        let motors = self.model.actuated.iter().zip(self.robot.torques());
        for ((&(link, _), &torque), &a) in motors.zip(action) {
            world.add_torque(lane, link, torque * f64::from(a.clamp(-1.0, 1.0)));
        }
    }

    /// Returns the result of a step of the world for a lane, even after the end of the episode.
    pub(crate) fn outcome(
        &self,
        (world, lane): (&World, usize),
        episode: &mut Episode,
        action: &[f32],
        state: &mut [f32],
    ) -> Step {
        episode.steps += 1;
        let view = self.observe((world, lane), episode, state);
        let alive = self.alive(episode, &view);
        let old = std::mem::replace(&mut episode.potential, potential(view.distance));
        let progress = episode.potential - old;
        for (flag, &foot) in episode.contacts.iter_mut().zip(&self.feet) {
            *flag = f32::from(u8::from(world.touches_floor(lane, foot)));
        }
        let reward = if alive { 1.0 } else { -1.0 }
            + progress
            + effort(&mut episode.work, action)
            + LIMIT_COST * view.joints_at_limit as f64;
        episode.finite &= reward.is_finite();
        let reward = if reward.is_finite() { reward } else { DIVERGED };

        let falls = self.robot != Robot::HalfCheetah;
        let terminated = (falls && !alive) || !episode.finite;
        Step { reward, terminated, truncated: !terminated && episode.steps >= HORIZON }
    }

    /// Writes the state. Contact flags are from the end of the previous step.
    fn observe(&self, at: (&World, usize), episode: &mut Episode, state: &mut [f32]) -> Observed {
        let (world, lane) = at;
        let joints_at_limit = self.observe_joints(at, &mut episode.work, &mut state[8..]);
        let LinkMotion { position, rotation, velocity } = world.motion(lane, self.torso);
        let [roll, pitch, yaw] = euler(rotation);
        let [to_x, to_y] = self.way_to_target(at, episode, position);
        let bearing = to_y.atan2(to_x) - yaw;
        let [vx, vy, vz] = self.velocity_ahead(velocity, yaw);

        state[0] = (position[2] - episode.initial_height) as f32;
        state[1] = bearing.sin() as f32;
        state[2] = bearing.cos() as f32;
        state[3] = (0.3 * vx) as f32;
        state[4] = (0.3 * vy) as f32;
        state[5] = (0.3 * vz) as f32;
        state[6] = roll as f32;
        state[7] = pitch as f32;
        let contacts = state.len() - self.feet.len();
        state[contacts..].copy_from_slice(&episode.contacts);
        for number in state.iter_mut() {
            *number = number.clamp(-5.0, 5.0);
        }
        episode.finite = state.iter().all(|number| number.is_finite());
        let height = f64::from(state[0]) + episode.initial_height;
        Observed { height, pitch, distance: (to_y * to_y + to_x * to_x).sqrt(), joints_at_limit }
    }

    /// Writes the position (scaled to [-1, 1] between the limits) and a tenth of the speed of each
    /// actuated joint, writes the latter also to `speeds`, and returns the number of joints at a limit.
    fn observe_joints(
        &self,
        (world, lane): (&World, usize),
        speeds: &mut [f32],
        state: &mut [f32],
    ) -> usize {
        let mut at_limit = 0;
        let joints = state.as_chunks_mut::<2>().0;
        for ((&(link, [lower, upper]), out), speed) in
            self.model.actuated.iter().zip(joints).zip(speeds)
        {
            let JointState { position, velocity } = world.joint(lane, link);
            let middle = 0.5 * (lower + upper);
            *out = [(2.0 * (position - middle) / (upper - lower)) as f32, (0.1 * velocity) as f32];
            *speed = out[1];
            at_limit += usize::from(out[0].abs() > 0.99);
        }
        at_limit
    }

    /// Returns the vector from the mean of the parts and the floor to the target.
    fn way_to_target(
        &self,
        (world, lane): (&World, usize),
        episode: &mut Episode,
        torso: [f64; 3],
    ) -> [f64; 2] {
        let Episode { positions, xs, ys, .. } = episode;
        world.positions(lane, positions);
        for (index, &link) in self.averaged.iter().enumerate() {
            [xs[index], ys[index], _] = match link {
                LinkId::Link(link) => positions[link],
                LinkId::Base => torso, // no other part is the base
            };
        }
        let count = xs.len() as f64; // the last entry, the floor, stays at the origin
        [TARGET[0] - pairwise_sum(xs) / count, TARGET[1] - pairwise_sum(ys) / count]
    }

    /// Returns the torso's velocity in the frame of its yaw.
    fn velocity_ahead(&self, [vx, vy, vz]: [f64; 3], yaw: f64) -> [f64; 3] {
        // For a planar robot, pybullet_envs reads the spin about z, which is zero, instead of vy.
        let vy = if self.torso == LinkId::Base { vy } else { 0.0 };
        let (sin, cos) = (-yaw).sin_cos();
        [cos * vx - sin * vy, sin * vx + cos * vy, vz]
    }

    fn alive(&self, episode: &Episode, view: &Observed) -> bool {
        match self.robot {
            Robot::Hopper | Robot::Walker2d => view.height > 0.8 && view.pitch.abs() < 1.0,
            // Only the feet, entries 0 and 3, may touch the floor.
            Robot::HalfCheetah => {
                view.pitch.abs() < 1.0
                    && [1, 2, 4, 5].iter().all(|&foot| episode.contacts[foot] == 0.0)
            }
            Robot::Ant => view.height > 0.26,
        }
    }
}

/// Returns the cost of the motors, in single precision as in NumPy; the action is not clipped. `work`
/// holds the speeds of the joints.
fn effort(work: &mut [f32], action: &[f32]) -> f64 {
    let count = action.len() as f32;
    for (work, &a) in work.iter_mut().zip(action) {
        *work = (a * *work).abs();
    }
    let mean_work = pairwise_sum(work) / count;
    for (square, &a) in work.iter_mut().zip(action) {
        *square = a * a;
    }
    WORK_COST * f64::from(mean_work) + EFFORT_COST * f64::from(pairwise_sum(work) / count)
}

/// Returns the links in the order of the mean: the first link, the torso, then the others. The order
/// decides the last bit of the sum.
fn averaging_order(torso: LinkId, links: usize) -> Vec<LinkId> {
    let mut order: Vec<LinkId> =
        (0..links).map(LinkId::Link).filter(|&link| link != torso).collect();
    order.insert(1, torso);
    order
}

fn potential(distance: f64) -> f64 {
    -distance / TIME_STEP
}
