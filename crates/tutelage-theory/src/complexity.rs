//! How many annotations a cost gap takes, measured: the counterpart of the paper's Table 1.

use rayon::prelude::*;

use crate::fit::{Slope, exponents};
use crate::rounds::PlayError;
use crate::{GameSchedule, ImitationProblem, Lambda, Player, play, tuned_logger_m, tuned_mftpl_p};

/// Who is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contender {
    /// Behavior cloning; Table 1 says H⁴/ε².
    Bc,
    /// DAgger, of which Table 1 says nothing: its regret has no bound.
    Dagger,
    /// MFTPL-P with a λ; Table 1 says µ²H²/ε².
    MftplP(Lambda),
    /// LOGGER-M; Table 1 says µ²H²/ε².
    LoggerM,
}

/// How far a measurement goes.
#[derive(Clone, Debug)]
pub struct MeasurementLimits {
    /// The most rounds of one annotation each that an interactive learner plays.
    pub max_rounds: usize,
    /// The most annotations of BC, which gets them in one round.
    pub max_demonstrations: usize,
    /// The largest ensemble.
    pub max_members: usize,
    /// The seeds to play with.
    pub seeds: Vec<u64>,
    /// The gap below which nothing more is asked.
    pub min_gap: f64,
}

/// The mean over games, with a standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Its standard error; 0 for a single game.
    pub error: f64,
}

/// What a number of annotations achieves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapPoint {
    /// How many annotations, N K.
    pub annotations: usize,
    /// J(π̂) − min over h ∈ ℬ of J(h).
    pub cost_gap: Mean,
    /// What the guarantee bounds it by, beside the class's bias: EstGap = µ H Reg(N)/N; for BC H² times the excess loss on
    /// the expert's states.
    pub guarantee: Mean,
}

/// How many annotations a gap took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnnotationsNeeded {
    /// Not even the fewest tried were above the gap.
    AtMost(f64),
    /// So many, interpolated between those tried.
    About(f64),
    /// Not even the most tried were enough.
    MoreThan(f64),
}

impl Contender {
    /// Its name, λ included.
    pub fn name(self) -> String {
        match self {
            Self::Bc => "BC".into(),
            Self::Dagger => "DAgger".into(),
            Self::MftplP(Lambda::Proof) => "MFTPL-P, proof's λ".into(),
            Self::MftplP(Lambda::Rate(scale)) => format!("MFTPL-P, λ = {scale}·Θ"),
            Self::MftplP(Lambda::Fixed(lambda)) => format!("MFTPL-P, λ = {lambda}"),
            Self::LoggerM => "LOGGER-M".into(),
        }
    }

    /// Table 1's exponents in H and 1/ε, where it has a line.
    pub fn predicted(self) -> Option<[f64; 2]> {
        match self {
            Self::Bc => Some([4.0, 2.0]),
            Self::Dagger => None,
            Self::MftplP(_) | Self::LoggerM => Some([2.0, 2.0]),
        }
    }

    /// Table 1's C(ε), constants dropped.
    pub fn order(self, problem: &ImitationProblem, epsilon: f64) -> Option<f64> {
        let horizon = problem.mdp.horizon() as f64;
        match self {
            Self::Bc => Some((horizon * horizon / epsilon).powi(2)),
            Self::Dagger => None,
            Self::MftplP(_) | Self::LoggerM => Some((problem.mu * horizon / epsilon).powi(2)),
        }
    }

    /// The two gaps after this many annotations. BC gets all of them in one round and plays what it learned; the others
    /// get one a round, tuned for that many rounds, and play a round's policy at random.
    fn gaps(
        self,
        problem: &ImitationProblem,
        annotations: usize,
        max_members: usize,
        seed: u64,
    ) -> Result<[f64; 2], PlayError> {
        let schedule = GameSchedule { rounds: annotations, states_per_round: 1, max_members };
        let player = match self {
            Self::Bc => {
                let game = play(problem, Player::Bc, 1, annotations, seed)?;
                return Ok([game.last.cost - problem.best_cost, game.last.offline_gap]);
            }
            Self::Dagger => Player::Dagger,
            Self::MftplP(lambda) => tuned_mftpl_p(problem, schedule, lambda),
            Self::LoggerM => tuned_logger_m(problem, schedule),
        };
        let game = play(problem, player, annotations, 1, seed)?;
        Ok([game.mean_cost() - problem.best_cost, game.estimation_gap(annotations)])
    }

    /// BC's outcome is all or nothing (its one policy returns to where the expert has been, or it does not) and costs
    /// little to compute, so it is drawn more often.
    fn games_per_seed(self) -> u64 {
        if self == Self::Bc { 16 } else { 1 }
    }
}

/// The gaps at growing numbers of annotations, averaged over problems and seeds, until the cost gap stays below the least
/// asked for; `seen` hears of every point as it is measured.
pub fn gap_curve(
    problems: &[ImitationProblem],
    contender: Contender,
    effort: &MeasurementLimits,
    seen: &(dyn Fn(&GapPoint) + Sync),
) -> Result<Vec<GapPoint>, PlayError> {
    let most =
        if contender == Contender::Bc { effort.max_demonstrations } else { effort.max_rounds };
    let mut curve: Vec<GapPoint> = Vec::new();
    for annotations in annotations_grid(most) {
        let point = gap_point(problems, contender, annotations, effort)?;
        seen(&point);
        curve.push(point);
        let below = curve.iter().rev().take_while(|p| p.cost_gap.value < effort.min_gap);
        if below.count() == POINTS_BELOW {
            break;
        }
    }
    Ok(curve)
}

/// How many points in a row below the least gap end a curve: one could be luck.
const POINTS_BELOW: usize = 2;

fn gap_point(
    problems: &[ImitationProblem],
    contender: Contender,
    annotations: usize,
    effort: &MeasurementLimits,
) -> Result<GapPoint, PlayError> {
    let games = contender.games_per_seed();
    let seeds = effort.seeds.iter().flat_map(|&seed| (0..games).map(move |game| (seed, game)));
    let jobs: Vec<(&ImitationProblem, u64)> = seeds
        .flat_map(|(seed, game)| problems.iter().map(move |problem| (problem, seed, game)))
        .map(|(problem, seed, game)| (problem, seed.wrapping_add(game << 32)))
        .collect();
    let gaps: Vec<[f64; 2]> = jobs
        .into_par_iter()
        .map(|(problem, seed)| contender.gaps(problem, annotations, effort.max_members, seed))
        .collect::<Result<_, _>>()?;
    let mean = |index: usize| Mean::of(&gaps.iter().map(|gaps| gaps[index]).collect::<Vec<_>>());
    Ok(GapPoint { annotations, cost_gap: mean(0), guarantee: mean(1) })
}

impl Mean {
    /// The mean of these values and its standard error.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|x| (x - value).powi(2)).sum::<f64>();
        let error = if values.len() > 1 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
        Self { value, error }
    }
}

/// The fewest annotations from which on the gap stays at ε or below, interpolated on logarithms.
pub fn annotations_needed(curve: &[(f64, f64)], epsilon: f64) -> Option<AnnotationsNeeded> {
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

/// The fewest annotations that enter a fit: with fewer, hardly more than ln B of the largest class here, a learner has not
/// yet begun to tell the policies apart, and no exponent shows.
pub const MIN_FITTED_ANNOTATIONS: f64 = 32.0;

/// The exponents of C(ε) in H and 1/ε over all (H, ε, C) that were reached within what was tried, from
/// [`MIN_FITTED_ANNOTATIONS`] annotations on.
pub fn complexity_exponents(points: &[(usize, f64, AnnotationsNeeded)]) -> [Option<Slope>; 2] {
    let reached = points.iter().filter_map(|&(horizon, epsilon, needed)| match needed {
        AnnotationsNeeded::About(annotations) if annotations >= MIN_FITTED_ANNOTATIONS => {
            Some((vec![horizon as f64, 1.0 / epsilon], annotations))
        }
        _ => None,
    });
    match exponents(&reached.collect::<Vec<_>>()).as_deref() {
        Some(&[h, epsilon]) => [h, epsilon],
        _ => [None, None],
    }
}

/// 4, 8, 16, … up to the most.
fn annotations_grid(most: usize) -> Vec<usize> {
    let powers = (2..).map(|i| 1usize << i);
    powers.take_while(|&n| n < most).chain([most.max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ledge, trap};

    fn effort(max_rounds: usize, seeds: &[u64]) -> MeasurementLimits {
        MeasurementLimits {
            max_rounds,
            max_demonstrations: 3000,
            max_members: 20,
            seeds: seeds.to_vec(),
            min_gap: 0.25,
        }
    }

    #[test]
    fn the_gap_must_stay_down() {
        let curve = [(4.0, 1.0), (6.0, 0.1), (8.0, 0.4), (16.0, 0.1)];
        let Some(AnnotationsNeeded::About(between)) = annotations_needed(&curve, 0.2) else {
            panic!()
        };
        assert!((between - 8.0 * 2f64.sqrt()).abs() < 1e-9, "half way in logarithms: {between}");
        assert_eq!(annotations_needed(&curve, 0.05), Some(AnnotationsNeeded::MoreThan(16.0)));
        assert_eq!(annotations_needed(&curve, 2.0), Some(AnnotationsNeeded::AtMost(4.0)));
        assert_eq!(annotations_needed(&[], 2.0), None);
    }

    #[test]
    fn censored_points_do_not_bend_the_fit() {
        let law =
            |h: usize, e: f64| (h, e, AnnotationsNeeded::About((h as f64).powi(4) / e.powi(2)));
        let mut points: Vec<_> =
            [5, 10, 20].iter().flat_map(|&h| [1.0, 0.5].map(|e| law(h, e))).collect();
        points.extend([
            (40, 0.5, AnnotationsNeeded::MoreThan(100.0)),
            (5, 4.0, AnnotationsNeeded::AtMost(4.0)),
        ]);
        points.push((5, 4.0, AnnotationsNeeded::About(MIN_FITTED_ANNOTATIONS - 1.0)));
        let [h, epsilon] = complexity_exponents(&points).map(Option::unwrap);
        assert!((h.value - 4.0).abs() < 1e-9 && (epsilon.value - 2.0).abs() < 1e-9);
    }

    #[test]
    fn every_annotation_of_bc_counts() {
        // One annotation from the expert's states tells which of two policies is right there.
        let mdp = crate::Mdp::new([1, 2, 1], vec![1.0], |_, _| vec![(0, 1.0)], |_, a| a as f64);
        let mdp = mdp.unwrap();
        let class = crate::PolicyClass::new(mdp.spaces(), &[vec![0], vec![1]]).unwrap();
        let problem = ImitationProblem::new("one state", mdp, class, vec![0]).unwrap();
        for seed in 0..20 {
            assert_eq!(Contender::Bc.gaps(&problem, 1, 1, seed).unwrap(), [0.0, 0.0]);
        }
    }

    #[test]
    fn gaps_are_those_of_the_true_cost() {
        // Both policies of the trap cost 10 of 10: BC is as bad as the class's best, whatever its loss on expert states.
        let problem = trap(10).unwrap();
        let gap = Contender::Bc.gaps(&problem, 64, 1, 1).unwrap()[0];
        assert!(problem.best_cost == 10.0 && gap.abs() < 1e-12, "{gap}");
        // On Proposition 1's problem it ends with h2, and pays 9 where h1 pays 1: no number of annotations helps.
        let problem = crate::limitation(10).unwrap();
        let mut effort = effort(64, &[1]);
        effort.max_demonstrations = 64;
        let curve = gap_curve(&[problem], Contender::Bc, &effort, &|_| ()).unwrap();
        let last = curve.last().unwrap();
        assert_eq!((last.annotations, last.cost_gap.value.round()), (64, 8.0), "{curve:?}");
    }

    #[test]
    fn on_the_ledge_the_gap_grows_with_the_square_of_the_horizon_offline_and_less_in_interaction() {
        let gap = |horizon, contender| {
            let problems = [1, 2, 3].map(|seed| ledge(horizon, seed).unwrap());
            gap_point(&problems, contender, 300, &effort(300, &[1, 2])).unwrap().cost_gap.value
        };
        let growth = |contender| gap(40, contender) / gap(10, contender);
        let (bc, mftpl_p) = (growth(Contender::Bc), growth(Contender::MftplP(Lambda::Rate(0.1))));
        assert!(bc > 9.0 && mftpl_p < 8.0, "H × 4: BC's gap × {bc}, MFTPL-P's × {mftpl_p}");
    }
}
