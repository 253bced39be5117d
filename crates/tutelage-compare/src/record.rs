//! Records of finished runs, a few kilobytes each.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tutelage_runs::RoundLine;

use crate::ComparedRun;

/// The results of a run, round by round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The version of the format.
    pub format: u32,
    /// The unique name of the run.
    pub run: String,
    /// The hash of its spec.
    pub spec_hash: String,
    /// Its spec, as TOML.
    pub spec: String,
    /// The fingerprint of the expert's weights.
    pub expert: String,
    /// The average return of the expert's mean action.
    pub expert_reward: Option<f64>,
    /// The implementation of sine and cosine in the robots' physics, if known. Results are comparable only if it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigonometry: Option<String>,
    /// The rounding of products in networks, if known. Results are comparable only if it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<String>,
    /// The number of threads.
    pub threads: usize,
    /// The peak memory in bytes, if the run had a separate process.
    pub memory: Option<u64>,
    /// |D| after each round.
    pub annotations: Vec<usize>,
    /// The number of steps that the expert drove up to each round, if it drives and steps were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert_steps: Option<Vec<u64>>,
    /// The average return of the members' mean after each round.
    pub reward: Vec<f64>,
    /// The standard deviation of the return over episodes.
    pub reward_sd: Vec<f64>,
    /// The average return of a random member per step, if there are several members.
    pub reward_random: Option<Vec<f64>>,
    /// The imitation loss after each round.
    pub imitation_loss: Option<Vec<f64>>,
    /// The seconds for rollouts and annotations.
    pub collect_seconds: Vec<f64>,
    /// The seconds for training.
    pub train_seconds: Vec<f64>,
    /// The seconds for evaluation.
    pub evaluate_seconds: Vec<f64>,
}

/// A century. No round takes longer.
const MOST_SECONDS: f64 = 3.2e9;

impl RunRecord {
    /// The version that this program reads and writes.
    pub const FORMAT: u32 = 1;

    /// Reads a file of records, of up to 1 GiB.
    pub fn read_file(path: &Path) -> io::Result<String> {
        let bytes = tutelage_files::read(path, 1 << 30)?;
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Parses a record; the error is a description of what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let record: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if record.format != Self::FORMAT {
            return Err(format!("format {}, expected {}", record.format, Self::FORMAT));
        }
        record.fault().map_or(Ok(record), Err)
    }

    /// Returns what is wrong: a list whose length is not the number of rounds, or an impossible number.
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

    /// Describes how the results of the same run, executed again, differ from this record.
    ///
    /// Times do not count, nor does what only one of the two recorded. Nothing counts if the arithmetic is known to differ.
    pub fn difference(&self, again: &Self) -> Option<String> {
        let was_other =
            |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
        if was_other(&self.trigonometry, &again.trigonometry)
            || was_other(&self.rounding, &again.rounding)
        {
            return None;
        }
        if self.reward.len() != again.reward.len() {
            let (was, is) = (self.reward.len(), again.reward.len());
            return Some(format!("the number of rounds was {was}, and is {is}"));
        }
        self.results().into_iter().zip(again.results()).find_map(|((what, was), (_, is))| {
            let (was, is) = (was?, is?);
            let round = was.iter().zip(&is).position(|(was, is)| was != is)?;
            Some(format!("{what} of round {} was {}, and is {}", round + 1, was[round], is[round]))
        })
    }

    /// Returns the columns that must agree.
    fn results(&self) -> [(&'static str, Option<Vec<f64>>); 6] {
        let annotations = self.annotations.iter().map(|&count| count as f64).collect();
        let steps = |steps: &Vec<u64>| steps.iter().map(|&count| count as f64).collect();
        [
            ("|D|", Some(annotations)),
            ("the number of the expert's steps", self.expert_steps.as_ref().map(steps)),
            ("the reward", Some(self.reward.clone())),
            ("the standard deviation of the reward", Some(self.reward_sd.clone())),
            ("the reward of a random member", self.reward_random.clone()),
            ("the imitation loss", self.imitation_loss.clone()),
        ]
    }

    /// Converts the record, which was read from this file.
    pub fn as_run(&self, source: &Path) -> ComparedRun {
        let lines = (0..self.reward.len()).map(|i| self.line(i)).collect();
        let mut run = ComparedRun::new(source.into(), &self.spec, lines, self.expert_reward);
        let never_drives = run.algorithm().is_some_and(|named| !named.needs_driver());
        if self.expert_steps.is_none() && never_drives {
            run.lines.iter_mut().for_each(|line| line.expert_steps = Some(0));
        }
        run
    }

    fn line(&self, i: usize) -> RoundLine {
        let at = |values: &Option<Vec<f64>>| values.as_ref()?.get(i).copied();
        RoundLine {
            round: i + 1,
            annotations: self.annotations[i],
            expert_steps: self.expert_steps.as_ref().and_then(|steps| steps.get(i).copied()),
            reward: self.reward[i],
            reward_sd: self.reward_sd[i],
            reward_random: at(&self.reward_random),
            imitation_loss: at(&self.imitation_loss),
            seconds: None,
        }
    }

    /// Returns the total seconds.
    pub fn seconds(&self) -> f64 {
        let phases = [&self.collect_seconds, &self.train_seconds, &self.evaluate_seconds];
        phases.into_iter().flatten().sum()
    }

    /// Returns the total seconds times the number of threads.
    pub fn core_seconds(&self) -> f64 {
        self.seconds() * self.threads as f64
    }
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
    fn expert_steps_are_zero_if_the_expert_never_drives() {
        let steps = |algorithm: &str, counted: Option<u64>| {
            let mut record = RunRecord::parse(&text("1", "[2]", "null")).unwrap();
            record.spec = format!("algorithm = \"{algorithm}\"\n");
            record.expert_steps = counted.map(|steps| vec![steps]);
            record.as_run(Path::new("r")).lines[0].expert_steps
        };
        assert_eq!(steps("handover-bd-5", Some(30)), Some(30));
        assert_eq!(steps("dart(1)", Some(20)), Some(20));
        assert_eq!(steps("dagger", None), Some(0));
        assert_eq!(steps("bc", None), None, "the expert drove, but steps were not counted");
    }

    #[test]
    fn differences_name_the_quantity_and_the_round() {
        let record = RunRecord::parse(&text("1", "[2]", "[0.5]")).unwrap();
        let again = |change: fn(&mut RunRecord)| {
            let mut again = record.clone();
            change(&mut again);
            record.difference(&again)
        };
        assert_eq!(again(|_| {}), None);
        assert_eq!(again(|again| again.train_seconds = vec![9.0]), None, "times are no result");
        assert_eq!(again(|again| again.imitation_loss = None), None, "only one has it");
        let words = again(|again| again.reward = vec![3.0]).unwrap();
        assert_eq!(words, "the reward of round 1 was 2, and is 3");
        assert!(again(|again| again.annotations = vec![6]).unwrap().starts_with("|D| of round 1"));
        assert!(again(|again| again.imitation_loss = Some(vec![0.4])).unwrap().contains("loss"));
        let longer = again(|again| again.reward.push(2.0)).unwrap();
        assert_eq!(longer, "the number of rounds was 1, and is 2");

        let computed = |with: &str, reward: f64| RunRecord {
            rounding: Some(with.into()),
            reward: vec![reward],
            ..record.clone()
        };
        assert_eq!(computed("fused", 2.0).difference(&computed("plain", 3.0)), None);
        assert!(computed("fused", 2.0).difference(&computed("fused", 3.0)).is_some());
        assert!(record.difference(&computed("fused", 3.0)).is_some(), "an old record does not say");
        let sine = |whose: &str, reward: f64| RunRecord {
            trigonometry: Some(whose.into()),
            ..computed("fused", reward)
        };
        assert_eq!(sine("ours", 2.0).difference(&sine("another's", 3.0)), None);
    }

    #[test]
    fn impossible_numbers_are_rejected() {
        assert_eq!(RunRecord::parse(&text("1.5", "[2]", "null")).unwrap().seconds(), 1.5);
        for seconds in ["1e30", "-1", "1e308", "-0.001"] {
            let error = RunRecord::parse(&text(seconds, "[2]", "null")).unwrap_err();
            assert!(error.contains("a round of"), "{error}");
        }
        for (rewards, losses) in [("[]", "null"), ("[1, 2]", "null"), ("[1]", "[]")] {
            let error = RunRecord::parse(&text("1", rewards, losses)).unwrap_err();
            assert!(error.contains("for 1 rounds"), "{error}");
        }
    }
}
