//! One quantity of the regret theorem varied, all others fixed: measured and predicted slopes.

use std::str::FromStr;

use rayon::prelude::*;

use crate::complexity::Mean;
use crate::error::{find, require};
use crate::fit::{Slope, exponents};
use crate::{
    Bound, Game, GameSettings, ImitationProblem, Lambda, Player, TheoryError, lambda_of, play,
    proof_terms,
};

/// The quantity that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepAxis {
    /// N; E grows with it, as in the theorem.
    Rounds,
    /// K.
    StatesPerRound,
    /// E; the ensemble's own error is measured instead of the regret.
    Ensemble,
    /// σ, by [`ImitationProblem::with_diluted_covering`].
    Sigma,
    /// A, by [`ImitationProblem::with_idle_actions`].
    Actions,
    /// B, by [`ImitationProblem::with_redundant_policies`].
    ClassSize,
    /// λ, in multiples of the theorem's rate Θ.
    Lambda,
}

/// The result for one value of the quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepPoint {
    /// The quantity: N, K, E, σ, A, ln B or λ/Θ.
    pub x: f64,
    /// The regret on the queried states, Σ ⟨gₙ, uₙ⟩ − min Σ ⟨gₙ, u⟩, or the error of the ensemble,
    /// Σ |⟨gₙ, uₙ − u*ₙ⟩|.
    pub measured: Mean,
    /// Reg(N); `None` if the ensemble varies.
    pub regret: Option<Mean>,
    /// The theorem's bound on Reg(N), or on the error of the ensemble.
    pub bound: Bound,
}

/// A predicted and a measured slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExponentComparison {
    /// The part of the points.
    pub part: &'static str,
    /// The exponent in the theorem's bound.
    pub predicted: f64,
    /// The measured exponent; `None` if there are too few points.
    pub measured: Option<Slope>,
    /// A reason why the two may differ.
    pub remark: &'static str,
}

impl FromStr for SweepAxis {
    type Err = TheoryError;

    fn from_str(text: &str) -> Result<Self, TheoryError> {
        find("quantity", Self::ALL, Self::name, text)
    }
}

impl SweepAxis {
    const ALL: [Self; 7] = [
        Self::Rounds,
        Self::StatesPerRound,
        Self::Ensemble,
        Self::Sigma,
        Self::Actions,
        Self::ClassSize,
        Self::Lambda,
    ];

    /// The short name, the axis label, and values to try: N, K, E, shares of d₀, A, copies of the
    /// class, multiples of Θ.
    fn row(self) -> (&'static str, &'static str, Vec<f64>) {
        let powers = |base: f64, from: f64, count: i32| {
            (0..count).map(|i| from * base.powi(i)).collect::<Vec<f64>>()
        };
        match self {
            Self::Rounds => ("n", "rounds N", powers(2.0, 64.0, 6)),
            Self::StatesPerRound => ("k", "states per round K", powers(2.0, 1.0, 7)),
            Self::Ensemble => ("e", "ensemble size E", powers(2.0, 4.0, 7)),
            Self::Sigma => ("sigma", "smoothness σ", powers(2.0, 1.0 / 64.0, 7)),
            Self::Actions => ("a", "actions A", powers(2.0, 3.0, 6)),
            Self::ClassSize => ("b", "ln B", powers(4.0, 1.0, 5)),
            Self::Lambda => ("lambda", "λ / Θ", powers(4.0, 1.0 / 256.0, 9)),
        }
    }

    /// The short name: n, k, e, sigma, a, b or lambda.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The axis label.
    pub fn label(self) -> &'static str {
        self.row().1
    }

    /// The label of the measured quantity.
    pub fn measures(self) -> &'static str {
        match self {
            Self::Ensemble => "ensemble error Σ |⟨gₙ, uₙ − u*ₙ⟩|",
            _ => "regret on the queried states",
        }
    }

    /// Values to try.
    pub fn default_values(self) -> Vec<f64> {
        self.row().2
    }

    /// Changes a problem and its settings to a value, and returns the position on the axis.
    fn set(
        self,
        value: f64,
        problem: &mut ImitationProblem,
        settings: &mut GameSettings,
    ) -> Result<f64, TheoryError> {
        require(value > 0.0 && value.is_finite(), self.label(), value, "above 0")?;
        if !matches!(self, Self::Sigma | Self::Lambda) {
            let is_whole = value.fract() == 0.0 && value <= 1e9;
            require(is_whole, self.label(), value, "a whole number")?;
        }
        let count = value as usize;
        match self {
            Self::Rounds => settings.rounds = count,
            Self::StatesPerRound => settings.states_per_round = count,
            Self::Ensemble => settings.max_members = count,
            Self::Sigma => *problem = problem.with_diluted_covering(value)?,
            Self::Actions => *problem = problem.with_idle_actions(count)?,
            Self::ClassSize => *problem = problem.with_redundant_policies(count, 1)?,
            Self::Lambda => settings.lambdas = vec![Lambda::Rate(value)],
        }
        Ok(match self {
            Self::Sigma => problem.sigma,
            Self::ClassSize => (problem.class.size() as f64).ln(),
            _ => value,
        })
    }

    /// Compares the slopes of these points with those that the theorem predicts.
    pub fn compare(
        self,
        problem: &ImitationProblem,
        settings: &GameSettings,
        points: &[SweepPoint],
    ) -> Vec<ExponentComparison> {
        let root_ln_b = (problem.class.size() as f64).ln().sqrt();
        let k = settings.states_per_round as f64;
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
                "E grows with N, as in the theorem; in few rounds a small ensemble adds more",
            ),
            Self::Ensemble => {
                all(-0.5, "each round's error is that of a mean of E independent members")
            }
            Self::Sigma => {
                all(-0.25, "part of the perturbation falls on states in which it has no effect")
            }
            Self::Actions => {
                all(0.25, "part of the random labels are actions that no policy takes")
            }
            Self::ClassSize if k * k < points.iter().map(|p| p.x).fold(0.0, f64::max) => all(
                0.5,
                "the leader is the best of many perturbed copies and moves more the more there are; \
                 the worst case needs far more copies",
            ),
            Self::ClassSize => all(0.25, "once K reaches √ln B"),
            Self::StatesPerRound => {
                let falling = "more states per round count more than the perturbation";
                let flat = "beyond √ln B the bound does not improve with K; regret may still fall, \
                            because each round's loss is measured better";
                let parts = [
                    of("K ≤ √ln B", -0.5, falling, &|k| k <= root_ln_b.max(1.0)),
                    of("K ≥ √ln B", 0.0, flat, &|k| k >= root_ln_b),
                ];
                parts.into_iter().filter(|part| part.measured.is_some()).collect()
            }
            Self::Lambda => {
                let best =
                    points.iter().min_by(|a, b| a.measured.value.total_cmp(&b.measured.value));
                let (best, least) = best.map_or((1.0, 0.0), |p| (p.x, p.measured.value));
                // Near its minimum a curve is flat, whatever the slopes of its branches.
                let high =
                    |x: f64| points.iter().any(|p| p.x == x && p.measured.value > 1.5 * least);
                let stability = "too little perturbation: the stability term falls with λ";
                let bias = "too much perturbation: the bias term grows with λ, unless the even \
                            mixture that results is good";
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

/// Measures MFTPL-P at each value of a quantity; `seen` receives every point when it is done.
///
/// It plays with the first λ of the settings. If N varies, E grows in proportion to its maximum.
pub fn sweep(
    problem: &ImitationProblem,
    settings: &GameSettings,
    axis: SweepAxis,
    values: &[f64],
    seen: &(dyn Fn(&SweepPoint) + Sync),
) -> Result<Vec<SweepPoint>, TheoryError> {
    let most = values.iter().copied().fold(0.0, f64::max);
    let one = |&value: &f64| {
        let (mut problem, mut settings) = (problem.clone(), settings.clone());
        let x = axis.set(value, &mut problem, &mut settings)?;
        if axis == SweepAxis::Rounds {
            settings.max_members = (settings.max_members as f64 * value / most).ceil() as usize;
        }
        let point = measure(&problem, &settings, axis, x)?;
        seen(&point);
        Ok(point)
    };
    values.par_iter().map(one).collect()
}

fn measure(
    problem: &ImitationProblem,
    settings: &GameSettings,
    axis: SweepAxis,
    x: f64,
) -> Result<SweepPoint, TheoryError> {
    let lambda = settings.lambdas.first().copied().unwrap_or(Lambda::Proof);
    let seeds = settings.seeds.par_iter();
    if axis == SweepAxis::Ensemble {
        let games = seeds.map(|&seed| proof_terms(problem, lambda, settings, seed));
        let games = games.collect::<Result<Vec<_>, TheoryError>>()?;
        // The ensemble's bound has no conditions.
        let value = games.first().map_or(0.0, |game| game.terms[3].bound);
        let bound = Bound { value, holds: true, vacuous: value > settings.rounds as f64 };
        let measured = Mean::of(&games, |game| game.ensemble_absolute);
        return Ok(SweepPoint { x, measured, regret: None, bound });
    }
    let algorithm = Player::MftplP(lambda).algorithm(problem, settings);
    let sizes @ [n, k, _] = settings.sizes(problem);
    let games = seeds.map(|&seed| play(problem, algorithm, [n, k], seed));
    let games = games.collect::<Result<Vec<_>, TheoryError>>()?;
    let [n, k, e] = sizes.map(|size| size as f64);
    let lambda = lambda_of(&algorithm).unwrap_or(0.0);
    Ok(SweepPoint {
        x,
        measured: Mean::of(&games, |game| game.observed_regret),
        regret: Some(Mean::of(&games, Game::final_regret)),
        bound: problem.theorem(settings.delta).bound(n, k, lambda, e),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::invalid;
    use crate::trap;

    fn settings(rounds: usize, max_members: usize) -> GameSettings {
        GameSettings {
            rounds,
            max_members,
            lambdas: vec![Lambda::Rate(0.03)],
            seeds: vec![1, 2, 3],
            draws: 1000,
            ..GameSettings::default()
        }
    }

    fn measured(axis: SweepAxis, values: &[f64], settings: &GameSettings) -> f64 {
        let problem = trap(10).unwrap();
        let points = sweep(&problem, settings, axis, values, &|_| ()).unwrap();
        axis.compare(&problem, settings, &points)[0].measured.unwrap().value
    }

    #[test]
    fn slopes_agree_with_the_theorem() {
        for (axis, values, predicted, rounds, members) in [
            (SweepAxis::Ensemble, [4.0, 16.0, 64.0], -0.5, 20, 1),
            (SweepAxis::Rounds, [50.0, 150.0, 450.0], 0.5, 150, 400),
            (SweepAxis::Sigma, [0.01, 0.1, 1.0], -0.25, 150, 60),
            (SweepAxis::Actions, [3.0, 12.0, 48.0], 0.25, 150, 60),
        ] {
            let slope = measured(axis, &values, &settings(rounds, members));
            assert!((slope - predicted).abs() < 0.15, "{}: {slope}", axis.label());
        }
    }

    #[test]
    fn more_policies_move_the_leader_more() {
        let slope = measured(SweepAxis::ClassSize, &[1.0, 8.0, 32.0], &settings(100, 40));
        assert!(slope > 0.05 && slope < 0.5, "{slope}");
    }

    #[test]
    fn impossible_values_are_refused() {
        for (axis, value, what) in [
            ("n", 1.5, "rounds N"),
            ("lambda", -1.0, "λ / Θ"),
            ("sigma", 2.0, "the share of d0"),
            ("a", 2.0, "actions"),
        ] {
            let (problem, axis) = (trap(10).unwrap(), axis.parse().unwrap());
            let points = sweep(&problem, &settings(10, 2), axis, &[value], &|_| ());
            assert_eq!(invalid(points), (what.into(), value));
        }
        assert!("q".parse::<SweepAxis>().is_err());
    }
}
