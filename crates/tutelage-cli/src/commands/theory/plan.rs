//! `tutelage theory plan`.

use anyhow::bail;
use serde_json::{Value, json};
use tutelage_theory::{AccuracyGoal, BoundTerm, Condition, MAX_ROUNDS, SamplePlan, Theorem};

use super::{StudyRow, print_rows};
use crate::output::{Output, Record};

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
    /// Size B of the policy class; only its logarithm matters, so 1e9 is valid
    #[arg(long, value_name = "B", required_unless_present = "ln_class_size")]
    class_size: Option<f64>,
    /// ln B, for classes too large to count
    #[arg(long, value_name = "LN_B", conflicts_with = "class_size")]
    ln_class_size: Option<f64>,
    /// Smoothness sigma of the covering distribution, in (0, 1]
    #[arg(long)]
    sigma: f64,
    /// States annotated per round, K [default: sqrt(ln B), as in the corollary]
    #[arg(long, value_name = "K")]
    states_per_round: Option<u32>,
    /// Number of states S; only its logarithm matters
    #[arg(long, default_value_t = 1000.0, value_name = "S")]
    states: f64,
    /// Failure probability of the bound
    #[arg(long, default_value_t = 0.05)]
    delta: f64,
}

impl Plan {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let goal = self.goal()?;
        let (order, proven) = (goal.by_order()?, goal.by_proof()?);
        let readings = [
            ("order of the corollary", Some(order)),
            ("with the proof's constants", proven),
            ("the same, with the best K", goal.fewest_annotations()?),
        ];
        let rows =
            readings.iter().filter_map(|(reading, plan)| Some(self.row(reading, plan.as_ref()?)));
        print_rows(output, rows.collect())?;
        if output.is_json() {
            return Ok(());
        }
        output.say("\nThe first line drops constants and logarithms, as the paper's corollary does; the second is the fewest rounds for")?;
        output.say(&format!(
            "which the proof itself guarantees the gap with probability {}, the third the K that needs the fewest annotations.",
            1.0 - self.delta
        ))?;
        let Some(proven) = proven else {
            return output.say(&format!(
                "No number of rounds up to {MAX_ROUNDS:.0e} gives the guarantee: raise epsilon or sigma."
            ));
        };
        output.say("\nThe contribution of each term of the bound to the second line's gap:")?;
        let terms = term_rows(&proven).map(|(_, cells)| (Value::Null, cells));
        output.records(&["term", "formula", "of the gap", "share"], terms.into())?;
        output
            .say("\nThe order of the first line also assumes, without constants and logarithms:")?;
        let conditions = goal.theorem.order_conditions(order.rounds, order.states_per_round);
        conditions.iter().try_for_each(|condition| output.say(&describe(condition)))
    }

    fn goal(&self) -> anyhow::Result<AccuracyGoal> {
        let ln_class_size = match (self.ln_class_size, self.class_size) {
            (Some(ln_b), _) => ln_b,
            (None, Some(b)) if b >= 2.0 && b.is_finite() => b.ln(),
            (None, b) => bail!("class size is {}; it must be at least 2", b.unwrap_or(f64::NAN)),
        };
        let theorem = Theorem {
            states: self.states,
            actions: self.actions.into(),
            ln_class_size,
            sigma: self.sigma,
            delta: self.delta,
        };
        Ok(AccuracyGoal {
            epsilon: self.epsilon,
            mu: self.mu,
            horizon: self.horizon.into(),
            theorem,
            states_per_round: self.states_per_round.map(f64::from),
        })
    }

    fn row(&self, reading: &str, plan: &SamplePlan) -> StudyRow {
        let SamplePlan { rounds, states_per_round, lambda, ensemble, .. } = *plan;
        let SamplePlan { annotations, oracle_calls, guaranteed_gap, .. } = *plan;
        // Counts are whole numbers, unless they are too large for one.
        let count = |x: f64| if x < 1e18 { json!(x as u64) } else { json!(x) };
        let object = json!({
            "reading": reading, "rounds": count(rounds),
            "states_per_round": count(states_per_round), "lambda": lambda,
            "members": count(ensemble), "annotations": count(annotations),
            "oracle_calls": count(oracle_calls), "guaranteed_gap": guaranteed_gap,
            "reaches_epsilon": guaranteed_gap <= self.epsilon,
            "terms": term_rows(plan).map(|(object, _)| object),
        });
        let counts = [
            ("N", rounds),
            ("K", states_per_round),
            ("lambda", lambda),
            ("E", ensemble),
            ("annotations NK", annotations),
            ("oracle calls NE", oracle_calls),
        ];
        let count = |x: f64| if x < 1e9 { format!("{x:.0}") } else { format!("{x:.2e}") };
        let mut cells = vec![("reading", reading.into())];
        cells.extend(counts.map(|(heading, x)| (heading, count(x))));
        cells.push(("guaranteed gap", format!("{guaranteed_gap:.3}")));
        (object, cells)
    }
}

/// The contribution of each term of the bound to the guaranteed gap.
fn term_rows(plan: &SamplePlan) -> [Record; 8] {
    plan.terms.map(|BoundTerm { name, formula, value }| {
        let share = value / plan.guaranteed_gap;
        let object = json!({ "term": name, "formula": formula, "gap": value, "share": share });
        let numbers = [format!("{value:.4}"), format!("{:.1} %", 100.0 * share)];
        (object, [name.into(), formula.into()].into_iter().chain(numbers).collect())
    })
}

fn describe(condition: &Condition) -> String {
    let Condition { what, value, formula, least } = condition;
    let verdict = if condition.holds() { "holds" } else { "does not hold: use more rounds" };
    format!("  {what} = {value:.0} >= {formula} = {least:.1}  {verdict}")
}
