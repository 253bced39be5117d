//! How long runs will take.

use std::collections::HashMap;

use tutelage::Spaces;
use tutelage_envs::Task as Robot;
use tutelage_lab::Task;
use tutelage_lab::spec::{BudgetSpec, Class, RunSpec};

use crate::{Archive, Plan, Run};

/// Seconds on one core, learned from the runs that are finished; where none is like it, from what one step costs.
#[derive(Clone, Debug, Default)]
pub struct Estimator {
    /// Core-seconds of runs that differ in seed and data alone, in ascending order.
    seen: HashMap<String, Vec<f64>>,
}

/// Multiply-adds of a training step per second and core, and what a step costs besides.
const FLOPS: f64 = 4.0e10;
const STEP_OVERHEAD: f64 = 2.0e-6;
/// Multiply-adds of acting per second: single states leave the kernel half idle.
const ACTING_FLOPS: f64 = 1.0e10;

impl Estimator {
    /// What the finished runs of a plan have taken.
    pub fn new(plan: &Plan, archive: &Archive) -> Self {
        let mut estimator = Self::default();
        for run in plan.runs.iter().filter(|run| !run.timed) {
            if let Ok(Some(record)) = archive.record(run) {
                estimator.learn(run, record.seconds() * record.threads as f64);
            }
        }
        estimator
    }

    /// Takes note of a finished run.
    pub fn learn(&mut self, run: &Run, core_seconds: f64) {
        let seen = self.seen.entry(kind(&run.spec)).or_default();
        seen.insert(seen.partition_point(|&earlier| earlier < core_seconds), core_seconds);
    }

    /// Seconds that a run will take on one core: the median of its like, so that a run which shared its core with something
    /// else counts for little.
    pub fn core_seconds(&self, run: &Run) -> f64 {
        match self.seen.get(&kind(&run.spec)).map(Vec::as_slice) {
            None | Some([]) => guess(&run.spec),
            Some(seen) => seen[(seen.len() - 1) / 2],
        }
    }

    /// Seconds that these runs will take together on so many cores; a timed run has them all to itself.
    pub fn seconds(&self, plan: &Plan, runs: &[usize], cores: usize) -> f64 {
        let total: f64 = runs.iter().map(|&run| self.core_seconds(&plan.runs[run])).sum();
        total / cores.max(1) as f64
    }
}

/// What a run's time depends on.
fn kind(spec: &RunSpec) -> String {
    let RunSpec { task, algorithm, class, rounds, states_per_round, episodes, oracle, .. } = spec;
    let (members, offline) = (algorithm.members(), algorithm.is_offline());
    format!("{task} {members} {offline} {class} {rounds} {states_per_round} {episodes} {oracle:?}")
}

fn guess(spec: &RunSpec) -> f64 {
    let members = spec.algorithm.members() as f64;
    let weights = weights(&spec.class, spec.task);
    let train: f64 = (1..=spec.rounds).map(|round| train_seconds(spec, round, weights)).sum();
    let acting = 2.0 * weights * members / ACTING_FLOPS;
    let evaluations = if spec.algorithm.members() > 1 { 2.0 } else { 1.0 };
    let evaluated = evaluations * (spec.rounds * spec.episodes * spec.task.shape().1) as f64;
    let collected = 20.0 * (spec.rounds * spec.states_per_round) as f64;
    let steps = evaluated + collected;
    members * train + steps * (step_seconds(spec.task) + acting)
}

/// Seconds in which one member trains after a round.
fn train_seconds(spec: &RunSpec, round: usize, weights: f64) -> f64 {
    let Some(oracle) = spec.oracle else { return 1e-3 };
    let rows = round * spec.states_per_round;
    let batch = rows.min(oracle.batch);
    let steps = match oracle.budget {
        BudgetSpec::Epochs(count) => count * (rows / oracle.batch).max(1),
        BudgetSpec::Iterations(count) => count,
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

/// Seconds of one simulator step.
fn step_seconds(task: Task) -> f64 {
    match task.robot() {
        Some(Robot::Hopper) => 22e-6,
        Some(Robot::Walker2d) => 34e-6,
        Some(Robot::HalfCheetah) => 48e-6,
        Some(Robot::Ant) => 75e-6,
        None => 1e-6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Run {
        let spec = RunSpec::parse(text).unwrap();
        Run { name: spec.folder(), spec, expert: String::new(), needs: vec![], timed: false }
    }

    #[test]
    fn more_work_takes_longer_and_what_was_seen_counts() {
        let mut estimator = Estimator::default();
        let small = run("task = 'hopper'\nalgorithm = 'dagger'");
        let large = run("task = 'hopper'\nalgorithm = 'bd-25'");
        let guess = estimator.core_seconds(&small);
        assert!(guess > 1.0 && guess < 1000.0, "{guess}");
        assert!(estimator.core_seconds(&large) > 5.0 * guess);
        for seconds in [900.0, 12.0, 14.0] {
            estimator.learn(&run("task = 'hopper'\nalgorithm = 'dagger'\nseed = 2"), seconds);
        }
        assert_eq!(estimator.core_seconds(&small), 14.0);
    }
}
