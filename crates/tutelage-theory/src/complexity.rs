//! How many annotations an estimation gap takes, measured: the counterpart of the paper's Table 1.

use rayon::prelude::*;
use tutelage::{Algorithm, ExpertActs, LearnError, behavior_cloning};

use crate::{Problem, play, tuned_logger_m, tuned_mftpl_p};

/// An algorithm of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// MFTPL-P, C(ε) = µ²H²/ε².
    MftplP,
    /// LOGGER-M, C(ε) = µ²H²/ε².
    LoggerM,
    /// Behavior cloning, C(ε) = H⁴/ε².
    Bc,
}

impl Contender {
    /// All of Table 1.
    pub const ALL: [Self; 3] = [Self::MftplP, Self::LoggerM, Self::Bc];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::MftplP => "MFTPL-P",
            Self::LoggerM => "LOGGER-M",
            Self::Bc => "BC",
        }
    }

    /// C(ε) as Table 1 has it, constants dropped.
    pub fn order(self, problem: &Problem, epsilon: f64) -> f64 {
        let horizon = problem.mdp.horizon() as f64;
        match self {
            Self::MftplP | Self::LoggerM => (problem.mu * horizon / epsilon).powi(2),
            Self::Bc => (horizon * horizon / epsilon).powi(2),
        }
    }

    fn tuned(self, problem: &Problem, rounds: usize, most_members: usize) -> Algorithm<u32, u32> {
        match self {
            Self::MftplP => tuned_mftpl_p(problem, rounds, 1, most_members),
            Self::LoggerM => tuned_logger_m(problem, rounds, 1, most_members),
            Self::Bc => behavior_cloning(ExpertActs::Sampled),
        }
    }
}

/// The estimation gap at growing numbers of annotations, averaged over seeds.
///
/// One annotation a round (K = 1). MFTPL-P and LOGGER-M are tuned anew for every N; their gap is µ H Reg(N)/N. BC does not
/// interact, so its gap is the one its guarantee is made of: H² times the excess loss on the expert's own states.
pub fn gap_curve(
    problem: &Problem,
    contender: Contender,
    most_rounds: usize,
    most_members: usize,
    seeds: &[u64],
) -> Result<Vec<(usize, f64)>, LearnError> {
    let grid = rounds_grid(most_rounds);
    let jobs: Vec<(usize, u64)> =
        grid.iter().flat_map(|&n| seeds.iter().map(move |&seed| (n, seed))).collect();
    let gaps: Vec<f64> = jobs
        .par_iter()
        .map(|&(rounds, seed)| {
            let game =
                play(problem, &contender.tuned(problem, rounds, most_members), rounds, 1, seed)?;
            Ok(match contender {
                Contender::Bc => game.offline_gap[rounds - 1],
                _ => game.estimation_gap(rounds),
            })
        })
        .collect::<Result<_, LearnError>>()?;
    let means =
        gaps.chunks(seeds.len().max(1)).map(|gaps| gaps.iter().sum::<f64>() / gaps.len() as f64);
    Ok(grid.into_iter().zip(means).collect())
}

/// The fewest annotations of a curve from which on the gap stays at ε or below; none if it does not come down to it.
pub fn annotations_needed(curve: &[(usize, f64)], epsilon: f64) -> Option<usize> {
    let first = curve.iter().rposition(|&(_, gap)| gap > epsilon).map_or(0, |above| above + 1);
    curve.get(first).map(|&(annotations, _)| annotations)
}

/// 4, 6, 8, 11, …: a factor of √2 from one to the next.
fn rounds_grid(most: usize) -> Vec<usize> {
    let powers = (4..).map(|i| 2f64.powf(f64::from(i) / 2.0).round() as usize);
    powers.take_while(|&n| n < most).chain([most.max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_must_stay_down() {
        let curve = [(4, 1.0), (6, 0.1), (8, 0.5), (11, 0.2), (16, 0.1)];
        assert_eq!(annotations_needed(&curve, 0.3), Some(11));
        assert_eq!(annotations_needed(&curve, 0.05), None);
        assert_eq!(annotations_needed(&curve, 2.0), Some(4));
    }

    #[test]
    fn smaller_gaps_take_more_annotations() {
        let problem =
            crate::random(crate::Dimensions { states: 8, class_size: 16, ..Default::default() })
                .unwrap();
        for contender in Contender::ALL {
            let curve = gap_curve(&problem, contender, 200, 50, &[1, 2]).unwrap();
            assert_eq!(curve.last().unwrap().0, 200);
            let (first, last) = (curve[0].1, curve[curve.len() - 1].1);
            assert!(last < first, "{}: {first} to {last}", contender.name());
        }
    }
}
