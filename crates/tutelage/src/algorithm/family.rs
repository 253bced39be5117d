//! The families of algorithms: the one table behind names, help texts, figures and the tables of the documentation.

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
    pub(crate) make: fn(&Settings) -> Algorithm,
}

/// How many members the algorithms of a family have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Always one.
    One,
    /// As many as the name says: `bd-5`.
    Required,
    /// As many as the name says, or this many: `mftpl-p(15)` has 25.
    Optional {
        /// E of a name that has no number of members.
        default: usize,
    },
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
pub(crate) struct Settings {
    pub(crate) members: usize,
    pub(crate) numbers: [f64; MOST_NUMBERS],
    pub(crate) sampling: Sampling,
    pub(crate) acts: ExpertActs,
}

/// No family has more numbers than these.
pub(crate) const MOST_NUMBERS: usize = 5;

impl Settings {
    fn whole(&self, index: usize) -> usize {
        self.numbers[index] as usize
    }

    fn windows(&self) -> Windows {
        let [at_start, length, growth, _, _] = self.numbers;
        Windows { at_start, length, growth, steady: self.whole(3), by_expert: self.whole(4) }
    }

    /// One of so many states: the stride, or 1 where states are drawn independently.
    fn every(&self) -> usize {
        if let Sampling::Stride(stride) = self.sampling { stride } else { 1 }
    }
}

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
const ROUNDS: Number = Number { symbol: "", about: "", range: (0.0, 1e4), whole: true };
const TAU: Number = Number {
    symbol: "τ",
    about: "the loss at which the expert steps in",
    range: (0.0, 4.0),
    whole: false,
};

/// All families, in the order in which they are listed.
pub static FAMILIES: [Family; 22] = [
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
        about: "Bootstrap-DAgger: members see bootstrap samples of D",
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
        about: "MFTPL-P as the paper's experiments run it, X fixed",
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
        numbers: &[LAMBDA],
        example: "mftpl-p(15)",
        make: |s| mftpl_p(s.members, s.numbers[0], s.sampling),
    },
    Family {
        key: "growing-mp",
        label: "MP-n",
        about: "MP whose perturbation grows with D: X n examples in round n",
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
        about: "MP whose perturbation has labels of D, drawn apart from its states",
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
        about: "DAgger in which the expert takes a share β of all steps",
        citation: "Ross, Gordon & Bagnell 2011, section 3",
        page: "dagger-beta.md",
        members: Members::One,
        numbers: &[SHARE],
        example: "dagger-constant(0.5)",
        make: |s| mixed_dagger(Beta::Constant(s.numbers[0]), s.sampling),
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
    },
    Family {
        key: "bd-power",
        label: "BD-pⁿ",
        about: "Bootstrap-DAgger in which the expert takes a share pⁿ⁻¹ of the steps of round n",
        citation: "Ross, Gordon & Bagnell 2011, section 3, with Li & Zhang 2024, Algorithm 2",
        page: "dagger-beta.md",
        members: Members::Required,
        numbers: &[Number { symbol: "p", ..SHARE }],
        example: "bd-power-5(0.5)",
        make: |s| Algorithm {
            train_on: TrainOn::Bootstrap,
            members: s.members,
            ..mixed_dagger(Beta::Power(s.numbers[0]), s.sampling)
        },
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
    },
    Family {
        key: "ensemble-dagger",
        label: "EnsembleDAgger",
        about: "the expert takes over where members disagree or differ from it",
        citation: "Menda, Driggs-Campbell & Kochenderfer 2019",
        page: "ensemble-dagger.md",
        members: Members::Required,
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
    },
    Family {
        key: "hg-dagger",
        label: "HG-DAgger",
        about: "the expert itself takes over, and is asked where it drove",
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
        about: "DAgger in hand-over windows: the expert drives to a random moment, then the learner",
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
        about: "Bootstrap-DAgger in hand-over windows of one's own making",
        citation: "this project, after Li & Zhang 2024, Algorithm 2",
        page: "handover.md",
        members: Members::Required,
        numbers: &[
            Number { symbol: "s", about: "the share of windows at the start", ..SHARE },
            Number { symbol: "l", about: "the first windows' length, a share of H", ..SHARE },
            Number { symbol: "g", about: "their growth in a round, a share of H", ..SHARE },
            Number { symbol: "m", about: "the rounds before they grow", ..ROUNDS },
            Number { symbol: "r", about: "the rounds that the expert drives alone", ..ROUNDS },
        ],
        example: "windows-bd-5(0.5,0.1,0.05,6,1)",
        make: |s| hand_over(s.windows(), bootstrap_dagger(s.members, s.sampling)),
    },
    Family {
        key: "take-over",
        label: "take-over",
        about: "HG-DAgger with a person, who takes the controls and lets go of them",
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
        about: "Bootstrap-DAgger that asks about the K most disputed of m K states",
        citation: "Seung, Opper & Sompolinsky 1992, on Bootstrap-DAgger",
        page: "active.md",
        members: Members::Required,
        numbers: &[Number {
            symbol: "m",
            about: "candidates for every question",
            range: (1.0, 1e3),
            whole: true,
        }],
        example: "active-bd-5(4)",
        make: |s| active_dagger(s.members, s.whole(0), s.sampling),
    },
    Family {
        key: "bagging",
        label: "Bagging",
        about: "an ensemble on the annotations of another run",
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
        about: "one network on the annotations of another run",
        citation: "Li & Zhang 2024, section 5.3",
        page: "supervised.md",
        members: Members::One,
        numbers: &[],
        example: "supervised",
        make: |_| supervised(),
    },
];

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
            Members::Required => "-E",
            Members::Optional { .. } => "[-E]",
        };
        let symbols: Vec<&str> = self.numbers.iter().map(|number| number.symbol).collect();
        let numbers =
            if symbols.is_empty() { "".into() } else { format!("({})", symbols.join(",")) };
        format!("{}{members}{numbers}", self.key)
    }

    /// Its form in words, with an example.
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
    fn keys_and_labels_are_one_of_a_kind() {
        for (i, family) in FAMILIES.iter().enumerate() {
            let others = &FAMILIES[..i];
            assert!(
                others.iter().all(|other| other.key != family.key && other.label != family.label)
            );
        }
    }
}
