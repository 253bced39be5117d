//! Algorithms by name.

use std::fmt;
use std::str::FromStr;

use super::SpecError;

/// An algorithm and its numbers, as the command line and the specs write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AlgorithmName {
    /// `bc`
    BehaviorCloning,
    /// `dagger`
    Dagger,
    /// `bd-E`
    BootstrapDagger {
        /// E.
        members: usize,
    },
    /// `mp-E(X)`
    Mp {
        /// E.
        members: usize,
        /// X.
        x: usize,
    },
    /// `mftpl-p(λ)`, with 25 members, or `mftpl-p-E(λ)`
    MftplP {
        /// E.
        members: usize,
        /// λ.
        lambda: f64,
    },
    /// `bagging-E`, on stored data
    Bagging {
        /// E.
        members: usize,
    },
    /// `supervised`, on stored data
    Supervised,
}

/// One of each kind, for lists and for the nearest name.
const EXAMPLES: [&str; 9] = [
    "bc",
    "dagger",
    "bd-1",
    "bd-5",
    "bd-25",
    "mp-25(15)",
    "mftpl-p(15)",
    "bagging-5",
    "supervised",
];

const MEMBERS: std::ops::RangeInclusive<usize> = 1..=1000;
const MAX_X: usize = 1_000_000;

impl AlgorithmName {
    /// E.
    pub fn members(&self) -> usize {
        match *self {
            Self::BehaviorCloning | Self::Dagger | Self::Supervised => 1,
            Self::BootstrapDagger { members }
            | Self::Mp { members, .. }
            | Self::MftplP { members, .. }
            | Self::Bagging { members } => members,
        }
    }

    /// Whether its members train on perturbation examples, drawn from d₀.
    pub fn perturbs(&self) -> bool {
        matches!(self, Self::Mp { .. } | Self::MftplP { .. })
    }

    /// Whether states come from the expert's own trajectories.
    pub fn expert_drives(&self) -> bool {
        matches!(self, Self::BehaviorCloning)
    }

    /// Whether it trains on the annotations of an earlier run.
    pub fn is_offline(&self) -> bool {
        matches!(self, Self::Bagging { .. } | Self::Supervised)
    }
}

impl fmt::Display for AlgorithmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::BehaviorCloning => "bc".into(),
            Self::Dagger => "dagger".into(),
            Self::BootstrapDagger { members } => format!("bd-{members}"),
            Self::Mp { members, x } => format!("mp-{members}({x})"),
            Self::MftplP { members: 25, lambda } => format!("mftpl-p({lambda})"),
            Self::MftplP { members, lambda } => format!("mftpl-p-{members}({lambda})"),
            Self::Bagging { members } => format!("bagging-{members}"),
            Self::Supervised => "supervised".into(),
        };
        f.pad(&name)
    }
}

impl FromStr for AlgorithmName {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let lower = text.trim().to_lowercase();
        let unknown = || SpecError::unknown("algorithm", text, &EXAMPLES);
        if lower.starts_with("logger-m") {
            let why = "it puts random costs on every action, and these tasks' actions are continuous; `tutelage theory` runs it";
            return Err(SpecError::Pointless {
                field: "algorithm",
                value: format!("\"{text}\""),
                why: why.into(),
            });
        }
        let (head, argument) = match lower.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
            Some((head, argument)) => (head, Some(argument)),
            None => (&lower[..], None),
        };
        let (family, members) = match head.rsplit_once('-') {
            Some((family, digits)) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                (family, Some(parse_members(text, digits)?))
            }
            _ => (head, None),
        };
        match (family, members, argument) {
            ("bc", None, None) => Ok(Self::BehaviorCloning),
            ("dagger", None, None) => Ok(Self::Dagger),
            ("supervised", None, None) => Ok(Self::Supervised),
            ("bd", Some(members), None) => Ok(Self::BootstrapDagger { members }),
            ("bagging", Some(members), None) => Ok(Self::Bagging { members }),
            ("mp", Some(members), Some(x)) => Ok(Self::Mp { members, x: parse_x(text, x)? }),
            ("mftpl-p", members, Some(lambda)) => Ok(Self::MftplP {
                members: members.unwrap_or(25),
                lambda: parse_lambda(text, lambda)?,
            }),
            ("bd" | "bagging", _, _) => {
                Err(incomplete(text, &format!("{family}-E with E members, as in {family}-5")))
            }
            ("mp", _, _) => Err(incomplete(
                text,
                "mp-E(X) with E members and X perturbation examples, as in mp-25(15)",
            )),
            ("mftpl-p", _, _) => Err(incomplete(
                text,
                "mftpl-p(λ) or mftpl-p-E(λ) with a mean of λ perturbation examples, as in mftpl-p(15)",
            )),
            _ => Err(unknown()),
        }
    }
}

/// A family without its numbers, or with others.
fn incomplete(text: &str, form: &str) -> SpecError {
    SpecError::range("algorithm", format!("\"{text}\""), form)
}

fn parse_members(text: &str, digits: &str) -> Result<usize, SpecError> {
    digits.parse().ok().filter(|members| MEMBERS.contains(members)).ok_or_else(|| {
        let allowed = format!("a number of members from {} to {}", MEMBERS.start(), MEMBERS.end());
        SpecError::range("algorithm", format!("\"{text}\""), allowed)
    })
}

fn parse_x(text: &str, x: &str) -> Result<usize, SpecError> {
    x.trim().parse().ok().filter(|x| *x <= MAX_X).ok_or_else(|| {
        let allowed = format!("X, the perturbation examples, a whole number from 0 to {MAX_X}");
        SpecError::range("algorithm", format!("\"{text}\""), allowed)
    })
}

fn parse_lambda(text: &str, lambda: &str) -> Result<f64, SpecError> {
    lambda.trim().parse().ok().filter(|rate| (0.0..=MAX_X as f64).contains(rate)).ok_or_else(|| {
        let allowed = format!("λ, the mean number of perturbation examples, from 0 to {MAX_X}");
        SpecError::range("algorithm", format!("\"{text}\""), allowed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_to_what_they_print() {
        for name in EXAMPLES.into_iter().chain(["mftpl-p-7(2.5)", "mp-3(0)"]) {
            assert_eq!(name.parse::<AlgorithmName>().unwrap().to_string(), name);
        }
        assert_eq!("BD-5".parse(), Ok(AlgorithmName::BootstrapDagger { members: 5 }));
        assert_eq!("mftpl-p(3)".parse(), Ok(AlgorithmName::MftplP { members: 25, lambda: 3.0 }));
    }

    #[test]
    fn a_wrong_name_gets_the_nearest() {
        for (name, nearest) in [("dager", "dagger"), ("bd5", "bd-5"), ("mp25(15)", "mp-25(15)")] {
            let error = name.parse::<AlgorithmName>().unwrap_err();
            assert!(
                matches!(&error, SpecError::Unknown { nearest: Some(n), .. } if n == nearest),
                "{error}"
            );
        }
        for name in ["", "ppo", "bc(1)", "-", "("] {
            let error = name.parse::<AlgorithmName>().unwrap_err();
            assert!(matches!(&error, SpecError::Unknown { nearest: None, .. }), "{error}");
        }
    }

    #[test]
    fn a_family_without_its_numbers_is_told_what_it_takes() {
        for (name, example) in [
            ("bd", "bd-5"),
            ("bagging", "bagging-5"),
            ("mp-25", "mp-25(15)"),
            ("mp(15)", "mp-25(15)"),
            ("mftpl-p", "mftpl-p(15)"),
            ("bd-5(3)", "bd-5"),
        ] {
            let error = name.parse::<AlgorithmName>().unwrap_err().to_string();
            assert!(error.contains(&format!("as in {example}")), "{error}");
        }
    }

    #[test]
    fn an_impossible_number_is_named() {
        for (name, word) in [
            ("bd-0", "members"),
            ("bd-5000", "members"),
            ("mp-25(-1)", "X"),
            ("mftpl-p(-1)", "λ"),
            ("mftpl-p(nan)", "λ"),
        ] {
            let error = name.parse::<AlgorithmName>().unwrap_err().to_string();
            assert!(error.contains(word) && error.contains(name), "{error}");
        }
    }

    #[test]
    fn logger_m_says_where_it_runs() {
        assert!("logger-m".parse::<AlgorithmName>().unwrap_err().to_string().contains("theory"));
    }
}
