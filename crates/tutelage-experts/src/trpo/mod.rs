//! Trust region policy optimisation (Schulman et al. 2015) for Gaussian policies on the project's
//! own network kernel.
//!
//! An iteration plays whole episodes in several environments, estimates advantages
//! ([`advantages`]), and moves the policy along the natural gradient ([`conjugate_gradient`] on
//! Fisher–vector products) as far as the KL bound allows. Results depend on settings and seed
//! alone, not on threads.

mod blocks;
mod cg;
mod gae;
mod learner;
mod moments;
mod rollout;
mod settings;
mod update;
mod value;

pub use cg::conjugate_gradient;
pub use gae::advantages;
pub(crate) use learner::LearnerState;
pub use learner::{Iteration, Learner, TrainError};
pub use moments::Moments;
pub use settings::{SettingsError, TrpoSettings};
pub use update::{TrustRegion, Update};
pub use value::ValueTraining;
