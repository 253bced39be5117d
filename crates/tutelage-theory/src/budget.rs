//! The price of an accuracy: rounds, annotations, oracle calls.

use crate::error::require;
use crate::{BoundTerm, Theorem, TheoryError};

/// An accuracy goal.
#[derive(Clone, Copy, Debug)]
pub struct AccuracyGoal {
    /// ε, the estimation gap µ H Reg(N)/N to reach.
    pub epsilon: f64,
    /// µ.
    pub mu: f64,
    /// H.
    pub horizon: f64,
    /// The class, the action space and σ.
    pub theorem: Theorem,
    /// K; `None` for √ln B, as in the corollary.
    pub states_per_round: Option<f64>,
}

/// Parameters of MFTPL-P that reach a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplePlan {
    /// N.
    pub rounds: f64,
    /// K.
    pub states_per_round: f64,
    /// λ.
    pub lambda: f64,
    /// E.
    pub ensemble: f64,
    /// N K.
    pub annotations: f64,
    /// N E.
    pub oracle_calls: f64,
    /// The bound on µ H Reg(N)/N with the constants of the proof.
    pub guaranteed_gap: f64,
    /// The contribution of each term to that gap.
    pub terms: [BoundTerm; 8],
}

/// The search for a number of rounds ends here.
pub const MAX_ROUNDS: f64 = 1e15;

/// The largest K that [`AccuracyGoal::fewest_annotations`] tries. Beyond the corollary's √ln B, more
/// states per round reduce only small terms.
const MAX_STATES_PER_ROUND: u32 = 1000;

impl AccuracyGoal {
    fn check(&self) -> Result<(), TheoryError> {
        for (what, value) in [("epsilon", self.epsilon), ("mu", self.mu)] {
            require(value > 0.0 && value.is_finite(), what, value, "above 0 and finite")?;
        }
        for (what, value, least) in [
            ("horizon", self.horizon, 1.0),
            ("ln B", self.theorem.ln_class_size, 2f64.ln() - 1e-9),
            ("states per round", self.states_per_round.unwrap_or(1.0), 1.0),
        ] {
            let is_valid = value >= least && value.is_finite();
            require(is_valid, what, value, format!("at least {least:.3}"))?;
        }
        self.theorem.check()
    }

    fn k(&self) -> f64 {
        self.states_per_round.unwrap_or(self.theorem.ln_class_size.sqrt().ceil().max(1.0))
    }

    /// N rounds with the proof's λ, or with the least λ for which its bound holds if that is larger.
    fn plan(&self, rounds: f64) -> SamplePlan {
        let (k, theorem) = (self.k(), &self.theorem);
        let lambda = theorem.lambda(rounds, k).max(theorem.least_lambda(rounds, k));
        let ensemble = theorem.ensemble(rounds);
        let per_round = self.mu * self.horizon / rounds;
        let scaled = |term: BoundTerm| BoundTerm { value: per_round * term.value, ..term };
        SamplePlan {
            rounds,
            states_per_round: k,
            lambda,
            ensemble,
            annotations: rounds * k,
            oracle_calls: rounds * ensemble,
            guaranteed_gap: per_round * theorem.bound(rounds, k, lambda, ensemble).value,
            terms: theorem.terms(rounds, k, lambda, ensemble).map(scaled),
        }
    }

    /// The corollary without constants and logarithms: with α = ε/µH,
    /// N = max{√(A ln B/σ), √(A ln²B/σ)/K}/α².
    pub fn by_order(&self) -> Result<SamplePlan, TheoryError> {
        self.check()?;
        let Theorem { actions, ln_class_size: ln_b, sigma, .. } = self.theorem;
        let alpha = self.epsilon / (self.mu * self.horizon);
        let by_class = (actions * ln_b / sigma).sqrt();
        let by_annotations = (actions * ln_b * ln_b / sigma).sqrt() / self.k();
        Ok(self.plan((by_class.max(by_annotations) / (alpha * alpha)).ceil().max(1.0)))
    }

    /// The fewest rounds for which the proof, constants included, guarantees the goal; `None` if
    /// [`MAX_ROUNDS`] do not.
    pub fn by_proof(&self) -> Result<Option<SamplePlan>, TheoryError> {
        self.check()?;
        let enough = |rounds: f64| self.plan(rounds).guaranteed_gap <= self.epsilon;
        let mut high = 1.0;
        while !enough(high) {
            high *= 2.0;
            if high > MAX_ROUNDS {
                return Ok(None);
            }
        }
        let mut low = high / 2.0;
        while high - low > 1.0 {
            let middle = ((low + high) / 2.0).floor();
            if enough(middle) { high = middle } else { low = middle }
        }
        Ok(Some(self.plan(high)))
    }

    /// The K for which the proof guarantees the goal with the fewest annotations N K; ignores the
    /// goal's own K.
    pub fn fewest_annotations(&self) -> Result<Option<SamplePlan>, TheoryError> {
        let mut best: Option<SamplePlan> = None;
        for k in 1..=MAX_STATES_PER_ROUND {
            let goal = Self { states_per_round: Some(k.into()), ..*self };
            let Some(plan) = goal.by_proof()? else { continue };
            if best.is_none_or(|best| plan.annotations < best.annotations) {
                best = Some(plan);
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::invalid;

    const GOAL: AccuracyGoal = AccuracyGoal {
        epsilon: 1.0,
        mu: 1.0,
        horizon: 10.0,
        theorem: Theorem {
            states: 1000.0,
            actions: 4.0,
            ln_class_size: 4.605170185988092,
            sigma: 0.1,
            delta: 0.05,
        },
        states_per_round: None,
    };

    fn proven(goal: AccuracyGoal) -> SamplePlan {
        goal.by_proof().unwrap().unwrap()
    }

    #[test]
    fn corollary_by_hand() {
        // α = 0.1, K = ⌈√ln 100⌉ = 3, √(4 ln 100 / 0.1) = 13.57, √(4 ln²100 / 0.1) / 3 = 9.71.
        let plan = GOAL.by_order().unwrap();
        assert_eq!((plan.states_per_round, plan.rounds, plan.annotations), (3.0, 1358.0, 4074.0));
    }

    #[test]
    fn half_the_gap_costs_four_times_the_rounds() {
        let rounds = |epsilon| AccuracyGoal { epsilon, ..GOAL }.by_order().unwrap().rounds;
        assert!((rounds(0.05) / rounds(0.1) - 4.0).abs() < 0.01);
    }

    #[test]
    fn proven_plan_reaches_the_goal_with_the_fewest_rounds() {
        let plan = proven(GOAL);
        assert!(plan.guaranteed_gap <= 1.0);
        let SamplePlan { rounds, states_per_round: k, lambda, ensemble, .. } = plan;
        assert!(GOAL.theorem.bound(rounds, k, lambda, ensemble).holds);
        let sum = plan.terms.iter().map(|term| term.value).sum::<f64>();
        assert!((sum - plan.guaranteed_gap).abs() < 1e-12);
        assert!(GOAL.plan(rounds - 1.0).guaranteed_gap > 1.0);
    }

    #[test]
    fn many_states_per_round_do_not_need_many_rounds() {
        let theorem = Theorem { actions: 2.0, sigma: 0.5, ..GOAL.theorem };
        let with = |k| AccuracyGoal { theorem, states_per_round: Some(k), ..GOAL };
        assert_eq!(proven(with(100.0)).rounds, 34_709.0);
        assert_eq!(proven(with(300.0)).rounds, 44_419.0);
    }

    #[test]
    fn best_k_needs_the_fewest_annotations() {
        let best = GOAL.fewest_annotations().unwrap().unwrap();
        for k in [1.0, 2.0, 3.0, 5.0, 10.0, 30.0] {
            let other = proven(AccuracyGoal { states_per_round: Some(k), ..GOAL });
            assert!(best.annotations <= other.annotations, "K = {k}");
        }
    }

    #[test]
    fn class_too_large_to_count_has_a_plan() {
        let theorem = Theorem { ln_class_size: 1e4, ..GOAL.theorem };
        let plan = proven(AccuracyGoal { theorem, ..GOAL });
        assert_eq!(plan.states_per_round, 100.0);
        assert!(plan.rounds.is_finite() && plan.guaranteed_gap <= 1.0);
    }

    #[test]
    fn invalid_goals_are_refused() {
        let theorem = |change: fn(&mut Theorem)| {
            let mut goal = GOAL;
            change(&mut goal.theorem);
            invalid(goal.by_order()).0
        };
        assert_eq!(theorem(|t| t.sigma = 1.5), "sigma");
        assert_eq!(theorem(|t| t.delta = 0.0), "delta");
        assert_eq!(theorem(|t| t.delta = f64::NAN), "delta");
        assert_eq!(invalid(AccuracyGoal { epsilon: -0.1, ..GOAL }.by_proof()).0, "epsilon");
    }
}
