//! The quantities that the proof of the regret theorem bounds one by one, measured in a game.

use rayon::prelude::*;
use tutelage::{Rng, Stream};

use crate::exact::{dot, occupancy};
use crate::game::{class_losses, weigh};
use crate::oracle::least;
use crate::rounds::{GameEvent, perturbations, run};
use crate::{
    ExactOracle, GameSettings, ImitationProblem, Lambda, Mdp, Player, TabularPolicy, TheoryError,
    lambda_of,
};

/// A quantity of the proof and its bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredTerm {
    /// The name in the proof.
    pub name: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// The value, summed over rounds.
    pub value: f64,
    /// The bound in the proof.
    pub bound: f64,
    /// Whether the bound needs the conditions on λ.
    pub is_conditional: bool,
}

/// The measurements in a game of MFTPL-P.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofTerms {
    /// In this order:
    ///
    /// - bias: E_Q max over u of ⟨−g̃, u⟩, ≤ √(λ ln B/2K²),
    /// - stability: Σ ⟨gₙ, u*ₙ − u**ₙ₊₁⟩, ≤ N √(AK²/λσ),
    /// - generalization: Σ E_{Dₙ} ⟨g*ₙ − gₙ, u*ₙ₊₁⟩, ≤ N √(2A ln N ln(BN²)/λσ) + λσ/(4AN ln N),
    /// - ensemble: Σ ⟨gₙ, uₙ − u*ₙ⟩, ≤ N √(2A (ln(NS) + ln(12/δ))/E).
    pub terms: [MeasuredTerm; 4],
    /// Σ |⟨gₙ, uₙ − u*ₙ⟩|. The bound of the ensemble holds in every round, so it bounds this too.
    pub ensemble_absolute: f64,
}

/// Plays MFTPL-P and measures the quantities of the proof.
///
/// u*ₙ = E_Q 𝒪(D_{1:n−1} ∪ Q), and u**ₙ₊₁ averages over Dₙ too. Both are estimated with the same
/// draws of Q, so their difference comes from the examples alone.
pub fn proof_terms(
    problem: &ImitationProblem,
    lambda: Lambda,
    settings: &GameSettings,
    seed: u64,
) -> Result<ProofTerms, TheoryError> {
    let algorithm = Player::MftplP(lambda).algorithm(problem, settings);
    let mut rounds = Vec::new();
    let mut see = |event: GameEvent<'_>| match event {
        GameEvent::Playing(policy) => rounds.push((policy.weights(), policy.table(), vec![])),
        GameEvent::Asking(states) => {
            if let Some((.., asked)) = rounds.last_mut() {
                *asked = states.to_vec();
            }
        }
    };
    run(problem, algorithm, [settings.rounds, settings.states_per_round], seed, &mut see)?;
    let mut recorder = ProofRecorder {
        problem,
        settings,
        oracle: problem.oracle(),
        lambda: lambda_of(&algorithm).unwrap_or(0.0),
        stream: Stream::new(seed).fork("proof", 0),
        class_losses: class_losses(problem),
        charged: vec![0.0; problem.losses.len()],
        sums: [0.0; 4],
    };
    let bias = recorder.bias()?;
    for (round, (weights, table, asked)) in rounds.iter().enumerate() {
        recorder.round(round, weights, table, asked)?;
    }
    Ok(recorder.close(bias))
}

struct ProofRecorder<'a> {
    problem: &'a ImitationProblem,
    settings: &'a GameSettings,
    oracle: ExactOracle,
    lambda: f64,
    stream: Stream,
    /// ℓ(s, h(s)) at index s·B + h.
    class_losses: Vec<f64>,
    /// The costs of D_{1:n−1} per (s, a).
    charged: Vec<f64>,
    /// Sums over rounds: stability, generalization, ensemble, |ensemble|.
    sums: [f64; 4],
}

impl ProofRecorder<'_> {
    fn draw<T: Send>(
        &self,
        stream: Stream,
        each: impl Fn(usize, &[f64]) -> T + Sync,
    ) -> Result<Vec<T>, TheoryError> {
        perturbations(self.problem, self.lambda, self.settings.draws, stream, each)
    }

    /// E_Q max over h of (1/K) Σ_{(s̃, ã) ∈ Q} ((A−1)/A − I(h(s̃) ≠ ã)).
    fn bias(&self) -> Result<f64, TheoryError> {
        let actions = self.problem.mdp.actions() as f64;
        let k = self.settings.states_per_round as f64;
        let most = |_: usize, credits: &[f64]| {
            let size = -credits.iter().sum::<f64>();
            let agreed = -self.oracle.scores(credits).into_iter().fold(f64::INFINITY, f64::min);
            (agreed - size / actions) / k
        };
        let draws = self.draw(self.stream.fork("bias", 0), most)?;
        Ok(draws.iter().sum::<f64>() / draws.len().max(1) as f64)
    }

    /// Adds round n, in which πₙ has these weights and these states were queried.
    fn round(
        &mut self,
        round: usize,
        weights: &[f64],
        policy: &TabularPolicy,
        asked: &[u32],
    ) -> Result<(), TheoryError> {
        let stream = self.stream.fork("round", round as u64);
        let d = occupancy(&self.problem.mdp, policy);
        let expected = weigh(&d, &self.class_losses, weights.len());
        let seen: Vec<f64> = (0..weights.len()).map(|h| self.loss_of(h, asked)).collect();
        let one = |draw: usize, credits: &[f64]| {
            let stream = stream.fork("draw", draw as u64);
            let k = self.settings.states_per_round;
            let fresh = sample(&d, k, &mut stream.fork("states", 0).rng());
            let mut table: Vec<f64> =
                self.charged.iter().zip(credits).map(|(a, b)| a + b).collect();
            let tie = |name: &'static str| stream.fork(name, 0).rng();
            let before = least(&self.oracle.scores(&table), || tie("before")) as usize;
            self.charge(&mut table, &fresh);
            let after = least(&self.oracle.scores(&table), || tie("after")) as usize;
            let surprise = expected[after] - self.loss_of(after, &fresh);
            [seen[before], seen[after], surprise]
        };
        let all = self.draw(stream.fork("perturbations", 0), one)?;
        let count = self.settings.draws.max(1) as f64;
        let mean = |i: usize| all.par_iter().map(|x| x[i]).sum::<f64>() / count;
        let (ideal, moved, surprise) = (mean(0), mean(1), mean(2));
        let ensemble = dot(&seen, weights) - ideal;
        let now = [ideal - moved, surprise, ensemble, ensemble.abs()];
        self.sums.iter_mut().zip(now).for_each(|(sum, now)| *sum += now);
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

    fn close(self, bias: f64) -> ProofTerms {
        let [n, k, e] = self.settings.sizes(self.problem).map(|size| size as f64);
        let theorem = self.problem.theorem(self.settings.delta);
        let [stability, generalization, ensemble, ensemble_absolute] = self.sums;
        let [of_bias, of_stability, of_generalization, of_failure, .., of_ensemble] =
            theorem.terms(n, k, self.lambda, e).map(|term| term.value);
        let measured = |name, formula, value, bound, is_conditional| MeasuredTerm {
            name,
            formula,
            value,
            bound,
            is_conditional,
        };
        let both = of_generalization + of_failure;
        let formula = "sum E <g*_n - g_n, u*_n+1>";
        let terms = [
            measured("bias", "E max <-g~, u>", bias, of_bias, false),
            measured("stability", "sum <g_n, u*_n - u**_n+1>", stability, of_stability, true),
            measured("generalization", formula, generalization, both, true),
            measured("ensemble", "sum <g_n, u_n - u*_n>", ensemble, of_ensemble, false),
        ];
        ProofTerms { terms, ensemble_absolute }
    }
}

/// K states drawn from d.
fn sample(d: &[f64], k: usize, rng: &mut Rng) -> Vec<u32> {
    (0..k).map(|_| Mdp::draw((0..).zip(d.iter().copied()), rng) as u32).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{PolicyClass, trap};

    /// One state, two actions, two policies.
    pub(crate) fn coin() -> ImitationProblem {
        let mdp = Mdp::new([1, 2, 1], vec![1.0], |_, _| vec![(0, 1.0)], |_, a| a as f64).unwrap();
        let class = PolicyClass::new(mdp.spaces(), &[vec![0], vec![1]]).unwrap();
        ImitationProblem::new("coin", mdp, class, vec![0]).unwrap()
    }

    fn measure(
        problem: &ImitationProblem,
        lambda: Lambda,
        [max_members, rounds, states_per_round, draws]: [usize; 4],
    ) -> ProofTerms {
        let more = GameSettings::default();
        let settings = GameSettings { rounds, states_per_round, max_members, draws, ..more };
        proof_terms(problem, lambda, &settings, 1).unwrap()
    }

    #[test]
    fn bias_of_a_coin_by_hand() {
        // max over h of (copies of h's label − X/2)/K = |difference of two Poisson(λ/2)|/2K, so the
        // expectation is √(λ/2π)/K.
        let [bias, ..] = measure(&coin(), Lambda::Fixed(1000.0), [1, 1, 2, 2000]).terms;
        let expected = (1000.0 / (2.0 * std::f64::consts::PI)).sqrt() / 2.0;
        assert!((bias.value / expected - 1.0).abs() < 0.05 && bias.value < bias.bound, "{bias:?}");
    }

    #[test]
    fn stability_of_a_coin_by_hand() {
        // With D empty u*₁ is even. An example of action 0 moves it by P(difference = 0) and half
        // of its neighbors: about the density of N(0, λ) at 0. Policy 1 loses that weight.
        let lambda = 100.0;
        let [_, stability, generalization, _] =
            measure(&coin(), Lambda::Fixed(lambda), [1, 1, 1, 40_000]).terms;
        let expected = 1.0 / (2.0 * std::f64::consts::PI * lambda).sqrt();
        assert!((stability.value / expected - 1.0).abs() < 0.15, "{stability:?}");
        assert_eq!(generalization.value, 0.0, "there is one state only");
    }

    #[test]
    fn all_quantities_of_the_trap_are_below_their_bounds() {
        let measured = measure(&trap(10).unwrap(), Lambda::Proof, [50, 40, 2, 2000]);
        for term in measured.terms {
            assert!(term.value < term.bound, "{term:?}");
        }
        let [bias, stability, _, ensemble] = measured.terms;
        assert!(stability.value > 0.0 && bias.value > 0.0);
        assert!(measured.ensemble_absolute < ensemble.bound);
    }

    #[test]
    fn error_of_an_ensemble_shrinks_with_its_size() {
        let error = |members| {
            let sizes = [members, 10, 1, 2000];
            measure(&trap(5).unwrap(), Lambda::Fixed(50.0), sizes).ensemble_absolute
        };
        assert!(error(100) < 0.5 * error(4), "{} {}", error(100), error(4));
    }
}
