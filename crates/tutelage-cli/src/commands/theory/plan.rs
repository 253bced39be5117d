//! `tutelage theory plan`.

use anyhow::bail;
use serde::Serialize;
use tutelage_theory::{AccuracyGoal, Condition, MAX_ROUNDS, SamplePlan, Theorem};

use crate::output::{Output, Row};

/// Arguments of `tutelage theory plan`.
#[derive(clap::Args)]
pub(crate) struct Plan {
    /// Estimation gap mu H Reg(N)/N to reach
    #[arg(long)]
    epsilon: f64,
    /// Recoverability mu of the expert
    #[arg(long)]
    mu: f64,
    /// Horizon H
    #[arg(long, value_name = "H")]
    horizon: u32,
    /// Number of actions A
    #[arg(long, value_name = "A")]
    actions: u32,
    /// Size B of the policy class; 1e9 is fine, only its logarithm counts
    #[arg(long, value_name = "B", required_unless_present = "ln_class_size")]
    class_size: Option<f64>,
    /// ln B, for classes too large to be counted
    #[arg(long, value_name = "LN_B", conflicts_with = "class_size")]
    ln_class_size: Option<f64>,
    /// Smoothness sigma of the covering distribution, in (0, 1]
    #[arg(long)]
    sigma: f64,
    /// States annotated per round, K [default: sqrt(ln B), as in the corollary]
    #[arg(long, value_name = "K")]
    states_per_round: Option<u32>,
    /// Number of states S; only its logarithm counts
    #[arg(long, default_value_t = 1000.0, value_name = "S")]
    states: f64,
    /// Probability with which the bound may fail
    #[arg(long, default_value_t = 0.05)]
    delta: f64,
}

#[derive(Serialize)]
struct PlanRow {
    reading: &'static str,
    /// Counts are none where they have more than 38 digits.
    rounds: Option<u128>,
    states_per_round: Option<u128>,
    lambda: f64,
    members: Option<u128>,
    annotations: Option<u128>,
    oracle_calls: Option<u128>,
    guaranteed_gap: f64,
    reaches_epsilon: bool,
    terms: Vec<TermShare>,
    #[serde(skip)]
    budget: SamplePlan,
}

/// What a term of the bound contributes to the guaranteed gap.
#[derive(Serialize)]
struct TermShare {
    term: &'static str,
    formula: &'static str,
    gap: f64,
    share: f64,
}

impl PlanRow {
    fn new(reading: &'static str, budget: SamplePlan, epsilon: f64) -> Self {
        let count = |x: f64| (x < 1e38).then_some(x as u128);
        let terms = budget.terms.iter().map(|term| TermShare {
            term: term.name,
            formula: term.formula,
            gap: term.value,
            share: term.value / budget.guaranteed_gap,
        });
        Self {
            reading,
            rounds: count(budget.rounds),
            states_per_round: count(budget.states_per_round),
            lambda: budget.lambda,
            members: count(budget.ensemble),
            annotations: count(budget.annotations),
            oracle_calls: count(budget.oracle_calls),
            guaranteed_gap: budget.guaranteed_gap,
            reaches_epsilon: budget.guaranteed_gap <= epsilon,
            terms: terms.collect(),
            budget,
        }
    }
}

impl Row for PlanRow {
    const HEADINGS: &'static [&'static str] = &[
        "reading",
        "N",
        "K",
        "lambda",
        "E",
        "annotations NK",
        "oracle calls NE",
        "guaranteed gap",
    ];

    fn cells(&self) -> Vec<String> {
        let SamplePlan {
            rounds,
            states_per_round,
            lambda,
            ensemble,
            annotations,
            oracle_calls,
            ..
        } = self.budget;
        let counts = [rounds, states_per_round, lambda, ensemble, annotations, oracle_calls];
        let counts = counts.map(|x| if x < 1e9 { format!("{x:.0}") } else { format!("{x:.2e}") });
        let gap = format!("{:.3}", self.guaranteed_gap);
        [self.reading.to_owned()].into_iter().chain(counts).chain([gap]).collect()
    }
}

impl Row for TermShare {
    const HEADINGS: &'static [&'static str] = &["term", "formula", "of the gap", "share"];

    fn cells(&self) -> Vec<String> {
        let share = format!("{:.1} %", 100.0 * self.share);
        vec![self.term.into(), self.formula.into(), format!("{:.4}", self.gap), share]
    }
}

impl Plan {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let goal = self.goal()?;
        let by_order = goal.by_order()?;
        let row = |reading, budget| PlanRow::new(reading, budget, self.epsilon);
        let mut rows = vec![row("order of the corollary", by_order)];
        rows.extend(goal.by_proof()?.map(|budget| row("with the proof's constants", budget)));
        let fewest = goal.fewest_annotations()?;
        rows.extend(fewest.map(|budget| row("the same, with the best K", budget)));
        output.rows(&rows)?;
        output.say("\nThe first line drops constants and logarithms, as the paper's corollary does; the second is the fewest rounds for")?;
        output.say(&format!(
            "which the proof itself guarantees the gap with probability {}, the third the K that needs the fewest annotations.",
            1.0 - self.delta
        ))?;
        if rows.len() == 1 {
            return output.say(&format!(
                "No number of rounds up to {MAX_ROUNDS:.0e} gives the guarantee: raise epsilon or sigma."
            ));
        }
        self.explain(output, &goal, &rows)
    }

    fn goal(&self) -> anyhow::Result<AccuracyGoal> {
        let ln_class_size = match (self.ln_class_size, self.class_size) {
            (Some(ln_b), _) => ln_b,
            (None, Some(b)) if b >= 2.0 && b.is_finite() => b.ln(),
            (None, b) => bail!("class size is {}; allowed is at least 2", b.unwrap_or(f64::NAN)),
        };
        Ok(AccuracyGoal {
            epsilon: self.epsilon,
            mu: self.mu,
            horizon: self.horizon.into(),
            theorem: Theorem {
                states: self.states,
                actions: self.actions.into(),
                ln_class_size,
                sigma: self.sigma,
                delta: self.delta,
            },
            states_per_round: self.states_per_round.map(f64::from),
        })
    }

    fn explain(
        &self,
        output: &Output,
        goal: &AccuracyGoal,
        rows: &[PlanRow],
    ) -> anyhow::Result<()> {
        if output.is_json() {
            return Ok(());
        }
        output.say("\nWhat each term of the bound contributes to the second line's gap:")?;
        output.rows(&rows[1].terms)?;
        let order = &rows[0].budget;
        output.say(
            "\nThe order of the first line also supposes, constants and logarithms dropped:",
        )?;
        let conditions = goal.theorem.order_conditions(order.rounds, order.states_per_round);
        conditions.iter().try_for_each(|condition| output.say(&describe(condition)))
    }
}

fn describe(condition: &Condition) -> String {
    let Condition { what, value, formula, least } = condition;
    let verdict = if condition.holds() { "holds" } else { "does not hold: take more rounds" };
    format!("  {what} = {value:.0} >= {formula} = {least:.1}  {verdict}")
}
