//! Makes the record of a finished run.

use tutelage::evaluation::Evaluation;
use tutelage_compare::RunRecord;
use tutelage_net::Isa;
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
        let results = history.results();
        let lines = history.lines(self.spec.states_per_round, &[]);
        let seconds = |of: &dyn Fn(&RoundTimings) -> f64| {
            let round = |n| times.iter().find(|seconds| seconds.round == n).map_or(0.0, of);
            results.iter().map(|result| short(round(result.round), 3)).collect::<Vec<_>>()
        };
        let per_round = |of: &dyn Fn(&Evaluation) -> f64, digits| {
            results.iter().map(|result| short(of(&result.deployed), digits)).collect::<Vec<_>>()
        };
        let random = results
            .iter()
            .map(|result| result.random.as_ref().map(|random| short(random.mean_reward(), 2)));
        let loss =
            results.iter().map(|result| result.deployed.imitation_loss().map(|x| short(x, 7)));
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
            expert_steps: self
                .spec
                .algorithm
                .needs_driver()
                .then(|| lines.iter().map(|line| line.expert_steps).collect())
                .flatten(),
            reward: per_round(&Evaluation::mean_reward, 2),
            reward_sd: per_round(&Evaluation::sd_reward, 2),
            reward_random: random.collect(),
            imitation_loss: loss.collect(),
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
