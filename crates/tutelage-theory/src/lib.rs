//! The finite world: Markov decision processes with exact values, explicit policy classes with an exact oracle, and the
//! online learning game between them with exact regret.
//!
//! Here the paper's theory can be watched at work: [`play`] runs any algorithm of the core crate through the same loop as
//! everywhere else and computes Reg(N), the estimation gap and both sides of Theorem 1 without sampling error;
//! [`gap_curve`] measures Table 1; [`Theorem`] and [`Goal`] say what the theory promises.

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

pub use budget::{Budget, Goal, GoalError, MOST_ROUNDS};
pub use class::{ClassError, Mixture, PolicyClass};
pub use complexity::{
    Contender, Effort, FEWEST_FITTED, GapPoint, Mean, Needed, annotations_needed,
    complexity_exponents, gap_curve,
};
pub use exact::{
    Table, Values, advantages, expected_cost, guaranteed_smoothness, occupancy, reachable,
    recoverability, smoothness, values,
};
pub use families::{Dimensions, Family, arbitrary, chain, gridworld, limitation, random, trap};
pub use fit::{Slope, exponents};
pub use game::{Game, Last, play};
pub use ledge::ledge;
pub use mdp::{Mdp, MdpEnv, MdpError};
pub use oracle::{ExactOracle, TableExpert};
pub use players::{GameSchedule, Player, contestants, tuned_logger_m, tuned_mftpl_p};
pub use problem::{Covering, Loss, Problem, ProblemError};
pub use proof::{Closeness, Measured, ProofTerms, proof_terms};
pub use rounds::PlayError;
pub use sweep::{Comparison, Over, Sweep, SweepError, SweepPoint};
pub use table_one::{Growth, Line, fewest, growth, table_one};
pub use theorem::{Bound, Condition, Lambda, Term, Theorem};
