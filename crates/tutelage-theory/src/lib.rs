//! The finite world: Markov decision processes with exact values, explicit policy classes with an exact oracle, and the
//! online learning game between them with exact regret.
//!
//! Here the paper's theory can be watched at work: [`play`] runs any algorithm of the core crate through the same loop as
//! everywhere else and computes Reg(N), the estimation gap and both sides of Theorem 1 without sampling error;
//! [`Theorem`] and [`Goal`] say what the theory promises.

mod budget;
mod class;
mod complexity;
mod exact;
mod families;
mod game;
mod mdp;
mod oracle;
mod problem;
mod theorem;

pub use budget::{Budget, Goal, GoalError};
pub use class::{ClassError, Mixture, PolicyClass};
pub use complexity::{Contender, annotations_needed, gap_curve};
pub use exact::{
    Table, Values, expected_cost, guaranteed_smoothness, occupancy, recoverability, smoothness,
    values,
};
pub use families::{Dimensions, Family, arbitrary, chain, gridworld, limitation, random, trap};
pub use game::{Game, contestants, play, theorem, tuned_logger_m, tuned_mftpl_p};
pub use mdp::{Mdp, MdpEnv, MdpError};
pub use oracle::{ExactOracle, TableExpert};
pub use problem::{Problem, ProblemError};
pub use theorem::{Condition, Theorem};
