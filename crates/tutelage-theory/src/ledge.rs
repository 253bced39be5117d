//! The ledge: a family in which offline imitation pays H⁴ and interactive imitation H², as in the
//! paper's Table 1.

use rand::seq::SliceRandom;
use tutelage::Stream;

use crate::{ImitationProblem, Mdp, PolicyClass, TheoryError};

/// Contexts in which an error is harmless; every policy errs in half of them.
const HARMLESS: usize = 16;
/// Contexts in which an error leads off the path; the k-th has probability 2⁻ᵏ/8 for k = 0 … 7.
const CRUCIAL: usize = 8;
/// The state off the path, after all contexts.
const LOST: usize = HARMLESS + CRUCIAL;

/// The ledge.
///
/// On the path every step draws a new context. An error in a crucial context leads to *lost*, from
/// which the expert's action (always 0) returns to the path and the other one does not. Only a step
/// in *lost* has a cost, which is 1. The class holds every subset of crucial errors, with and
/// without returning from *lost*, and each policy errs in its own half of the harmless contexts:
/// B = 512, no policy is the expert, and the best one still costs nothing.
///
/// Half of d₀ is on the path and half in *lost*, so µ = 1 and σ = ½ for every H. A learner that sees
/// only the expert's states never sees *lost*: an excess p of crucial errors costs it about pH²/2,
/// and a learner that has been there about pH.
pub fn ledge(horizon: usize, seed: u64) -> Result<ImitationProblem, TheoryError> {
    let path = path_law();
    let on_path = || path.iter().enumerate().map(|(s, &p)| (s as u32, p)).collect::<Vec<_>>();
    let next = |state: usize, action: usize| match (state, action) {
        (HARMLESS.., 1) => vec![(LOST as u32, 1.0)],
        _ => on_path(),
    };
    let initial: Vec<f64> = path.iter().copied().chain([0.0]).collect();
    let mdp = Mdp::new([LOST + 1, 2, horizon], initial, next, |s, _| f64::from(s == LOST))?;
    let stream = Stream::new(seed).fork("ledge", 0);
    let tables: Vec<Vec<u32>> = (0..2 << CRUCIAL).map(|h| policy(h, &stream)).collect();
    let class = PolicyClass::new(mdp.spaces(), &tables)?;
    let cover = path.iter().map(|p| 0.5 * p).chain([0.5]).collect();
    ImitationProblem::with_cover("ledge", mdp, class, vec![0; LOST + 1], cover)
}

/// The probability of each context.
fn path_law() -> Vec<f64> {
    let crucial: Vec<f64> = (0..CRUCIAL).map(|k| 0.125 * 0.5f64.powi(k as i32)).collect();
    let left = 1.0 - crucial.iter().sum::<f64>();
    std::iter::repeat_n(left / HARMLESS as f64, HARMLESS).chain(crucial).collect()
}

/// Policy h: bit k of h is set if it errs in crucial context k, the bit above if it stays lost.
fn policy(h: usize, stream: &Stream) -> Vec<u32> {
    let mut harmless: Vec<u32> = (0..HARMLESS as u32).map(|i| i % 2).collect();
    harmless.shuffle(&mut stream.fork("harmless", h as u64).rng());
    let bits = (0..=CRUCIAL).map(|bit| (h >> bit & 1) as u32);
    harmless.into_iter().chain(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{cost_of, occupancy_of};

    #[test]
    fn mu_and_sigma_do_not_depend_on_the_horizon() {
        for horizon in [3, 10, 40] {
            let problem = ledge(horizon, 1).unwrap();
            assert!((problem.mu - 1.0).abs() < 1e-12, "{}", problem.mu);
            assert!((problem.sigma - 0.5).abs() < 1e-12, "{}", problem.sigma);
            assert_eq!((problem.class.size(), problem.best_cost), (512, 0.0));
        }
    }

    #[test]
    fn all_policies_have_the_same_loss_on_harmless_contexts() {
        let problem = ledge(10, 7).unwrap();
        let d = occupancy_of(&problem.mdp, &problem.expert);
        let tables = problem.class.tables();
        for policy in &tables {
            let loss: f64 = (0..HARMLESS).map(|s| d[s] * f64::from(policy[s])).sum();
            assert!((loss - 0.375_488).abs() < 1e-6, "{loss}");
        }
        assert_ne!(tables[0][..HARMLESS], tables[1][..HARMLESS]);
    }

    #[test]
    fn staying_lost_costs_the_square_of_the_horizon() {
        // Bit 7 errs in the context of probability 1/1024, bit 8 stays lost.
        let growth = |h: usize| {
            let cost = |horizon| {
                let problem = ledge(horizon, 1).unwrap();
                cost_of(&problem.mdp, &problem.class.policy(h))
            };
            cost(20) / cost(10)
        };
        assert!((1.9..2.3).contains(&growth(1 << 7)), "{}", growth(1 << 7));
        assert!((3.9..4.3).contains(&growth(3 << 7)), "{}", growth(3 << 7));
    }
}
