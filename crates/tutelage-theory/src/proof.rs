//! The quantities that the proof of the regret theorem bounds one by one, measured in a game.

use rayon::prelude::*;
use tutelage::{Rng, Stream};

use crate::exact::{dot, occupancy};
use crate::game::{class_losses, weigh};
use crate::oracle::least;
use crate::rounds::{GameEvent, PlayError, perturbations, run};
use crate::{ExactOracle, ImitationProblem, Mdp, Player, TabularPolicy};

/// A quantity of the proof beside the bound that the proof has for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredTerm {
    /// What the proof calls it.
    pub name: &'static str,
    /// Its formula.
    pub formula: &'static str,
    /// What it was, summed over the rounds.
    pub value: f64,
    /// The proof's bound on it.
    pub bound: f64,
}

/// What a game of MFTPL-P showed.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofTerms {
    /// E_Q max over u of ⟨−g̃, u⟩, ≤ √(λ ln B / 2K²).
    pub bias: MeasuredTerm,
    /// Σ ⟨gₙ, u*ₙ − u**ₙ₊₁⟩, ≤ N √(AK²/λσ).
    pub stability: MeasuredTerm,
    /// Σ E_{Dₙ} ⟨g*ₙ − gₙ, u*ₙ₊₁⟩, ≤ N √(2A ln N ln(BN²) / λσ) + λσ/(4AN ln N).
    pub generalization: MeasuredTerm,
    /// Σ ⟨gₙ, uₙ − u*ₙ⟩, ≤ N √(2A (ln(NS) + ln(12/δ)) / E).
    pub ensemble: MeasuredTerm,
    /// Σ |⟨gₙ, uₙ − u*ₙ⟩|: what the ensemble's bound, which is one for every round, really bounds.
    pub ensemble_absolute: f64,
}

/// How closely to measure.
#[derive(Clone, Copy, Debug)]
pub struct EstimationSettings {
    /// Draws of Q that stand for the expectation over it.
    pub draws: usize,
    /// δ in the ensemble's bound.
    pub delta: f64,
}

/// Plays MFTPL-P for N rounds of K states and measures the proof's quantities.
///
/// u*ₙ = E_Q 𝒪(D_{1:n−1} ∪ Q) and u**ₙ₊₁, which averages over Dₙ too, are estimated with many members in place of E; both
/// with the same draws of Q, so that their difference is that of the examples alone.
pub fn proof_terms(
    problem: &ImitationProblem,
    [members, rounds, k]: [usize; 3],
    lambda: f64,
    estimation: EstimationSettings,
    seed: u64,
) -> Result<ProofTerms, PlayError> {
    let mut seen = Vec::new();
    let mut watch = |moment: GameEvent<'_>| match moment {
        GameEvent::Playing(policy) => seen.push((policy.weights(), policy.table(), vec![])),
        GameEvent::Asking(states) => seen.last_mut().map_or((), |round| round.2 = states.to_vec()),
    };
    run(problem, Player::MftplP { members, lambda }, [rounds, k], seed, &mut watch)?;
    let mut examiner = ProofRecorder::new(problem, lambda, k, estimation, seed);
    let bias = examiner.bias()?;
    for (round, (weights, table, asked)) in seen.iter().enumerate() {
        examiner.round(round, weights, table, asked)?;
    }
    Ok(examiner.close(bias, members, rounds))
}

struct ProofRecorder<'a> {
    problem: &'a ImitationProblem,
    oracle: ExactOracle,
    lambda: f64,
    k: usize,
    estimation: EstimationSettings,
    stream: Stream,
    /// ℓ(s, h(s)) at index s·B + h.
    class_losses: Vec<f64>,
    /// What D_{1:n−1} charges for each (s, a).
    charged: Vec<f64>,
    /// Sums over rounds: stability, generalization, ensemble, |ensemble|.
    sums: [f64; 4],
}

impl<'a> ProofRecorder<'a> {
    fn new(
        problem: &'a ImitationProblem,
        lambda: f64,
        k: usize,
        estimation: EstimationSettings,
        seed: u64,
    ) -> Self {
        Self {
            problem,
            oracle: problem.oracle(),
            lambda,
            k,
            estimation,
            stream: Stream::new(seed).fork("proof", 0),
            class_losses: class_losses(problem),
            charged: vec![0.0; problem.losses.len()],
            sums: [0.0; 4],
        }
    }

    /// E_Q max over h of (1/K) Σ_{(s̃, ã) ∈ Q} ((A−1)/A − I(h(s̃) ≠ ã)).
    fn bias(&self) -> Result<f64, PlayError> {
        let (actions, k) = (self.problem.mdp.actions() as f64, self.k as f64);
        let most = |_: usize, credits: &[f64]| {
            let size = -credits.iter().sum::<f64>();
            let agreed = -self.oracle.scores(credits).into_iter().fold(f64::INFINITY, f64::min);
            (agreed - size / actions) / k
        };
        let stream = self.stream.fork("bias", 0);
        let draws = perturbations(self.problem, self.lambda, self.estimation.draws, stream, most)?;
        Ok(draws.iter().sum::<f64>() / draws.len().max(1) as f64)
    }

    /// Adds what round n showed, where πₙ had these weights and these states were asked about.
    fn round(
        &mut self,
        round: usize,
        weights: &[f64],
        policy: &TabularPolicy,
        asked: &[u32],
    ) -> Result<(), PlayError> {
        let stream = self.stream.fork("round", round as u64);
        let d = occupancy(&self.problem.mdp, policy);
        let expected = weigh(&d, &self.class_losses, weights.len());
        let seen = self.mean_loss(asked);
        let one = |draw: usize, credits: &[f64]| {
            let stream = stream.fork("draw", draw as u64);
            let fresh = sample(&d, self.k, &mut stream.fork("states", 0).rng());
            let mut table: Vec<f64> =
                self.charged.iter().zip(credits).map(|(a, b)| a + b).collect();
            let tie = |name: &'static str| stream.fork(name, 0).rng();
            let before = least(&self.oracle.scores(&table), || tie("before")) as usize;
            self.charge(&mut table, &fresh);
            let after = least(&self.oracle.scores(&table), || tie("after")) as usize;
            let surprise = expected[after] - self.loss_of(after, &fresh);
            [seen[before], seen[after], surprise]
        };
        let draws = self.estimation.draws;
        let stream = stream.fork("perturbations", 0);
        let all = perturbations(self.problem, self.lambda, draws, stream, one)?;
        let mean = |i: usize| all.par_iter().map(|x| x[i]).sum::<f64>() / draws.max(1) as f64;
        let (ideal, moved, surprise) = (mean(0), mean(1), mean(2));
        let ensemble = dot(&seen, weights) - ideal;
        for (sum, now) in
            self.sums.iter_mut().zip([ideal - moved, surprise, ensemble, ensemble.abs()])
        {
            *sum += now;
        }
        let mut charged = std::mem::take(&mut self.charged);
        self.charge(&mut charged, asked);
        self.charged = charged;
        Ok(())
    }

    fn charge(&self, table: &mut [f64], states: &[u32]) {
        for &state in states {
            self.oracle.charge(table, state, self.problem.expert[state as usize]);
        }
    }

    /// (1/K) Σ ℓ(s, h(s)) over these states.
    fn loss_of(&self, h: usize, states: &[u32]) -> f64 {
        let size = self.problem.class.size();
        let losses = states.iter().map(|&s| self.class_losses[s as usize * size + h]);
        losses.sum::<f64>() / states.len() as f64
    }

    fn mean_loss(&self, states: &[u32]) -> Vec<f64> {
        (0..self.problem.class.size()).map(|h| self.loss_of(h, states)).collect()
    }

    fn close(self, bias: f64, members: usize, rounds: usize) -> ProofTerms {
        let theorem = self.problem.theorem(self.estimation.delta);
        let (n, k, e) = (rounds as f64, self.k as f64, members as f64);
        let terms = theorem.terms(n, k, self.lambda, e);
        let [stability, generalization, ensemble, ensemble_absolute] = self.sums;
        let measured = |name, formula, value, bound| MeasuredTerm { name, formula, value, bound };
        let [of_bias, of_stability, of_generalization, of_failure, .., of_ensemble] =
            terms.map(|term| term.value);
        ProofTerms {
            bias: measured("bias", "E max <-g~, u>", bias, of_bias),
            stability: measured("stability", "sum <g_n, u*_n - u**_n+1>", stability, of_stability),
            generalization: measured(
                "generalization",
                "sum E <g*_n - g_n, u*_n+1>",
                generalization,
                of_generalization + of_failure,
            ),
            ensemble: measured("ensemble", "sum <g_n, u_n - u*_n>", ensemble, of_ensemble),
            ensemble_absolute,
        }
    }
}

/// K states drawn from d.
fn sample(d: &[f64], k: usize, rng: &mut Rng) -> Vec<u32> {
    let outcomes = || d.iter().enumerate().map(|(s, &p)| (s as u32, p));
    (0..k).map(|_| Mdp::draw(outcomes(), rng) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PolicyClass, trap};

    const CLOSENESS: EstimationSettings = EstimationSettings { draws: 2000, delta: 0.05 };

    /// One state, two actions, two policies.
    fn coin() -> ImitationProblem {
        let mdp = Mdp::new([1, 2, 1], vec![1.0], |_, _| vec![(0, 1.0)], |_, a| a as f64).unwrap();
        let class = PolicyClass::new(mdp.spaces(), &[vec![0], vec![1]]).unwrap();
        ImitationProblem::new("coin", mdp, class, vec![0]).unwrap()
    }

    #[test]
    fn the_bias_by_hand() {
        // max over h of (copies of h's label − X/2)/K = |difference of two Poisson(λ/2)| / 2K, so E = √(λ/2π)/K.
        let terms = proof_terms(&coin(), [1, 1, 2], 1000.0, CLOSENESS, 1).unwrap();
        let expected = (1000.0 / (2.0 * std::f64::consts::PI)).sqrt() / 2.0;
        assert!((terms.bias.value / expected - 1.0).abs() < 0.05, "{}", terms.bias.value);
        assert!(terms.bias.value < terms.bias.bound);
    }

    #[test]
    fn the_stability_of_a_coin_by_hand() {
        // With D empty u*₁ is even; an example for action 0 moves it by P(difference = 0) and half of its neighbours:
        // about the density of N(0, λ) at 0 for a shift of 1. The policy that errs, 1, loses that weight.
        let lambda = 100.0;
        let estimation = EstimationSettings { draws: 40_000, ..CLOSENESS };
        let terms = proof_terms(&coin(), [1, 1, 1], lambda, estimation, 1).unwrap();
        let expected = 1.0 / (2.0 * std::f64::consts::PI * lambda).sqrt();
        assert!((terms.stability.value / expected - 1.0).abs() < 0.15, "{}", terms.stability.value);
        assert_eq!(terms.generalization.value, 0.0, "there is one state only");
    }

    #[test]
    fn on_the_trap_every_quantity_lies_below_its_bound() {
        let problem = trap(10).unwrap();
        let (rounds, k) = (40, 2);
        let lambda = problem.theorem(0.05).lambda(rounds as f64, k as f64);
        let terms = proof_terms(&problem, [50, rounds, k], lambda, CLOSENESS, 1).unwrap();
        for one in [terms.bias, terms.stability, terms.generalization, terms.ensemble] {
            assert!(one.value < one.bound, "{one:?}");
        }
        assert!(terms.stability.value > 0.0 && terms.bias.value > 0.0);
        assert!(terms.ensemble_absolute < terms.ensemble.bound);
    }

    #[test]
    fn a_large_ensemble_is_nearly_its_expectation() {
        let error = |members| {
            proof_terms(&trap(5).unwrap(), [members, 10, 1], 50.0, CLOSENESS, 1)
                .unwrap()
                .ensemble_absolute
        };
        assert!(error(1000) < 0.25 * error(4), "{} {}", error(1000), error(4));
    }
}
