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
use crate::lesson::LearnError;
use crate::{ActionSpace, Element, Policy};

/// Whose trajectories the states of a round come from. The learner is always the paper's πₙ, which draws one of its E
/// members uniformly at every step, except that behind a gate it acts with the mean of its members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// The learner's current policy πₙ: states come from d_{πₙ}.
    Learner,
    /// The expert, as in behavior cloning.
    Expert(ExpertActs),
    /// At every step the expert with probability βₙ, otherwise πₙ (Ross, Gordon & Bagnell 2011).
    Mixture(Beta),
    /// The expert with noise whose variance is α times the learner's squared error in the previous round (Laskey et al. 2017).
    NoisyExpert {
        /// α: the variance of the noise in units of the learner's mean squared error.
        alpha: f64,
    },
    /// The members' mean, until a gate lets the expert take over.
    Gated(Gate),
    /// The expert until a random time step, then πₙ for a while.
    HandOver(Windows),
    /// Nothing is collected: round n takes the n-th round of a stored dataset with its labels.
    Stored,
}

/// How an expert acts while it drives. The noise of its samples works like data augmentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpertActs {
    /// It samples an action as it does for labels, noise included.
    #[default]
    Sampled,
    /// It takes its mean action.
    Mean,
}

impl Drive {
    /// Whether the expert drives at least sometimes.
    pub fn needs_driver(&self) -> bool {
        !matches!(self, Self::Learner | Self::Stored)
    }

    /// A short description, for tables.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Learner => "learner",
            Self::Expert(_) => "expert",
            Self::Mixture(_) => "expert with probability βₙ, otherwise learner",
            Self::NoisyExpert { .. } => "expert with noise",
            Self::Gated(Gate::Doubt { .. }) => "learner; expert while the learner is in doubt",
            Self::Gated(Gate::Distance { .. }) => "learner, until the expert intervenes",
            Self::Gated(Gate::Human) => "learner, until a person takes over",
            Self::HandOver(_) => "expert until a random time, then learner",
            Self::Stored => "none (stored data)",
        }
    }

    /// Checks the numbers of this choice.
    pub(crate) fn check(&self) -> Result<(), LearnError> {
        match *self {
            Self::Mixture(beta) => beta.check(),
            Self::NoisyExpert { alpha } => check_size("alpha", alpha),
            Self::Gated(gate) => gate.check(),
            Self::HandOver(windows) => windows.check(),
            Self::Learner | Self::Expert(_) | Self::Stored => Ok(()),
        }
    }

    /// The actor that drives.
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

/// The round and environment in which the actor drives.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    /// n.
    pub(crate) round: usize,
    /// H.
    pub(crate) horizon: usize,
    pub(crate) space: &'a ActionSpace,
    /// The learner's error in the previous round.
    pub(crate) errors: &'a [f64],
}

/// Checks a number from 0 to 1.
fn check_share(what: &'static str, value: f64) -> Result<(), LearnError> {
    match (0.0..=1.0).contains(&value) {
        true => Ok(()),
        false => Err(LearnError::Number { what, value, expected: "a number from 0 to 1" }),
    }
}

/// Checks a finite number that is not negative.
fn check_size(what: &'static str, value: f64) -> Result<(), LearnError> {
    match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(LearnError::Number { what, value, expected: "a finite number ≥ 0" }),
    }
}

/// The learner's mean squared error per coordinate, or its error rate on indices, from its intended actions and the
/// expert's labels.
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
