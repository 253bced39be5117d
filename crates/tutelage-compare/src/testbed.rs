//! Runs for tests.

use tutelage_runs::RoundLine;

use crate::ComparedRun;

/// A run whose rounds have 10 annotations and this number of expert steps each; the expert's reward is 10.
pub(crate) fn run(algorithm: &str, seed: u64, steps: u64, rewards: &[f64]) -> ComparedRun {
    let spec = format!("task = 'maze'\nalgorithm = '{algorithm}'\nseed = {seed}");
    let line = |(round, &reward): (usize, &f64)| RoundLine {
        round,
        annotations: 10 * round,
        expert_steps: Some(steps * round as u64),
        reward,
        ..RoundLine::default()
    };
    let lines = (1..).zip(rewards).map(line).collect();
    ComparedRun::new(algorithm.into(), &spec, lines, Some(10.0))
}
