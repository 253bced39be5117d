//! πₙ* = βₙ π^E + (1 − βₙ) πₙ: a coin decides at every step who acts.

use rand::RngExt;

use super::check_share;
use super::turns::Turns;
use crate::actor::{Actor, RolloutError};
use crate::lesson::LearnError;
use crate::{Batch, Policy, Rng};

/// βₙ, the share of steps that the expert takes in round n (Ross, Gordon & Bagnell 2011, section 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beta {
    /// βₙ = β.
    Constant(f64),
    /// βₙ = pⁿ⁻¹.
    Power(f64),
    /// βₙ = max(0, 1 − (n − 1)/M): reaches 0 after M rounds.
    Linear(usize),
}

impl Beta {
    /// βₙ.
    pub fn at(&self, round: usize) -> f64 {
        let before = round.saturating_sub(1);
        match *self {
            Self::Constant(beta) => beta,
            Self::Power(p) => p.powi(i32::try_from(before).unwrap_or(i32::MAX)),
            Self::Linear(rounds) => (1.0 - before as f64 / rounds.max(1) as f64).max(0.0),
        }
    }

    pub(super) fn check(&self) -> Result<(), LearnError> {
        match *self {
            Self::Constant(beta) => check_share("beta", beta),
            Self::Power(p) => check_share("p", p),
            Self::Linear(0) => Err(LearnError::zero("M")),
            Self::Linear(_) => Ok(()),
        }
    }
}

pub(super) struct Mixture<'a, P: Policy> {
    turns: Turns<'a, P>,
    beta: f64,
}

impl<'a, P: Policy> Mixture<'a, P> {
    pub(super) fn new(turns: Turns<'a, P>, beta: f64) -> Self {
        Self { turns, beta }
    }
}

impl<P: Policy> Actor<P::State, P::Action> for Mixture<'_, P> {
    fn act(
        &mut self,
        lanes: &[usize],
        states: &Batch<P::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<P::Action>,
    ) -> Result<(), RolloutError> {
        let coin = |_, rng: &mut Rng| rng.random::<f64>() < self.beta;
        self.turns.act(coin, lanes, states, rngs, actions)
    }

    fn expert_drove(&self, lane: usize) -> bool {
        self.turns.expert_drove(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_start_at_one_and_decay() {
        let at = |beta: Beta| [1, 2, 3, 5].map(|round| beta.at(round));
        assert_eq!(at(Beta::Constant(0.5)), [0.5; 4]);
        assert_eq!(at(Beta::Power(0.5)), [1.0, 0.5, 0.25, 0.0625]);
        assert_eq!(at(Beta::Linear(4)), [1.0, 0.75, 0.5, 0.0]);
        assert_eq!(Beta::Linear(1).at(2), 0.0, "the expert drives in the first round only");
    }

    #[test]
    fn invalid_shares_are_refused() {
        for beta in [Beta::Constant(1.5), Beta::Constant(f64::NAN), Beta::Power(-0.1)] {
            assert!(beta.check().is_err(), "{beta:?}");
        }
        assert!(Beta::Linear(0).check().is_err());
        assert!(Beta::Power(1.0).check().is_ok());
    }
}
