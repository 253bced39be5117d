//! A finished run in a few kilobytes.

use serde::{Deserialize, Serialize};
use tutelage::Evaluation;
use tutelage_envs::trigonometry;
use tutelage_runs::store::{AnyHistory, Seconds};

use crate::plan::Run;

/// What a run came to, round by round; small enough to be kept for ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this form.
    pub format: u32,
    /// The run's name, which no other run has.
    pub run: String,
    /// The fingerprint of its spec.
    pub spec_hash: String,
    /// Its spec, as TOML.
    pub spec: String,
    /// The fingerprint of the expert's weights.
    pub expert: String,
    /// The average return of the expert's mean action.
    pub expert_reward: Option<f64>,
    /// Whose sine and cosine the robots' physics was computed with, where the record says so: bits are to be compared where
    /// they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigonometry: Option<String>,
    /// How many threads it ran on.
    pub threads: usize,
    /// The most memory in bytes, where it ran in a process of its own.
    pub memory: Option<u64>,
    /// n·K after each round.
    pub annotations: Vec<usize>,
    /// How many steps the expert drove up to each round, where it drives at all and somebody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert_steps: Option<Vec<u64>>,
    /// The average return of the members' mean after each round.
    pub reward: Vec<f64>,
    /// The standard deviation of the return over episodes.
    pub reward_sd: Vec<f64>,
    /// The average return of a random member at every step, where there are several.
    pub reward_random: Option<Vec<f64>>,
    /// The imitation loss after each round.
    pub imitation_loss: Option<Vec<f64>>,
    /// Seconds that rollouts and annotations took.
    pub collect_seconds: Vec<f64>,
    /// Seconds that training took.
    pub train_seconds: Vec<f64>,
    /// Seconds that the evaluation took.
    pub evaluate_seconds: Vec<f64>,
}

/// The version that this program writes.
pub(crate) const FORMAT: u32 = 1;

/// A century, in seconds: no round takes longer.
const MOST_SECONDS: f64 = 3.2e9;

impl Record {
    /// The record of a run with this history and these times.
    pub fn new(run: &Run, history: &AnyHistory, times: &[Seconds], threads: usize) -> Self {
        let results = history.results();
        let lines = history.lines(run.spec.states_per_round, &[]);
        let seconds = |of: &dyn Fn(&Seconds) -> f64| {
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
        Self {
            format: FORMAT,
            run: run.name.clone(),
            spec_hash: run.spec.hash(),
            spec: run.spec.to_toml(),
            expert: run.expert.clone(),
            expert_reward: history.expert().map(|expert| short(expert.mean_reward(), 2)),
            trigonometry: run.spec.task.robot().map(|_| trigonometry()),
            threads,
            memory: None,
            annotations: lines.iter().map(|line| line.annotations).collect(),
            expert_steps: (history.expert_steps() > 0).then(|| {
                results.iter().map(|result| history.expert_steps_after(result.round)).collect()
            }),
            reward: per_round(&Evaluation::mean_reward, 2),
            reward_sd: per_round(&Evaluation::sd_reward, 2),
            reward_random: random.collect(),
            imitation_loss: loss.collect(),
            collect_seconds: seconds(&|s| s.collect + s.annotate),
            train_seconds: seconds(&|s| s.train),
            evaluate_seconds: seconds(&|s| s.evaluate),
        }
    }

    /// The record of this text; if it is none, why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let record: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if record.format != FORMAT {
            return Err(format!("format {}, expected {FORMAT}", record.format));
        }
        record.fault().map_or(Ok(record), Err)
    }

    /// What no finished run has: other many numbers than rounds, or numbers that cannot be.
    fn fault(&self) -> Option<String> {
        let rounds = self.annotations.len();
        let optional = [&self.reward_random, &self.imitation_loss].into_iter().flatten();
        let times = [&self.collect_seconds, &self.train_seconds, &self.evaluate_seconds];
        let columns = [&self.reward, &self.reward_sd].into_iter().chain(optional).chain(times);
        if let Some(column) = columns.clone().find(|column| column.len() != rounds) {
            return Some(format!("{} numbers for {rounds} rounds", column.len()));
        }
        if let Some(value) = columns.flatten().find(|value| !value.is_finite()) {
            return Some(format!("a number that is {value}"));
        }
        let is_possible = |seconds: &&f64| (0.0..=MOST_SECONDS).contains(*seconds);
        let impossible = times.into_iter().flatten().find(|seconds| !is_possible(seconds));
        impossible.map(|seconds| format!("a round of {seconds} seconds"))
    }

    /// How long the whole run took.
    pub fn seconds(&self) -> f64 {
        let phases = [&self.collect_seconds, &self.train_seconds, &self.evaluate_seconds];
        phases.into_iter().flatten().sum()
    }
}

/// As many digits after the point as mean something.
fn short(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record whose one round has these seconds, rewards and losses.
    fn text(seconds: &str, rewards: &str, losses: &str) -> String {
        format!(
            r#"{{"format":1,"run":"r","spec_hash":"","spec":"","expert":"","expert_reward":null,"threads":1,"memory":null,"annotations":[5],
            "reward":{rewards},"reward_sd":[0.5],"reward_random":null,"imitation_loss":{losses},"collect_seconds":[0],"train_seconds":[{seconds}],"evaluate_seconds":[0]}}"#
        )
    }

    #[test]
    fn numbers_that_no_run_has_are_refused() {
        assert_eq!(Record::parse(&text("1.5", "[2]", "null")).unwrap().seconds(), 1.5);
        for seconds in ["1e30", "-1", "1e308", "-0.001"] {
            let error = Record::parse(&text(seconds, "[2]", "null")).unwrap_err();
            assert!(error.contains("a round of"), "{error}");
        }
        for (rewards, losses) in [("[]", "null"), ("[1, 2]", "null"), ("[1]", "[]")] {
            let error = Record::parse(&text("1", rewards, losses)).unwrap_err();
            assert!(error.contains("for 1 rounds"), "{error}");
        }
    }
}
