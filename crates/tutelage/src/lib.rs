//! Interactive imitation learning: one loop, three choices.
//!
//! A learner acts, an expert says what it would have done in the states that the learner reached, and an oracle trains a
//! policy on the answers. Every algorithm of *Agnostic Interactive Imitation Learning: New Theory and Practical Algorithms*
//! (Li & Zhang, ICML 2024) is [`learn`] with three choices filled in:
//!
//! | algorithm | 1. who drives ([`Drive`]) | 2. what member e trains on ([`TrainOn`]) | 3. how members act when deployed ([`Acting`]) | E |
//! | --- | --- | --- | --- | --- |
//! | [`behavior_cloning`] | expert | D | – | 1 |
//! | [`dagger`] | learner | D | – | 1 |
//! | [`bootstrap_dagger`] | learner | bootstrap(D) | mean | 1, 5, 25 |
//! | [`mp`] | learner | D ∪ Q, Q = X draws from d₀ ⊗ Unif(𝒜) | mean | 25 |
//! | [`mftpl_p`] | learner | D ∪ Q, X ~ Poisson(λ) | random round | large |
//! | [`logger_m`] | learner | D and Gaussian costs on a separator set | random round | large |
//! | [`bagging`] | – (stored data) | bootstrap(D) | mean | 5 |
//! | [`supervised`] | – (stored data) | D | – | 1 |
//!
//! While it drives, the learner is always the paper's πₙ: a member drawn uniformly at every step.
//!
//! Two worlds share the loop: states and actions are indices with the 0–1 loss (`u32`), or real vectors with the clipped
//! squared loss (`f32`). Batches of rows ([`Batch`]) are the unit throughout. This crate does no I/O: what happens leaves
//! through an [`Observer`], which sees every answer of the expert before it is used.

mod acting;
mod algorithm;
mod batch;
mod bounds;
mod check;
mod cover;
mod dataset;
mod drive;
mod env;
mod evaluate;
mod expert;
mod lanes;
mod learn;
mod learn_error;
mod observer;
mod oracle;
mod plan;
mod policy;
mod progress;
mod rollout;
mod sampling;
mod space;
mod stream;
mod train_on;
mod training_sets;

pub use acting::{Acting, Actor};
pub use algorithm::{
    Algorithm, bagging, behavior_cloning, bootstrap_dagger, dagger, logger_m, mftpl_p, mp,
    supervised,
};
pub use batch::{Batch, ShapeError};
pub use bounds::{Bounds, BoundsError, Outside};
pub use check::{Breach, check_env, check_oracle};
pub use cover::{Cover, CoverError, StoredStates, UniformBox, Weighted};
pub use dataset::Dataset;
pub use drive::{Drive, ExpertActs};
pub use env::{Env, EnvError, Step};
pub use evaluate::{Episode, Evaluation, evaluate};
pub use expert::{Expert, ExpertError};
pub use lanes::{LaneError, Lanes};
pub use learn::{Learned, Setting, learn};
pub use learn_error::LearnError;
pub use observer::{Event, Flow, Observer, ObserverError};
pub use oracle::{DurableOracle, Oracle, OracleError};
pub use plan::Plan;
pub use policy::{Policy, PolicyError};
pub use progress::{OpenRound, Progress};
pub use rollout::RolloutError;
pub use sampling::Sampling;
pub use space::{Action, Element, Spaces};
pub use stream::{Rng, Stream};
pub use train_on::{Size, TrainOn, TrainOnError};
pub use training_sets::{Costs, Perturbation, TrainingSets, View};
