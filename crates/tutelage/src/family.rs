//! The families of algorithms: the one table behind names, help texts, figures and the tables of the documentation.

use std::fmt;
use std::str::FromStr;

use crate::{
    Algorithm, Ask, Beta, Drive, ExpertActs, Sampling, TrainOn, active_dagger, bagging,
    behavior_cloning, bootstrap_dagger, dagger, dart, ensemble_dagger, growing_mp, hg_dagger,
    mftpl_p, mixed_dagger, mp, nearest, supervised, take_over,
};

/// A family of algorithms that differ in numbers only.
#[derive(Debug)]
pub struct Family {
    /// How a name begins: `mp` in `mp-25(15)`.
    pub key: &'static str,
    /// How the paper and the figures write that: `MP`.
    pub label: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Who described it.
    pub citation: &'static str,
    /// The page of the documentation that tells more.
    pub page: &'static str,
    /// How many members it has.
    pub members: Members,
    /// The numbers in parentheses.
    pub numbers: &'static [Number],
    /// A name of the family.
    pub example: &'static str,
    make: fn(&Settings) -> Algorithm,
    look: fn(&Named) -> Look,
}

/// How an algorithm's curve is drawn: a colour, and a stroke that tells curves apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// The stroke.
    pub stroke: Stroke,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Without gaps.
    Solid,
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
    /// In dashes and dots.
    DashDotted,
    /// Without gaps, its points marked.
    Marked,
}

const fn look(rgb: [u8; 3], stroke: Stroke) -> Look {
    Look { rgb, stroke }
}

/// Bootstrap-DAgger by the number of members: the paper's green for 5, blue-green for 25.
fn bootstrap_look(named: &Named) -> Look {
    match named.members {
        1 => look([240, 150, 20], Stroke::Dashed),
        2..25 => look([30, 140, 40], Stroke::Solid),
        _ => look([0, 150, 150], Stroke::Marked),
    }
}

/// The sizes of the perturbation from light to dark, X = 15 in the paper's magenta.
fn perturbed_look(named: &Named) -> Look {
    match named.numbers[0] as usize {
        0 => look([185, 150, 110], Stroke::Marked),
        1..=10 => look([250, 170, 60], Stroke::Solid),
        11..=20 => look([200, 30, 180], Stroke::DashDotted),
        21..=40 => look([100, 90, 220], Stroke::Dotted),
        41..=80 => look([20, 120, 160], Stroke::Marked),
        _ => look([20, 60, 50], Stroke::Dashed),
    }
}

/// How many members the algorithms of a family have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Always one.
    One,
    /// As many as the name says: `bd-5`.
    Named,
    /// As many as the name says, or this many: `mftpl-p(15)` has 25.
    Usually(usize),
}

/// A number of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its symbol: `X`.
    pub symbol: &'static str,
    /// What it is, in words.
    pub about: &'static str,
    /// The least and the greatest that is allowed.
    pub range: (f64, f64),
    /// Whether it is a whole number.
    pub whole: bool,
}

/// What an algorithm is made of, beside its family.
struct Settings {
    members: usize,
    numbers: [f64; 2],
    sampling: Sampling,
    acts: ExpertActs,
}

impl Settings {
    fn whole(&self, index: usize) -> usize {
        self.numbers[index] as usize
    }

    /// One of so many states: the stride, or 1 where states are drawn independently.
    fn every(&self) -> usize {
        if let Sampling::Stride(stride) = self.sampling { stride } else { 1 }
    }
}

const MEMBERS: (usize, usize) = (1, 1000);

const X: Number =
    Number { symbol: "X", about: "perturbation examples", range: (0.0, 1e6), whole: true };
const LAMBDA: Number = Number {
    symbol: "λ",
    about: "the mean number of perturbation examples",
    range: (0.0, 1e6),
    whole: false,
};
const SHARE: Number = Number {
    symbol: "β",
    about: "the share of steps that the expert drives",
    range: (0.0, 1.0),
    whole: false,
};
const TAU: Number = Number {
    symbol: "τ",
    about: "the loss at which the expert steps in",
    range: (0.0, 4.0),
    whole: false,
};

/// All families, in the order in which they are listed.
pub static FAMILIES: [Family; 17] = [
    Family {
        key: "bc",
        label: "BC",
        about: "imitates the expert's own trajectories",
        citation: "Pomerleau 1988",
        page: "bc.md",
        members: Members::One,
        numbers: &[],
        example: "bc",
        make: |s| behavior_cloning(s.acts, s.sampling),
        look: |_| look([31, 79, 180], Stroke::Dotted),
    },
    Family {
        key: "dagger",
        label: "DAgger",
        about: "follows the leader on the states that the learner reaches",
        citation: "Ross, Gordon & Bagnell 2011",
        page: "dagger.md",
        members: Members::One,
        numbers: &[],
        example: "dagger",
        make: |s| dagger(s.sampling),
        look: |_| look([214, 39, 40], Stroke::Dashed),
    },
    Family {
        key: "bd",
        label: "BD",
        about: "Bootstrap-DAgger: members see bootstrap samples of D",
        citation: "Li & Zhang 2024, Algorithm 2",
        page: "bootstrap-dagger.md",
        members: Members::Named,
        numbers: &[],
        example: "bd-5",
        make: |s| bootstrap_dagger(s.members, s.sampling),
        look: bootstrap_look,
    },
    Family {
        key: "mp",
        label: "MP",
        about: "MFTPL-P as the paper's experiments run it, X fixed",
        citation: "Li & Zhang 2024, section 5",
        page: "mftpl-p.md",
        members: Members::Named,
        numbers: &[X],
        example: "mp-25(15)",
        make: |s| mp(s.members, s.whole(0), s.sampling),
        look: perturbed_look,
    },
    Family {
        key: "mftpl-p",
        label: "MFTPL-P",
        about: "mixed follow the perturbed leader, X ~ Poisson(λ)",
        citation: "Li & Zhang 2024, Algorithm 1",
        page: "mftpl-p.md",
        members: Members::Usually(25),
        numbers: &[LAMBDA],
        example: "mftpl-p(15)",
        make: |s| mftpl_p(s.members, s.numbers[0], s.sampling),
        look: |_| look([120, 60, 160], Stroke::Dashed),
    },
    Family {
        key: "growing-mp",
        label: "MP-n",
        about: "MP whose perturbation grows with D: X n examples in round n",
        citation: "Li & Zhang 2024, section 5, with X in proportion to n",
        page: "mftpl-p.md",
        members: Members::Named,
        numbers: &[X],
        example: "growing-mp-25(5)",
        make: |s| growing_mp(s.members, s.whole(0), s.sampling),
        look: |_| look([150, 20, 110], Stroke::Marked),
    },
    Family {
        key: "dagger-constant",
        label: "DAgger-β",
        about: "DAgger in which the expert takes a share β of all steps",
        citation: "Ross, Gordon & Bagnell 2011, section 3",
        page: "dagger-beta.md",
        members: Members::One,
        numbers: &[SHARE],
        example: "dagger-constant(0.5)",
        make: |s| mixed_dagger(Beta::Constant(s.numbers[0]), s.sampling),
        look: |_| look([170, 90, 60], Stroke::Solid),
    },
    Family {
        key: "dagger-power",
        label: "DAgger-pⁿ",
        about: "DAgger in which the expert takes a share pⁿ⁻¹ of the steps of round n",
        citation: "Ross, Gordon & Bagnell 2011, section 3",
        page: "dagger-beta.md",
        members: Members::One,
        numbers: &[Number { symbol: "p", ..SHARE }],
        example: "dagger-power(0.5)",
        make: |s| mixed_dagger(Beta::Power(s.numbers[0]), s.sampling),
        look: |_| look([205, 110, 70], Stroke::DashDotted),
    },
    Family {
        key: "dagger-linear",
        label: "DAgger-lin",
        about: "DAgger in which the expert's share of steps falls to 0 in M rounds",
        citation: "Ross, Gordon & Bagnell 2011, section 3",
        page: "dagger-beta.md",
        members: Members::One,
        numbers: &[Number {
            symbol: "M",
            about: "the rounds until the learner drives alone",
            range: (1.0, 1e4),
            whole: true,
        }],
        example: "dagger-linear(10)",
        make: |s| mixed_dagger(Beta::Linear(s.whole(0)), s.sampling),
        look: |_| look([130, 70, 50], Stroke::Dotted),
    },
    Family {
        key: "bd-power",
        label: "BD-pⁿ",
        about: "Bootstrap-DAgger in which the expert takes a share pⁿ⁻¹ of the steps of round n",
        citation: "Ross, Gordon & Bagnell 2011, section 3, with Li & Zhang 2024, Algorithm 2",
        page: "dagger-beta.md",
        members: Members::Named,
        numbers: &[Number { symbol: "p", ..SHARE }],
        example: "bd-power-5(0.5)",
        make: |s| Algorithm {
            train_on: TrainOn::Bootstrap,
            members: s.members,
            ..mixed_dagger(Beta::Power(s.numbers[0]), s.sampling)
        },
        look: |_| look([110, 160, 70], Stroke::DashDotted),
    },
    Family {
        key: "dart",
        label: "DART",
        about: "BC whose expert is disturbed as much as the learner errs",
        citation: "Laskey, Lee, Fox, Dragan & Goldberg 2017",
        page: "dart.md",
        members: Members::One,
        numbers: &[Number {
            symbol: "α",
            about: "the noise's variance in units of the learner's squared error",
            range: (0.0, 1e3),
            whole: false,
        }],
        example: "dart(1)",
        make: |s| dart(s.numbers[0], s.sampling),
        look: |_| look([70, 130, 220], Stroke::DashDotted),
    },
    Family {
        key: "ensemble-dagger",
        label: "EnsembleDAgger",
        about: "the expert takes over where members disagree or differ from it",
        citation: "Menda, Driggs-Campbell & Kochenderfer 2019",
        page: "ensemble-dagger.md",
        members: Members::Named,
        numbers: &[
            Number {
                symbol: "χ",
                about: "the disagreement at which the expert steps in",
                range: (0.0, 4.0),
                whole: false,
            },
            TAU,
        ],
        example: "ensemble-dagger-5(0.05,0.2)",
        make: |s| ensemble_dagger(s.members, s.numbers[0], s.numbers[1], s.every()),
        look: |_| look([90, 110, 40], Stroke::DashDotted),
    },
    Family {
        key: "hg-dagger",
        label: "HG-DAgger",
        about: "the expert itself takes over, and is asked where it drove",
        citation: "Kelly, Sidrane, Driggs-Campbell & Kochenderfer 2019",
        page: "hg-dagger.md",
        members: Members::Usually(1),
        numbers: &[TAU],
        example: "hg-dagger(0.2)",
        make: |s| hg_dagger(s.members, s.numbers[0], s.every()),
        look: |_| look([180, 150, 0], Stroke::Solid),
    },
    Family {
        key: "take-over",
        label: "take-over",
        about: "HG-DAgger with a person, who takes the controls and lets go of them",
        citation: "Kelly, Sidrane, Driggs-Campbell & Kochenderfer 2019",
        page: "hg-dagger.md",
        members: Members::Named,
        numbers: &[],
        example: "take-over-5",
        make: |s| take_over(s.members, s.every()),
        look: |_| look([150, 120, 0], Stroke::Marked),
    },
    Family {
        key: "active-bd",
        label: "Active-BD",
        about: "Bootstrap-DAgger that asks about the K most disputed of m K states",
        citation: "Seung, Opper & Sompolinsky 1992, on Bootstrap-DAgger",
        page: "active.md",
        members: Members::Named,
        numbers: &[Number {
            symbol: "m",
            about: "candidates for every question",
            range: (1.0, 1e3),
            whole: true,
        }],
        example: "active-bd-5(4)",
        make: |s| active_dagger(s.members, s.whole(0), s.sampling),
        look: |_| look([0, 110, 80], Stroke::Dotted),
    },
    Family {
        key: "bagging",
        label: "Bagging",
        about: "an ensemble on the annotations of another run",
        citation: "Breiman 1996",
        page: "bagging.md",
        members: Members::Named,
        numbers: &[],
        example: "bagging-5",
        make: |s| bagging(s.members),
        look: |_| look([240, 130, 170], Stroke::Dotted),
    },
    Family {
        key: "supervised",
        label: "SL",
        about: "one network on the annotations of another run",
        citation: "",
        page: "supervised.md",
        members: Members::One,
        numbers: &[],
        example: "supervised",
        make: |_| supervised(),
        look: |_| look([140, 200, 30], Stroke::Marked),
    },
];

/// An algorithm by name: its family and numbers, as the command line and specs write them.
///
/// ```
/// use tutelage::{ExpertActs, Named, Sampling, mp};
/// let named: Named = "mp-25(15)".parse()?;
/// assert_eq!(named.to_string(), "mp-25(15)");
/// assert_eq!(named.label(), "MP-25(15)");
/// let sampling = Sampling::Stride(20);
/// assert_eq!(named.algorithm(sampling, ExpertActs::Sampled), mp(25, 15, sampling));
/// # Ok::<(), tutelage::NameError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Named {
    family: &'static Family,
    members: usize,
    numbers: [f64; 2],
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.family.key == other.family.key
            && self.members == other.members
            && self.numbers == other.numbers
    }
}

/// Why a text does not name an algorithm.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// There is no such family.
    #[error("\"{text}\": there is no such algorithm")]
    Unknown {
        /// What was given.
        text: String,
        /// The name that is nearest to it, where one is near.
        nearest: Option<&'static str>,
    },
    /// The family is there, but its numbers are missing or too many.
    #[error("\"{text}\": allowed is {form}")]
    Form {
        /// What was given.
        text: String,
        /// How the family's names are made.
        form: String,
    },
    /// A number is out of its range.
    #[error("\"{text}\": allowed is {allowed}")]
    Number {
        /// What was given.
        text: String,
        /// What would have been allowed.
        allowed: String,
    },
    /// It runs in the finite world alone.
    #[error("\"{text}\": {why}")]
    Finite {
        /// What was given.
        text: String,
        /// Why.
        why: &'static str,
    },
}

impl Family {
    /// The family of this key.
    pub fn find(key: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|family| family.key == key)
    }

    /// An example of every family.
    pub fn examples() -> Vec<&'static str> {
        FAMILIES.iter().map(|family| family.example).collect()
    }

    /// How its names are made: `mp-E(X)`.
    pub fn form(&self) -> String {
        let members = match self.members {
            Members::One => "",
            Members::Named => "-E",
            Members::Usually(_) => "[-E]",
        };
        let symbols: Vec<&str> = self.numbers.iter().map(|number| number.symbol).collect();
        let numbers =
            if symbols.is_empty() { "".into() } else { format!("({})", symbols.join(",")) };
        format!("{}{members}{numbers}", self.key)
    }

    /// Its form in words, with an example.
    fn form_in_words(&self) -> String {
        let members = (self.members != Members::One).then(|| "E members".to_owned());
        let number = |number: &Number| format!("{}, {}", number.symbol, number.about);
        let parts: Vec<String> =
            members.into_iter().chain(self.numbers.iter().map(number)).collect();
        let with =
            if parts.is_empty() { "".into() } else { format!(" with {}", parts.join(" and ")) };
        format!("{}{with}, as in {}", self.form(), self.example)
    }
}

impl Named {
    /// Its family.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// E.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The numbers in parentheses.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers[..self.family.numbers.len()]
    }

    /// The algorithm itself, with states taken in this way and an expert that, where it drives, acts like this.
    pub fn algorithm(&self, sampling: Sampling, acts: ExpertActs) -> Algorithm {
        let Self { members, numbers, .. } = *self;
        (self.family.make)(&Settings { members, numbers, sampling, acts })
    }

    /// Whether its members train on perturbation examples, drawn from d₀.
    pub fn perturbs(&self) -> bool {
        matches!(self.sketch().train_on, TrainOn::Perturbed(_))
    }

    /// Whether the expert drives all the time, so that it matters how it acts.
    pub fn expert_drives(&self) -> bool {
        matches!(self.sketch().drive, Drive::Expert(_))
    }

    /// Whether the expert drives at least now and then.
    pub fn needs_driver(&self) -> bool {
        self.sketch().drive.needs_driver()
    }

    /// Whether it trains on the annotations of an earlier run.
    pub fn is_offline(&self) -> bool {
        self.sketch().drive == Drive::Stored
    }

    /// The algorithm with whatever else there is to say left at something simple.
    fn sketch(&self) -> Algorithm {
        self.algorithm(Sampling::Stride(1), ExpertActs::Sampled)
    }

    /// How the paper and the figures write it: `MP-25(15)`.
    pub fn label(&self) -> String {
        self.written(self.family.label)
    }

    /// How its curve is drawn; colours are the paper's where its text names them.
    pub fn look(&self) -> Look {
        (self.family.look)(self)
    }

    fn written(&self, head: &str) -> String {
        let members = match self.family.members {
            Members::One => "".into(),
            Members::Usually(usual) if usual == self.members => "".into(),
            Members::Named | Members::Usually(_) => format!("-{}", self.members),
        };
        let numbers: Vec<String> = self.numbers().iter().map(f64::to_string).collect();
        let numbers =
            if numbers.is_empty() { "".into() } else { format!("({})", numbers.join(",")) };
        format!("{head}{members}{numbers}")
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written(self.family.key))
    }
}

impl FromStr for Named {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let lower = text.trim().to_lowercase();
        if lower.starts_with("logger-m") {
            let why = "it puts random costs on every action, which only the finite world's oracle takes; `tutelage theory` runs it";
            return Err(NameError::Finite { text: text.into(), why });
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
        let unknown = || NameError::Unknown {
            text: text.into(),
            nearest: nearest(&lower, &Family::examples()),
        };
        let family = Family::find(key).ok_or_else(unknown)?;
        let form = || NameError::Form { text: text.into(), form: family.form_in_words() };
        let members = match (family.members, digits) {
            (Members::One, None) => 1,
            (Members::Usually(usual), None) => usual,
            (Members::Named | Members::Usually(_), Some(digits)) => parse_members(text, digits)?,
            (Members::One, Some(_)) | (Members::Named, None) => return Err(form()),
        };
        if arguments.len() != family.numbers.len() {
            // A family that takes neither members nor numbers is not told how it takes them.
            let plain = family.members == Members::One && family.numbers.is_empty();
            return Err(if plain { unknown() } else { form() });
        }
        let mut numbers = [0.0; 2];
        for (slot, (number, argument)) in
            numbers.iter_mut().zip(family.numbers.iter().zip(arguments))
        {
            *slot = number.parse(text, argument)?;
        }
        let named = Self { family, members, numbers };
        if members < 2 && matches!(named.sketch().ask, Ask::MostDisputed { .. }) {
            let allowed = "at least 2 members, since one cannot disagree with itself".into();
            return Err(NameError::Number { text: text.into(), allowed });
        }
        Ok(named)
    }
}

impl Number {
    fn parse(&self, text: &str, argument: &str) -> Result<f64, NameError> {
        let (low, high) = self.range;
        let fits =
            |value: &f64| (low..=high).contains(value) && !(self.whole && value.fract() != 0.0);
        argument.trim().parse().ok().filter(fits).ok_or_else(|| {
            let kind = if self.whole { "a whole number" } else { "a number" };
            let allowed = format!("{}, {}, {kind} from {low} to {high}", self.symbol, self.about);
            NameError::Number { text: text.into(), allowed }
        })
    }
}

fn parse_members(text: &str, digits: &str) -> Result<usize, NameError> {
    let (low, high) = MEMBERS;
    digits.parse().ok().filter(|members| (low..=high).contains(members)).ok_or_else(|| {
        let allowed = format!("a number of members from {low} to {high}");
        NameError::Number { text: text.into(), allowed }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str) -> NameError {
        name.parse::<Named>().unwrap_err()
    }

    #[test]
    fn names_parse_to_what_they_print() {
        let more = ["bd-1", "bd-25", "mftpl-p-7(2.5)", "mp-3(0)", "hg-dagger-5(0.1)"];
        for name in Family::examples().into_iter().chain(more) {
            assert_eq!(name.parse::<Named>().unwrap().to_string(), name);
        }
        assert_eq!("BD-5".parse::<Named>().unwrap().to_string(), "bd-5");
        assert_eq!("mftpl-p-25(3)".parse::<Named>().unwrap().to_string(), "mftpl-p(3)");
        assert_eq!("ensemble-dagger-5(0.1, 1)".parse::<Named>().unwrap().numbers(), [0.1, 1.0]);
    }

    #[test]
    fn keys_and_labels_are_one_of_a_kind() {
        for (i, family) in FAMILIES.iter().enumerate() {
            let others = &FAMILIES[..i];
            assert!(
                others.iter().all(|other| other.key != family.key && other.label != family.label)
            );
        }
    }

    #[test]
    fn a_wrong_name_gets_the_nearest() {
        for (name, near) in [("dager", "dagger"), ("bd5", "bd-5"), ("mp25(15)", "mp-25(15)")] {
            let unknown = NameError::Unknown { text: name.into(), nearest: Some(near) };
            assert_eq!(error(name), unknown);
        }
        for name in ["", "ppo", "bc(1)", "-", "("] {
            assert!(matches!(error(name), NameError::Unknown { nearest: None, .. }), "{name}");
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
            ("dart", "dart(1)"),
            ("ensemble-dagger-5(0.1)", "ensemble-dagger-5(0.05,0.2)"),
        ] {
            assert!(error(name).to_string().contains(&format!("as in {example}")), "{name}");
        }
    }

    #[test]
    fn an_impossible_number_is_named() {
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
    fn logger_m_says_where_it_runs() {
        assert!(error("logger-m").to_string().contains("theory"));
    }
}
