//! Algorithms: plain values of the four choices.

mod family;
mod name;
mod schedule;

pub use family::{FAMILIES, Family, Members, Number};
pub use name::{AlgorithmName, AlgorithmNameError, LOGGER_M};
pub use schedule::Schedule;

use crate::choice::drive::InvalidParameter;
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
/// // DAgger whose seven members see bootstrap samples of D.
/// let mine = Algorithm { train_on: TrainOn::Bootstrap, members: 7, ..dagger(Sampling::Stride(20)) };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Algorithm {
    /// Choice 1: who acts while states are collected.
    pub drive: Drive,
    /// Choice 2: which of the states reached are asked about.
    pub ask: Ask,
    /// Choice 3: what each member trains on.
    pub train_on: TrainOn,
    /// Choice 4: what is returned and evaluated.
    pub deploy: Deploy,
    /// E.
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

/// BD-E, Bootstrap-DAgger: DAgger whose E members see bootstrap samples of D (Li & Zhang 2024, Algorithm 2).
pub fn bootstrap_dagger(members: usize, sampling: Sampling) -> Algorithm {
    Algorithm { train_on: TrainOn::Bootstrap, members, ..dagger(sampling) }
}

/// MP-E(X): MFTPL-P as the paper's experiments run it, X fixed (Li & Zhang 2024, section 5).
pub fn mp(members: usize, x: usize, sampling: Sampling) -> Algorithm {
    Algorithm {
        train_on: TrainOn::Perturbed(PerturbationSize::Fixed(x)),
        members,
        ..dagger(sampling)
    }
}

/// MP-E(X n): as many perturbation examples more in every round as D has examples more, in proportion.
pub fn growing_mp(members: usize, x: usize, sampling: Sampling) -> Algorithm {
    Algorithm {
        train_on: TrainOn::Perturbed(PerturbationSize::Growing(x)),
        members,
        ..dagger(sampling)
    }
}

/// MP-E(X) whose perturbation has labels of D instead of uniform ones: what of the perturbation is its labels' noise?
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

/// DART: BC whose expert is pushed around by noise as strong as the learner errs (Laskey, Lee, Fox, Dragan & Goldberg 2017).
pub fn dart(alpha: f64, sampling: Sampling) -> Algorithm {
    Algorithm { drive: Drive::NoisyExpert { alpha }, ..dagger(sampling) }
}

/// EnsembleDAgger: the expert takes over where members disagree or differ too much from it, and is asked there (Menda,
/// Driggs-Campbell & Kochenderfer 2019).
pub fn ensemble_dagger(members: usize, chi: f64, tau: f64, every: usize) -> Algorithm {
    Algorithm {
        drive: Drive::Gated(Gate::Doubt { chi, tau }),
        ask: Ask::WhereExpertDrove { every },
        ..bootstrap_dagger(members, Sampling::Stride(every))
    }
}

/// HG-DAgger: the expert itself opens the gate, and is asked where it drove (Kelly, Sidrane, Driggs-Campbell & Kochenderfer
/// 2019).
pub fn hg_dagger(members: usize, tau: f64, every: usize) -> Algorithm {
    Algorithm {
        drive: Drive::Gated(Gate::Distance { tau }),
        ask: Ask::WhereExpertDrove { every },
        ..bootstrap_dagger(members, Sampling::Stride(every))
    }
}

/// Take-over: HG-DAgger with a person, who takes the controls and lets go of them as they see fit (Kelly, Sidrane,
/// Driggs-Campbell & Kochenderfer 2019).
pub fn take_over(members: usize, every: usize) -> Algorithm {
    Algorithm { drive: Drive::Gated(Gate::Human), ..hg_dagger(members, 0.0, every) }
}

/// Hand-over windows: as `of`, an algorithm whose learner drives, but the expert drives to a random moment, then the learner
/// for a while, and only there questions are asked.
pub fn hand_over(windows: Windows, of: Algorithm) -> Algorithm {
    let ask = Ask::InWindow(of.ask.sampling());
    Algorithm { drive: Drive::HandOver(windows), ask, ..of }
}

/// Bootstrap-DAgger that asks about the K most disputed of m·K states (query by committee; Seung, Opper & Sompolinsky 1992).
pub fn active_dagger(members: usize, of: usize, sampling: Sampling) -> Algorithm {
    Algorithm { ask: Ask::MostDisputed { of, sampling }, ..bootstrap_dagger(members, sampling) }
}

/// Bagging on stored data, which separates what an ensemble predicts from what it collects (Breiman 1996).
pub fn bagging(members: usize) -> Algorithm {
    Algorithm { drive: Drive::Stored, ..bootstrap_dagger(members, Sampling::Stride(1)) }
}

/// Supervised learning on stored data: one member, no resampling.
pub fn supervised() -> Algorithm {
    Algorithm { drive: Drive::Stored, ..dagger(Sampling::Stride(1)) }
}

impl Algorithm {
    /// Whether the choices make sense, alone and together, for this schedule and with this material.
    pub fn check<S: Element, A: Element>(
        &self,
        schedule: &Schedule,
        inputs: &Inputs<'_, S, A>,
        spaces: Spaces,
    ) -> Result<(), LearnError> {
        match (schedule, self.ask.sampling()) {
            (Schedule { rounds: 0, .. }, _) => return Err(LearnError::NoRounds),
            (Schedule { states_per_round: 0, .. }, _) => return Err(LearnError::NoStates),
            (_, Sampling::Stride(0)) => return Err(LearnError::NoStride),
            _ if self.members == 0 => return Err(LearnError::NoMembers),
            _ => self.train_on.check(inputs, spaces, schedule.rounds)?,
        }
        let number =
            |InvalidParameter { what, value, allowed }| LearnError::Number { what, value, allowed };
        self.drive.check().map_err(number)?;
        self.check_ask()?;
        if self.drive == Drive::Stored { check_stored(schedule, inputs, spaces) } else { Ok(()) }
    }

    fn check_ask(&self) -> Result<(), LearnError> {
        match self.ask {
            Ask::MostDisputed { of: 0, .. } => {
                Err(LearnError::Number { what: "m", value: 0.0, allowed: "at least 1" })
            }
            Ask::MostDisputed { .. } if self.members < 2 => {
                Err(LearnError::NoDispute { members: self.members })
            }
            Ask::WhereExpertDrove { .. } if !self.drive.needs_driver() => {
                Err(LearnError::NeverDrives)
            }
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
