//! Interactive imitation learning: one loop, four choices.
//!
//! A learner acts, an expert says what it would have done in the states that the learner reached, and an oracle trains a
//! policy on the answers. Every algorithm of *Agnostic Interactive Imitation Learning: New Theory and Practical Algorithms*
//! (Li & Zhang, ICML 2024), and others of the field, is a [`Lesson`] with four choices filled in:
//!
//! 1. who acts while states are collected ([`Drive`]),
//! 2. which of the states reached are asked about ([`Ask`]),
//! 3. what member e of the ensemble trains on ([`TrainOn`]),
//! 4. what is returned and evaluated ([`Deploy`]).
//!
//! [`FAMILIES`] lists the named algorithms; each is a plain [`Algorithm`] value. While it drives, the learner is always the
//! paper's πₙ: a member drawn uniformly at every step.
//!
//! [`learn`] asks an [`Expert`] that answers at once; whoever has a teacher of another kind, a person, a page, a program far
//! away, drives a [`Lesson`] and brings the answers when they come.
//!
//! States and actions are indices (`u32`, 0–1 loss) or real vectors (`f32`, clipped squared loss), in any combination.
//! Batches of rows ([`Batch`]) are the unit throughout. This crate does no I/O.

#![forbid(unsafe_code)]

mod actor;
mod algorithm;
mod algorithm_name;
mod ask;
mod batch;
mod bounds;
mod check;
mod cover;
mod dataset;
mod default_algorithm;
mod deploy;
mod drive;
mod driver;
mod env;
mod evaluate;
mod expert;
mod family;
mod fit_progress;
mod inputs;
mod learn;
mod learn_error;
mod lesson;
mod look;
mod nearest;
mod oracle;
mod policy;
mod progress;
mod rollout;
mod round;
mod sampling;
mod schedule;
mod space;
mod stream;
mod sync_vector_env;
mod train_on;
mod training_sets;
mod vector_env;

pub use actor::Actor;
pub use algorithm::{
    Algorithm, active_dagger, bagging, behavior_cloning, bootstrap_dagger, dagger, dart,
    ensemble_dagger, growing_mp, hand_over, hg_dagger, logger_m, mftpl_p, mixed_dagger, mp,
    shuffled_mp, supervised, take_over,
};
pub use algorithm_name::{AlgorithmName, AlgorithmNameError};
pub use ask::{Ask, Origin};
pub use batch::{Batch, ShapeError};
pub use bounds::{Bounds, BoundsError, Outside};
pub use check::{ContractViolation, check_env, check_expert, check_oracle};
pub use cover::{Cover, CoverError, StoredStates, UniformBox, Weighted};
pub use dataset::Dataset;
pub use default_algorithm::{ExpertCapability, default_algorithm, describe_default_algorithms};
pub use deploy::{Deploy, DeployedPolicy};
pub use drive::{Beta, Drive, ExpertActor, ExpertActs, Gate, Windows};
pub use driver::{Driver, NoDriver};
pub use env::{Env, EnvError, Step};
pub use evaluate::{Episode, Evaluation, evaluate};
pub use expert::{Expert, ExpertError};
pub use family::{FAMILIES, Family, FiniteOnly, LOGGER_M, Members, Number};
pub use fit_progress::FitProgress;
pub use inputs::Inputs;
pub use learn::{Learned, Participants, learn};
pub use learn_error::LearnError;
pub use lesson::{Lesson, LessonEvent};
pub use look::{Look, Stroke};
pub use nearest::{did_you_mean, nearest};
pub use oracle::{DurableOracle, Oracle, OracleError};
pub use policy::{Policy, PolicyError, disagreement};
pub use progress::Progress;
/// The generators' traits, for environments and experts that draw: `use tutelage::rand::RngExt`.
pub use rand;
pub use rollout::{RolloutError, Steps};
pub use round::{Queries, Reply, Round};
pub use sampling::Sampling;
pub use schedule::Schedule;
pub use space::{ActionSpace, Element, SpaceError, SpaceKind, Spaces};
pub use stream::{Rng, Stream};
pub use sync_vector_env::{LaneError, SyncVectorEnv};
pub use train_on::{PerturbationSize, TrainOn, TrainOnError};
pub use training_sets::{Costs, Perturbation, TrainingSets, TrainingSpec, View};
pub use vector_env::VectorEnv;
