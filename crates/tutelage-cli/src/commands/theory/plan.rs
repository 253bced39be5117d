//! `tutelage theory plan`.

use serde::Serialize;
use tutelage_theory::{Budget, Condition, Goal, Theorem};

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
    #[arg(long, value_name = "B")]
    class_size: f64,
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
    rounds: f64,
    states_per_round: f64,
    lambda: f64,
    members: f64,
    annotations: f64,
    oracle_calls: f64,
    /// None where the theorem says nothing.
    guaranteed_gap: Option<f64>,
    conditions_hold: bool,
}

impl PlanRow {
    fn new(reading: &'static str, budget: &Budget) -> Self {
        let conditions_hold = budget.conditions.iter().all(Condition::holds);
        Self {
            reading,
            rounds: budget.rounds,
            states_per_round: budget.states_per_round,
            lambda: budget.lambda,
            members: budget.ensemble,
            annotations: budget.annotations,
            oracle_calls: budget.oracle_calls,
            guaranteed_gap: conditions_hold.then_some(budget.guaranteed_gap),
            conditions_hold,
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
        let counts = [
            self.rounds,
            self.states_per_round,
            self.lambda,
            self.members,
            self.annotations,
            self.oracle_calls,
        ];
        let counts = counts.map(|x| if x < 1e9 { format!("{x:.0}") } else { format!("{x:.2e}") });
        let gap = self.guaranteed_gap.map_or("–".into(), |gap| format!("{gap:.3}"));
        [self.reading.to_owned()].into_iter().chain(counts).chain([gap]).collect()
    }
}

impl Plan {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let goal = Goal {
            epsilon: self.epsilon,
            mu: self.mu,
            horizon: self.horizon.into(),
            theorem: Theorem {
                states: self.states,
                actions: self.actions.into(),
                class_size: self.class_size,
                sigma: self.sigma,
                delta: self.delta,
            },
            states_per_round: self.states_per_round.map(f64::from),
        };
        let by_order = goal.by_order()?;
        let by_proof = goal.by_proof()?;
        let mut rows = vec![PlanRow::new("order of the corollary", &by_order)];
        rows.extend(
            by_proof.iter().map(|budget| PlanRow::new("with the proof's constants", budget)),
        );
        output.rows(&rows)?;
        output.say("\nThe first line drops constants and logarithms, as the paper's corollary does; the second is the fewest rounds for")?;
        output.say(&format!(
            "which the proof itself guarantees the gap with probability {}. Conditions for N of the first line:",
            1.0 - self.delta
        ))?;
        by_order.conditions.iter().try_for_each(|condition| output.say(&describe(condition)))?;
        if by_proof.is_none() {
            output.say(
                "No number of rounds up to 1e30 gives the guarantee: raise epsilon or sigma.",
            )?;
        }
        Ok(())
    }
}

fn describe(condition: &Condition) -> String {
    let Condition { what, value, formula, least } = condition;
    let verdict = if condition.holds() {
        "holds"
    } else {
        "DOES NOT HOLD: the theorem says nothing for this N; take more rounds"
    };
    format!("  {what} = {value:.0} >= {formula} = {least:.1}  {verdict}")
}
