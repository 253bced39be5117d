//! Choice 4: which policy is returned.

/// How the E members of an ensemble act as one policy after training.
///
/// This choice does not affect how states are collected: there the learner is the paper's πₙ, which draws a member
/// uniformly at every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deploy {
    /// The last policy's mean (1/E) Σₑ hₑ(s), or the majority vote of indices.
    Mean,
    /// The last policy, acting with a uniformly drawn member at every step: π(a | s) = (1/E) Σₑ I(hₑ(s) = a).
    UniformMember,
    /// π_n̂ with n̂ ~ Unif{1 … N}, acting with a uniformly drawn member at every step.
    RandomRound,
}

impl Deploy {
    /// A short description, for tables.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::UniformMember => "a random member at every step",
            Self::RandomRound => "random round",
        }
    }
}
