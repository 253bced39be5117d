//! Imitation problems: an MDP, an expert, a policy class and a covering distribution.

use std::sync::Arc;

use tutelage::{Batch, Cover, CoverError, LaneError, Lanes, Weighted};

use crate::exact::{guaranteed_smoothness, recoverability};
use crate::{ClassError, ExactOracle, Mdp, MdpEnv, MdpError, PolicyClass, TableExpert};

/// Everything that the theory speaks of.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What it is called.
    pub name: String,
    /// ℳ.
    pub mdp: Arc<Mdp>,
    /// ℬ.
    pub class: Arc<PolicyClass>,
    /// π^E, deterministic.
    pub expert: Arc<Vec<u32>>,
    /// d₀.
    pub cover: Arc<Weighted<u32>>,
    /// A separator set of ℬ.
    pub separator: Arc<Batch<u32>>,
    /// µ.
    pub mu: f64,
    /// σ, guaranteed for all of Π_ℬ.
    pub sigma: f64,
}

/// Why a problem could not be made.
#[derive(Debug, thiserror::Error)]
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
    /// There is no such family.
    #[error("unknown MDP '{name}'; there are {all}")]
    Unknown {
        /// The name given.
        name: String,
        /// The names there are.
        all: String,
    },
}

impl Problem {
    /// A problem with the uniform distribution over states as d₀.
    pub fn new(
        name: &str,
        mdp: Mdp,
        class: PolicyClass,
        expert: Vec<u32>,
    ) -> Result<Self, ProblemError> {
        let states = mdp.states();
        let cover = vec![1.0 / states as f64; states];
        Self::with_cover(name, mdp, class, expert, cover)
    }

    /// A problem with this d₀.
    pub fn with_cover(
        name: &str,
        mdp: Mdp,
        class: PolicyClass,
        expert: Vec<u32>,
        cover: Vec<f64>,
    ) -> Result<Self, ProblemError> {
        PolicyClass::new(mdp.spaces(), std::slice::from_ref(&expert))
            .map_err(ProblemError::Expert)?;
        let mut separator = Batch::new(1);
        class.separator().iter().for_each(|s| separator.push(&[*s]));
        let mut states = Batch::new(1);
        (0..mdp.states() as u32).for_each(|s| states.push(&[s]));
        let cover = Weighted::new(states, cover)?;
        let probabilities = cover.support().map_or(&[][..], |(_, probabilities)| probabilities);
        Ok(Self {
            name: name.into(),
            mu: recoverability(&mdp, &expert),
            sigma: guaranteed_smoothness(&mdp, probabilities, &class.allowed()),
            separator: Arc::new(separator),
            cover: Arc::new(cover),
            mdp: Arc::new(mdp),
            class: Arc::new(class),
            expert: Arc::new(expert),
        })
    }

    /// A lane to act in. One is enough: a step costs less than handing it to another thread.
    pub fn lanes(&self) -> Result<Lanes<MdpEnv>, LaneError> {
        Lanes::new(vec![MdpEnv::new(self.mdp.clone())])
    }

    /// The exact oracle over ℬ.
    pub fn oracle(&self) -> ExactOracle {
        ExactOracle::new(self.class.clone())
    }

    /// π^E as somebody to ask.
    pub fn annotator(&self) -> TableExpert {
        TableExpert(self.expert.clone())
    }
}
