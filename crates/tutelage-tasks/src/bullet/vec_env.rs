//! Several robots of one task, stepped together.

use articulated::{InstructionSet, LaneSnapshot, World};
use rayon::prelude::*;
use tutelage::env::LaneError;
use tutelage::{Batch, Bounds, EnvError, Rng, Spaces, Step, VectorEnv};

use crate::bullet::locomotion::random_pose;
use crate::bullet::task::{Episode, LocomotionTask, SETTINGS};
use crate::bullet::{HORIZON, Normalizer, NormalizerError, Robot};

/// Environments of one locomotion task, each bit-identical to a [`crate::bullet::Locomotion`].
///
/// Each world steps several robots with SIMD instructions, and worlds step in parallel. A lane depends
/// only on its own generator and actions, not on the number of lanes or threads, the instruction set,
/// or other lanes that diverge.
///
/// ```
/// use tutelage::{Batch, Stream, VectorEnv};
/// use tutelage_tasks::bullet::{LocomotionVecEnv, Robot};
///
/// let mut envs = LocomotionVecEnv::new(Robot::Hopper, 6)?;
/// for lane in 0..6 {
///     envs.reset(lane, Stream::new(1).fork("lane", lane as u64).rng())?;
/// }
/// envs.step(&[0, 2, 5], &Batch::from_vec(3, vec![0.1; 9]).expect("three rows"))?;
/// assert!(!envs.last_step(2).is_last());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LocomotionVecEnv {
    pub(crate) task: LocomotionTask,
    rest: LaneSnapshot,
    worlds: Vec<Group>,
    /// The world of each lane and its place there.
    places: Vec<[usize; 2]>,
    bounds: Bounds,
    normalizer: Option<Normalizer>,
}

/// The lanes of one world.
#[derive(Debug)]
struct Group {
    world: World,
    lanes: Vec<Lane>,
}

#[derive(Debug)]
struct Lane {
    episode: Episode,
    state: Vec<f32>,
    step: Step,
    /// This lane's row in the current batch of actions.
    row: Option<usize>,
    error: Option<EnvError>,
}

impl LocomotionVecEnv {
    /// Creates `count` robots in the worlds that step them fastest on this processor.
    pub fn new(robot: Robot, count: usize) -> Result<LocomotionVecEnv, LaneError> {
        LocomotionVecEnv::in_worlds(robot, count, &widths(count, rayon::current_num_threads()))
    }

    /// Creates robots that are stepped with these instructions.
    pub fn with(
        instructions: InstructionSet,
        robot: Robot,
        count: usize,
    ) -> Result<LocomotionVecEnv, LaneError> {
        let sets = vec![instructions; count.div_ceil(instructions.lanes())];
        LocomotionVecEnv::in_worlds(robot, count, &sets)
    }

    fn in_worlds(
        robot: Robot,
        count: usize,
        sets: &[InstructionSet],
    ) -> Result<LocomotionVecEnv, LaneError> {
        let task = LocomotionTask::new(robot);
        let (mut worlds, mut places) = (Vec::new(), Vec::new());
        for &set in sets {
            let first = places.len();
            let world = World::with(set, &SETTINGS, &task.model.body).map_err(|error| {
                LaneError::Env { lane: first, source: EnvError::Other(error.into()) }
            })?;
            let lanes = 0..set.lanes().min(count - first);
            places.extend(lanes.clone().map(|place| [worlds.len(), place]));
            worlds.push(Group { world, lanes: lanes.map(|_| Lane::new(&task)).collect() });
        }
        let rest = worlds.first().ok_or(LaneError::Empty)?.world.save(0);
        let bounds = Bounds::unit(robot.action_width()).clipping();
        Ok(LocomotionVecEnv { task, rest, worlds, places, bounds, normalizer: None })
    }

    /// Normalizes the states, starting with the next reset or step.
    pub fn normalized(self, normalizer: Normalizer) -> Result<LocomotionVecEnv, NormalizerError> {
        normalizer.check(self.spaces().states)?;
        Ok(LocomotionVecEnv { normalizer: Some(normalizer), ..self })
    }

    /// Returns the task.
    pub fn robot(&self) -> Robot {
        self.task.robot
    }

    /// Returns whether the last step of a lane had a number that is not finite. The episode is then
    /// terminated.
    pub fn diverged(&self, lane: usize) -> bool {
        !self.lane(lane).episode.finite
    }

    /// Starts an episode in a lane, at rest with the actuated joints at `pose`, in radians.
    pub fn reset_to(&mut self, lane: usize, pose: &[f64]) -> Result<(), LaneError> {
        self.task.check_pose(pose).map_err(|source| LaneError::Env { lane, source })?;
        let [world, place] = self.places[lane];
        let Group { world, lanes } = &mut self.worlds[world];
        let Lane { episode, state, step, .. } = &mut lanes[place];
        *step = Step::default();
        world.restore(place, &self.rest);
        self.task.begin((world, place), episode, pose, state);
        if let Some(normalizer) = &self.normalizer {
            normalizer.apply(state);
        }
        LaneError::check_state(lane, state, state.len())
    }

    /// Returns the world of a lane and its place there.
    pub(crate) fn place(&self, lane: usize) -> (&World, usize) {
        let [world, place] = self.places[lane];
        (&self.worlds[world].world, place)
    }

    fn lane(&self, lane: usize) -> &Lane {
        let [world, place] = self.places[lane];
        &self.worlds[world].lanes[place]
    }

    fn lane_mut(&mut self, lane: usize) -> &mut Lane {
        let [world, place] = self.places[lane];
        &mut self.worlds[world].lanes[place]
    }
}

/// Returns the instruction sets of the worlds: as wide as possible while every thread has work and few
/// lanes are empty.
fn widths(count: usize, threads: usize) -> Vec<InstructionSet> {
    let (wide, four) = (InstructionSet::Avx512, InstructionSet::Avx2);
    let mut sets = Vec::new();
    let mut left = count;
    while left > 0 {
        let set = if wide.is_available() && left >= 6 && count >= 8 * threads {
            wide
        } else if four.is_available() && left >= 2 {
            four
        } else {
            InstructionSet::Portable
        };
        sets.push(set);
        left = left.saturating_sub(set.lanes());
    }
    sets
}

impl VectorEnv for LocomotionVecEnv {
    type State = f32;
    type Action = f32;

    fn count(&self) -> usize {
        self.places.len()
    }

    fn spaces(&self) -> Spaces {
        self.task.spaces()
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    /// Draws each actuated joint uniformly within [`crate::bullet::POSE_RANGE`] of zero.
    fn reset(&mut self, lane: usize, rng: Rng) -> Result<(), LaneError> {
        let pose = random_pose(rng);
        self.reset_to(lane, &pose[..self.task.robot.action_width()])
    }

    fn state(&self, lane: usize) -> &[f32] {
        &self.lane(lane).state
    }

    fn step(&mut self, lanes: &[usize], actions: &Batch<f32>) -> Result<(), LaneError> {
        for (row, &lane) in lanes.iter().enumerate() {
            self.lane_mut(lane).row = Some(row);
        }
        let (task, normalizer) = (&self.task, self.normalizer.as_ref());
        if let [lane] = *lanes {
            // Another thread would cost more than it saves.
            self.worlds[self.places[lane][0]].step(task, normalizer, actions);
        } else {
            self.worlds.par_iter_mut().for_each(|group| group.step(task, normalizer, actions));
        }
        LaneError::lowest(lanes, |lane| self.lane_mut(lane).check(lane))
    }

    fn last_step(&self, lane: usize) -> Step {
        self.lane(lane).step
    }
}

impl Group {
    /// Steps the lanes that have a row.
    fn step(
        &mut self,
        task: &LocomotionTask,
        normalizer: Option<&Normalizer>,
        actions: &Batch<f32>,
    ) {
        let mut active = 0;
        for (place, lane) in self.lanes.iter_mut().enumerate() {
            let Some(row) = lane.row else { continue };
            match lane.may_play(task, actions.row(row)) {
                Ok(()) => {
                    task.act((&mut self.world, place), actions.row(row));
                    active |= 1 << place;
                }
                Err(error) => {
                    lane.error = Some(error);
                    lane.row = None;
                }
            }
        }
        if active == 0 {
            return;
        }
        self.world.step(active);
        for (place, lane) in self.lanes.iter_mut().enumerate() {
            let Some(row) = lane.row.take() else { continue };
            let Lane { episode, state, step, .. } = lane;
            *step = task.outcome((&self.world, place), episode, actions.row(row), state);
            episode.running = !step.is_last();
            if let Some(normalizer) = normalizer {
                normalizer.apply(state);
            }
        }
    }
}

impl Lane {
    fn new(task: &LocomotionTask) -> Lane {
        let state = vec![0.0; task.spaces().states];
        Lane { episode: task.episode(), state, step: Step::default(), row: None, error: None }
    }

    fn may_play(&self, task: &LocomotionTask, action: &[f32]) -> Result<(), EnvError> {
        if !self.episode.running {
            return Err(EnvError::NoEpisode);
        }
        task.check_action(action)
    }

    /// Returns the error of the last step, if any.
    fn check(&mut self, lane: usize) -> Result<(), LaneError> {
        if let Some(source) = self.error.take() {
            return Err(LaneError::Env { lane, source });
        }
        LaneError::check_step(lane, self.step, &self.state, self.state.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use articulated::JointState;
    use tutelage::Stream;

    #[test]
    fn few_lanes_are_empty_and_threads_are_busy() {
        for (count, threads) in [(1, 1), (2, 4), (5, 1), (6, 1), (7, 2), (25, 1), (25, 2), (25, 8)]
        {
            let sets = widths(count, threads);
            let lanes: usize = sets.iter().map(|set| set.lanes()).sum();
            let place = format!("{count} robots, {threads} threads: {sets:?}");
            assert!((count..count + 3).contains(&lanes), "{place}");
            assert!(sets.len() >= threads.min(count / 4), "{place}");
        }
        assert_eq!(LocomotionVecEnv::new(Robot::Hopper, 25).unwrap().count(), 25);
    }

    fn envs(task: Robot) -> LocomotionVecEnv {
        let mut envs = LocomotionVecEnv::with(InstructionSet::widest(), task, 4).unwrap();
        (0..4).for_each(|lane| envs.reset(lane, Stream::new(lane as u64).rng()).unwrap());
        envs
    }

    #[test]
    fn diverged_lanes_end_alone_and_recover() {
        for task in Robot::ALL {
            let (mut envs, mut twin) = (envs(task), envs(task));
            let (joint, _) = envs.task.model.actuated[0];
            let wild = JointState { position: 0.0, velocity: 1e300 };
            let [world, place] = envs.places[1];
            envs.worlds[world].world.set_joints(place, [(joint, wild)]);
            let mut actions = Batch::zeros(4, task.action_width());
            actions.row_mut(2).fill(0.4);
            envs.step(&[0, 1, 2, 3], &actions).unwrap();
            twin.step(&[0, 1, 2, 3], &actions).unwrap();
            assert!(envs.diverged(1) && envs.last_step(1).terminated, "{task}");
            assert!(envs.last_step(1).reward.is_finite(), "{task}");
            for _ in 0..30 {
                for lane in [0, 2, 3] {
                    assert_eq!(envs.state(lane), twin.state(lane), "{task}: lane {lane}");
                    assert!(!envs.diverged(lane));
                }
                let running: Vec<usize> =
                    [0, 2, 3].into_iter().filter(|&lane| !envs.last_step(lane).is_last()).collect();
                envs.step(&running, &actions).unwrap();
                twin.step(&running, &actions).unwrap();
            }
            envs.reset(1, Stream::new(7).rng()).unwrap();
            twin.reset(1, Stream::new(7).rng()).unwrap();
            envs.step(&[1], &actions).unwrap();
            twin.step(&[1], &actions).unwrap();
            assert_eq!(envs.state(1), twin.state(1), "{task}");
        }
    }
}
