//! Choice 1: who acts while states are collected.

mod gated;
mod hand_over;
mod mixture;
mod noisy;
mod turns;

pub use gated::Gate;
pub use hand_over::Windows;
pub use mixture::Beta;

use gated::Gated;
use hand_over::HandOver;
use mixture::Mixture;
use noisy::NoisyExpert;
use turns::Turns;

use crate::actor::ExpertActor;
use crate::actor::{Actor, DeployedPolicy};
use crate::choice::Deploy;
use crate::expert::Driver;
use crate::{ActionSpace, Element, Policy};

/// Whose trajectories the states of a round come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// The learner's current policy πₙ, each member with probability 1/E at every step: states come from d_{πₙ}.
    Learner,
    /// The expert, whose trajectories the learner then imitates offline.
    Expert(ExpertActs),
    /// At every step the expert with probability βₙ, otherwise πₙ (Ross, Gordon & Bagnell 2011).
    Mixture(Beta),
    /// The expert, disturbed by noise of α times the learner's error in the round before (Laskey et al. 2017).
    NoisyExpert {
        /// α: how many times the learner's mean squared error the noise's variance is.
        alpha: f64,
    },
    /// The members' mean, until a gate calls the expert.
    Gated(Gate),
    /// The expert up to a random moment, then πₙ for a while.
    HandOver(Windows),
    /// Nobody: round n takes the n-th round of a stored dataset, labels and all.
    Stored,
}

/// How an expert acts while it drives. Its noise works like data augmentation, so this matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpertActs {
    /// It takes the action that it would give as an answer, noise included.
    #[default]
    Sampled,
    /// It takes its mean action.
    Mean,
}

impl Drive {
    /// Whether the expert acts, at least now and then.
    pub fn needs_driver(&self) -> bool {
        !matches!(self, Self::Learner | Self::Stored)
    }

    /// This choice in a few words, as tables show it.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Learner => "learner",
            Self::Expert(_) => "expert",
            Self::Mixture(_) => "expert with probability βₙ, else learner",
            Self::NoisyExpert { .. } => "expert, disturbed",
            Self::Gated(Gate::Doubt { .. }) => "learner; expert where it is in doubt",
            Self::Gated(Gate::Distance { .. }) => "learner, until the expert steps in",
            Self::Gated(Gate::Human) => "learner, until a person takes over",
            Self::HandOver(_) => "expert to a random moment, then learner for a while",
            Self::Stored => "nobody (stored data)",
        }
    }

    /// What is wrong with the numbers of this choice: their name, value and what is allowed.
    pub(crate) fn check(&self) -> Result<(), InvalidParameter> {
        match *self {
            Self::Mixture(beta) => beta.check(),
            Self::NoisyExpert { alpha } => InvalidParameter::check_size("alpha", alpha),
            Self::Gated(gate) => gate.check(),
            Self::HandOver(windows) => windows.check(),
            Self::Learner | Self::Expert(_) | Self::Stored => Ok(()),
        }
    }

    /// Whoever drives.
    pub(crate) fn actor<'a, P: Policy>(
        self,
        at: Situation<'a>,
        policy: &'a P,
        driver: &'a mut dyn Driver<P::State, P::Action>,
    ) -> Box<dyn Actor<P::State, P::Action> + 'a> {
        let Situation { round, horizon, space, errors } = at;
        let acts = if let Self::Expert(acts) = self { acts } else { ExpertActs::Sampled };
        let learner = DeployedPolicy::new(policy, Deploy::UniformMember);
        let expert = ExpertActor::new(driver, acts, space);
        match self {
            Self::Learner | Self::Stored => Box::new(learner),
            Self::Expert(_) => Box::new(expert),
            Self::Mixture(beta) => {
                Box::new(Mixture::new(Turns::new(expert, learner), beta.at(round)))
            }
            Self::NoisyExpert { alpha } => Box::new(NoisyExpert::new(expert, alpha, errors)),
            Self::Gated(gate) => Box::new(Gated::new(gate, policy, expert)),
            Self::HandOver(windows) => {
                Box::new(HandOver::new(windows, round, horizon, Turns::new(expert, learner)))
            }
        }
    }
}

/// When and where somebody drives.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    /// n.
    pub(crate) round: usize,
    /// H.
    pub(crate) horizon: usize,
    pub(crate) space: &'a ActionSpace,
    /// The learner's error in the round before.
    pub(crate) errors: &'a [f64],
}

/// A number that does not fit its choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InvalidParameter {
    pub(crate) what: &'static str,
    pub(crate) value: f64,
    pub(crate) allowed: &'static str,
}

impl InvalidParameter {
    /// A share lies between 0 and 1.
    fn check_share(what: &'static str, value: f64) -> Result<(), Self> {
        match (0.0..=1.0).contains(&value) {
            true => Ok(()),
            false => Err(Self { what, value, allowed: "a number from 0 to 1" }),
        }
    }

    /// A size is finite and not negative.
    fn check_size(what: &'static str, value: f64) -> Result<(), Self> {
        match value.is_finite() && value >= 0.0 {
            true => Ok(()),
            false => Err(Self { what, value, allowed: "a finite number >= 0" }),
        }
    }
}

/// The learner's mean squared error per coordinate (the share of wrong answers where actions are indices), from what it
/// intended and what the expert said.
pub(crate) fn errors<A: Element>(
    intended: impl Iterator<Item = impl AsRef<[A]>>,
    answers: impl Iterator<Item = impl AsRef<[A]>>,
    width: usize,
) -> Vec<f64> {
    let (mut sums, mut count) = (vec![0.0; width], 0.0f64);
    for (intended, answer) in intended.zip(answers) {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum += A::loss(&intended.as_ref()[i..=i], &answer.as_ref()[i..=i]);
        }
        count += 1.0;
    }
    sums.iter().map(|sum| sum / count.max(1.0)).collect()
}
