//! One quantity of the regret theorem varied, all others held: the measured slope beside the predicted one.

use rayon::prelude::*;

use crate::complexity::Mean;
use crate::fit::{Slope, exponents};
use crate::rounds::PlayError;
use crate::{
    Bound, EstimationSettings, Game, GameSchedule, ImitationProblem, Lambda, ProblemError, play,
    proof_terms, tuned_mftpl_p,
};

/// Which quantity is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepAxis {
    /// N; E grows with it, as the theorem's does.
    Rounds,
    /// K.
    StatesPerRound,
    /// E; what is measured is the ensemble's own error, not the regret.
    Ensemble,
    /// σ, by thinning out d₀: [`ImitationProblem::with_diluted_covering`].
    Sigma,
    /// A, by actions that nobody takes: [`ImitationProblem::with_idle_actions`].
    Actions,
    /// B, by copies that differ where nobody goes: [`ImitationProblem::with_redundant_policies`].
    ClassSize,
    /// λ, in multiples of the theorem's rate Θ.
    Lambda,
}

/// What is held while one quantity varies.
#[derive(Clone, Debug)]
pub struct RegretSweep {
    /// The problem.
    pub problem: ImitationProblem,
    /// N, K and the largest E.
    pub schedule: GameSchedule,
    /// λ.
    pub lambda: Lambda,
    /// The seeds to play with.
    pub seeds: Vec<u64>,
    /// Draws that stand for an infinite ensemble when E is varied, and δ of the bounds.
    pub estimation: EstimationSettings,
}

/// What one value of the quantity gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepPoint {
    /// The quantity: N, K, E, σ, A, ln B or λ/Θ.
    pub x: f64,
    /// The regret on the states asked about, Σ ⟨gₙ, uₙ⟩ − min Σ ⟨gₙ, u⟩, or the ensemble's error Σ |⟨gₙ, uₙ − u*ₙ⟩|.
    pub measured: Mean,
    /// Reg(N); none where the ensemble is varied.
    pub regret: Option<Mean>,
    /// The theorem's bound on Reg(N), or on the ensemble's error.
    pub bound: Bound,
}

/// A slope that the theorem speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExponentComparison {
    /// Over which part of the points.
    pub part: &'static str,
    /// The exponent in the theorem's bound.
    pub predicted: f64,
    /// The exponent of what was measured; none where there were too few points.
    pub measured: Option<Slope>,
    /// Why the two may differ.
    pub remark: &'static str,
}

/// Why a sweep could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A game.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A changed problem.
    #[error(transparent)]
    ImitationProblem(#[from] ProblemError),
    /// A value that the quantity cannot take.
    #[error("{what} is {value}; allowed is {allowed}")]
    Value {
        /// The quantity.
        what: &'static str,
        /// The value.
        value: f64,
        /// What would be allowed.
        allowed: &'static str,
    },
}

impl SweepAxis {
    /// All of them, as they are named on the command line.
    pub const ALL: [(&'static str, SweepAxis); 7] = [
        ("n", SweepAxis::Rounds),
        ("k", SweepAxis::StatesPerRound),
        ("e", SweepAxis::Ensemble),
        ("sigma", SweepAxis::Sigma),
        ("a", SweepAxis::Actions),
        ("b", SweepAxis::ClassSize),
        ("lambda", SweepAxis::Lambda),
    ];

    /// What its axis is called.
    pub fn label(self) -> &'static str {
        match self {
            Self::Rounds => "rounds N",
            Self::StatesPerRound => "states per round K",
            Self::Ensemble => "ensemble size E",
            Self::Sigma => "smoothness σ",
            Self::Actions => "actions A",
            Self::ClassSize => "ln B",
            Self::Lambda => "λ / Θ",
        }
    }

    /// What is measured.
    pub fn measures(self) -> &'static str {
        match self {
            Self::Ensemble => "ensemble error Σ |⟨gₙ, uₙ − u*ₙ⟩|",
            _ => "regret on the states asked about",
        }
    }

    /// Values to try where none are given: N, K, E, shares of d₀, A, copies of the class, multiples of Θ.
    pub fn default_values(self) -> Vec<f64> {
        let doubling = |from: f64, count: i32| (0..count).map(|i| from * 2f64.powi(i)).collect();
        match self {
            Self::Rounds => doubling(64.0, 6),
            Self::StatesPerRound => doubling(1.0, 7),
            Self::Ensemble => doubling(4.0, 7),
            Self::Sigma => doubling(1.0 / 64.0, 7),
            Self::Actions => doubling(3.0, 6),
            Self::ClassSize => (0..5).map(|i| 4f64.powi(i)).collect(),
            Self::Lambda => (-4..=4).map(|i| 4f64.powi(i)).collect(),
        }
    }

    /// The problem, schedule and λ that a value stands for, and where it lies on the axis.
    fn setting(self, sweep: &RegretSweep, value: f64) -> Result<(f64, RegretSweep), SweepError> {
        let mut sweep = sweep.clone();
        let refuse = |allowed| SweepError::Value { what: self.label(), value, allowed };
        if !(value > 0.0 && value.is_finite()) {
            return Err(refuse("a number > 0"));
        }
        let counted = !matches!(self, Self::Sigma | Self::Lambda);
        if counted && (value.fract() != 0.0 || value > 1e9) {
            return Err(refuse("a whole number"));
        }
        match self {
            Self::Rounds => sweep.schedule.rounds = value as usize,
            Self::StatesPerRound => sweep.schedule.states_per_round = value as usize,
            Self::Ensemble => sweep.schedule.max_members = value as usize,
            Self::Sigma => sweep.problem = sweep.problem.with_diluted_covering(value)?,
            Self::Actions => sweep.problem = sweep.problem.with_idle_actions(value as usize)?,
            Self::ClassSize => {
                sweep.problem = sweep.problem.with_redundant_policies(value as usize, 1)?
            }
            Self::Lambda => sweep.lambda = Lambda::Rate(value),
        }
        let x = match self {
            Self::Sigma => sweep.problem.sigma,
            Self::ClassSize => (sweep.problem.class.size() as f64).ln(),
            _ => value,
        };
        Ok((x, sweep))
    }

    /// The slopes that the theorem predicts, beside those of these points.
    pub fn compare(self, sweep: &RegretSweep, points: &[SweepPoint]) -> Vec<ExponentComparison> {
        let root_ln_b = (sweep.problem.class.size() as f64).ln().sqrt();
        let k = sweep.schedule.states_per_round as f64;
        let of = |part, predicted, remark, keep: &dyn Fn(f64) -> bool| ExponentComparison {
            part,
            predicted,
            measured: slope(points, keep),
            remark,
        };
        let all = |predicted, remark| vec![of("all", predicted, remark, &|_| true)];
        match self {
            Self::Rounds => all(
                0.5,
                "E grows with N, as the theorem asks; what a small ensemble adds weighs more in few rounds",
            ),
            Self::Ensemble => {
                all(-0.5, "every round's error is that of a mean of E independent members")
            }
            Self::Sigma => {
                all(-0.25, "a share of the perturbations falls where it changes nothing")
            }
            Self::Actions => {
                all(0.25, "a share of the random labels names actions that nobody takes")
            }
            Self::ClassSize if k * k < points.iter().map(|p| p.x).fold(0.0, f64::max) => all(
                0.5,
                "the leader is the best of many perturbed copies, and moves faster the more there are; the worst case needs far more than these",
            ),
            Self::ClassSize => all(0.25, "once K reaches √ln B"),
            Self::StatesPerRound => {
                let few = |k: f64| k <= root_ln_b.max(1.0);
                let many = |k: f64| k >= root_ln_b;
                let flat = "beyond √ln B the bound promises nothing more of K; regret may still fall, as each round's loss is seen better";
                let falling = of(
                    "K ≤ √ln B",
                    -0.5,
                    "more states per round weigh against the perturbation",
                    &few,
                );
                let level = of("K ≥ √ln B", 0.0, flat, &many);
                [falling, level].into_iter().filter(|part| part.measured.is_some()).collect()
            }
            Self::Lambda => {
                let by_value = |a: &&SweepPoint, b: &&SweepPoint| {
                    a.measured.value.total_cmp(&b.measured.value)
                };
                let best = points.iter().min_by(by_value).copied();
                let (best, least) = best.map_or((1.0, 0.0), |p| (p.x, p.measured.value));
                // Near its best a curve is flat whatever its branches do.
                let high =
                    |x: f64| points.iter().any(|p| p.x == x && p.measured.value > 1.5 * least);
                let stability = "too little perturbation: the stability term falls with λ";
                let bias = "too much perturbation: the bias term grows with λ, unless what it leads to, an even mixture, happens to be good";
                vec![
                    of("λ below its best", -0.5, stability, &|x| x < best && high(x)),
                    of("λ above its best", 0.5, bias, &|x| x > best && high(x)),
                ]
            }
        }
    }
}

fn slope(points: &[SweepPoint], keep: &dyn Fn(f64) -> bool) -> Option<Slope> {
    let kept = points.iter().filter(|point| keep(point.x));
    let kept: Vec<_> = kept.map(|point| (vec![point.x], point.measured.value)).collect();
    exponents(&kept)?.first().copied()?
}

impl RegretSweep {
    /// Measures at each value, in their order; `seen` hears of every point.
    pub fn run(
        &self,
        over: SweepAxis,
        values: &[f64],
        seen: &(dyn Fn(&SweepPoint) + Sync),
    ) -> Result<Vec<SweepPoint>, SweepError> {
        let most = values.iter().copied().fold(0.0, f64::max);
        let one = |&value: &f64| {
            let (x, mut sweep) = over.setting(self, value)?;
            if over == SweepAxis::Rounds {
                let members = self.schedule.max_members as f64 * value / most;
                sweep.schedule.max_members = members.ceil() as usize;
            }
            let point = sweep.point(over, x)?;
            seen(&point);
            Ok(point)
        };
        values.par_iter().map(one).collect()
    }

    fn point(&self, over: SweepAxis, x: f64) -> Result<SweepPoint, SweepError> {
        let player = tuned_mftpl_p(&self.problem, self.schedule, self.lambda);
        let (lambda, members) = (player.lambda().unwrap_or(0.0), player.members());
        let GameSchedule { rounds, states_per_round, .. } = self.schedule;
        let (n, k, e) = (rounds as f64, states_per_round as f64, members as f64);
        let theorem = self.problem.theorem(self.estimation.delta);
        if over == SweepAxis::Ensemble {
            let sizes = [members, rounds, states_per_round];
            let error = |&seed: &u64| {
                let terms = proof_terms(&self.problem, sizes, lambda, self.estimation, seed)?;
                Ok(terms.ensemble_absolute)
            };
            let errors = self.seeds.par_iter().map(error).collect::<Result<Vec<_>, PlayError>>()?;
            // This bound stands by itself: it has no conditions.
            let value = theorem.terms(n, k, lambda, e)[7].value;
            let bound = Bound { value, holds: true, vacuous: value > n };
            return Ok(SweepPoint { x, measured: Mean::of(&errors), regret: None, bound });
        }
        let game = |&seed: &u64| play(&self.problem, player, rounds, states_per_round, seed);
        let games = self.seeds.par_iter().map(game).collect::<Result<Vec<_>, PlayError>>()?;
        let mean = |of: &dyn Fn(&Game) -> f64| Mean::of(&games.iter().map(of).collect::<Vec<_>>());
        Ok(SweepPoint {
            x,
            measured: mean(&|game| game.observed_regret),
            regret: Some(mean(&|game| game.regret[rounds - 1])),
            bound: theorem.bound(n, k, lambda, e),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trap;

    fn sweep(rounds: usize, members: usize, seeds: u64) -> RegretSweep {
        RegretSweep {
            problem: trap(10).unwrap(),
            schedule: GameSchedule { rounds, states_per_round: 1, max_members: members },
            lambda: Lambda::Rate(0.03),
            seeds: (1..=seeds).collect(),
            estimation: EstimationSettings { draws: 1000, delta: 0.05 },
        }
    }

    fn measured(over: SweepAxis, values: &[f64], sweep: &RegretSweep) -> f64 {
        let points = sweep.run(over, values, &|_| ()).unwrap();
        over.compare(sweep, &points)[0].measured.unwrap().value
    }

    #[test]
    fn an_ensembles_error_falls_with_the_root_of_its_size() {
        let slope = measured(SweepAxis::Ensemble, &[4.0, 16.0, 64.0], &sweep(20, 1, 3));
        assert!((slope + 0.5).abs() < 0.1, "{slope}");
    }

    #[test]
    fn regret_grows_as_the_theorem_says_with_rounds_sigma_and_actions() {
        let within = |over, values: &[f64], predicted: f64| {
            let members = if over == SweepAxis::Rounds { 400 } else { 60 };
            let slope = measured(over, values, &sweep(150, members, 3));
            assert!((slope - predicted).abs() < 0.15, "{}: {slope}", over.label());
        };
        within(SweepAxis::Rounds, &[50.0, 150.0, 450.0], 0.5);
        within(SweepAxis::Sigma, &[0.01, 0.1, 1.0], -0.25);
        within(SweepAxis::Actions, &[3.0, 12.0, 48.0], 0.25);
    }

    #[test]
    fn a_crowd_moves_the_leader_faster() {
        let slope = measured(SweepAxis::ClassSize, &[1.0, 8.0, 32.0], &sweep(100, 40, 3));
        assert!(slope > 0.05 && slope < 0.5, "{slope}");
    }

    #[test]
    fn what_cannot_be_varied_so_is_named() {
        let refuse =
            |over, value| sweep(10, 2, 1).run(over, &[value], &|_| ()).unwrap_err().to_string();
        assert!(refuse(SweepAxis::Rounds, 1.5).contains("whole number"));
        assert!(refuse(SweepAxis::Lambda, -1.0).contains("a number > 0"));
        assert!(refuse(SweepAxis::Sigma, 2.0).contains("share"));
        assert!(refuse(SweepAxis::Actions, 2.0).contains("actions is 2"));
    }
}
