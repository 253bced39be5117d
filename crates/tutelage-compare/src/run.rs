//! A run with its results.

use std::path::PathBuf;

use tutelage::algorithm::{FAMILIES, Family, Members};
use tutelage::choice::ExpertActs;
use tutelage::{AlgorithmName, Sampling};
use tutelage_runs::{ChoiceTexts, RoundLine};

use crate::{Cost, SpecFields};

/// The maximum length of an algorithm's name. Suggestions for longer names would take too long.
const LONGEST_NAME: usize = 1000;

/// A run: its spec and the result of each round.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRun {
    /// The folder or file that it was read from.
    pub source: PathBuf,
    /// The fields of its spec.
    pub fields: SpecFields,
    /// The results of its rounds.
    pub lines: Vec<RoundLine>,
    /// The average return of the expert's mean action.
    pub expert: Option<f64>,
}

impl ComparedRun {
    /// A run with this spec. References to other runs are replaced by their algorithms.
    pub fn new(source: PathBuf, spec: &str, lines: Vec<RoundLine>, expert: Option<f64>) -> Self {
        let mut fields = SpecFields::parse(spec);
        fields.name_sources();
        Self { source, fields, lines, expert }
    }

    /// Returns the planned number of rounds, if the spec contains it.
    pub fn rounds(&self) -> Option<usize> {
        self.fields.get("rounds")?.parse().ok()
    }

    /// Returns whether all rounds are finished.
    pub fn is_finished(&self) -> bool {
        self.rounds().is_none_or(|rounds| self.lines.len() >= rounds)
    }

    /// Returns the seed, or the random stream of a custom program.
    pub fn seed(&self) -> String {
        let named = self.fields.get("seed").or_else(|| self.fields.get("stream"));
        named.map_or_else(|| self.source.display().to_string(), Into::into)
    }

    /// Returns the reward of each round.
    pub fn rewards(&self) -> Vec<f64> {
        self.lines.iter().map(|line| line.reward).collect()
    }

    /// Returns (cost, reward) after each round, or `None` if the cost was not counted.
    pub fn points(&self, cost: Cost) -> Option<Vec<(f64, f64)>> {
        self.lines.iter().map(|line| Some((cost.after(line)?, line.reward))).collect()
    }

    /// Returns the algorithm, if it belongs to a known family.
    pub fn algorithm(&self) -> Option<AlgorithmName> {
        match self.fields.get("algorithm") {
            Some(name) if name.len() > LONGEST_NAME => None,
            Some(name) => name.parse().ok(),
            None => named_by_choices(&self.fields),
        }
    }

    /// Returns the display name of the algorithm.
    pub fn algorithm_label(&self) -> String {
        match (self.algorithm(), self.fields.get("algorithm")) {
            (Some(named), _) => named.label(),
            (None, Some(name)) => name.into(),
            (None, None) => choices_in_words(&self.fields),
        }
    }
}

/// Finds the family with the choices that the spec of a custom program contains instead of a name.
fn named_by_choices(fields: &SpecFields) -> Option<AlgorithmName> {
    let members = fields.get("members")?;
    let families = FAMILIES.iter().filter(|family| family.numbers.is_empty());
    let named = |family: &Family| match family.members {
        Members::One => family.key.parse::<AlgorithmName>().ok(),
        _ => format!("{}-{members}", family.key).parse().ok(),
    };
    families.filter_map(named).find(|named| {
        [ExpertActs::Sampled, ExpertActs::Mean].into_iter().any(|acts| {
            let algorithm = named.algorithm(Sampling::Independent, acts);
            let ChoiceTexts { drive, ask, train_on, .. } = ChoiceTexts::of(&algorithm);
            fields.get("ask").is_none_or(|known| variant(known) == variant(&ask))
                && fields.get("drive") == Some(&drive)
                && fields.get("train_on") == Some(&train_on)
                && members == algorithm.members.to_string()
        })
    })
}

/// Returns a choice without its numbers.
fn variant(choice: &str) -> &str {
    choice.split(['(', ' ']).next().unwrap_or(choice)
}

fn choices_in_words(fields: &SpecFields) -> String {
    let known = ["drive", "train_on"].into_iter().filter_map(|name| fields.get(name));
    let words: Vec<&str> = known.collect();
    match (words.is_empty(), fields.get("members")) {
        (true, _) => "unnamed".into(),
        (false, Some(members)) => format!("{}, E = {members}", words.join(", ")),
        (false, None) => words.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(spec: &str) -> ComparedRun {
        ComparedRun::new("x".into(), spec, vec![], None)
    }

    #[test]
    fn custom_programs_are_named_by_their_choices() {
        let choices = |drive: &str, train_on: &str, members: usize| {
            run(&format!("drive = \"{drive}\"\ntrain_on = \"{train_on}\"\nmembers = {members}"))
        };
        assert_eq!(choices("Learner", "Bootstrap", 7).algorithm_label(), "BD-7");
        assert_eq!(choices("Learner", "Data", 1).algorithm_label(), "DAgger");
        assert_eq!(choices("Expert(Mean)", "Data", 1).algorithm_label(), "BC");
        assert_eq!(choices("Stored", "Bootstrap", 3).algorithm_label(), "Bagging-3");
        let handed_over = "HandOver(Windows { at_start: 0.5, length: 0.1, growth: 0.05, steady: 6, by_expert: 1 })";
        assert_eq!(choices(handed_over, "Data", 1).algorithm_label(), "Handover-DAgger");
        assert_eq!(choices("Elves", "Bootstrap", 3).algorithm_label(), "Elves, Bootstrap, E = 3");
        let disputed = "drive = \"Learner\"\nask = \"MostDisputed { of: 4 }\"\ntrain_on = \"Bootstrap\"\nmembers = 3";
        assert_eq!(run(disputed).algorithm(), None, "it asks about other states");
        assert_eq!(run("algorithm = \"mp-25(15)\"").algorithm_label(), "MP-25(15)");
        assert_eq!(run("algorithm = \"my own\"").algorithm_label(), "my own");
    }

    #[test]
    fn excessive_names_are_not_parsed() {
        let long = run(&format!("algorithm = \"{}\"", "x".repeat(20_000_000)));
        let start = std::time::Instant::now();
        assert_eq!(long.algorithm(), None);
        assert!(start.elapsed().as_secs() < 10, "the name was compared with all families");
    }
}
