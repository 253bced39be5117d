//! `tutelage theory proof`.

use rayon::prelude::*;
use serde::Serialize;
use tutelage_reproduce::theory::describe;
use tutelage_theory::{
    Condition, EstimationSettings, GameSchedule, Mean, MeasuredTerm, ProofTerms, proof_terms,
    tuned_mftpl_p,
};

use super::{LambdaArgs, ProblemArgs, shown};
use crate::arguments::Seeds;
use crate::output::{Output, Row};

/// Arguments of `tutelage theory proof`.
#[derive(clap::Args)]
pub(crate) struct Proof {
    /// The MDP: trap, limitation, random, gridworld, chain or ledge
    #[arg(long, default_value = "trap")]
    mdp: String,
    /// Horizon H
    #[arg(long, default_value_t = 10, value_name = "H")]
    horizon: usize,
    /// Rounds N
    #[arg(long, default_value_t = 200, value_name = "N")]
    rounds: usize,
    /// States annotated per round, K
    #[arg(long, default_value_t = 1, value_name = "K")]
    states_per_round: usize,
    /// Largest ensemble; the theorem asks for E = N A ln(N S)
    #[arg(long, default_value_t = 200, value_name = "E")]
    max_members: usize,
    /// Draws of the perturbation that stand for the expectation over it
    #[arg(long, default_value_t = 4000)]
    draws: usize,
    /// Seeds to play with: 3, 1-10 or 1,2,5-7
    #[arg(long, default_value = "1-3")]
    seeds: Seeds,
    /// Seed that a random MDP and class are drawn from
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    mdp_seed: u64,
    /// Probability with which the theorem's bound may fail
    #[arg(long, default_value_t = 0.05)]
    delta: f64,
    #[command(flatten)]
    lambda: LambdaArgs,
    #[command(flatten)]
    problem: ProblemArgs,
}

#[derive(Serialize)]
struct ProofRow {
    lambda: f64,
    members: usize,
    rounds: usize,
    conditions_hold: bool,
    quantity: &'static str,
    formula: &'static str,
    measured: f64,
    measured_se: f64,
    bound: f64,
    #[serde(skip)]
    shown: String,
}

impl Row for ProofRow {
    const HEADINGS: &'static [&'static str] =
        &["lambda", "quantity", "what it is", "measured", "bound", "of it"];

    fn cells(&self) -> Vec<String> {
        vec![
            format!("{:.1}", self.lambda),
            self.quantity.into(),
            self.formula.into(),
            self.shown.clone(),
            format!(
                "{:.2}{}",
                self.bound,
                if self.conditions_hold { "" } else { " (lambda too small)" }
            ),
            format!("{:.1} %", 100.0 * self.measured / self.bound),
        ]
    }
}

impl Proof {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let problem = self.problem.problem(&self.mdp, self.horizon, self.mdp_seed)?;
        let theorem = problem.theorem(self.delta);
        theorem.check()?;
        let schedule = GameSchedule {
            rounds: self.rounds,
            states_per_round: self.states_per_round,
            max_members: self.max_members,
        };
        let estimation = EstimationSettings { draws: self.draws.max(1), delta: self.delta };
        let mut rows = Vec::new();
        for choice in self.lambda.choices(&problem)? {
            let player = tuned_mftpl_p(&problem, schedule, choice);
            let (lambda, members) = (player.lambda().unwrap_or(0.0), player.members());
            let sizes = [members, self.rounds, self.states_per_round];
            let game = |&seed: &u64| proof_terms(&problem, sizes, lambda, estimation, seed);
            let games = self.seeds.0.par_iter().map(game).collect::<Result<Vec<_>, _>>()?;
            let (n, k) = (self.rounds as f64, self.states_per_round as f64);
            let holds = theorem.conditions(n, k, lambda).iter().all(Condition::holds);
            rows.extend(self.rows(&games, lambda, members, holds));
        }
        output.say(&format!(
            "{}, N = {}, K = {}",
            describe(&problem),
            self.rounds,
            self.states_per_round
        ))?;
        output.say(&format!(
            "u* is the expectation of u over the perturbation Q, u** that over the round's states too; {} draws stand for it.\n",
            self.draws
        ))?;
        output.rows(&rows)
    }

    fn rows(
        &self,
        games: &[ProofTerms],
        lambda: f64,
        members: usize,
        holds: bool,
    ) -> Vec<ProofRow> {
        let quantities: [fn(&ProofTerms) -> MeasuredTerm; 4] =
            [|t| t.bias, |t| t.stability, |t| t.generalization, |t| t.ensemble];
        let row = |(index, of): (usize, &fn(&ProofTerms) -> MeasuredTerm)| {
            let values: Vec<f64> = games.iter().map(|game| of(game).value).collect();
            let (mean, one) = (Mean::of(&values), of(&games[0]));
            ProofRow {
                lambda,
                members,
                rounds: self.rounds,
                // The bias and the ensemble's error are bounded for every lambda.
                conditions_hold: holds || index == 0 || index == 3,
                quantity: one.name,
                formula: one.formula,
                measured: mean.value,
                measured_se: mean.error,
                bound: one.bound,
                shown: shown(mean),
            }
        };
        quantities.iter().enumerate().map(row).collect()
    }
}
