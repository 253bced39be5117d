//! Makes the record of a finished run.

use tutelage_compare::RunRecord;
use tutelage_net::Isa;
use tutelage_runs::RoundLine;
use tutelage_runs::store::{AnyHistory, RoundTimings};
use tutelage_tasks::bullet::trigonometry;

use crate::PlannedRun;

impl PlannedRun {
    /// Makes the record of this run from its history and times.
    pub fn record(
        &self,
        history: &AnyHistory,
        times: &[RoundTimings],
        threads: usize,
    ) -> RunRecord {
        let lines = history.lines(self.spec.states_per_round, &[]);
        let column = |of: &dyn Fn(&RoundLine) -> f64, digits| {
            lines.iter().map(|line| short(of(line), digits)).collect::<Vec<_>>()
        };
        let seconds = |of: &dyn Fn(&RoundTimings) -> f64| {
            let time = |line: &RoundLine| times.iter().find(|time| time.round == line.round);
            column(&|line| time(line).map_or(0.0, of), 3)
        };
        let optional = |of: &dyn Fn(&RoundLine) -> Option<f64>, digits| {
            lines.iter().map(|line| Some(short(of(line)?, digits))).collect()
        };
        let steps = lines.iter().map(|line| line.expert_steps).collect::<Option<Vec<_>>>();
        RunRecord {
            format: RunRecord::FORMAT,
            run: self.name.clone(),
            spec_hash: self.spec.hash(),
            spec: self.spec.to_toml(),
            expert: self.expert.clone(),
            expert_reward: history.expert().map(|expert| short(expert.mean_reward(), 2)),
            trigonometry: self.spec.task.robot().map(|_| trigonometry()),
            rounding: self.spec.solver().is_none().then(|| Isa::detect().rounding().into()),
            threads,
            memory: None,
            annotations: lines.iter().map(|line| line.annotations).collect(),
            expert_steps: steps.filter(|_| self.spec.algorithm.needs_driver()),
            reward: column(&|line| line.reward, 2),
            reward_sd: column(&|line| line.reward_sd, 2),
            reward_random: optional(&|line| line.reward_random, 2),
            imitation_loss: optional(&|line| line.imitation_loss, 7),
            collect_seconds: seconds(&|s| s.collect + s.annotate),
            train_seconds: seconds(&|s| s.train),
            evaluate_seconds: seconds(&|s| s.evaluate),
        }
    }
}

/// Rounds to this number of decimals.
fn short(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}
