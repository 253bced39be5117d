//! What an accuracy costs: rounds, annotations, oracle calls.

use crate::{BoundTerm, Theorem};

/// What one wants to know the price of.
#[derive(Clone, Copy, Debug)]
pub struct AccuracyGoal {
    /// ε: the estimation gap µ H Reg(N)/N to reach.
    pub epsilon: f64,
    /// µ.
    pub mu: f64,
    /// H.
    pub horizon: f64,
    /// The class, the action space and σ.
    pub theorem: Theorem,
    /// K; √ln B where none is given, as in the corollary.
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
    /// µ H Reg(N)/N as bounded with the proof's constants.
    pub guaranteed_gap: f64,
    /// What each term of the bound contributes to that gap.
    pub terms: [BoundTerm; 8],
}

/// An invalid goal, or an invalid quantity of a theorem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}; allowed is {allowed}")]
pub struct GoalError {
    /// Which quantity.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// What would be allowed.
    pub allowed: &'static str,
}

/// Rounds beyond which we say that no number of rounds will do.
pub const MAX_ROUNDS: f64 = 1e15;

/// The largest K tried when looking for the one that needs the fewest annotations; beyond the corollary's √ln B more
/// states per round only help the terms that a bound spends little on.
const MOST_STATES_PER_ROUND: u32 = 1000;

impl Theorem {
    /// Whether the theorem speaks of such quantities: A ≥ 2, S ≥ 1, σ and δ in (0, 1].
    pub fn check(&self) -> Result<(), GoalError> {
        let share = |value: f64| value > 0.0 && value <= 1.0;
        require("actions", self.actions, at_least(2.0), "at least 2")?;
        require("states", self.states, at_least(1.0), "at least 1")?;
        require("sigma", self.sigma, share, "more than 0, at most 1")?;
        require("delta", self.delta, share, "more than 0, at most 1")
    }
}

fn at_least(least: f64) -> impl Fn(f64) -> bool {
    move |value| value >= least && value.is_finite()
}

fn require(
    field: &'static str,
    value: f64,
    fits: impl Fn(f64) -> bool,
    allowed: &'static str,
) -> Result<(), GoalError> {
    if fits(value) { Ok(()) } else { Err(GoalError { field, value, allowed }) }
}

impl AccuracyGoal {
    fn check(&self) -> Result<(), GoalError> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let k = self.states_per_round.unwrap_or(1.0);
        require("epsilon", self.epsilon, positive, "a number > 0")?;
        require("mu", self.mu, positive, "a number > 0")?;
        require("horizon", self.horizon, at_least(1.0), "at least 1")?;
        require("ln B", self.theorem.ln_class_size, at_least(2f64.ln() - 1e-9), "at least ln 2")?;
        require("states per round", k, at_least(1.0), "at least 1")?;
        self.theorem.check()
    }

    fn k(&self) -> f64 {
        self.states_per_round.unwrap_or(self.theorem.ln_class_size.sqrt().ceil().max(1.0))
    }

    /// N rounds with the proof's λ, or the least for which its bound holds where that is more.
    fn budget(&self, rounds: f64) -> SamplePlan {
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

    /// The corollary read as it stands, constants and logarithms dropped: with α = ε / µH,
    /// N = max{√(A ln B / σ), √(A ln²B / σ) / K} / α².
    pub fn by_order(&self) -> Result<SamplePlan, GoalError> {
        self.check()?;
        let Theorem { actions, ln_class_size: ln_b, sigma, .. } = self.theorem;
        let alpha = self.epsilon / (self.mu * self.horizon);
        let by_class = (actions * ln_b / sigma).sqrt();
        let by_annotations = (actions * ln_b * ln_b / sigma).sqrt() / self.k();
        Ok(self.budget((by_class.max(by_annotations) / (alpha * alpha)).ceil().max(1.0)))
    }

    /// The fewest rounds for which the proof, constants included, guarantees the goal; none if not even 10¹⁵ do.
    pub fn by_proof(&self) -> Result<Option<SamplePlan>, GoalError> {
        self.check()?;
        let enough = |rounds: f64| self.budget(rounds).guaranteed_gap <= self.epsilon;
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
        Ok(Some(self.budget(high)))
    }

    /// The K for which the proof guarantees the goal with the fewest annotations N K, whatever K the goal names.
    pub fn fewest_annotations(&self) -> Result<Option<SamplePlan>, GoalError> {
        let mut best: Option<SamplePlan> = None;
        for k in 1..=MOST_STATES_PER_ROUND {
            let goal = Self { states_per_round: Some(k.into()), ..*self };
            let Some(budget) = goal.by_proof()? else { continue };
            if best.is_none_or(|best| budget.annotations < best.annotations) {
                best = Some(budget);
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(epsilon: f64) -> AccuracyGoal {
        let theorem = Theorem {
            states: 1000.0,
            actions: 4.0,
            ln_class_size: 100f64.ln(),
            sigma: 0.1,
            delta: 0.05,
        };
        AccuracyGoal { epsilon, mu: 1.0, horizon: 10.0, theorem, states_per_round: None }
    }

    #[test]
    fn the_corollary_by_hand() {
        // α = 0.1, K = ⌈√ln 100⌉ = 3, √(4 ln 100 / 0.1) = 13.57, √(4 ln²100 / 0.1) / 3 = 9.71.
        let budget = goal(1.0).by_order().unwrap();
        assert_eq!((budget.states_per_round, budget.rounds), (3.0, 1358.0));
        assert_eq!(budget.annotations, 4074.0);
    }

    #[test]
    fn half_the_gap_costs_four_times_the_rounds() {
        let rounds = |epsilon| goal(epsilon).by_order().unwrap().rounds;
        assert!((rounds(0.05) / rounds(0.1) - 4.0).abs() < 0.01);
    }

    #[test]
    fn the_proofs_budget_keeps_its_promise_and_is_not_wasteful() {
        let goal = goal(1.0);
        let budget = goal.by_proof().unwrap().unwrap();
        assert!(budget.guaranteed_gap <= 1.0);
        let SamplePlan { rounds, states_per_round: k, lambda, ensemble, .. } = budget;
        assert!(goal.theorem.bound(rounds, k, lambda, ensemble).holds);
        let sum = budget.terms.iter().map(|term| term.value).sum::<f64>();
        assert!((sum - budget.guaranteed_gap).abs() < 1e-12);
        assert!(goal.budget(rounds - 1.0).guaranteed_gap > 1.0);
    }

    #[test]
    fn many_states_per_round_do_not_need_many_rounds() {
        let theorem = Theorem { actions: 2.0, sigma: 0.5, ..goal(1.0).theorem };
        let rounds = |k: f64| {
            let goal = AccuracyGoal { theorem, states_per_round: Some(k), ..goal(1.0) };
            goal.by_proof().unwrap().unwrap().rounds
        };
        assert_eq!((rounds(100.0), rounds(300.0)), (34_709.0, 44_419.0));
    }

    #[test]
    fn the_best_k_needs_fewer_annotations_than_others() {
        let goal = goal(1.0);
        let best = goal.fewest_annotations().unwrap().unwrap();
        for k in [1.0, 2.0, 3.0, 5.0, 10.0, 30.0] {
            let other =
                AccuracyGoal { states_per_round: Some(k), ..goal }.by_proof().unwrap().unwrap();
            assert!(best.annotations <= other.annotations, "K = {k}");
        }
    }

    #[test]
    fn a_class_too_large_to_count_has_a_plan() {
        let mut huge = goal(1.0);
        huge.theorem.ln_class_size = 1e4;
        let budget = huge.by_proof().unwrap().unwrap();
        assert_eq!(budget.states_per_round, 100.0);
        assert!(budget.rounds.is_finite() && budget.guaranteed_gap <= 1.0);
    }

    #[test]
    fn goals_that_make_no_sense_are_named() {
        let mut bad = goal(0.1);
        bad.theorem.sigma = 1.5;
        assert_eq!(bad.by_order().unwrap_err().field, "sigma");
        assert_eq!(goal(-0.1).by_proof().unwrap_err().field, "epsilon");
        for delta in [0.0, 2.0, f64::NAN] {
            let theorem = Theorem { delta, ..goal(0.1).theorem };
            assert_eq!(theorem.check().unwrap_err().field, "delta");
        }
    }
}
