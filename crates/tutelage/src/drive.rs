//! Choice 1: who drives while states are collected.

use std::sync::Arc;

use crate::Dataset;

/// Whose trajectories the states of a round come from.
#[derive(Clone, Debug)]
pub enum Drive<S, A> {
    /// The learner's current policy πₙ, each member with probability 1/E at every step: states come from d_{πₙ}.
    Learner,
    /// The expert, whose trajectories the learner then imitates offline.
    Expert(ExpertActs),
    /// Nobody: round n takes the next K examples of a stored dataset, labels and all.
    Stored(Arc<Dataset<S, A>>),
}

/// How an expert acts while it drives. Its noise works like data augmentation, so this matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpertActs {
    /// It takes the action that it would give as an answer, noise included.
    #[default]
    Sampled,
    /// It takes its mean action.
    Mean,
}
