//! Who plays in the finite world.

use crate::{ImitationProblem, Lambda};

/// An algorithm with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Player {
    /// BC: the expert's own states (Pomerleau 1988).
    Bc,
    /// DAgger: the leader on the learner's states (Ross, Gordon & Bagnell 2011).
    Dagger,
    /// BD-E: leaders of bootstrap samples (Li & Zhang 2024).
    BootstrapDagger {
        /// E.
        members: usize,
    },
    /// Handover-BD-E: the same, on states of hand-over windows.
    HandOver {
        /// E.
        members: usize,
    },
    /// MFTPL-P: leaders perturbed by Poisson(λ) examples from d₀ (Li & Zhang 2024).
    MftplP {
        /// E.
        members: usize,
        /// λ.
        lambda: f64,
    },
    /// LOGGER-M: leaders perturbed by Gaussian costs on a separator set (Li & Zhang 2022).
    LoggerM {
        /// E.
        members: usize,
        /// η, the standard deviation of a cost.
        scale: f64,
    },
}

impl Player {
    /// What it is called in the paper.
    pub fn name(&self) -> String {
        match self {
            Self::Bc => "BC".into(),
            Self::Dagger => "DAgger".into(),
            Self::BootstrapDagger { members } => format!("BD-{members}"),
            Self::HandOver { members } => format!("Handover-BD-{members}"),
            Self::MftplP { .. } => "MFTPL-P".into(),
            Self::LoggerM { .. } => "LOGGER-M".into(),
        }
    }

    /// E.
    pub fn members(&self) -> usize {
        match *self {
            Self::Bc | Self::Dagger => 1,
            Self::BootstrapDagger { members }
            | Self::HandOver { members }
            | Self::MftplP { members, .. }
            | Self::LoggerM { members, .. } => members,
        }
    }

    /// λ, where it has one.
    pub fn lambda(&self) -> Option<f64> {
        match *self {
            Self::MftplP { lambda, .. } => Some(lambda),
            _ => None,
        }
    }
}

/// N rounds of K states, and ensembles of at most so many members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameSchedule {
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// The largest E; the theorem asks for N A ln(N S).
    pub max_members: usize,
}

impl GameSchedule {
    fn members(&self, problem: &ImitationProblem) -> usize {
        let ensemble = problem.theorem(0.05).ensemble(self.rounds as f64);
        (ensemble as usize).min(self.max_members).max(1)
    }
}

/// MFTPL-P with this λ and the theorem's E.
///
/// σ = 0 has no λ of the theorem's: λ is then infinite, and the game is refused unless [`Lambda::Fixed`] is given.
pub fn tuned_mftpl_p(problem: &ImitationProblem, schedule: GameSchedule, lambda: Lambda) -> Player {
    let (n, k) = (schedule.rounds as f64, schedule.states_per_round as f64);
    let lambda = problem.theorem(0.05).choose(lambda, n, k);
    Player::MftplP { members: schedule.members(problem), lambda }
}

/// LOGGER-M with a scale that balances its two sources of regret.
///
/// With costs N(0, η²) on a separator set of X states, the perturbation itself costs at most η √(2X ln B) / K and a round
/// moves the leader by about K/η of an example's loss; the sum over N rounds is least at η = K √(N / √(2X ln B)). As many
/// members as MFTPL-P has.
pub fn tuned_logger_m(problem: &ImitationProblem, schedule: GameSchedule) -> Player {
    let ln_b = (problem.class.size().max(2) as f64).ln();
    let separator = problem.separator.len().max(1) as f64;
    let (n, k) = (schedule.rounds as f64, schedule.states_per_round as f64);
    let scale = k * (n / (2.0 * separator * ln_b).sqrt()).sqrt();
    Player::LoggerM { members: schedule.members(problem), scale }
}

/// Every algorithm of the finite world, tuned for this schedule; MFTPL-P once for each λ.
pub fn contestants(
    problem: &ImitationProblem,
    schedule: GameSchedule,
    lambdas: &[Lambda],
) -> Vec<Player> {
    const E: usize = 25;
    let ensembles = [Player::BootstrapDagger { members: E }, Player::HandOver { members: E }];
    let plain = [Player::Bc, Player::Dagger].into_iter().chain(ensembles);
    let perturbed = lambdas.iter().map(|&lambda| tuned_mftpl_p(problem, schedule, lambda));
    plain.chain(perturbed).chain([tuned_logger_m(problem, schedule)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    #[test]
    fn mftpl_p_plays_the_lambda_that_was_asked_for() {
        let problem = random(Default::default()).unwrap();
        let schedule = GameSchedule { rounds: 1000, states_per_round: 1, max_members: 100 };
        let of = |lambda| tuned_mftpl_p(&problem, schedule, lambda).lambda().unwrap();
        assert_eq!(of(Lambda::Fixed(7.0)), 7.0);
        assert!((of(Lambda::Rate(0.2)) / of(Lambda::Rate(0.1)) - 2.0).abs() < 1e-12);
        assert!(of(Lambda::Proof) > 3.0 * of(Lambda::Rate(1.0)));
        let lambdas = [Lambda::Proof, Lambda::Rate(0.1)];
        let names: Vec<_> =
            contestants(&problem, schedule, &lambdas).iter().map(Player::name).collect();
        let plain = ["BC", "DAgger", "BD-25", "Handover-BD-25"];
        assert_eq!(names[..4], plain);
        assert_eq!(names[4..], ["MFTPL-P", "MFTPL-P", "LOGGER-M"]);
    }
}
