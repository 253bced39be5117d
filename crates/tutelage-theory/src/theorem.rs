//! The regret theorem of MFTPL-P (Li & Zhang 2024, appendix B) in numbers.

/// The quantities that the theorem speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theorem {
    /// S; only its logarithm counts.
    pub states: f64,
    /// A.
    pub actions: f64,
    /// B; only its logarithm counts.
    pub class_size: f64,
    /// σ.
    pub sigma: f64,
    /// δ, the probability with which the bound may fail.
    pub delta: f64,
}

/// A condition of the theorem: a quantity and the least value it must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// What must be large.
    pub what: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must reach, as a formula.
    pub formula: &'static str,
    /// What it must reach.
    pub least: f64,
}

impl Condition {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.value >= self.least
    }
}

impl Theorem {
    /// ln B, taken as at least ln 2: a class of one policy leaves nothing to learn.
    fn ln_b(&self) -> f64 {
        self.class_size.max(2.0).ln()
    }

    /// λ = N K √(2 / ln B) (K √(A/σ) + √(2A ln N ln(B N²) / σ)), where the bound's terms in √λ and 1/√λ balance.
    ///
    /// This is the theorem's λ = Θ(N K √(A/σ) + N K² √(A / (σ ln B))) with the constants and logarithms of its proof.
    pub fn lambda(&self, rounds: f64, k: f64) -> f64 {
        let (ln_b, ln_n) = (self.ln_b(), rounds.max(2.0).ln());
        let stability = k + (2.0 * ln_n * (ln_b + 2.0 * ln_n)).sqrt();
        rounds * k * (2.0 / ln_b * self.actions / self.sigma).sqrt() * stability
    }

    /// E = N A ln(N S).
    pub fn ensemble(&self, rounds: f64) -> f64 {
        (rounds * self.actions * (rounds * self.states).ln()).ceil().max(1.0)
    }

    /// The bound on Reg(N) that holds with probability 1 − δ, with the constants of the proof:
    ///
    /// √(λ ln B / 2K²) + N √(A K² / λσ) + N √(2A ln N ln(B N²) / λσ) + λσ / (4 A N ln N) + 4 √(2N ln(4/δ))
    /// + √(2N ln(12/δ) / K) + √(2N (ln B + ln(12/δ)) / K) + N √(2A (ln(NS) + ln(12/δ)) / E).
    pub fn bound(&self, rounds: f64, k: f64, lambda: f64, ensemble: f64) -> f64 {
        let Self { states, actions, sigma, delta, .. } = *self;
        let (n, ln_n, ln_b) = (rounds, rounds.max(2.0).ln(), self.ln_b());
        let ln_12 = (12.0 / delta).ln();
        (lambda * ln_b / (2.0 * k * k)).sqrt()
            + n * (actions * k * k / (lambda * sigma)).sqrt()
            + n * (2.0 * actions * ln_n * (ln_b + 2.0 * ln_n) / (lambda * sigma)).sqrt()
            + lambda * sigma / (4.0 * actions * n * ln_n)
            + 4.0 * (2.0 * n * (4.0 / delta).ln()).sqrt()
            + (2.0 * n * ln_12 / k).sqrt()
            + (2.0 * n * (ln_b + ln_12) / k).sqrt()
            + n * (2.0 * actions * ((n * states).ln() + ln_12) / ensemble).sqrt()
    }

    /// The order of the bound after tuning λ, constants and logarithmic factors dropped:
    /// √N (A ln²B / σK²)^¼ + √N (A ln B / σ)^¼ + √(N ln 1/δ).
    pub fn order(&self, rounds: f64, k: f64) -> f64 {
        let a_over_sigma = self.actions / self.sigma;
        let by_k = (a_over_sigma * self.ln_b().powi(2) / (k * k)).powf(0.25);
        let by_class = (a_over_sigma * self.ln_b()).powf(0.25);
        rounds.sqrt() * (by_k + by_class + (1.0 / self.delta).ln().sqrt())
    }

    /// What must hold for the bound: two conditions on λ, then three on N for its tuned form.
    pub fn conditions(&self, rounds: f64, k: f64, lambda: f64) -> [Condition; 5] {
        let Self { actions, sigma, .. } = *self;
        let ln_b = self.ln_b();
        let on = |what, value, formula, least| Condition { what, value, formula, least };
        [
            on("lambda", lambda, "2 A K^2 / sigma", 2.0 * actions * k * k / sigma),
            on(
                "lambda",
                lambda,
                "8 A K ln(K N) / sigma",
                8.0 * actions * k * (k * rounds).ln() / sigma,
            ),
            on(
                "N",
                rounds,
                "sqrt(A / sigma) sqrt(min(ln B, K^2))",
                (actions / sigma * ln_b.min(k * k)).sqrt(),
            ),
            on("N", rounds, "K^2 / A", k * k / actions),
            on("N", rounds, "K^4 / (A ln B)", k.powi(4) / (actions * ln_b)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEOREM: Theorem =
        Theorem { states: 100.0, actions: 4.0, class_size: 1000.0, sigma: 0.1, delta: 0.05 };

    #[test]
    fn the_tuned_lambda_by_hand() {
        // 50·2·√(2 / ln 1000 · 4 / 0.1) = 340.3, times 2 + √(2 ln 50 (ln 1000 + 2 ln 50)) = 2 + 10.73.
        assert!(
            (THEOREM.lambda(50.0, 2.0) - 340.31 * (2.0 + 10.735)).abs() < 2.0,
            "{}",
            THEOREM.lambda(50.0, 2.0)
        );
    }

    #[test]
    fn the_bound_per_round_falls_with_rounds_like_one_over_their_root() {
        let per_round =
            |n: f64| THEOREM.bound(n, 1.0, THEOREM.lambda(n, 1.0), THEOREM.ensemble(n)) / n;
        let (early, late) = (per_round(1e4), per_round(1e8));
        // √(1e4) = 100, up to logarithms.
        assert!((20.0..100.0).contains(&(early / late)), "{}", early / late);
    }

    #[test]
    fn the_tuned_lambda_is_no_worse_than_others() {
        let n = 1e6;
        let bound = |factor: f64| {
            THEOREM.bound(n, 1.0, factor * THEOREM.lambda(n, 1.0), THEOREM.ensemble(n))
        };
        assert!([0.01, 0.5, 2.0, 100.0].iter().all(|&factor| bound(1.0) < bound(factor)));
    }

    #[test]
    fn few_rounds_break_the_conditions() {
        let holds = |n: f64| {
            THEOREM.conditions(n, 1.0, THEOREM.lambda(n, 1.0)).iter().all(Condition::holds)
        };
        assert!(!holds(2.0));
        assert!(holds(1e4));
    }
}
