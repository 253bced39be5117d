//! A task's rules over one lane of a world: what the robot sees, and what it earns.

use articulated::{JointState, LinkId, LinkMotion, World, WorldSettings};
use tutelage::{EnvError, Spaces, Step};

use crate::model::Model;
use crate::observe::{euler, pairwise_sum};
use crate::{HORIZON, Robot};

/// Simulated time of an environment step, in seconds.
const TIME_STEP: f64 = 0.0165;

/// Where the robot is to run: a kilometer along x.
const TARGET: [f64; 2] = [1e3, 0.0];

/// Weights of the reward: work done by the motors, squared effort, and each joint at its limit.
const WORK_COST: f64 = -2.0;
const EFFORT_COST: f64 = -0.1;
const LIMIT_COST: f64 = -0.1;

/// The reward of a step that no number can be put to: that of a robot that fell where it stood.
const DIVERGED: f64 = -1.0;

pub(crate) const SETTINGS: WorldSettings = WorldSettings {
    gravity: -9.8,
    time_step: TIME_STEP,
    substeps: 4,
    iterations: 5,
    contact_erp: 0.9,
    floor_friction: 0.8,
};

/// What does not change: the same for all lanes.
#[derive(Clone, Debug)]
pub(crate) struct LocomotionTask {
    pub(crate) robot: Robot,
    pub(crate) model: Model,
    pub(crate) torso: LinkId,
    /// All links, in the order in which their positions are averaged.
    averaged: Vec<LinkId>,
    feet: Vec<LinkId>,
}

/// What changes during an episode besides the world.
#[derive(Clone, Debug)]
pub(crate) struct Episode {
    /// Whether an episode is under way.
    pub(crate) running: bool,
    steps: usize,
    initial_height: f64,
    potential: f64,
    /// One flag per foot, as of the end of the last step.
    contacts: Vec<f32>,
    /// Whether the last state and reward were finite.
    pub(crate) finite: bool,
    /// World coordinates of the links, and of the averaged parts and the floor, kept to save the
    /// allocation.
    positions: Vec<[f64; 3]>,
    xs: Vec<f64>,
    ys: Vec<f64>,
    work: Vec<f32>,
}

/// What an observation yields besides the state.
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

    /// A lane in which no episode is under way.
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

    /// Begins an episode in a lane that is at rest, with the actuated joints at `pose`.
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
        EnvError::check_values("pose", pose, "finite", |x| x.is_finite())
    }

    pub(crate) fn check_action(&self, action: &[f32]) -> Result<(), EnvError> {
        EnvError::check_width("action", action.len(), self.robot.action_width())?;
        EnvError::check_values("action", action, "finite", |x| x.is_finite())
    }

    pub(crate) fn check_state(&self, state: &[f32]) -> Result<(), EnvError> {
        EnvError::check_width("state", state.len(), self.robot.state_width())
    }

    /// Turns the motors of a lane on for the next step of the world.
    pub(crate) fn act(&self, (world, lane): (&mut World, usize), action: &[f32]) {
        let motors = self.model.actuated.iter().zip(self.robot.torques());
        for ((&(link, _), &torque), &a) in motors.zip(action) {
            world.add_torque(lane, link, torque * f64::from(a.clamp(-1.0, 1.0)));
        }
    }

    /// What the step of the world brought to a lane, whether or not its episode is over.
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

    /// Writes the state; contact flags are those of the end of the previous step.
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

    /// Writes position (scaled to [-1, 1] between the limits) and a tenth of the speed of each
    /// actuated joint, the latter also to `speeds`; counts the joints at a limit.
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

    /// From the mean over the parts and the floor to the target.
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

    /// The torso's velocity turned back by its yaw.
    fn velocity_ahead(&self, [vx, vy, vz]: [f64; 3], yaw: f64) -> [f64; 3] {
        // A planar robot's y velocity is taken from its spin about z instead, which is zero.
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

/// Cost of the motors, in single precision as NumPy computes it; the action is not clipped. `work`
/// holds the joints' speeds.
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

/// The parts' order in the mean: the first link, the torso, then the others. It decides the last
/// bit of the sum.
fn averaging_order(torso: LinkId, links: usize) -> Vec<LinkId> {
    let mut order: Vec<LinkId> =
        (0..links).map(LinkId::Link).filter(|&link| link != torso).collect();
    order.insert(1, torso);
    order
}

fn potential(distance: f64) -> f64 {
    -distance / TIME_STEP
}
