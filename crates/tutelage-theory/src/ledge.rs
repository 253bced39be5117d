//! The ledge: a family on which offline imitation pays H⁴ and interaction H², as the paper's Table 1 says.

use rand::seq::SliceRandom;
use tutelage::Stream;

use crate::{ImitationProblem, Mdp, PolicyClass, ProblemError};

/// Contexts in which an error does no harm; every policy errs in half of them.
const HARMLESS: usize = 16;
/// Contexts in which an error leads off the path, the k-th with probability 2⁻ᵏ/8 for k = 0 … 7.
const CRUCIAL: usize = 8;
/// The state beside the path, after all contexts.
const LOST: usize = HARMLESS + CRUCIAL;

/// The ledge.
///
/// On the path a context is drawn anew at every step. An error in a crucial context leads to *lost*, from where the
/// expert's action (always 0) returns to the path and the other one does not; a step in *lost* costs 1, all else nothing.
/// The class holds every subset of crucial errors, with and without returning from *lost*, each with harmless errors of
/// its own in half of the harmless contexts: B = 512, no policy is the expert, and the best still costs nothing.
///
/// d₀ is half on the path and half in *lost*, so µ = 1 and σ = ½ whatever H is. Whoever imitates the expert's own states
/// never sees *lost*: an excess p of crucial errors then costs about pH²/2 where a learner that has been there pays pH.
pub fn ledge(horizon: usize, seed: u64) -> Result<ImitationProblem, ProblemError> {
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

/// How likely each context is.
fn path_law() -> Vec<f64> {
    let crucial: Vec<f64> = (0..CRUCIAL).map(|k| 0.125 * 0.5f64.powi(k as i32)).collect();
    let left = 1.0 - crucial.iter().sum::<f64>();
    std::iter::repeat_n(left / HARMLESS as f64, HARMLESS).chain(crucial).collect()
}

/// Policy h: bit k of h says whether it errs in crucial context k, the bit above them whether it stays lost.
fn policy(h: usize, stream: &Stream) -> Vec<u32> {
    let mut harmless: Vec<u32> = (0..HARMLESS as u32).map(|i| i % 2).collect();
    harmless.shuffle(&mut stream.fork("harmless", h as u64).rng());
    let bits = (0..=CRUCIAL).map(|bit| (h >> bit & 1) as u32);
    harmless.into_iter().chain(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{TabularPolicy, expected_cost, occupancy};

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
    fn the_class_is_agnostic_and_errs_alike_on_harmless_contexts() {
        let problem = ledge(10, 7).unwrap();
        let d = occupancy(&problem.mdp, &TabularPolicy::deterministic(2, &problem.expert));
        for h in 0..512 {
            let policy = problem.class.policy(h);
            assert_eq!(policy[..HARMLESS].iter().sum::<u32>(), 8, "half of the harmless contexts");
            let loss: f64 = (0..HARMLESS).map(|s| d[s] * f64::from(policy[s])).sum();
            assert!((loss - 0.375_488).abs() < 1e-6, "{loss}");
        }
        assert_ne!(problem.class.policy(0)[..HARMLESS], problem.class.policy(1)[..HARMLESS]);
    }

    #[test]
    fn who_does_not_return_pays_the_square_of_the_horizon() {
        // Bit 0 errs in the likeliest crucial context, bit 8 stays lost.
        let cost = |horizon, h: usize| {
            let problem = ledge(horizon, 1).unwrap();
            expected_cost(&problem.mdp, &TabularPolicy::deterministic(2, &problem.class.policy(h)))
        };
        let rare = 1 << 7; // probability 1/1024 a step
        let growth = |h| cost(20, h) / cost(10, h);
        assert!((1.9..2.3).contains(&growth(rare)), "{}", growth(rare));
        assert!((3.9..4.3).contains(&growth(rare | 1 << 8)), "{}", growth(rare | 1 << 8));
    }
}
