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

const X: Number = Number::whole("X", "the number of perturbation examples", 0.0, 1e6);
const P: Number = Number::real("p", "the decay of the expert's share of steps per round", 1.0);
const TAU: Number = Number::real("τ", "the loss at which the expert takes over", 4.0);

/// All families, in the order of listings.
pub static FAMILIES: [Family; 22] = [
    Family {
        key: "bc",
        label: "BC",
        about: "behavior cloning: imitates the expert's own trajectories",
        citation: "Pomerleau 1988",
        page: "bc.md",
        members: Members::One,
        numbers: &[],
        example: "bc",
        make: |s| behavior_cloning(s.acts, s.sampling),
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
    },
    Family {
        key: "bd",
        label: "BD",
        about: "Bootstrap-DAgger: members train on bootstrap samples of D",
        citation: "Li & Zhang 2024, Algorithm 2",
        page: "bootstrap-dagger.md",
        members: Members::Required,
        numbers: &[],
        example: "bd-5",
        make: |s| bootstrap_dagger(s.members, s.sampling),
    },
    Family {
        key: "mp",
        label: "MP",
        about: "MFTPL-P with a fixed X, as in the paper's experiments",
        citation: "Li & Zhang 2024, section 5",
        page: "mftpl-p.md",
        members: Members::Required,
        numbers: &[X],
        example: "mp-25(15)",
        make: |s| mp(s.members, s.whole(0), s.sampling),
    },
    Family {
        key: "mftpl-p",
        label: "MFTPL-P",
        about: "mixed follow the perturbed leader, X ~ Poisson(λ)",
        citation: "Li & Zhang 2024, Algorithm 1",
        page: "mftpl-p.md",
        members: Members::Optional { default: 25 },
        numbers: &[Number::real("λ", "the mean number of perturbation examples", 1e6)],
        example: "mftpl-p(15)",
        make: |s| mftpl_p(s.members, s.numbers[0], s.sampling),
    },
    Family {
        key: "growing-mp",
        label: "MP-n",
        about: "MP with X·n perturbation examples in round n",
        citation: "Li & Zhang 2024, section 5, with X in proportion to n",
        page: "mftpl-p.md",
        members: Members::Required,
        numbers: &[X],
        example: "growing-mp-25(5)",
        make: |s| growing_mp(s.members, s.whole(0), s.sampling),
    },
    Family {
        key: "shuffled-mp",
        label: "MP-shuffled",
        about: "MP with labels drawn from D instead of uniform ones",
        citation: "Li & Zhang 2024, section 5, with other labels",
        page: "mftpl-p.md",
        members: Members::Required,
        numbers: &[X],
        example: "shuffled-mp-25(15)",
        make: |s| shuffled_mp(s.members, s.whole(0), s.sampling),
    },
    Family {
        key: "dagger-constant",
        label: "DAgger-β",
        about: "DAgger; the expert takes a share β of all steps",
        citation: "Ross, Gordon & Bagnell 2011, section 3",
        page: "dagger-beta.md",
        members: Members::One,
        numbers: &[Number::real("β", "the expert's share of steps", 1.0)],
        example: "dagger-constant(0.5)",
        make: |s| mixed_dagger(Beta::Constant(s.numbers[0]), s.sampling),
    },
    Family {
        key: "dagger-decay",
        label: "DAgger-pⁿ",
        about: "DAgger; the expert takes a share pⁿ⁻¹ of the steps of round n",
        citation: "Ross, Gordon & Bagnell 2011, section 3",
        page: "dagger-beta.md",
        members: Members::One,
        numbers: &[P],
        example: "dagger-decay(0.5)",
        make: |s| mixed_dagger(Beta::Power(s.numbers[0]), s.sampling),
    },
    Family {
        key: "dagger-linear",
        label: "DAgger-lin",
        about: "DAgger; the expert's share of steps falls linearly to 0 in M rounds",
        citation: "Ross, Gordon & Bagnell 2011, section 3",
        page: "dagger-beta.md",
        members: Members::One,
        numbers: &[Number::whole("M", "the rounds until the learner drives alone", 1.0, 1e4)],
        example: "dagger-linear(10)",
        make: |s| mixed_dagger(Beta::Linear(s.whole(0)), s.sampling),
    },
    Family {
        key: "bd-decay",
        label: "BD-pⁿ",
        about: "Bootstrap-DAgger; the expert takes a share pⁿ⁻¹ of the steps of round n",
        citation: "Ross, Gordon & Bagnell 2011, section 3, with Li & Zhang 2024, Algorithm 2",
        page: "dagger-beta.md",
        members: Members::Required,
        numbers: &[P],
        example: "bd-decay-5(0.5)",
        make: |s| Algorithm {
            train_on: TrainOn::Bootstrap,
            members: s.members,
            ..mixed_dagger(Beta::Power(s.numbers[0]), s.sampling)
        },
    },
    Family {
        key: "dart",
        label: "DART",
        about: "BC from an expert with noise as large as the learner's error",
        citation: "Laskey, Lee, Fox, Dragan & Goldberg 2017",
        page: "dart.md",
        members: Members::One,
        numbers: &[Number::real("α", "the noise in units of the learner's squared error", 1e3)],
        example: "dart(1)",
        make: |s| dart(s.numbers[0], s.sampling),
    },
    Family {
        key: "ensemble-dagger",
        label: "EnsembleDAgger",
        about: "the expert takes over when members disagree or differ from it",
        citation: "Menda, Driggs-Campbell & Kochenderfer 2019",
        page: "ensemble-dagger.md",
        members: Members::Required,
        numbers: &[Number::real("χ", "the disagreement at which the expert takes over", 4.0), TAU],
        example: "ensemble-dagger-5(0.05,0.2)",
        make: |s| ensemble_dagger(s.members, s.numbers[0], s.numbers[1], s.every()),
    },
    Family {
        key: "hg-dagger",
        label: "HG-DAgger",
        about: "the expert intervenes and labels the states in which it drove",
        citation: "Kelly, Sidrane, Driggs-Campbell & Kochenderfer 2019",
        page: "hg-dagger.md",
        members: Members::Optional { default: 1 },
        numbers: &[TAU],
        example: "hg-dagger(0.2)",
        make: |s| hg_dagger(s.members, s.numbers[0], s.every()),
    },
    Family {
        key: "handover-dagger",
        label: "Handover-DAgger",
        about: "DAgger in hand-over windows: the expert drives until a random time, then the learner",
        citation: "this project, after Ross, Gordon & Bagnell 2011",
        page: "handover.md",
        members: Members::One,
        numbers: &[],
        example: "handover-dagger",
        make: |s| hand_over(Windows::default(), dagger(s.sampling)),
    },
    Family {
        key: "handover-bd",
        label: "Handover-BD",
        about: "Bootstrap-DAgger in hand-over windows",
        citation: "this project, after Li & Zhang 2024, Algorithm 2",
        page: "handover.md",
        members: Members::Required,
        numbers: &[],
        example: "handover-bd-5",
        make: |s| hand_over(Windows::default(), bootstrap_dagger(s.members, s.sampling)),
    },
    Family {
        key: "handover-mp",
        label: "Handover-MP",
        about: "MP in hand-over windows",
        citation: "this project, after Li & Zhang 2024, section 5",
        page: "handover.md",
        members: Members::Required,
        numbers: &[X],
        example: "handover-mp-25(15)",
        make: |s| hand_over(Windows::default(), mp(s.members, s.whole(0), s.sampling)),
    },
    Family {
        key: "windows-bd",
        label: "Windows-BD",
        about: "Bootstrap-DAgger in custom hand-over windows",
        citation: "this project, after Li & Zhang 2024, Algorithm 2",
        page: "handover.md",
        members: Members::Required,
        numbers: &[
            Number::real("s", "the share of windows that start with their episode", 1.0),
            Number::real("l", "the length of the first windows, as a share of H", 1.0),
            Number::real("g", "the growth of windows per round, as a share of H", 1.0),
            Number::whole("m", "the rounds before windows grow", 0.0, 1e4),
            Number::whole("r", "the rounds in which the expert drives the window too", 0.0, 1e4),
        ],
        example: "windows-bd-5(0.5,0.1,0.05,6,1)",
        make: |s| hand_over(s.windows(), bootstrap_dagger(s.members, s.sampling)),
    },
    Family {
        key: "take-over",
        label: "take-over",
        about: "HG-DAgger with a person who takes over and returns the controls",
        citation: "Kelly, Sidrane, Driggs-Campbell & Kochenderfer 2019",
        page: "hg-dagger.md",
        members: Members::Required,
        numbers: &[],
        example: "take-over-5",
        make: |s| take_over(s.members, s.every()),
    },
    Family {
        key: "active-bd",
        label: "Active-BD",
        about: "Bootstrap-DAgger that asks for the K most disputed of m·K states",
        citation: "Seung, Opper & Sompolinsky 1992, on Bootstrap-DAgger",
        page: "active.md",
        members: Members::Required,
        numbers: &[Number::whole("m", "candidates per query", 1.0, 1e3)],
        example: "active-bd-5(4)",
        make: |s| active_dagger(s.members, s.whole(0), s.sampling),
    },
    Family {
        key: "bagging",
        label: "Bagging",
        about: "an ensemble on the labels of another run",
        citation: "Breiman 1996",
        page: "bagging.md",
        members: Members::Required,
        numbers: &[],
        example: "bagging-5",
        make: |s| bagging(s.members),
    },
    Family {
        key: "supervised",
        label: "SL",
        about: "a single policy on the labels of another run",
        citation: "Li & Zhang 2024, section 5.3",
        page: "supervised.md",
        members: Members::One,
        numbers: &[],
        example: "supervised",
        make: |_| supervised(),
    },
];

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
