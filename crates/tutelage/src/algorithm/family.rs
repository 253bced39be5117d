//! The families of algorithms: the table behind names, help texts, figures and the tables of the documentation.

use crate::algorithm::{
    active_dagger, bagging, behavior_cloning, bootstrap_dagger, dagger, dart, ensemble_dagger,
    growing_mp, hand_over, hg_dagger, mftpl_p, mixed_dagger, mp, shuffled_mp, supervised,
    take_over,
};
use crate::choice::{Beta, ExpertActs, TrainOn, Windows};
use crate::{Algorithm, Sampling};

/// A family of algorithms that differ in numbers only.
#[derive(Debug)]
pub struct Family {
    /// The start of its names: `mp` in `mp-25(15)`.
    pub key: &'static str,
    /// The start of its labels in the paper and in figures: `MP`.
    pub label: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The publication that describes it.
    pub citation: &'static str,
    /// Its page in `docs/algorithms`.
    pub page: &'static str,
    /// The number of members.
    pub members: Members,
    /// The numbers in parentheses.
    pub numbers: &'static [Number],
    /// A name of the family.
    pub example: &'static str,
    pub(crate) make: fn(&Settings) -> Algorithm,
}

/// The number of members in a family's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Always one member.
    One,
    /// The name gives the number: `bd-5`.
    Required,
    /// The name may give the number: `mftpl-p(15)` has 25 members.
    Optional {
        /// The number of members if the name gives none.
        default: usize,
    },
}

/// A number of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Its symbol: `X`.
    pub symbol: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The least and the greatest value.
    pub range: (f64, f64),
    /// Whether it is a whole number.
    pub whole: bool,
}

impl Number {
    const fn real(symbol: &'static str, about: &'static str, high: f64) -> Self {
        Self { symbol, about, range: (0.0, high), whole: false }
    }

    const fn whole(symbol: &'static str, about: &'static str, low: f64, high: f64) -> Self {
        Self { symbol, about, range: (low, high), whole: true }
    }
}

/// What a family makes an algorithm of.
pub(crate) struct Settings {
    pub(crate) members: usize,
    pub(crate) numbers: [f64; MOST_NUMBERS],
    pub(crate) sampling: Sampling,
    pub(crate) acts: ExpertActs,
}

/// The largest number of numbers of a family.
pub(crate) const MOST_NUMBERS: usize = 5;

impl Settings {
    fn whole(&self, index: usize) -> usize {
        self.numbers[index] as usize
    }

    fn windows(&self) -> Windows {
        let [at_start, length, growth, _, _] = self.numbers;
        Windows { at_start, length, growth, steady: self.whole(3), by_expert: self.whole(4) }
    }

    /// The stride, or 1 if states are drawn independently.
    fn every(&self) -> usize {
        if let Sampling::Stride(stride) = self.sampling { stride } else { 1 }
    }
}

use Members::{One, Optional, Required};

const X: Number = Number::whole("X", "the number of perturbation examples", 0.0, 1e6);
const P: Number = Number::real("p", "the decay of the expert's share of steps per round", 1.0);
const TAU: Number = Number::real("τ", "the loss at which the expert takes over", 4.0);
const LAMBDA: Number = Number::real("λ", "the mean number of perturbation examples", 1e6);
const BETA: Number = Number::real("β", "the expert's share of steps", 1.0);
const M: Number = Number::whole("M", "the rounds until the learner drives alone", 1.0, 1e4);
const ALPHA: Number = Number::real("α", "the noise in units of the learner's squared error", 1e3);
const CHI: Number = Number::real("χ", "the disagreement at which the expert takes over", 4.0);
const CANDIDATES: Number = Number::whole("m", "candidates per query", 1.0, 1e3);
const WINDOWS: [Number; 5] = [
    Number::real("s", "the share of windows that start with their episode", 1.0),
    Number::real("l", "the length of the first windows, as a share of H", 1.0),
    Number::real("g", "the growth of windows per round, as a share of H", 1.0),
    Number::whole("m", "the rounds before windows grow", 0.0, 1e4),
    Number::whole("r", "the rounds in which the expert drives the window too", 0.0, 1e4),
];

/// One family per entry: key, label, members, numbers, example and algorithm; a description; the publication and the page.
macro_rules! families {
    ($($key:literal, $label:literal: $members:expr, $numbers:expr, $example:literal => $make:expr;
        $about:literal;
        $citation:literal, $page:literal;)*) => {
        [$(Family {
            key: $key,
            label: $label,
            about: $about,
            citation: $citation,
            page: $page,
            members: $members,
            numbers: &$numbers,
            example: $example,
            make: $make,
        }),*]
    };
}

/// All families, in the order of listings.
pub static FAMILIES: [Family; 22] = families! {
    "bc", "BC": One, [], "bc" => |s| behavior_cloning(s.acts, s.sampling);
        "behavior cloning: imitates the expert's own trajectories";
        "Pomerleau 1988", "bc.md";
    "dagger", "DAgger": One, [], "dagger" => |s| dagger(s.sampling);
        "follows the leader on the states that the learner reaches";
        "Ross, Gordon & Bagnell 2011", "dagger.md";
    "bd", "BD": Required, [], "bd-5" => |s| bootstrap_dagger(s.members, s.sampling);
        "Bootstrap-DAgger: members train on bootstrap samples of D";
        "Li & Zhang 2024, Algorithm 2", "bootstrap-dagger.md";
    "mp", "MP": Required, [X], "mp-25(15)" => |s| mp(s.members, s.whole(0), s.sampling);
        "MFTPL-P with a fixed X, as in the paper's experiments";
        "Li & Zhang 2024, section 5", "mftpl-p.md";
    "mftpl-p", "MFTPL-P": Optional { default: 25 }, [LAMBDA], "mftpl-p(15)" =>
        |s| mftpl_p(s.members, s.numbers[0], s.sampling);
        "mixed follow the perturbed leader, X ~ Poisson(λ)";
        "Li & Zhang 2024, Algorithm 1", "mftpl-p.md";
    "growing-mp", "MP-n": Required, [X], "growing-mp-25(5)" => |s| growing_mp(s.members, s.whole(0), s.sampling);
        "MP with X·n perturbation examples in round n";
        "Li & Zhang 2024, section 5, with X in proportion to n", "mftpl-p.md";
    "shuffled-mp", "MP-shuffled": Required, [X], "shuffled-mp-25(15)" =>
        |s| shuffled_mp(s.members, s.whole(0), s.sampling);
        "MP with labels drawn from D instead of uniform ones";
        "Li & Zhang 2024, section 5, with other labels", "mftpl-p.md";
    "dagger-constant", "DAgger-β": One, [BETA], "dagger-constant(0.5)" =>
        |s| mixed_dagger(Beta::Constant(s.numbers[0]), s.sampling);
        "DAgger; the expert takes a share β of all steps";
        "Ross, Gordon & Bagnell 2011, section 3", "dagger-beta.md";
    "dagger-decay", "DAgger-pⁿ": One, [P], "dagger-decay(0.5)" =>
        |s| mixed_dagger(Beta::Power(s.numbers[0]), s.sampling);
        "DAgger; the expert takes a share pⁿ⁻¹ of the steps of round n";
        "Ross, Gordon & Bagnell 2011, section 3", "dagger-beta.md";
    "dagger-linear", "DAgger-lin": One, [M], "dagger-linear(10)" =>
        |s| mixed_dagger(Beta::Linear(s.whole(0)), s.sampling);
        "DAgger; the expert's share of steps falls linearly to 0 in M rounds";
        "Ross, Gordon & Bagnell 2011, section 3", "dagger-beta.md";
    "bd-decay", "BD-pⁿ": Required, [P], "bd-decay-5(0.5)" =>
        |s| Algorithm {
            train_on: TrainOn::Bootstrap,
            members: s.members,
            ..mixed_dagger(Beta::Power(s.numbers[0]), s.sampling)
        };
        "Bootstrap-DAgger; the expert takes a share pⁿ⁻¹ of the steps of round n";
        "Ross, Gordon & Bagnell 2011, section 3, with Li & Zhang 2024, Algorithm 2", "dagger-beta.md";
    "dart", "DART": One, [ALPHA], "dart(1)" => |s| dart(s.numbers[0], s.sampling);
        "BC from an expert with noise as large as the learner's error";
        "Laskey, Lee, Fox, Dragan & Goldberg 2017", "dart.md";
    "ensemble-dagger", "EnsembleDAgger": Required, [CHI, TAU], "ensemble-dagger-5(0.05,0.2)" =>
        |s| ensemble_dagger(s.members, s.numbers[0], s.numbers[1], s.every());
        "the expert takes over when members disagree or differ from it";
        "Menda, Driggs-Campbell & Kochenderfer 2019", "ensemble-dagger.md";
    "hg-dagger", "HG-DAgger": Optional { default: 1 }, [TAU], "hg-dagger(0.2)" =>
        |s| hg_dagger(s.members, s.numbers[0], s.every());
        "the expert intervenes and labels the states in which it drove";
        "Kelly, Sidrane, Driggs-Campbell & Kochenderfer 2019", "hg-dagger.md";
    "handover-dagger", "Handover-DAgger": One, [], "handover-dagger" =>
        |s| hand_over(Windows::default(), dagger(s.sampling));
        "DAgger in hand-over windows: the expert drives until a random time, then the learner";
        "this project, after Ross, Gordon & Bagnell 2011", "handover.md";
    "handover-bd", "Handover-BD": Required, [], "handover-bd-5" =>
        |s| hand_over(Windows::default(), bootstrap_dagger(s.members, s.sampling));
        "Bootstrap-DAgger in hand-over windows";
        "this project, after Li & Zhang 2024, Algorithm 2", "handover.md";
    "handover-mp", "Handover-MP": Required, [X], "handover-mp-25(15)" =>
        |s| hand_over(Windows::default(), mp(s.members, s.whole(0), s.sampling));
        "MP in hand-over windows";
        "this project, after Li & Zhang 2024, section 5", "handover.md";
    "windows-bd", "Windows-BD": Required, WINDOWS, "windows-bd-5(0.5,0.1,0.05,6,1)" =>
        |s| hand_over(s.windows(), bootstrap_dagger(s.members, s.sampling));
        "Bootstrap-DAgger in custom hand-over windows";
        "this project, after Li & Zhang 2024, Algorithm 2", "handover.md";
    "take-over", "take-over": Required, [], "take-over-5" => |s| take_over(s.members, s.every());
        "HG-DAgger with a person who takes over and returns the controls";
        "Kelly, Sidrane, Driggs-Campbell & Kochenderfer 2019", "hg-dagger.md";
    "active-bd", "Active-BD": Required, [CANDIDATES], "active-bd-5(4)" =>
        |s| active_dagger(s.members, s.whole(0), s.sampling);
        "Bootstrap-DAgger that asks for the K most disputed of m·K states";
        "Seung, Opper & Sompolinsky 1992, on Bootstrap-DAgger", "active.md";
    "bagging", "Bagging": Required, [], "bagging-5" => |s| bagging(s.members);
        "an ensemble on the labels of another run";
        "Breiman 1996", "bagging.md";
    "supervised", "SL": One, [], "supervised" => |_| supervised();
        "a single policy on the labels of another run";
        "Li & Zhang 2024, section 5.3", "supervised.md";
};

/// Families whose name changed, with their first name.
///
/// Specs, run folders and records contain and hash the first name, so they keep it forever
/// ([`AlgorithmName::spec_text`](super::AlgorithmName::spec_text)). Both names are accepted everywhere.
const RENAMED: [(&str, &str); 2] = [("dagger-decay", "dagger-power"), ("bd-decay", "bd-power")];

impl Family {
    /// The family with this key, or with this first name if the key changed.
    pub fn find(key: &str) -> Option<&'static Self> {
        let key = RENAMED.iter().find(|(_, first)| *first == key).map_or(key, |(key, _)| key);
        FAMILIES.iter().find(|family| family.key == key)
    }

    /// The key that specs contain.
    pub(crate) fn spec_key(&self) -> &'static str {
        RENAMED.iter().find(|(key, _)| *key == self.key).map_or(self.key, |(_, first)| first)
    }

    /// An example of every family.
    pub fn examples() -> Vec<&'static str> {
        FAMILIES.iter().map(|family| family.example).collect()
    }

    /// The form of its names: `mp-E(X)`.
    pub fn form(&self) -> String {
        let members = match self.members {
            Members::One => "",
            Members::Required => "-E",
            Members::Optional { .. } => "[-E]",
        };
        let symbols: Vec<&str> = self.numbers.iter().map(|number| number.symbol).collect();
        let numbers =
            if symbols.is_empty() { "".into() } else { format!("({})", symbols.join(",")) };
        format!("{}{members}{numbers}", self.key)
    }

    /// The form with its symbols explained and an example.
    pub(crate) fn describe_form(&self) -> String {
        let members = (self.members != Members::One).then(|| "E members".to_owned());
        let number = |number: &Number| format!("{}, {}", number.symbol, number.about);
        let parts: Vec<String> =
            members.into_iter().chain(self.numbers.iter().map(number)).collect();
        let with =
            if parts.is_empty() { "".into() } else { format!(" with {}", parts.join(" and ")) };
        format!("{}{with}, as in {}", self.form(), self.example)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_labels_are_unique() {
        for (i, family) in FAMILIES.iter().enumerate() {
            let others = &FAMILIES[..i];
            assert!(
                others.iter().all(|other| other.key != family.key && other.label != family.label)
            );
        }
    }
}
