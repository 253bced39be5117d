//! The finite world: Markov decision processes with exact values, explicit policy classes with an exact oracle, and the
//! online learning game between them with exact regret.
//!
//! Here the paper's theory can be watched at work: [`play`] runs any algorithm of the core crate through the same loop as
//! everywhere else and computes Reg(N), the estimation gap and both sides of Theorem 1 without sampling error;
//! [`gap_curve`] measures Table 1; [`Theorem`] and [`AccuracyGoal`] say what the theory promises.

#![forbid(unsafe_code)]

mod budget;
mod class;
mod complexity;
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

pub use budget::{AccuracyGoal, GoalError, MAX_ROUNDS, SamplePlan};
pub use class::{ClassError, MixedPolicy, PolicyClass};
pub use complexity::{
    AnnotationsNeeded, Contender, GapPoint, MIN_FITTED_ANNOTATIONS, Mean, MeasurementLimits,
    annotations_needed, complexity_exponents, gap_curve,
};
pub use exact::{
    TabularPolicy, Values, advantages, expected_cost, guaranteed_smoothness, occupancy, reachable,
    recoverability, smoothness, values,
};
pub use families::{
    ProblemFamily, ProblemSize, arbitrary, chain, gridworld, limitation, random, trap,
};
pub use fit::{Slope, exponents};
pub use game::{FinalPolicy, Game, play};
pub use ledge::ledge;
pub use mdp::{Mdp, MdpEnv, MdpError};
pub use oracle::{ExactOracle, TabularExpert};
pub use players::{GameSchedule, Player, contestants, tuned_logger_m, tuned_mftpl_p};
pub use problem::{CoveringDistribution, ImitationLoss, ImitationProblem, ProblemError};
pub use proof::{EstimationSettings, MeasuredTerm, ProofTerms, proof_terms};
pub use rounds::PlayError;
pub use sweep::{ExponentComparison, RegretSweep, SweepAxis, SweepError, SweepPoint};
pub use table_one::{ComplexityExponents, TableOneRow, fewest, growth, table_one};
pub use theorem::{Bound, BoundTerm, Condition, Lambda, Theorem};
