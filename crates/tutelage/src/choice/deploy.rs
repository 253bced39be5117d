//! Choice 4: what is returned and evaluated.

/// How the E members of an ensemble act as one policy when all is done.
///
/// While states are collected, the learner is always the paper's πₙ: a member drawn uniformly at every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deploy {
    /// π(s) = (1/E) Σₑ hₑ(s): the mean of the last policy's members (a vote where actions are indices).
    Mean,
    /// π(a | s) = (1/E) Σₑ I(hₑ(s) = a): a member of the last policy, drawn uniformly at every step.
    UniformMember,
    /// π_n̂ with n̂ ~ Unif{1 … N}: the ensemble of a random round, its members drawn uniformly at every step.
    RandomRound,
}

impl Deploy {
    /// This choice in a few words, as tables show it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::UniformMember => "a random member at every step",
            Self::RandomRound => "random round",
        }
    }
}
