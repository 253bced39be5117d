//! The measured number of annotations for a cost gap: the counterpart of the paper's Table 1.

use rayon::prelude::*;

use crate::fit::{Slope, exponents};
use crate::{GameSettings, ImitationProblem, Player, TheoryError, play};

/// The limits of a measurement.
#[derive(Clone, Debug)]
pub struct MeasurementLimits {
    /// The largest number of rounds of one annotation each for interactive learners.
    pub max_rounds: usize,
    /// The largest number of annotations for BC, which gets them in one round.
    pub max_demonstrations: usize,
    /// The largest ensemble.
    pub max_members: usize,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The smallest gap of interest.
    pub min_gap: f64,
}

/// A mean over games with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// The standard error; 0 for a single game.
    pub error: f64,
}

/// The result of a number of annotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapPoint {
    /// N K.
    pub annotations: usize,
    /// J(π̂) − min over h ∈ ℬ of J(h).
    pub cost_gap: Mean,
    /// The bound on the cost gap beyond the bias: EstGap = µ H Reg(N)/N; for BC H² times the excess
    /// loss on the expert's states.
    pub guarantee: Mean,
}

/// The number of annotations for a gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnnotationsNeeded {
    /// The smallest number tried is enough.
    AtMost(f64),
    /// A number interpolated between those tried.
    About(f64),
    /// The largest number tried is not enough.
    MoreThan(f64),
}

impl AnnotationsNeeded {
    /// The interpolated number, if the gap was reached within the numbers tried.
    pub fn interpolated(self) -> Option<f64> {
        if let Self::About(annotations) = self { Some(annotations) } else { None }
    }
}

impl Player {
    /// The exponents of H and 1/ε in Table 1. DAgger has none, because its regret has no bound.
    pub fn predicted_exponents(self) -> Option<[f64; 2]> {
        match self {
            Self::Bc => Some([4.0, 2.0]),
            Self::MftplP(_) | Self::LoggerM => Some([2.0, 2.0]),
            Self::Dagger | Self::BootstrapDagger(_) | Self::HandOver(_) => None,
        }
    }

    /// C(ε) of Table 1 without constants: H⁴/ε² for BC, µ²H²/ε² for MFTPL-P and LOGGER-M.
    pub fn predicted_annotations(self, problem: &ImitationProblem, epsilon: f64) -> Option<f64> {
        let horizon = problem.mdp.horizon() as f64;
        let factor = if self == Self::Bc { horizon } else { problem.mu };
        self.predicted_exponents().map(|_| (factor * horizon / epsilon).powi(2))
    }

    /// The two gaps after this many annotations. BC gets all of them in one round and plays what it
    /// learned. The others get one a round, with parameters for that many rounds, and play the
    /// policy of a random round.
    fn gaps(
        self,
        problem: &ImitationProblem,
        annotations: usize,
        max_members: usize,
        seed: u64,
    ) -> Result<[f64; 2], TheoryError> {
        let settings = GameSettings { rounds: annotations, max_members, ..GameSettings::default() };
        let algorithm = self.algorithm(problem, &settings);
        if self == Self::Bc {
            let game = play(problem, algorithm, [1, annotations], seed)?;
            return Ok([game.last.cost - problem.best_cost, game.last.offline_gap]);
        }
        let game = play(problem, algorithm, [annotations, 1], seed)?;
        Ok([game.mean_cost() - problem.best_cost, game.estimation_gap()])
    }

    /// BC's one policy either returns to the expert's states or does not, so its cost varies much
    /// between games; they are cheap, so it plays more of them.
    fn games_per_seed(self) -> u64 {
        if self == Self::Bc { 16 } else { 1 }
    }
}

/// Measures the gaps at growing numbers of annotations, averaged over problems, until the cost gap
/// stays below the smallest gap of interest.
pub fn gap_curve(
    problems: &[ImitationProblem],
    player: Player,
    limits: &MeasurementLimits,
) -> Result<Vec<GapPoint>, TheoryError> {
    let most = if player == Player::Bc { limits.max_demonstrations } else { limits.max_rounds };
    let mut curve: Vec<GapPoint> = Vec::new();
    for annotations in annotations_grid(most) {
        curve.push(gap_point(problems, player, annotations, limits)?);
        let below = curve.iter().rev().take_while(|p| p.cost_gap.value < limits.min_gap);
        if below.count() == POINTS_BELOW {
            break;
        }
    }
    Ok(curve)
}

/// The number of consecutive points below the smallest gap that end a curve; one could be luck.
const POINTS_BELOW: usize = 2;

fn gap_point(
    problems: &[ImitationProblem],
    player: Player,
    annotations: usize,
    limits: &MeasurementLimits,
) -> Result<GapPoint, TheoryError> {
    let mut jobs = Vec::new();
    for &seed in &limits.seeds {
        for game in 0..player.games_per_seed() {
            let seed = seed.wrapping_add(game << 32);
            jobs.extend(problems.iter().map(|problem| (problem, seed)));
        }
    }
    let gaps: Vec<[f64; 2]> = jobs
        .into_par_iter()
        .map(|(problem, seed)| player.gaps(problem, annotations, limits.max_members, seed))
        .collect::<Result<_, _>>()?;
    let mean = |index: usize| Mean::of(&gaps, |gaps| gaps[index]);
    Ok(GapPoint { annotations, cost_gap: mean(0), guarantee: mean(1) })
}

impl Mean {
    /// The mean of a quantity of these games.
    pub fn of<G>(games: &[G], quantity: impl Fn(&G) -> f64) -> Self {
        let values: Vec<f64> = games.iter().map(quantity).collect();
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|x| (x - value).powi(2)).sum::<f64>();
        let error = if values.len() > 1 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
        Self { value, error }
    }
}

/// The smallest number of annotations from which the gap stays at ε or below, by interpolation of
/// logarithms between points (annotations, gap).
pub(crate) fn annotations_needed(curve: &[(f64, f64)], epsilon: f64) -> Option<AnnotationsNeeded> {
    let (&(fewest, _), &(most, _)) = (curve.first()?, curve.last()?);
    let Some(above) = curve.iter().rposition(|&(_, gap)| gap > epsilon) else {
        return Some(AnnotationsNeeded::AtMost(fewest));
    };
    let Some(&(right, low)) = curve.get(above + 1) else {
        return Some(AnnotationsNeeded::MoreThan(most));
    };
    let (left, high) = curve[above];
    let share = match low > 0.0 {
        true => (high / epsilon).ln() / (high / low).ln(),
        false => (high - epsilon) / (high - low),
    };
    Some(AnnotationsNeeded::About(left * (right / left).powf(share.clamp(0.0, 1.0))))
}

/// The fewest annotations that enter a fit. With fewer, hardly more than ln B of the largest class
/// here, a learner cannot distinguish the policies yet, and no exponent shows.
pub const MIN_FITTED_ANNOTATIONS: f64 = 32.0;

/// The exponents of C(ε) in H and 1/ε over the (H, ε, C) that enter a fit, and their number.
pub(crate) fn complexity_exponents(
    points: &[(usize, f64, AnnotationsNeeded)],
) -> ([Option<Slope>; 2], usize) {
    let fitted = points.iter().filter_map(|&(horizon, epsilon, needed)| {
        let annotations = needed.interpolated().filter(|&n| n >= MIN_FITTED_ANNOTATIONS)?;
        Some((vec![horizon as f64, 1.0 / epsilon], annotations))
    });
    let fitted: Vec<_> = fitted.collect();
    let slopes = match exponents(&fitted).as_deref() {
        Some(&[h, epsilon]) => [h, epsilon],
        _ => [None, None],
    };
    (slopes, fitted.len())
}

/// 4, 8, 16, … up to the largest number.
fn annotations_grid(most: usize) -> Vec<usize> {
    let powers = (2..).map(|i| 1usize << i);
    powers.take_while(|&n| n < most).chain([most.max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::tests::coin;
    use crate::{Lambda, ledge, limitation, trap};

    fn limits(max: usize, seeds: &[u64]) -> MeasurementLimits {
        MeasurementLimits {
            max_rounds: max,
            max_demonstrations: max,
            max_members: 20,
            seeds: seeds.to_vec(),
            min_gap: 0.25,
        }
    }

    #[test]
    fn annotations_are_counted_until_the_gap_stays_low() {
        let curve = [(4.0, 1.0), (6.0, 0.1), (8.0, 0.4), (16.0, 0.1)];
        let needed = |epsilon| annotations_needed(&curve, epsilon).unwrap();
        let between = needed(0.2).interpolated().unwrap();
        assert!((between - 8.0 * 2f64.sqrt()).abs() < 1e-9, "half way in logarithms: {between}");
        assert_eq!(needed(0.05), AnnotationsNeeded::MoreThan(16.0));
        assert_eq!(needed(2.0), AnnotationsNeeded::AtMost(4.0));
        assert_eq!(annotations_needed(&[], 2.0), None);
    }

    #[test]
    fn censored_points_do_not_enter_the_fit() {
        let law =
            |h: usize, e: f64| (h, e, AnnotationsNeeded::About((h as f64).powi(4) / e.powi(2)));
        let mut points: Vec<_> =
            [5, 10, 20].iter().flat_map(|&h| [1.0, 0.5].map(|e| law(h, e))).collect();
        points.push((40, 0.5, AnnotationsNeeded::MoreThan(100.0)));
        points.push((5, 4.0, AnnotationsNeeded::AtMost(4.0)));
        points.push((5, 4.0, AnnotationsNeeded::About(MIN_FITTED_ANNOTATIONS - 1.0)));
        let (slopes, count) = complexity_exponents(&points);
        let [h, epsilon] = slopes.map(Option::unwrap);
        assert!((h.value - 4.0).abs() < 1e-9 && (epsilon.value - 2.0).abs() < 1e-9);
        assert_eq!(count, 6);
    }

    #[test]
    fn bc_learns_from_a_single_annotation() {
        // One annotation from the expert's states shows which of two policies is right there.
        for seed in 0..20 {
            assert_eq!(Player::Bc.gaps(&coin(), 1, 1, seed).unwrap(), [0.0, 0.0]);
        }
    }

    #[test]
    fn gaps_are_differences_of_true_costs() {
        // Both policies of the trap cost 10 of 10, so BC is as bad as the best.
        let problem = trap(10).unwrap();
        let gap = Player::Bc.gaps(&problem, 64, 1, 1).unwrap()[0];
        assert!(problem.best_cost == 10.0 && gap.abs() < 1e-12, "{gap}");
        // On the problem of Proposition 1 BC ends with h2 and pays 9; h1 pays 1.
        let curve = gap_curve(&[limitation(10).unwrap()], Player::Bc, &limits(64, &[1])).unwrap();
        let last = curve.last().unwrap();
        assert_eq!((last.annotations, last.cost_gap.value.round()), (64, 8.0), "{curve:?}");
    }

    #[test]
    fn on_the_ledge_the_gap_of_bc_grows_faster_with_the_horizon() {
        let gap = |horizon, player| {
            let problems = [1, 2, 3].map(|seed| ledge(horizon, seed).unwrap());
            gap_point(&problems, player, 300, &limits(300, &[1, 2])).unwrap().cost_gap.value
        };
        let growth = |player| gap(40, player) / gap(10, player);
        let (bc, mftpl_p) = (growth(Player::Bc), growth(Player::MftplP(Lambda::Rate(0.1))));
        assert!(bc > 9.0 && mftpl_p < 8.0, "H × 4: BC's gap × {bc}, MFTPL-P's × {mftpl_p}");
    }
}
