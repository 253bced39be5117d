//! Algorithms: values of the four choices, and their names.

mod family;
mod name;
mod schedule;

pub use family::{FAMILIES, Family, Members, Number};
pub use name::{AlgorithmName, AlgorithmNameError, LOGGER_M};
pub use schedule::Schedule;

use crate::choice::{
    Ask, Beta, Deploy, Drive, ExpertActs, Gate, PerturbationSize, TrainOn, Windows,
};
use crate::lesson::LearnError;
use crate::space::check_rows;
use crate::{Element, Inputs, Sampling, Spaces};

/// The name of the algorithm that learns when the user names none. No expert drives in it.
pub const DEFAULT_ALGORITHM: &str = "bd-5";

/// An algorithm: the four choices and the ensemble size.
///
/// ```
/// use tutelage::{Algorithm, Sampling};
/// use tutelage::algorithm::dagger;
/// use tutelage::choice::TrainOn;
/// // DAgger whose seven members train on bootstrap samples of D.
/// let mine = Algorithm { train_on: TrainOn::Bootstrap, members: 7, ..dagger(Sampling::Stride(20)) };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Algorithm {
    /// Choice 1: who acts while states are collected.
    pub drive: Drive,
    /// Choice 2: which states the expert labels.
    pub ask: Ask,
    /// Choice 3: what each member trains on.
    pub train_on: TrainOn,
    /// Choice 4: which policy is returned.
    pub deploy: Deploy,
    /// E, the number of members.
    pub members: usize,
}

/// BC: the learner imitates the expert's own trajectories (Pomerleau 1988).
pub fn behavior_cloning(acts: ExpertActs, sampling: Sampling) -> Algorithm {
    Algorithm { drive: Drive::Expert(acts), ..dagger(sampling) }
}

/// DAgger: follow the leader on the states that the learner reaches (Ross, Gordon & Bagnell 2011).
pub fn dagger(sampling: Sampling) -> Algorithm {
    Algorithm {
        drive: Drive::Learner,
        ask: Ask::Sampled(sampling),
        train_on: TrainOn::Data,
        deploy: Deploy::Mean,
        members: 1,
    }
}

/// DAgger with β: the expert takes a share βₙ of the steps (Ross, Gordon & Bagnell 2011, section 3).
pub fn mixed_dagger(beta: Beta, sampling: Sampling) -> Algorithm {
    Algorithm { drive: Drive::Mixture(beta), ..dagger(sampling) }
}

/// BD-E, Bootstrap-DAgger: DAgger whose E members train on bootstrap samples of D (Li & Zhang 2024, Algorithm 2).
pub fn bootstrap_dagger(members: usize, sampling: Sampling) -> Algorithm {
    Algorithm { train_on: TrainOn::Bootstrap, members, ..dagger(sampling) }
}

/// MP-E(X): MFTPL-P with a fixed X, as in the paper's experiments (Li & Zhang 2024, section 5).
pub fn mp(members: usize, x: usize, sampling: Sampling) -> Algorithm {
    Algorithm {
        train_on: TrainOn::Perturbed(PerturbationSize::Fixed(x)),
        members,
        ..dagger(sampling)
    }
}

/// MP-E(X·n): the number of perturbation examples grows in proportion to D.
pub fn growing_mp(members: usize, x: usize, sampling: Sampling) -> Algorithm {
    Algorithm {
        train_on: TrainOn::Perturbed(PerturbationSize::Growing(x)),
        members,
        ..dagger(sampling)
    }
}

/// MP-E(X) whose perturbation has labels of D instead of uniform ones. It isolates the effect of label noise.
pub fn shuffled_mp(members: usize, x: usize, sampling: Sampling) -> Algorithm {
    Algorithm { train_on: TrainOn::Shuffled(x), members, ..dagger(sampling) }
}

/// MFTPL-P: mixed follow the perturbed leader, X ~ Poisson(λ) (Li & Zhang 2024, Algorithm 1).
pub fn mftpl_p(members: usize, lambda: f64, sampling: Sampling) -> Algorithm {
    let train_on = TrainOn::Perturbed(PerturbationSize::Poisson(lambda));
    Algorithm { train_on, members, deploy: Deploy::RandomRound, ..dagger(sampling) }
}

/// LOGGER-M: mixed follow the perturbed leader, Gaussian costs on a separator set (Li & Zhang 2022).
pub fn logger_m(members: usize, scale: f64, sampling: Sampling) -> Algorithm {
    let train_on = TrainOn::RandomCosts { scale };
    Algorithm { train_on, members, deploy: Deploy::RandomRound, ..dagger(sampling) }
}

/// DART: BC from an expert with noise as large as the learner's error (Laskey, Lee, Fox, Dragan & Goldberg 2017).
pub fn dart(alpha: f64, sampling: Sampling) -> Algorithm {
    Algorithm { drive: Drive::NoisyExpert { alpha }, ..dagger(sampling) }
}

/// EnsembleDAgger: the expert takes over when members disagree or differ too much from it, and labels these states (Menda,
/// Driggs-Campbell & Kochenderfer 2019).
pub fn ensemble_dagger(members: usize, chi: f64, tau: f64, every: usize) -> Algorithm {
    Algorithm {
        drive: Drive::Gated(Gate::Doubt { chi, tau }),
        ask: Ask::WhereExpertDrove { every },
        ..bootstrap_dagger(members, Sampling::Stride(every))
    }
}

/// HG-DAgger: the expert intervenes, and labels the states in which it drove (Kelly, Sidrane, Driggs-Campbell &
/// Kochenderfer 2019).
pub fn hg_dagger(members: usize, tau: f64, every: usize) -> Algorithm {
    Algorithm {
        drive: Drive::Gated(Gate::Distance { tau }),
        ask: Ask::WhereExpertDrove { every },
        ..bootstrap_dagger(members, Sampling::Stride(every))
    }
}

/// Take-over: HG-DAgger with a person who takes over and returns the controls (Kelly, Sidrane, Driggs-Campbell &
/// Kochenderfer 2019).
pub fn take_over(members: usize, every: usize) -> Algorithm {
    Algorithm { drive: Drive::Gated(Gate::Human), ..hg_dagger(members, 0.0, every) }
}

/// Hand-over windows: like the algorithm `of`, but the expert drives until a random time step, then the learner for a while,
/// and only states of that window are labeled.
pub fn hand_over(windows: Windows, of: Algorithm) -> Algorithm {
    let ask = Ask::InWindow(of.ask.sampling());
    Algorithm { drive: Drive::HandOver(windows), ask, ..of }
}

/// Bootstrap-DAgger that asks for the K most disputed of m·K states (query by committee; Seung, Opper & Sompolinsky 1992).
pub fn active_dagger(members: usize, of: usize, sampling: Sampling) -> Algorithm {
    Algorithm { ask: Ask::MostDisputed { of, sampling }, ..bootstrap_dagger(members, sampling) }
}

/// Bagging on stored data (Breiman 1996). It separates what an ensemble predicts from what it collects.
pub fn bagging(members: usize) -> Algorithm {
    Algorithm { drive: Drive::Stored, ..bootstrap_dagger(members, Sampling::Stride(1)) }
}

/// Supervised learning on stored data: one member, no resampling.
pub fn supervised() -> Algorithm {
    Algorithm { drive: Drive::Stored, ..dagger(Sampling::Stride(1)) }
}

impl Algorithm {
    /// Checks that the choices are valid, alone and together, for this schedule and these inputs.
    pub fn check<S: Element, A: Element>(
        &self,
        schedule: &Schedule,
        inputs: &Inputs<'_, S, A>,
        spaces: Spaces,
    ) -> Result<(), LearnError> {
        match (schedule, self.ask.sampling()) {
            (Schedule { rounds: 0, .. }, _) => return Err(LearnError::zero("rounds")),
            (Schedule { states_per_round: 0, .. }, _) => {
                return Err(LearnError::zero("states_per_round"));
            }
            (_, Sampling::Stride(0)) => return Err(LearnError::zero("stride")),
            _ if self.members == 0 => return Err(LearnError::zero("members")),
            _ => self.train_on.check(inputs, spaces, schedule.rounds)?,
        }
        self.drive.check()?;
        match self.ask {
            Ask::MostDisputed { of: 0, .. } => Err(LearnError::zero("m")),
            Ask::MostDisputed { .. } if self.members < 2 => {
                Err(LearnError::NoDispute { members: self.members })
            }
            Ask::WhereExpertDrove { .. } if !self.drive.needs_driver() => {
                Err(LearnError::NeverDrives)
            }
            _ if self.drive == Drive::Stored => check_stored(schedule, inputs, spaces),
            _ => Ok(()),
        }
    }
}

fn check_stored<S: Element, A: Element>(
    schedule: &Schedule,
    inputs: &Inputs<'_, S, A>,
    spaces: Spaces,
) -> Result<(), LearnError> {
    let (stored, rounds) = (inputs.stored.unwrap_or_default(), schedule.rounds);
    if stored.len() < rounds {
        return Err(LearnError::StoredTooShort { rounds, stored: stored.len() });
    }
    for (round, n) in stored[..rounds].iter().zip(1..) {
        let misfit = |what| move |source| LearnError::Stored { round: n, what, source };
        check_rows(&round.states, round.len(), spaces.states).map_err(misfit("states"))?;
        check_rows(&round.actions, round.len(), spaces.actions).map_err(misfit("actions"))?;
    }
    Ok(())
}
