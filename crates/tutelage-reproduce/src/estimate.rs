//! Estimates how long runs take.

use std::collections::HashMap;

use tutelage::Spaces;
use tutelage_spec::Task;
use tutelage_spec::spec::{Class, RunSpec, TrainingBudget};
use tutelage_tasks::bullet::Robot;

use crate::{Archive, PlannedRun, RunList};

/// Estimates core-seconds from finished runs of the same kind, or else from the number of operations.
#[derive(Clone, Debug, Default)]
pub struct Estimator {
    /// The minimum core-seconds of runs that differ only in seed and data. Other load can only slow a run down.
    fewest: HashMap<String, f64>,
    /// Measured and estimated core-seconds of this session.
    session: (f64, f64),
}

// Fitted to the fastest runs of each kind in `results/paper`.

/// Operations per second and core in training, and the overhead of a step.
const FLOPS: f64 = 1.0e11;
const STEP_OVERHEAD: f64 = 4.0e-6;
/// Operations per second when acting on the states of all lanes at once.
const ACTING_FLOPS: f64 = 1.0e11;

impl Estimator {
    /// Learns from the finished runs of a list.
    pub fn new(runs: &RunList, archive: &Archive) -> Self {
        let mut estimator = Self::default();
        for run in runs.runs() {
            if let Ok(Some(record)) = archive.record(run) {
                estimator.learn(run, record.core_seconds());
            }
        }
        estimator
    }

    /// Learns from a run. A run that took no time was finished before and is ignored.
    fn learn(&mut self, run: &PlannedRun, core_seconds: f64) {
        if core_seconds > 0.0 && core_seconds.is_finite() {
            let fewest = self.fewest.entry(kind(&run.spec)).or_insert(core_seconds);
            *fewest = fewest.min(core_seconds);
        }
    }

    /// Learns from a run that was finished in this session.
    pub fn finished(&mut self, run: &PlannedRun, core_seconds: f64) {
        if core_seconds > 0.0 && core_seconds.is_finite() {
            let (took, expected) = self.session;
            self.session = (took + core_seconds, expected + self.core_seconds(run));
        }
        self.learn(run, core_seconds);
    }

    /// Returns the estimated seconds of a run on one idle core.
    pub fn core_seconds(&self, run: &PlannedRun) -> f64 {
        self.fewest.get(&kind(&run.spec)).copied().unwrap_or_else(|| guess(&run.spec))
    }

    /// Returns the ratio of measured to estimated time in this session.
    pub(crate) fn pace(&self) -> f64 {
        match self.session {
            (took, expected) if expected > 0.0 => took / expected,
            _ => 1.0,
        }
    }

    /// Returns the estimated seconds of these runs on this number of cores, at the pace of this session.
    pub fn seconds(&self, list: &RunList, runs: &[usize], cores: usize) -> f64 {
        let total: f64 = runs.iter().map(|&run| self.core_seconds(&list[run])).sum();
        total * self.pace() / cores.max(1) as f64
    }
}

/// Returns everything that a run's time depends on.
pub(crate) fn kind(spec: &RunSpec) -> String {
    let task = spec.task;
    let RunSpec { algorithm, class, rounds, states_per_round, oracle, .. } = spec;
    let episodes = spec.evaluation.episodes;
    let (members, offline) = (algorithm.members(), algorithm.is_offline());
    format!("{task} {members} {offline} {class} {rounds} {states_per_round} {episodes} {oracle:?}")
}

fn guess(spec: &RunSpec) -> f64 {
    let members = spec.algorithm.members() as f64;
    let weights = weights(&spec.class, spec.task);
    let train: f64 = (1..=spec.rounds).map(|round| train_seconds(spec, round, weights)).sum();
    let acting = 2.0 * weights * members / ACTING_FLOPS;
    let evaluations = if spec.algorithm.members() > 1 { 2.0 } else { 1.0 };
    let evaluated =
        evaluations * (spec.rounds * spec.evaluation.episodes * spec.task.shape().1) as f64;
    let collected = 20.0 * (spec.rounds * spec.states_per_round) as f64;
    let steps = evaluated + collected;
    members * train + steps * (step_seconds(spec.task) + acting)
}

/// Returns the seconds that one member trains after a round.
fn train_seconds(spec: &RunSpec, round: usize, weights: f64) -> f64 {
    let Some(oracle) = spec.oracle else { return 1e-3 };
    let rows = round * spec.states_per_round;
    let batch = rows.min(oracle.batch);
    let steps = match oracle.budget {
        TrainingBudget::Epochs(count) => count * (rows / oracle.batch).max(1),
        TrainingBudget::Iterations(count) => count,
    };
    steps as f64 * (6.0 * weights * batch as f64 / FLOPS + STEP_OVERHEAD)
}

fn weights(class: &Class, task: Task) -> f64 {
    let hidden = match class {
        Class::Mlp(hidden) => hidden.as_slice(),
        Class::Linear => &[],
    };
    let (Spaces { states, actions }, _) = task.shape();
    let ends = [states, actions];
    let widths: Vec<usize> = ends[..1].iter().chain(hidden).chain(&ends[1..]).copied().collect();
    widths.windows(2).map(|pair| (pair[0] * pair[1]) as f64).sum()
}

/// Returns the seconds of one simulator step.
fn step_seconds(task: Task) -> f64 {
    match task.robot() {
        Some(Robot::Hopper) => 3e-6,
        Some(Robot::Walker2d) => 4e-6,
        Some(Robot::HalfCheetah) => 5e-6,
        Some(Robot::Ant) => 8e-6,
        None => 1e-6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> PlannedRun {
        let spec = RunSpec::parse(text).unwrap();
        PlannedRun { name: spec.folder(), spec, expert: String::new(), needs: vec![], timed: false }
    }

    #[test]
    fn larger_runs_take_longer_and_measurements_replace_guesses() {
        let mut estimator = Estimator::default();
        let small = run("task = 'hopper'\nalgorithm = 'dagger'");
        let large = run("task = 'hopper'\nalgorithm = 'bd-25'");
        let guess = estimator.core_seconds(&small);
        assert!(guess > 1.0 && guess < 1000.0, "{guess}");
        assert!(estimator.core_seconds(&large) > 5.0 * guess);
        for seconds in [900.0, 14.0, 12.0, 0.0, f64::NAN] {
            estimator.learn(&run("task = 'hopper'\nalgorithm = 'dagger'\nseed = 2"), seconds);
        }
        assert_eq!(estimator.core_seconds(&small), 12.0, "the fastest");
    }

    #[test]
    fn estimates_scale_with_the_pace_of_the_session() {
        let mut estimator = Estimator::default();
        let seed = |seed| run(&format!("task = 'hopper'\nalgorithm = 'dagger'\nseed = {seed}"));
        let mut list = RunList::default();
        let figure = crate::Experiment::named("states-expert-dagger").unwrap();
        let shown = list.plan(&figure, &crate::Selection::default()).unwrap().runs();
        estimator.learn(&seed(1), 10.0);
        let quiet = estimator.seconds(&list, &shown, 2);
        assert_eq!(quiet, 10.0, "two runs of one kind on two cores");
        estimator.finished(&seed(2), 30.0);
        assert_eq!(estimator.seconds(&list, &shown, 2), 30.0);
        assert_eq!(estimator.core_seconds(&seed(3)), 10.0, "the estimate for an idle machine");
    }
}
