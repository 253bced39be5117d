//! The learner drives until a gate calls the expert.

use std::collections::HashSet;

use super::check_size;
use crate::Element;
use crate::actor::ExpertActor;
use crate::actor::{Actor, RolloutError};
use crate::lesson::LearnError;
use crate::policy::disagreement;
use crate::{Batch, Policy, Rng, Stream};

/// When the expert takes over from the members' mean h̄. The loss ℓ measures distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gate {
    /// When the members disagree or h̄ is far from the expert: (1/E) Σₑ ℓ(hₑ(s), h̄(s)) > χ or ℓ(h̄(s), a) > τ
    /// (EnsembleDAgger; Menda, Driggs-Campbell & Kochenderfer 2019).
    Doubt {
        /// χ: the largest accepted disagreement.
        chi: f64,
        /// τ: the largest accepted distance of the mean from the expert.
        tau: f64,
    },
    /// From ℓ(h̄(s), a) > τ until it is below τ/2 (HG-DAgger; Kelly et al. 2019, with a distance in place of the person's
    /// judgment).
    Distance {
        /// τ: the distance at which the expert intervenes.
        tau: f64,
    },
    /// While the expert holds the controls ([`crate::expert::Driver::intervene`]): HG-DAgger with a person, as Kelly et al.
    /// describe it.
    Human,
}

impl Gate {
    pub(super) fn check(&self) -> Result<(), LearnError> {
        match *self {
            Self::Doubt { chi, tau } => {
                check_size("chi", chi)?;
                check_size("tau", tau)
            }
            Self::Distance { tau } => check_size("tau", tau),
            Self::Human => Ok(()),
        }
    }

    /// Whether the expert acts, given whether it acted in the previous step.
    fn is_open(&self, was_open: bool, disagreement: f64, distance: f64) -> bool {
        match *self {
            Self::Doubt { chi, tau } => disagreement > chi || distance > tau,
            Self::Distance { tau } if was_open => distance >= tau / 2.0 && distance > 0.0,
            Self::Distance { tau } => distance > tau,
            Self::Human => false,
        }
    }
}

pub(super) struct Gated<'a, P: Policy> {
    gate: Gate,
    policy: &'a P,
    expert: ExpertActor<'a, P::State, P::Action>,
    /// The lanes whose gate is open.
    open: HashSet<usize>,
}

impl<'a, P: Policy> Gated<'a, P> {
    pub(super) fn new(
        gate: Gate,
        policy: &'a P,
        expert: ExpertActor<'a, P::State, P::Action>,
    ) -> Self {
        Self { gate, policy, expert, open: HashSet::new() }
    }

    /// Whether the gate is open in each lane, given the actions of members and expert.
    fn judge(
        &mut self,
        lanes: &[usize],
        states: &Batch<P::State>,
        mean: &Batch<P::Action>,
        rngs: &mut [Rng],
        expert: &mut Batch<P::Action>,
    ) -> Result<Vec<bool>, RolloutError> {
        let disagreement = match self.gate {
            Gate::Doubt { .. } => disagreement(self.policy, states, mean)?,
            _ => vec![0.0; lanes.len()],
        };
        self.expert.actions(states, rngs, expert)?;
        let is_open = |(row, lane): (usize, &usize)| {
            let distance = P::Action::loss(mean.row(row), expert.row(row));
            self.gate.is_open(self.open.contains(lane), disagreement[row], distance)
        };
        Ok(lanes.iter().enumerate().map(is_open).collect())
    }
}

impl<P: Policy> Actor<P::State, P::Action> for Gated<'_, P> {
    fn begin(&mut self, lane: usize, _: Stream) {
        self.open.remove(&lane);
    }

    fn act(
        &mut self,
        lanes: &[usize],
        states: &Batch<P::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<P::Action>,
    ) -> Result<(), RolloutError> {
        self.policy.act_mean(states, actions)?;
        let mut expert = Batch::zeros(lanes.len(), actions.width());
        let opened = match self.gate {
            Gate::Human => self.expert.intervene(states, actions, &mut expert)?,
            _ => self.judge(lanes, states, actions, rngs, &mut expert)?,
        };
        for (row, &lane) in lanes.iter().enumerate() {
            if opened[row] {
                self.open.insert(lane);
                actions.row_mut(row).copy_from_slice(expert.row(row));
            } else {
                self.open.remove(&lane);
            }
        }
        Ok(())
    }

    fn expert_drove(&self, lane: usize) -> bool {
        self.open.contains(&lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_opens_on_either_rule_and_closes_at_once() {
        let gate = Gate::Doubt { chi: 0.1, tau: 0.2 };
        assert!(!gate.is_open(true, 0.1, 0.2));
        assert!(gate.is_open(false, 0.11, 0.0));
        assert!(gate.is_open(false, 0.0, 0.21));
    }

    #[test]
    fn an_expert_that_intervened_stays_until_half_the_distance() {
        let gate = Gate::Distance { tau: 0.2 };
        assert!(!gate.is_open(false, 9.0, 0.2), "disagreement of members does not matter");
        assert!(gate.is_open(false, 0.0, 0.3));
        assert!(gate.is_open(true, 0.0, 0.1));
        assert!(!gate.is_open(true, 0.0, 0.09));
        assert!(!Gate::Distance { tau: 0.0 }.is_open(true, 0.0, 0.0));
    }
}
