//! Imitation problems: an MDP, an expert, a policy class, a loss and a covering distribution.

use std::sync::Arc;

use tutelage::Batch;
use tutelage::cover::{Cover, CoverError, Weighted};

use crate::exact::{
    TabularPolicy, advantages, expected_cost, guaranteed_smoothness, occupancy, recoverability,
};
use crate::{ClassError, ExactOracle, Mdp, MdpError, PolicyClass, Theorem};

/// Everything that the theory speaks of.
#[derive(Clone, Debug)]
pub struct ImitationProblem {
    /// What it is called.
    pub name: String,
    /// ℳ.
    pub mdp: Arc<Mdp>,
    /// ℬ.
    pub class: Arc<PolicyClass>,
    /// π^E, deterministic.
    pub expert: Arc<Vec<u32>>,
    /// Which loss ℓ the learner is judged by and trained with.
    pub loss: ImitationLoss,
    /// ℓ(s, a) at index s·A + a.
    pub losses: Arc<Vec<f64>>,
    /// d₀.
    pub cover: Arc<Weighted<u32>>,
    /// A separator set of ℬ.
    pub separator: Arc<Batch<u32>>,
    /// µ.
    pub mu: f64,
    /// σ, guaranteed for all of Π_ℬ; 0 where d₀ leaves out a state that a policy can visit.
    pub sigma: f64,
    /// min over h ∈ ℬ of J(h).
    pub best_cost: f64,
}

/// ℓ: what an action costs the learner where the expert would have taken another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImitationLoss {
    /// I(a ≠ π^E(s)), the loss of the regret theorem.
    #[default]
    ZeroOne,
    /// The expert's advantage Q(s, a) − V(s), the loss of Proposition 1.
    Advantage,
}

/// A covering distribution to choose for a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CoveringDistribution {
    /// Every state alike.
    Uniform,
    /// d_{π^E}, which covers what the expert visits and nothing else.
    Expert,
    /// w d_{π^E} + (1 − w) uniform.
    Mix(f64),
}

/// Why a problem could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The MDP is none.
    #[error(transparent)]
    Mdp(#[from] MdpError),
    /// The class is none.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// The covering distribution is none.
    #[error(transparent)]
    Cover(#[from] CoverError),
    /// The expert is no policy.
    #[error("the expert: {0}")]
    Expert(ClassError),
    /// A size is out of range for this family.
    #[error("{field} is {value}; {family} takes {allowed}")]
    Size {
        /// Which size.
        field: &'static str,
        /// Its value.
        value: usize,
        /// The family of problems.
        family: &'static str,
        /// What would be allowed.
        allowed: &'static str,
    },
    /// The goal cannot be reached in time.
    #[error(
        "horizon is {horizon}; {family} with {states} states takes at least {states}, or nobody reaches its goal"
    )]
    Horizon {
        /// H.
        horizon: usize,
        /// The family of problems.
        family: &'static str,
        /// S.
        states: usize,
    },
    /// A mixture's weight is no probability.
    #[error("the expert's weight in d0 is {0}; allowed is 0 to 1")]
    Weight(f64),
    /// An invalid share of d₀.
    #[error("the share of d0 is {0}; allowed is more than 0, at most 1")]
    Share(f64),
    /// A covering distribution that does not exist.
    #[error(
        "unknown covering distribution '{0}'; there are uniform, expert and mix(w) with w from 0 to 1"
    )]
    CoveringDistribution(String),
    /// There is no such family.
    #[error("unknown MDP '{name}'; there are {all}")]
    Unknown {
        /// The name given.
        name: String,
        /// The names there are.
        all: String,
    },
}

impl ImitationProblem {
    /// A problem with the 0–1 loss and the uniform distribution over states as d₀.
    pub fn new(
        name: &str,
        mdp: Mdp,
        class: PolicyClass,
        expert: Vec<u32>,
    ) -> Result<Self, ProblemError> {
        let cover = uniform(mdp.states());
        Self::with_cover(name, mdp, class, expert, cover)
    }

    /// A problem with the 0–1 loss and this d₀.
    pub fn with_cover(
        name: &str,
        mdp: Mdp,
        class: PolicyClass,
        expert: Vec<u32>,
        cover: Vec<f64>,
    ) -> Result<Self, ProblemError> {
        PolicyClass::new(mdp.spaces(), std::slice::from_ref(&expert))
            .map_err(ProblemError::Expert)?;
        let losses = zero_one(mdp.actions(), &expert);
        let mut separator = Batch::new(1);
        class.separator().iter().for_each(|s| separator.push(&[*s]));
        let cost =
            |h| expected_cost(&mdp, &TabularPolicy::deterministic(mdp.actions(), &class.policy(h)));
        Ok(Self {
            name: name.into(),
            loss: ImitationLoss::ZeroOne,
            mu: recoverability(&mdp, &expert, &losses),
            sigma: guaranteed_smoothness(&mdp, &cover, &class.allowed()),
            best_cost: (0..class.size()).map(cost).fold(f64::INFINITY, f64::min),
            cover: Arc::new(weighted(cover)?),
            losses: Arc::new(losses),
            separator: Arc::new(separator),
            mdp: Arc::new(mdp),
            class: Arc::new(class),
            expert: Arc::new(expert),
        })
    }

    /// The same problem with another d₀.
    pub fn with_covering(&self, covering: CoveringDistribution) -> Result<Self, ProblemError> {
        let states = self.mdp.states();
        let weight = match covering {
            CoveringDistribution::Uniform => 0.0,
            CoveringDistribution::Expert => 1.0,
            CoveringDistribution::Mix(weight) => weight,
        };
        if !(0.0..=1.0).contains(&weight) {
            return Err(ProblemError::Weight(weight));
        }
        let expert =
            occupancy(&self.mdp, &TabularPolicy::deterministic(self.mdp.actions(), &self.expert));
        let mixed = expert.iter().zip(uniform(states));
        let cover: Vec<f64> = mixed.map(|(d, u)| weight * d + (1.0 - weight) * u).collect();
        let sigma = guaranteed_smoothness(&self.mdp, &cover, &self.class.allowed());
        Ok(Self { sigma, cover: Arc::new(weighted(cover)?), ..self.clone() })
    }

    /// The same problem with another loss. The expert's advantage, where a state can be reached at several times, is the
    /// largest of theirs.
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

    /// The exact oracle over ℬ, for this problem's loss.
    pub fn oracle(&self) -> ExactOracle {
        match self.loss {
            ImitationLoss::ZeroOne => ExactOracle::new(self.class.clone()),
            ImitationLoss::Advantage => {
                ExactOracle::with_costs(self.class.clone(), self.losses.clone())
            }
        }
    }

    /// d₀(s) for every state.
    pub fn cover_probabilities(&self) -> &[f64] {
        self.cover.support().map_or(&[], |(_, probabilities)| probabilities)
    }

    /// The regret theorem for this problem, failing with probability δ.
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
    Weighted::new(
        Batch::from_vec(1, (0..cover.len() as u32).collect()).unwrap_or(Batch::new(1)),
        cover,
    )
}

/// I(a ≠ π^E(s)) at index s·A + a.
fn zero_one(actions: usize, expert: &[u32]) -> Vec<f64> {
    let row = |&right: &u32| (0..actions as u32).map(move |a| f64::from(a != right));
    expert.iter().flat_map(row).collect()
}

impl std::str::FromStr for CoveringDistribution {
    type Err = ProblemError;

    fn from_str(text: &str) -> Result<Self, ProblemError> {
        let mixed = || text.strip_prefix("mix(")?.strip_suffix(')')?.parse().ok();
        match (text, mixed()) {
            ("uniform", _) => Ok(Self::Uniform),
            ("expert", _) => Ok(Self::Expert),
            (_, Some(weight)) if (0.0..=1.0).contains(&weight) => Ok(Self::Mix(weight)),
            _ => Err(ProblemError::CoveringDistribution(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{limitation, trap};

    #[test]
    fn a_distribution_that_leaves_out_what_policies_visit_covers_nothing() {
        let problem = trap(10).unwrap();
        assert_eq!(
            problem.with_covering(CoveringDistribution::Mix(0.0)).unwrap().sigma,
            problem.sigma
        );
        let expert = problem.with_covering(CoveringDistribution::Expert).unwrap();
        assert!((expert.sigma - 0.5).abs() < 1e-12, "it visits either side half of the time");
        let route = limitation(10).unwrap();
        assert_eq!(
            route.with_covering(CoveringDistribution::Expert).unwrap().sigma,
            0.0,
            "h1's route is never seen"
        );
        let half = route.with_covering(CoveringDistribution::Mix(0.5)).unwrap();
        assert!(half.sigma > 0.0 && half.sigma < 0.2, "{}", half.sigma);
    }

    #[test]
    fn coverings_are_read_from_text() {
        assert_eq!(
            "uniform".parse::<CoveringDistribution>().unwrap(),
            CoveringDistribution::Uniform
        );
        assert_eq!(
            "mix(0.25)".parse::<CoveringDistribution>().unwrap(),
            CoveringDistribution::Mix(0.25)
        );
        for bad in ["mix", "mix(2)", "mix(nan)", "learner"] {
            let error = bad.parse::<CoveringDistribution>().unwrap_err().to_string();
            assert!(error.contains(bad) && error.contains("mix(w)"), "{error}");
        }
    }

    #[test]
    fn with_its_own_advantage_as_loss_a_problem_is_one_recoverable() {
        let problem = limitation(10).unwrap().with_loss(ImitationLoss::Advantage);
        assert_eq!(problem.mu, 1.0);
        let expected = [1.0, 0.0, 0.0, 0.0, 0.0, 9.0];
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(problem.losses.iter().zip(&expected).all(near), "S0: L costs 1; S2: R costs H - 1");
        assert_eq!(problem.with_loss(ImitationLoss::ZeroOne).mu, 9.0);
    }
}
