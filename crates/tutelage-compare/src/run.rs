//! A run in numbers.

use std::path::PathBuf;

use tutelage::AlgorithmName;
use tutelage::algorithm::{FAMILIES, Family, Members};
use tutelage_runs::RoundLine;

use crate::{Cost, SpecFields};

/// No family's names are longer.
const LONGEST_NAME: usize = 1000;

/// A run in numbers: what it was to do, and what each round came to.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRun {
    /// The folder or file that it was read from.
    pub source: PathBuf,
    /// Its spec.
    pub fields: SpecFields,
    /// Its rounds.
    pub lines: Vec<RoundLine>,
    /// The average return of the expert's mean action.
    pub expert: Option<f64>,
}

impl ComparedRun {
    /// A run of this spec. Other runs that it builds on are told by their algorithm, since their folders differ from seed to
    /// seed.
    pub fn new(source: PathBuf, spec: &str, lines: Vec<RoundLine>, expert: Option<f64>) -> Self {
        let mut fields = SpecFields::parse(spec);
        fields.name_sources();
        Self { source, fields, lines, expert }
    }

    /// How many rounds it was to have, where its spec says so.
    pub fn rounds(&self) -> Option<usize> {
        self.fields.get("rounds")?.parse().ok()
    }

    /// Whether it has all of its rounds.
    pub fn is_finished(&self) -> bool {
        self.rounds().is_none_or(|rounds| self.lines.len() >= rounds)
    }

    /// What tells it from others of its kind: its seed, or the random stream of a program of its own.
    pub fn seed(&self) -> String {
        let named = self.fields.get("seed").or_else(|| self.fields.get("stream"));
        named.map_or_else(|| self.source.display().to_string(), Into::into)
    }

    /// Its rewards, round by round.
    pub fn rewards(&self) -> Vec<f64> {
        self.lines.iter().map(|line| line.reward).collect()
    }

    /// (cost, reward) after each round; nothing where the cost was not counted.
    pub fn points(&self, cost: Cost) -> Option<Vec<(f64, f64)>> {
        self.lines.iter().map(|line| Some((cost.after(line)?, line.reward))).collect()
    }

    /// The algorithm by its name, where it is one of the families'.
    pub fn algorithm(&self) -> Option<AlgorithmName> {
        match self.fields.get("algorithm") {
            // A name as long as a book is no family's, and looking for the nearest would take as long as reading one.
            Some(name) if name.len() > LONGEST_NAME => None,
            Some(name) => name.parse().ok(),
            None => named_by_choices(&self.fields),
        }
    }

    /// The algorithm in words.
    pub fn algorithm_label(&self) -> String {
        match (self.algorithm(), self.fields.get("algorithm")) {
            (Some(named), _) => named.label(),
            (None, Some(name)) => name.into(),
            (None, None) => choices_in_words(&self.fields),
        }
    }
}

/// Programs of one's own write down their choices, not a name. If these are the choices of a family without numbers, it goes
/// by that family's name.
fn named_by_choices(fields: &SpecFields) -> Option<AlgorithmName> {
    let members = fields.get("members")?;
    let families = FAMILIES.iter().filter(|family| family.numbers.is_empty());
    let named = |family: &Family| match family.members {
        Members::One => family.key.parse::<AlgorithmName>().ok(),
        _ => format!("{}-{members}", family.key).parse().ok(),
    };
    families.filter_map(named).find(|named| {
        [tutelage::choice::ExpertActs::Sampled, tutelage::choice::ExpertActs::Mean].into_iter().any(
            |acts| {
                let algorithm = named.algorithm(tutelage::Sampling::Independent, acts);
                let ask = fields
                    .get("ask")
                    .is_none_or(|ask| variant(ask) == variant(&format!("{:?}", algorithm.ask)));
                ask && fields.get("drive") == Some(&format!("{:?}", algorithm.drive))
                    && fields.get("train_on") == Some(&format!("{:?}", algorithm.train_on))
                    && members == algorithm.members.to_string()
            },
        )
    })
}

/// A choice without its numbers.
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
        ComparedRun {
            source: "x".into(),
            fields: SpecFields::parse(spec),
            lines: vec![],
            expert: None,
        }
    }

    #[test]
    fn a_program_that_runs_a_known_algorithm_is_told_by_its_choices() {
        let choices = |drive: &str, train_on: &str, members: usize| {
            run(&format!("drive = \"{drive}\"\ntrain_on = \"{train_on}\"\nmembers = {members}"))
        };
        assert_eq!(choices("Learner", "Bootstrap", 7).algorithm_label(), "BD-7");
        assert_eq!(choices("Learner", "Data", 1).algorithm_label(), "DAgger");
        assert_eq!(choices("Expert(Mean)", "Data", 1).algorithm_label(), "BC");
        assert_eq!(choices("Stored", "Bootstrap", 3).algorithm_label(), "Bagging-3");
        let handed_over = format!(
            "{:?}",
            tutelage::choice::Drive::HandOver(tutelage::choice::Windows::default())
        );
        assert_eq!(choices(&handed_over, "Data", 1).algorithm_label(), "Handover-DAgger");
        assert_eq!(choices("Elves", "Bootstrap", 3).algorithm_label(), "Elves, Bootstrap, E = 3");
        let disputed = "drive = \"Learner\"\nask = \"MostDisputed { of: 4 }\"\ntrain_on = \"Bootstrap\"\nmembers = 3";
        assert_eq!(run(disputed).algorithm(), None, "the states asked about are others");
        assert_eq!(run("algorithm = \"mp-25(15)\"").algorithm_label(), "MP-25(15)");
        assert_eq!(run("algorithm = \"my own\"").algorithm_label(), "my own");
    }

    #[test]
    fn a_name_as_long_as_a_book_is_no_familys() {
        let book = run(&format!("algorithm = \"{}\"", "x".repeat(20_000_000)));
        let start = std::time::Instant::now();
        assert_eq!(book.algorithm(), None);
        assert!(start.elapsed().as_secs() < 10, "its letters were compared with every family's");
    }
}
