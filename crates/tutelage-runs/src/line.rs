//! The result of each round as a line of numbers.

use std::collections::HashMap;

use serde::Serialize;
use tutelage::Element;
use tutelage::evaluation::Evaluation;

use crate::store::{History, RoundResult, RoundTimings};

/// The result of a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RoundLine {
    /// The round's number n.
    pub round: usize,
    /// The number of annotations so far, |D₁ ∪ … ∪ Dₙ|.
    pub annotations: usize,
    /// The number of steps that the expert drove so far; `None` in logs of format 1, which do not count them.
    pub expert_steps: Option<u64>,
    /// The mean return of the policy as deployed, usually of the mean of its members.
    pub reward: f64,
    /// The standard deviation of the return over episodes.
    pub reward_sd: f64,
    /// The mean return with a random member at every step, if the policy has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_random: Option<f64>,
    /// The imitation loss, if the expert knows its mean action.
    pub imitation_loss: Option<f64>,
    /// How long the round took, if known.
    pub seconds: Option<f64>,
}

impl RoundLine {
    fn new(
        result: &RoundResult,
        annotations: usize,
        expert_steps: Option<u64>,
        seconds: Option<&RoundTimings>,
    ) -> Self {
        Self {
            round: result.round,
            annotations,
            expert_steps,
            reward: result.deployed.mean_reward(),
            reward_sd: result.deployed.sd_reward(),
            reward_random: result.random.as_ref().map(Evaluation::mean_reward),
            imitation_loss: result.deployed.imitation_loss(),
            seconds: seconds.map(RoundTimings::total),
        }
    }

    /// Describes the expert's effort so far: `150 annotations`, and the steps that it drove, if any.
    pub fn effort(&self) -> String {
        let annotations = self.annotations;
        match self.driven() {
            None => format!("{annotations} annotations"),
            Some(steps) => {
                format!("{annotations} annotations and {steps} steps driven by the expert")
            }
        }
    }

    /// The number of steps that the expert drove, if any.
    pub fn driven(&self) -> Option<u64> {
        self.expert_steps.filter(|steps| *steps > 0)
    }

    /// The lines of all finished rounds of a run with `states_per_round` states a round.
    pub fn all<S: Element, A: Element>(
        history: &History<S, A>,
        states_per_round: usize,
        times: &[RoundTimings],
    ) -> Vec<Self> {
        let annotations = history.annotations_by_round(states_per_round);
        let steps = history.expert_steps_by_round();
        let all_counted = steps.len() > history.rounds.len();
        let times: HashMap<usize, &RoundTimings> =
            times.iter().map(|time| (time.round, time)).collect();
        let line = |result: &RoundResult| {
            let annotations = annotations.get(result.round).or(annotations.last());
            let last = steps.last().filter(|_| all_counted);
            let expert_steps = steps.get(result.round).or(last).copied();
            let annotations = annotations.copied().unwrap_or_default();
            Self::new(result, annotations, expert_steps, times.get(&result.round).copied())
        };
        history.results.iter().map(line).collect()
    }

    /// Formats lines as CSV, without times, so that equal runs have equal files.
    pub fn csv(lines: &[Self]) -> String {
        let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let row = |line: &Self| {
            let steps = line.expert_steps.map_or(String::new(), |steps| steps.to_string());
            let (random, loss) = (optional(line.reward_random), optional(line.imitation_loss));
            let Self { round, annotations, reward, reward_sd, .. } = line;
            format!("{round},{annotations},{steps},{reward},{reward_sd},{random},{loss}\n")
        };
        let heading =
            "round,annotations,expert_steps,reward,reward_sd,reward_random,imitation_loss\n";
        [heading.to_owned()].into_iter().chain(lines.iter().map(row)).collect()
    }
}

/// Formats rounds as plain text, one per line, with a bar for the reward.
///
/// ```
/// use tutelage_runs::{RoundLine, table};
///
/// let line = |round: usize, reward| RoundLine {
///     round,
///     annotations: 10 * round,
///     reward,
///     ..RoundLine::default()
/// };
/// let text = table(&[line(1, 25.0), line(2, 50.0)], Some(50.0));
/// assert_eq!(text.lines().nth(1), Some("     1           10    25.00            ##########"));
/// assert_eq!(text.lines().nth(3), Some("expert                 50.00            ####################"));
/// ```
pub fn table(lines: &[RoundLine], expert: Option<f64>) -> String {
    let drives = lines.iter().any(|line| line.driven().is_some());
    let steps = |text: &str| if drives { format!("  {text:>12}") } else { String::new() };
    let rewards = || lines.iter().map(|line| line.reward).chain(expert);
    let [low, high] = [rewards().fold(0.0, f64::min), rewards().fold(0.0, f64::max)];
    let row = |name: &str, annotations: &str, driven: &str, reward: f64, loss: Option<f64>| {
        let share = (reward - low) / (high - low).max(f64::MIN_POSITIVE);
        let bar = "#".repeat((share * BAR).round() as usize);
        let loss = loss.map_or(String::new(), |loss| format!("{loss:.4}"));
        let driven = steps(driven);
        format!("{name:>6}  {annotations:>11}{driven}  {reward:>7.2}  {loss:>8}  {bar}")
            .trim_end()
            .to_owned()
    };
    let heading = format!(
        " round  {:>11}{}  {:>7}  {:>8}",
        "annotations",
        steps("expert steps"),
        "reward",
        "loss"
    );
    let rounds = lines.iter().map(|line| {
        row(
            &line.round.to_string(),
            &line.annotations.to_string(),
            &line.expert_steps.map_or("–".into(), |steps| steps.to_string()),
            line.reward,
            line.imitation_loss,
        )
    });
    let expert = expert.map(|reward| row("expert", "", "", reward, None));
    [heading].into_iter().chain(rounds).chain(expert).map(|line| line + "\n").collect()
}

/// The longest bar.
const BAR: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn line(round: usize, expert_steps: Option<u64>) -> RoundLine {
        RoundLine { round, annotations: 50 * round, expert_steps, ..RoundLine::default() }
    }

    #[test]
    fn expert_steps_appear_only_if_the_expert_drives() {
        let driven = line(2, Some(1234));
        assert_eq!(driven.effort(), "100 annotations and 1234 steps driven by the expert");
        assert!(table(&[line(1, Some(600)), driven], None).contains("         100          1234 "));
        for idle in [line(2, Some(0)), line(2, None)] {
            assert_eq!(idle.effort(), "100 annotations");
            assert!(!table(&[idle], None).contains("expert steps"));
        }
    }
}
