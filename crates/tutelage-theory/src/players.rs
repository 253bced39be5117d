//! The algorithms of the finite world and the parameters that the theory gives them.

use tutelage::algorithm::{
    behavior_cloning, bootstrap_dagger, dagger, hand_over, logger_m, mftpl_p,
};
use tutelage::choice::{ExpertActs, PerturbationSize, TrainOn, Windows};
use tutelage::{Algorithm, Sampling};

use crate::{ImitationProblem, Lambda};

/// An algorithm of the finite world; [`Player::algorithm`] chooses its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Player {
    /// BC: the expert's own states (Pomerleau 1988).
    Bc,
    /// DAgger: the leader on the learner's states (Ross, Gordon & Bagnell 2011).
    Dagger,
    /// BD-E: leaders of bootstrap samples (Li & Zhang 2024).
    BootstrapDagger(usize),
    /// Handover-BD-E: BD-E on states of hand-over windows.
    HandOver(usize),
    /// MFTPL-P: leaders perturbed by Poisson(λ) examples from d₀ (Li & Zhang 2024).
    MftplP(Lambda),
    /// LOGGER-M: leaders perturbed by Gaussian costs on a separator set (Li & Zhang 2022).
    LoggerM,
}

/// The settings of a game, or of several games on one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSettings {
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// The largest E; the theorem asks for N A ln(N S).
    pub max_members: usize,
    /// MFTPL-P plays once for each λ.
    pub lambdas: Vec<Lambda>,
    /// The seeds; each player plays once for each seed.
    pub seeds: Vec<u64>,
    /// δ, the failure probability of the theorem's bounds.
    pub delta: f64,
    /// Draws of the perturbation that estimate an expectation over it.
    pub draws: usize,
}

impl Default for GameSettings {
    fn default() -> Self {
        Self {
            rounds: 1000,
            states_per_round: 1,
            max_members: 2000,
            lambdas: vec![Lambda::Proof],
            seeds: vec![1],
            delta: 0.05,
            draws: 4000,
        }
    }
}

impl GameSettings {
    /// All players; MFTPL-P once for each λ.
    pub fn players(&self) -> Vec<Player> {
        let plain = [Player::Bc, Player::Dagger, Player::BootstrapDagger(25), Player::HandOver(25)];
        let perturbed = self.lambdas.iter().map(|&lambda| Player::MftplP(lambda));
        plain.into_iter().chain(perturbed).chain([Player::LoggerM]).collect()
    }

    /// N, K and the E of MFTPL-P and LOGGER-M on a problem.
    pub(crate) fn sizes(&self, problem: &ImitationProblem) -> [usize; 3] {
        let ensemble = problem.theorem(self.delta).ensemble(self.rounds as f64);
        let members = (ensemble as usize).min(self.max_members).max(1);
        [self.rounds, self.states_per_round, members]
    }
}

impl Player {
    /// The name in the paper, without λ.
    pub fn name(self) -> String {
        match self {
            Self::Bc => "BC".into(),
            Self::Dagger => "DAgger".into(),
            Self::BootstrapDagger(members) => format!("BD-{members}"),
            Self::HandOver(members) => format!("Handover-BD-{members}"),
            Self::MftplP(_) => "MFTPL-P".into(),
            Self::LoggerM => "LOGGER-M".into(),
        }
    }

    /// The name with the rule for λ, which is the same on every problem.
    pub fn label(self) -> String {
        match self {
            Self::MftplP(Lambda::Proof) => "MFTPL-P, λ of the proof".into(),
            Self::MftplP(Lambda::Rate(scale)) => format!("MFTPL-P, λ = {scale}·Θ"),
            Self::MftplP(Lambda::Fixed(lambda)) => format!("MFTPL-P, λ = {lambda}"),
            other => other.name(),
        }
    }

    /// The rule for λ, for MFTPL-P only.
    pub fn lambda(self) -> Option<Lambda> {
        if let Self::MftplP(lambda) = self { Some(lambda) } else { None }
    }

    /// The algorithm with its parameters for this problem; members as the theorem asks, up to the
    /// maximum.
    ///
    /// For σ = 0 the theorem's λ is infinite, and playing fails unless λ is [`Lambda::Fixed`].
    ///
    /// LOGGER-M's scale balances its two sources of regret. With costs N(0, η²) on a separator set
    /// of X states, the perturbation costs at most η √(2X ln B)/K, and a round moves the leader by
    /// about K/η of an example's loss. The sum over N rounds is least at η = K √(N/√(2X ln B)).
    pub fn algorithm(self, problem: &ImitationProblem, settings: &GameSettings) -> Algorithm {
        let sampling = Sampling::Independent;
        let [rounds, k, members] = settings.sizes(problem);
        let (n, k) = (rounds as f64, k as f64);
        match self {
            Self::Bc => behavior_cloning(ExpertActs::Sampled, sampling),
            Self::Dagger => dagger(sampling),
            Self::BootstrapDagger(members) => bootstrap_dagger(members, sampling),
            Self::HandOver(members) => {
                hand_over(Windows::default(), bootstrap_dagger(members, sampling))
            }
            Self::MftplP(lambda) => {
                mftpl_p(members, problem.theorem(settings.delta).choose(lambda, n, k), sampling)
            }
            Self::LoggerM => {
                let ln_b = (problem.class.size().max(2) as f64).ln();
                let separator = problem.separator.len().max(1) as f64;
                let scale = k * (n / (2.0 * separator * ln_b).sqrt()).sqrt();
                logger_m(members, scale, sampling)
            }
        }
    }
}

/// λ of MFTPL-P, `None` for other algorithms.
pub fn lambda_of(algorithm: &Algorithm) -> Option<f64> {
    match algorithm.train_on {
        TrainOn::Perturbed(PerturbationSize::Poisson(lambda)) => Some(lambda),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProblemSize, random};

    #[test]
    fn mftpl_p_plays_the_given_lambda() {
        let problem = random(ProblemSize::default()).unwrap();
        let lambdas = vec![Lambda::Proof, Lambda::Rate(0.1)];
        let settings = GameSettings { max_members: 100, lambdas, ..GameSettings::default() };
        let of =
            |lambda| lambda_of(&Player::MftplP(lambda).algorithm(&problem, &settings)).unwrap();
        assert_eq!(of(Lambda::Fixed(7.0)), 7.0);
        assert!((of(Lambda::Rate(0.2)) / of(Lambda::Rate(0.1)) - 2.0).abs() < 1e-12);
        assert!(of(Lambda::Proof) > 3.0 * of(Lambda::Rate(1.0)));
        let names: Vec<_> = settings.players().iter().map(|player| player.name()).collect();
        let plain = ["BC", "DAgger", "BD-25", "Handover-BD-25"];
        assert_eq!(names[..4], plain);
        assert_eq!(names[4..], ["MFTPL-P", "MFTPL-P", "LOGGER-M"]);
    }
}
