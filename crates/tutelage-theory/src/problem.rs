//! Imitation problems: an MDP, an expert, a policy class, a loss and a covering distribution.

use std::str::FromStr;
use std::sync::Arc;

use tutelage::Batch;
use tutelage::cover::{Cover, CoverError, Weighted};

use crate::exact::{advantages, cost_of, guaranteed_smoothness, occupancy_of, recoverability};
use crate::{ExactOracle, Mdp, PolicyClass, Theorem, TheoryError};

/// The objects that the theory is about.
#[derive(Clone, Debug)]
pub struct ImitationProblem {
    /// The name.
    pub name: String,
    /// ℳ.
    pub mdp: Arc<Mdp>,
    /// ℬ.
    pub class: Arc<PolicyClass>,
    /// π^E, deterministic.
    pub expert: Arc<Vec<u32>>,
    /// The loss ℓ of training and evaluation.
    pub loss: ImitationLoss,
    /// ℓ(s, a) at index s·A + a.
    pub losses: Arc<Vec<f64>>,
    /// d₀.
    pub cover: Arc<Weighted<u32>>,
    /// A separator set of ℬ.
    pub separator: Arc<Batch<u32>>,
    /// µ.
    pub mu: f64,
    /// σ, guaranteed for all of Π_ℬ; 0 if d₀ omits a state that a policy can visit.
    pub sigma: f64,
    /// min over h ∈ ℬ of J(h).
    pub best_cost: f64,
}

/// ℓ: the loss of an action other than the expert's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImitationLoss {
    /// I(a ≠ π^E(s)), the loss of the regret theorem.
    #[default]
    ZeroOne,
    /// The expert's advantage Q(s, a) − V(s), the loss of Proposition 1.
    Advantage,
}

/// The covering distribution w d_{π^E} + (1 − w) uniform, for the weight w of the expert's states.
///
/// In text: `uniform` (w = 0), `expert` (w = 1), `mix(w)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertWeight(f64);

impl FromStr for ExpertWeight {
    type Err = TheoryError;

    fn from_str(text: &str) -> Result<Self, TheoryError> {
        let mixed = text.strip_prefix("mix(").and_then(|rest| rest.strip_suffix(')'));
        let weight = match text {
            "uniform" => Some(0.0),
            "expert" => Some(1.0),
            _ => mixed.and_then(|weight| weight.parse().ok()),
        };
        let unknown = || TheoryError::Name {
            what: "covering distribution",
            found: text.into(),
            expected: "uniform, expert or mix(w) with w from 0 to 1".into(),
        };
        weight.filter(|weight| (0.0..=1.0).contains(weight)).map(Self).ok_or_else(unknown)
    }
}

impl ImitationProblem {
    /// Creates a problem with the 0–1 loss and the uniform distribution over states as d₀.
    pub fn new(
        name: &str,
        mdp: Mdp,
        class: PolicyClass,
        expert: Vec<u32>,
    ) -> Result<Self, TheoryError> {
        let cover = uniform(mdp.states());
        Self::with_cover(name, mdp, class, expert, cover)
    }

    /// Creates a problem with the 0–1 loss and this d₀.
    pub fn with_cover(
        name: &str,
        mdp: Mdp,
        class: PolicyClass,
        expert: Vec<u32>,
        cover: Vec<f64>,
    ) -> Result<Self, TheoryError> {
        // The expert is checked like a policy of the class.
        PolicyClass::new(mdp.spaces(), std::slice::from_ref(&expert))?;
        let losses = zero_one(mdp.actions(), &expert);
        let mut separator = Batch::new(1);
        class.separator().iter().for_each(|s| separator.push(&[*s]));
        let costs = class.tables().into_iter().map(|policy| cost_of(&mdp, &policy));
        Ok(Self {
            name: name.into(),
            loss: ImitationLoss::ZeroOne,
            mu: recoverability(&mdp, &expert, &losses),
            sigma: guaranteed_smoothness(&mdp, &cover, &class.allowed()),
            best_cost: costs.fold(f64::INFINITY, f64::min),
            cover: Arc::new(weighted(cover)?),
            losses: Arc::new(losses),
            separator: Arc::new(separator),
            mdp: Arc::new(mdp),
            class: Arc::new(class),
            expert: Arc::new(expert),
        })
    }

    /// Returns the same problem with another d₀.
    pub fn with_expert_weight(
        &self,
        ExpertWeight(weight): ExpertWeight,
    ) -> Result<Self, TheoryError> {
        let expert = occupancy_of(&self.mdp, &self.expert);
        let mixed = expert.iter().zip(uniform(self.mdp.states()));
        let cover: Vec<f64> = mixed.map(|(d, u)| weight * d + (1.0 - weight) * u).collect();
        let sigma = guaranteed_smoothness(&self.mdp, &cover, &self.class.allowed());
        Ok(Self { sigma, cover: Arc::new(weighted(cover)?), ..self.clone() })
    }

    /// Returns the same problem with another loss.
    ///
    /// If a state can be reached at several times, its advantage is the largest.
    #[must_use]
    pub fn with_loss(&self, loss: ImitationLoss) -> Self {
        let losses: Vec<f64> = match loss {
            ImitationLoss::ZeroOne => zero_one(self.mdp.actions(), &self.expert),
            ImitationLoss::Advantage => {
                let advantages = advantages(&self.mdp, &self.expert);
                advantages.into_iter().map(|advantage| advantage.unwrap_or(0.0)).collect()
            }
        };
        let mu = recoverability(&self.mdp, &self.expert, &losses);
        Self { loss, losses: Arc::new(losses), mu, ..self.clone() }
    }

    /// The exact oracle over ℬ for the loss of this problem.
    pub fn oracle(&self) -> ExactOracle {
        let costs = (self.loss == ImitationLoss::Advantage).then(|| self.losses.clone());
        ExactOracle::new(self.class.clone(), costs)
    }

    /// d₀(s) for every state.
    pub fn cover_probabilities(&self) -> &[f64] {
        self.cover.support().map_or(&[], |(_, probabilities)| probabilities)
    }

    /// The regret theorem for this problem, with failure probability δ.
    pub fn theorem(&self, delta: f64) -> Theorem {
        Theorem {
            states: self.mdp.states() as f64,
            actions: self.mdp.actions() as f64,
            ln_class_size: (self.class.size() as f64).ln(),
            sigma: self.sigma,
            delta,
        }
    }
}

fn uniform(states: usize) -> Vec<f64> {
    vec![1.0 / states as f64; states]
}

fn weighted(cover: Vec<f64>) -> Result<Weighted<u32>, CoverError> {
    let states = Batch::from_vec(1, (0..cover.len() as u32).collect());
    Weighted::new(states.unwrap_or(Batch::new(1)), cover)
}

/// I(a ≠ π^E(s)) at index s·A + a.
fn zero_one(actions: usize, expert: &[u32]) -> Vec<f64> {
    let row = |&right: &u32| (0..actions as u32).map(move |a| f64::from(a != right));
    expert.iter().flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{limitation, trap};

    fn sigma(problem: &ImitationProblem, cover: &str) -> f64 {
        problem.with_expert_weight(cover.parse().unwrap()).unwrap().sigma
    }

    #[test]
    fn sigma_is_zero_if_the_cover_omits_a_visited_state() {
        let (trap, route) = (trap(10).unwrap(), limitation(10).unwrap());
        assert_eq!(sigma(&trap, "uniform"), trap.sigma);
        assert_eq!(sigma(&trap, "mix(0)"), trap.sigma);
        // The trap's expert visits either side half of the time.
        assert!((sigma(&trap, "expert") - 0.5).abs() < 1e-12);
        // The expert of Proposition 1 never sees the route of h1.
        assert_eq!(sigma(&route, "expert"), 0.0);
        assert!((0.0..0.2).contains(&sigma(&route, "mix(0.5)")));
    }

    #[test]
    fn unknown_covers_are_refused() {
        for bad in ["mix", "mix(2)", "mix(nan)", "learner"] {
            let error = bad.parse::<ExpertWeight>().unwrap_err();
            assert!(matches!(error, TheoryError::Name { found, .. } if found == bad));
        }
    }

    #[test]
    fn with_the_advantage_as_loss_mu_is_one() {
        let problem = limitation(10).unwrap().with_loss(ImitationLoss::Advantage);
        assert_eq!(problem.mu, 1.0);
        // In S0 L costs 1; in S2 R costs H - 1.
        let expected = [1.0, 0.0, 0.0, 0.0, 0.0, 9.0];
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(problem.losses.iter().zip(&expected).all(near), "{:?}", problem.losses);
        assert_eq!(problem.with_loss(ImitationLoss::ZeroOne).mu, 9.0);
    }
}
