//! Finite Markov decision processes with exact values, explicit policy classes with an exact oracle,
//! and the online learning game behind imitation with exact regret.
//!
//! [`play`] runs an algorithm of the core crate with its usual loop and computes Reg(N), the
//! estimation gap and both sides of Theorem 1 without sampling error. [`table_one`] measures the
//! paper's Table 1; [`Theorem`] and [`AccuracyGoal`] compute what the theory promises.
//!
//! ```
//! use tutelage::Sampling;
//! use tutelage::algorithm::{bootstrap_dagger, dagger};
//! use tutelage_theory::{play, trap};
//!
//! // Three states in which DAgger always errs.
//! let problem = trap(10)?;
//! let dagger = play(&problem, dagger(Sampling::Independent), [100, 1], 7)?;
//! let ensemble = play(&problem, bootstrap_dagger(25, Sampling::Independent), [100, 1], 7)?;
//! assert!(ensemble.mean_regret() < dagger.mean_regret());
//! let (gap, bound) = dagger.theorem_one();
//! assert!(gap <= bound + 1e-9);
//! # Ok::<(), tutelage_theory::TheoryError>(())
//! ```

#![forbid(unsafe_code)]

mod budget;
mod class;
mod complexity;
mod error;
mod exact;
mod families;
mod fit;
mod game;
mod ledge;
mod mdp;
mod oracle;
mod players;
mod problem;
mod proof;
mod rounds;
mod sweep;
mod table_one;
mod theorem;
mod variations;

pub use budget::{AccuracyGoal, MAX_ROUNDS, SamplePlan};
pub use class::{MixedPolicy, PolicyClass};
pub use complexity::{
    AnnotationsNeeded, GapPoint, MIN_FITTED_ANNOTATIONS, Mean, MeasurementLimits, gap_curve,
};
pub use error::TheoryError;
pub use exact::{
    TabularPolicy, Values, expected_cost, guaranteed_smoothness, occupancy, recoverability, values,
};
pub use families::{
    ProblemFamily, ProblemSize, arbitrary, chain, gridworld, limitation, random, trap,
};
pub use fit::Slope;
pub use game::{FinalPolicy, Game, play};
pub use ledge::ledge;
pub use mdp::{Mdp, MdpEnv};
pub use oracle::{ExactOracle, TabularExpert};
pub use players::{GameSettings, Player, lambda_of};
pub use problem::{ExpertWeight, ImitationLoss, ImitationProblem};
pub use proof::{MeasuredTerm, ProofTerms, proof_terms};
pub use sweep::{ExponentComparison, SweepAxis, SweepPoint, sweep};
pub use table_one::{ComplexityExponents, TableOneRow, fewest, growth, table_one};
pub use theorem::{Bound, BoundTerm, Condition, Lambda, Theorem};
