//! Algorithms by name.

use std::fmt;
use std::str::FromStr;

use super::family::{MOST_NUMBERS, Settings};
use crate::algorithm::{Family, Members, Number};
use crate::choice::{Ask, Drive, ExpertActs, TrainOn};
use crate::suggest::nearest;
use crate::{Algorithm, Sampling};

/// LOGGER-M puts random costs on every action, which only an oracle for a finite world supports: it has no family.
pub const LOGGER_M: &str = "logger-m";

/// The least and the greatest number of members.
const MEMBERS: (usize, usize) = (1, 1000);

/// An algorithm by name: its family and numbers.
///
/// ```
/// use tutelage::{AlgorithmName, Sampling};
/// use tutelage::algorithm::mp;
/// use tutelage::choice::ExpertActs;
/// let named: AlgorithmName = "mp-25(15)".parse()?;
/// assert_eq!(named.to_string(), "mp-25(15)");
/// assert_eq!(named.label(), "MP-25(15)");
/// let sampling = Sampling::Stride(20);
/// assert_eq!(named.algorithm(sampling, ExpertActs::Sampled), mp(25, 15, sampling));
/// # Ok::<(), tutelage::algorithm::AlgorithmNameError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmName {
    family: &'static Family,
    members: usize,
    numbers: [f64; MOST_NUMBERS],
}

impl PartialEq for AlgorithmName {
    fn eq(&self, other: &Self) -> bool {
        self.family.key == other.family.key
            && self.members == other.members
            && self.numbers == other.numbers
    }
}

/// Why a name is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AlgorithmNameError {
    /// No family has this name.
    #[error("unknown algorithm \"{text}\"")]
    Unknown {
        /// The name.
        text: String,
        /// The most similar name, if any is similar.
        nearest: Option<&'static str>,
    },
    /// The number of numbers is wrong.
    #[error("invalid algorithm \"{text}\", expected {form}")]
    Form {
        /// The name.
        text: String,
        /// The form of the family's names.
        form: String,
    },
    /// A number is out of range.
    #[error("invalid algorithm \"{text}\", expected {expected}")]
    Number {
        /// The name.
        text: String,
        /// The accepted values.
        expected: String,
    },
    /// The algorithm runs in a finite world only.
    #[error(
        "\"{text}\": it puts random costs on every action, which only the finite world's oracle supports"
    )]
    FiniteOnly {
        /// The name.
        text: String,
    },
}

impl AlgorithmName {
    /// The family.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// E, the number of members.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The numbers in parentheses.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers[..self.family.numbers.len()]
    }

    /// The algorithm, with this sampling of states. If the expert drives throughout, it acts as `acts` says.
    pub fn algorithm(&self, sampling: Sampling, acts: ExpertActs) -> Algorithm {
        let Self { members, numbers, .. } = *self;
        (self.family.make)(&Settings { members, numbers, sampling, acts })
    }

    /// Whether members train on perturbation examples drawn from d₀.
    pub fn perturbs(&self) -> bool {
        matches!(self.sketch().train_on, TrainOn::Perturbed(_) | TrainOn::Shuffled(_))
    }

    /// Whether the expert drives throughout, so that [`ExpertActs`] matters.
    pub fn expert_drives(&self) -> bool {
        matches!(self.sketch().drive, Drive::Expert(_))
    }

    /// Whether the expert drives at least sometimes.
    pub fn needs_driver(&self) -> bool {
        self.sketch().drive.needs_driver()
    }

    /// Whether it asks for states in which the expert drove. Then states cannot be drawn independently.
    pub fn asks_where_expert_drove(&self) -> bool {
        matches!(self.sketch().ask, Ask::WhereExpertDrove { .. })
    }

    /// Whether it trains on the labels of another run.
    pub fn is_offline(&self) -> bool {
        self.sketch().drive == Drive::Stored
    }

    /// The algorithm with arbitrary settings.
    fn sketch(&self) -> Algorithm {
        self.algorithm(Sampling::Stride(1), ExpertActs::Sampled)
    }

    /// The name in specs, run folders and records. It never changes, because texts with it are hashed; it may be an earlier
    /// name of the family.
    pub fn spec_text(&self) -> String {
        self.written(self.family.spec_key())
    }

    /// The label in the paper and in figures: `MP-25(15)`.
    pub fn label(&self) -> String {
        self.written(self.family.label)
    }

    fn written(&self, head: &str) -> String {
        let members = match self.family.members {
            Members::One => "".into(),
            Members::Optional { default } if default == self.members => "".into(),
            Members::Required | Members::Optional { .. } => format!("-{}", self.members),
        };
        let numbers: Vec<String> = self.numbers().iter().map(f64::to_string).collect();
        let numbers =
            if numbers.is_empty() { "".into() } else { format!("({})", numbers.join(",")) };
        format!("{head}{members}{numbers}")
    }
}

impl fmt::Display for AlgorithmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written(self.family.key))
    }
}

impl FromStr for AlgorithmName {
    type Err = AlgorithmNameError;

    fn from_str(text: &str) -> Result<Self, AlgorithmNameError> {
        let lower = text.trim().to_lowercase();
        if lower.starts_with(LOGGER_M) {
            return Err(AlgorithmNameError::FiniteOnly { text: text.into() });
        }
        let (head, arguments) = match lower.strip_suffix(')').and_then(|rest| rest.split_once('('))
        {
            Some((head, arguments)) => (head, arguments.split(',').collect()),
            None => (&lower[..], vec![]),
        };
        let (key, digits) = match head.rsplit_once('-') {
            Some((key, digits)) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                (key, Some(digits))
            }
            _ => (head, None),
        };
        let unknown = || AlgorithmNameError::Unknown {
            text: text.into(),
            nearest: nearest(&lower, &Family::examples()),
        };
        let family = Family::find(key).ok_or_else(unknown)?;
        let form = || AlgorithmNameError::Form { text: text.into(), form: family.describe_form() };
        let members = match (family.members, digits) {
            (Members::One, None) => 1,
            (Members::Optional { default }, None) => default,
            (Members::Required | Members::Optional { .. }, Some(digits)) => {
                parse_members(text, digits)?
            }
            (Members::One, Some(_)) | (Members::Required, None) => return Err(form()),
        };
        if arguments.len() != family.numbers.len() {
            // The form of a family without members and numbers says nothing about them.
            let plain = family.members == Members::One && family.numbers.is_empty();
            return Err(if plain { unknown() } else { form() });
        }
        let mut numbers = [0.0; MOST_NUMBERS];
        for (slot, (number, argument)) in
            numbers.iter_mut().zip(family.numbers.iter().zip(arguments))
        {
            *slot = number.parse(text, argument)?;
        }
        let named = Self { family, members, numbers };
        if members < 2 && matches!(named.sketch().ask, Ask::MostDisputed { .. }) {
            let expected = "at least 2 members, since one cannot disagree with itself".into();
            return Err(AlgorithmNameError::Number { text: text.into(), expected });
        }
        Ok(named)
    }
}

impl Number {
    fn parse(&self, text: &str, argument: &str) -> Result<f64, AlgorithmNameError> {
        let (low, high) = self.range;
        let fits =
            |value: &f64| (low..=high).contains(value) && !(self.whole && value.fract() != 0.0);
        argument.trim().parse().ok().filter(fits).ok_or_else(|| {
            let kind = if self.whole { "a whole number" } else { "a number" };
            let expected = format!("{}, {}, {kind} from {low} to {high}", self.symbol, self.about);
            AlgorithmNameError::Number { text: text.into(), expected }
        })
    }
}

fn parse_members(text: &str, digits: &str) -> Result<usize, AlgorithmNameError> {
    let (low, high) = MEMBERS;
    digits.parse().ok().filter(|members| (low..=high).contains(members)).ok_or_else(|| {
        let expected = format!("a number of members from {low} to {high}");
        AlgorithmNameError::Number { text: text.into(), expected }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str) -> AlgorithmNameError {
        name.parse::<AlgorithmName>().unwrap_err()
    }

    #[test]
    fn names_parse_to_what_they_print() {
        let more = ["bd-1", "bd-25", "mftpl-p-7(2.5)", "mp-3(0)", "hg-dagger-5(0.1)"];
        for name in Family::examples().into_iter().chain(more) {
            assert_eq!(name.parse::<AlgorithmName>().unwrap().to_string(), name);
        }
        assert_eq!("BD-5".parse::<AlgorithmName>().unwrap().to_string(), "bd-5");
        assert_eq!("mftpl-p-25(3)".parse::<AlgorithmName>().unwrap().to_string(), "mftpl-p(3)");
        assert_eq!(
            "ensemble-dagger-5(0.1, 1)".parse::<AlgorithmName>().unwrap().numbers(),
            [0.1, 1.0]
        );
    }

    #[test]
    fn first_names_are_accepted_and_stay_in_specs() {
        for (first, now) in
            [("dagger-power(0.5)", "dagger-decay(0.5)"), ("bd-power-3(0.5)", "bd-decay-3(0.5)")]
        {
            let named: AlgorithmName = first.parse().unwrap();
            assert_eq!(named, now.parse().unwrap());
            assert_eq!((named.to_string(), named.spec_text()), (now.into(), first.into()));
        }
        for family in &super::super::FAMILIES {
            let named: AlgorithmName = family.example.parse().unwrap();
            assert_eq!(named.spec_text().parse::<AlgorithmName>().unwrap(), named);
        }
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        for (name, near) in [("dager", "dagger"), ("bd5", "bd-5"), ("mp25(15)", "mp-25(15)")] {
            let unknown = AlgorithmNameError::Unknown { text: name.into(), nearest: Some(near) };
            assert_eq!(error(name), unknown);
        }
        for name in ["", "ppo", "bc(1)", "-", "("] {
            assert!(
                matches!(error(name), AlgorithmNameError::Unknown { nearest: None, .. }),
                "{name}"
            );
        }
    }

    #[test]
    fn missing_numbers_are_explained() {
        for (name, example) in [
            ("bd", "bd-5"),
            ("bagging", "bagging-5"),
            ("mp-25", "mp-25(15)"),
            ("mp(15)", "mp-25(15)"),
            ("mftpl-p", "mftpl-p(15)"),
            ("bd-5(3)", "bd-5"),
            ("dart", "dart(1)"),
            ("ensemble-dagger-5(0.1)", "ensemble-dagger-5(0.05,0.2)"),
        ] {
            assert!(error(name).to_string().contains(&format!("as in {example}")), "{name}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for (name, word) in [
            ("bd-0", "members"),
            ("bd-5000", "members"),
            ("mp-25(-1)", "X"),
            ("mp-25(1.5)", "whole"),
            ("mftpl-p(-1)", "λ"),
            ("mftpl-p(nan)", "λ"),
            ("dagger-constant(1.5)", "β"),
            ("dagger-linear(0)", "M"),
            ("hg-dagger(inf)", "τ"),
            ("active-bd-5(0)", "m"),
            ("active-bd-1(4)", "at least 2 members"),
        ] {
            let error = error(name).to_string();
            assert!(error.contains(word) && error.contains(name), "{error}");
        }
    }

    #[test]
    fn logger_m_runs_in_finite_worlds_only() {
        assert_eq!(error("logger-m"), AlgorithmNameError::FiniteOnly { text: "logger-m".into() });
    }
}
