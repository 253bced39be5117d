//! Trust region policy optimization (Schulman et al. 2015) for Gaussian policies.
//!
//! An iteration plays whole episodes in several environments, estimates advantages, and moves the
//! policy along the natural gradient (conjugate gradient with Fisher–vector products) as far as the
//! KL bound allows. Results depend on the settings and the seed, and not on the number of threads.

mod blocks;
mod cg;
mod gae;
mod learner;
mod moments;
mod rollout;
mod settings;
mod update;
mod value;

pub use learner::{Iteration, TrpoLearner};
pub use settings::{OPTIONS, SettingsError, TrpoOption, TrpoSettings};
pub use update::TrustRegion;
pub use value::ValueTraining;
