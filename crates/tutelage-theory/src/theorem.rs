//! The regret theorem of MFTPL-P (Li & Zhang 2024, appendix B) in numbers.

use crate::TheoryError;
use crate::error::require;

/// The quantities in the theorem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theorem {
    /// S; only its logarithm matters.
    pub states: f64,
    /// A.
    pub actions: f64,
    /// ln B.
    pub ln_class_size: f64,
    /// σ.
    pub sigma: f64,
    /// δ, the failure probability of the bound.
    pub delta: f64,
}

/// A rule for λ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lambda {
    /// The λ of the proof, with its constants and logarithms: [`Theorem::lambda`].
    Proof,
    /// A multiple of the theorem's rate Θ: [`Theorem::rate`].
    Rate(f64),
    /// A number.
    Fixed(f64),
}

/// A condition of the theorem: a quantity must be at least some value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The quantity.
    pub what: &'static str,
    /// Its value.
    pub value: f64,
    /// The formula of the least value.
    pub formula: &'static str,
    /// The least value.
    pub least: f64,
}

/// A term of the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundTerm {
    /// The name in the proof.
    pub name: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// The value.
    pub value: f64,
}

/// The bound on Reg(N).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The value.
    pub value: f64,
    /// Whether both conditions on λ hold; otherwise the value bounds nothing.
    pub holds: bool,
    /// Whether the value exceeds N, which no regret of losses in [0, 1] can exceed.
    pub vacuous: bool,
}

impl Condition {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        self.value >= self.least
    }
}

impl Theorem {
    /// Checks that A ≥ 2, S ≥ 1, and that σ and δ are in (0, 1].
    pub fn check(&self) -> Result<(), TheoryError> {
        for (what, value, least) in [("actions", self.actions, 2.0), ("states", self.states, 1.0)] {
            let is_valid = value >= least && value.is_finite();
            require(is_valid, what, value, format!("at least {least}"))?;
        }
        for (what, value) in [("sigma", self.sigma), ("delta", self.delta)] {
            require(value > 0.0 && value <= 1.0, what, value, "above 0 and at most 1")?;
        }
        Ok(())
    }

    /// ln B, but at least ln 2, because with one policy there is nothing to learn.
    fn ln_b(&self) -> f64 {
        self.ln_class_size.max(std::f64::consts::LN_2)
    }

    /// The λ of a rule, for N rounds of K states.
    pub fn choose(&self, lambda: Lambda, rounds: f64, k: f64) -> f64 {
        match lambda {
            Lambda::Proof => self.lambda(rounds, k),
            Lambda::Rate(scale) => scale * self.rate(rounds, k),
            Lambda::Fixed(lambda) => lambda,
        }
    }

    /// Θ = N K √(A/σ) + N K² √(A/(σ ln B)), the rate for λ without constants and logarithms.
    pub fn rate(&self, rounds: f64, k: f64) -> f64 {
        rounds * k * (self.actions / self.sigma).sqrt() * (1.0 + k / self.ln_b().sqrt())
    }

    /// λ = N K √(2/ln B) (K √(A/σ) + √(2A ln N ln(B N²)/σ)), which balances the terms in √λ and 1/√λ.
    ///
    /// This is the rate Θ with the constants and logarithms of the proof.
    pub fn lambda(&self, rounds: f64, k: f64) -> f64 {
        let (ln_b, ln_n) = (self.ln_b(), rounds.max(2.0).ln());
        let stability = k + (2.0 * ln_n * (ln_b + 2.0 * ln_n)).sqrt();
        rounds * k * (2.0 / ln_b * self.actions / self.sigma).sqrt() * stability
    }

    /// The least λ for which the bound holds: max{2AK²/σ, 8AK ln(KN)/σ}.
    pub fn least_lambda(&self, rounds: f64, k: f64) -> f64 {
        let conditions = self.conditions(rounds, k, 0.0);
        conditions.iter().map(|condition| condition.least).fold(0.0, f64::max)
    }

    /// E = N A ln(N S).
    pub fn ensemble(&self, rounds: f64) -> f64 {
        (rounds * self.actions * (rounds * self.states).ln()).ceil().max(1.0)
    }

    /// The bound on Reg(N) with probability 1 − δ and the constants of the proof: the sum of
    /// [`Theorem::terms`].
    pub fn bound(&self, rounds: f64, k: f64, lambda: f64, ensemble: f64) -> Bound {
        let value = self.terms(rounds, k, lambda, ensemble).iter().map(|term| term.value).sum();
        let holds = self.conditions(rounds, k, lambda).iter().all(Condition::holds);
        Bound { value, holds, vacuous: value > rounds }
    }

    /// The eight terms of the bound, in the order of the proof.
    pub fn terms(&self, rounds: f64, k: f64, lambda: f64, ensemble: f64) -> [BoundTerm; 8] {
        let Self { states, actions, sigma, delta, .. } = *self;
        let (n, ln_n, ln_b) = (rounds, rounds.max(2.0).ln(), self.ln_b());
        let ln_12 = (12.0 / delta).ln();
        let term = |name, formula, value| BoundTerm { name, formula, value };
        [
            term("bias", "sqrt(lambda ln B / 2K^2)", (lambda * ln_b / (2.0 * k * k)).sqrt()),
            term(
                "stability",
                "N sqrt(A K^2 / (lambda sigma))",
                n * (actions * k * k / (lambda * sigma)).sqrt(),
            ),
            term(
                "generalization",
                "N sqrt(2A ln N ln(B N^2) / (lambda sigma))",
                n * (2.0 * actions * ln_n * (ln_b + 2.0 * ln_n) / (lambda * sigma)).sqrt(),
            ),
            term(
                "coupling failure",
                "lambda sigma / (4A N ln N)",
                lambda * sigma / (4.0 * actions * n * ln_n),
            ),
            term(
                "approximation",
                "4 sqrt(2N ln(4/delta))",
                4.0 * (2.0 * n * (4.0 / delta).ln()).sqrt(),
            ),
            term("sampling, learner", "sqrt(2N ln(12/delta) / K)", (2.0 * n * ln_12 / k).sqrt()),
            term(
                "sampling, class",
                "sqrt(2N (ln B + ln(12/delta)) / K)",
                (2.0 * n * (ln_b + ln_12) / k).sqrt(),
            ),
            term(
                "ensemble",
                "N sqrt(2A (ln(NS) + ln(12/delta)) / E)",
                n * (2.0 * actions * ((n * states).ln() + ln_12) / ensemble).sqrt(),
            ),
        ]
    }

    /// The conditions on λ.
    pub fn conditions(&self, rounds: f64, k: f64, lambda: f64) -> [Condition; 2] {
        let Self { actions, sigma, .. } = *self;
        let on = |formula, least| Condition { what: "lambda", value: lambda, formula, least };
        [
            on("2 A K^2 / sigma", 2.0 * actions * k * k / sigma),
            on("8 A K ln(K N) / sigma", 8.0 * actions * k * (k * rounds).ln() / sigma),
        ]
    }

    /// The conditions on N for the bound without constants and logarithms. The bound with its
    /// constants does not need them.
    pub fn order_conditions(&self, rounds: f64, k: f64) -> [Condition; 3] {
        let (actions, ln_b) = (self.actions, self.ln_b());
        let on = |formula, least| Condition { what: "N", value: rounds, formula, least };
        let smooth = (actions / self.sigma * ln_b.min(k * k)).sqrt();
        [
            on("sqrt(A / sigma) sqrt(min(ln B, K^2))", smooth),
            on("K^2 / A", k * k / actions),
            on("K^4 / (A ln B)", k.powi(4) / (actions * ln_b)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEOREM: Theorem = Theorem {
        states: 100.0,
        actions: 4.0,
        ln_class_size: 6.907755278982137,
        sigma: 0.1,
        delta: 0.05,
    };

    fn value(n: f64, lambda: f64) -> f64 {
        THEOREM.bound(n, 1.0, lambda, THEOREM.ensemble(n)).value
    }

    #[test]
    fn tuned_lambda_by_hand() {
        // 50·2·√(2 / ln 1000 · 4 / 0.1) = 340.3, times 2 + √(2 ln 50 (ln 1000 + 2 ln 50)) = 2 + 10.73.
        let lambda = THEOREM.lambda(50.0, 2.0);
        assert!((lambda - 340.31 * (2.0 + 10.735)).abs() < 2.0, "{lambda}");
        // 50·2·√40 + 50·4·√(40 / ln 1000) = 632.5 + 481.3.
        let rate = THEOREM.rate(50.0, 2.0);
        assert!((rate - 1113.7).abs() < 0.1, "{rate}");
        assert_eq!(THEOREM.choose(Lambda::Rate(0.1), 50.0, 2.0), 0.1 * rate);
    }

    #[test]
    fn bound_per_round_falls_like_one_over_the_root_of_n() {
        let per_round = |n: f64| value(n, THEOREM.lambda(n, 1.0)) / n;
        let (early, late) = (per_round(1e4), per_round(1e8));
        // √(1e4) = 100, up to logarithms.
        assert!((20.0..100.0).contains(&(early / late)), "{}", early / late);
    }

    #[test]
    fn tuned_lambda_is_best_among_its_multiples() {
        let bound = |factor: f64| value(1e6, factor * THEOREM.lambda(1e6, 1.0));
        assert!([0.01, 0.5, 2.0, 100.0].iter().all(|&factor| bound(1.0) < bound(factor)));
    }

    #[test]
    fn bound_reports_its_conditions_and_vacuity() {
        let bound = |n: f64, lambda: f64| THEOREM.bound(n, 1.0, lambda, THEOREM.ensemble(n));
        let few = bound(100.0, THEOREM.lambda(100.0, 1.0));
        assert!(few.holds && few.vacuous, "{few:?}");
        let many = bound(1e6, THEOREM.lambda(1e6, 1.0));
        assert!(many.holds && !many.vacuous, "{many:?}");
        let least = THEOREM.least_lambda(1e6, 1.0);
        assert!(bound(1e6, least).holds && !bound(1e6, 0.99 * least).holds);
    }

    #[test]
    fn few_rounds_violate_the_conditions_of_the_order() {
        let holds = |n: f64| THEOREM.order_conditions(n, 3.0).iter().all(Condition::holds);
        assert!(!holds(2.0));
        assert!(holds(1e4));
    }
}
