//! `tutelage theory limitation`.

use rayon::prelude::*;
use serde::Serialize;
use tutelage_theory::{contestants, limitation, play};

use crate::output::{Output, Row};

/// Arguments of `tutelage theory limitation`.
#[derive(clap::Args)]
pub(crate) struct Limitation {
    /// Horizon H, at least 2
    #[arg(long, default_value_t = 10, value_name = "H")]
    horizon: usize,
    /// Rounds N
    #[arg(long, default_value_t = 1000, value_name = "N")]
    rounds: usize,
    /// States annotated per round, K
    #[arg(long, default_value_t = 5, value_name = "K")]
    states_per_round: usize,
    /// Seed to play with
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Largest ensemble
    #[arg(long, default_value_t = 1000, value_name = "E")]
    max_members: usize,
}

#[derive(Serialize)]
struct LimitationRow {
    algorithm: String,
    regret_per_round: f64,
    weight_on_h2: f64,
    cost: f64,
    best_cost: f64,
    expert_cost: f64,
}

impl Row for LimitationRow {
    const HEADINGS: &'static [&'static str] = &[
        "algorithm",
        "Reg(N)/N",
        "weight on h2",
        "J(last policy)",
        "min J over class",
        "J(expert)",
    ];

    fn cells(&self) -> Vec<String> {
        let numbers =
            [self.regret_per_round, self.weight_on_h2, self.cost, self.best_cost, self.expert_cost];
        [self.algorithm.clone()].into_iter().chain(numbers.map(|x| format!("{x:.3}"))).collect()
    }
}

impl Limitation {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let problem = limitation(self.horizon)?;
        output.say("h1 takes the easy route from the start and pays 1 in all; h2 follows the expert onto the fast route and fails there.")?;
        output.say("h2 always has the smaller imitation loss, so whoever has no regret ends up with it and pays H - 1.\n")?;
        let algorithms = contestants(
            &problem,
            self.rounds.max(1),
            self.states_per_round.max(1),
            self.max_members,
        );
        let rows = algorithms.par_iter().map(|algorithm| {
            let game = play(&problem, algorithm, self.rounds, self.states_per_round, self.seed)?;
            Ok(LimitationRow {
                algorithm: algorithm.name.clone(),
                regret_per_round: game.regret[self.rounds - 1] / self.rounds as f64,
                weight_on_h2: game.weights[1],
                cost: game.costs[self.rounds - 1],
                best_cost: (self.horizon as f64 - 1.0).min(1.0),
                expert_cost: game.expert_cost,
            })
        });
        output.rows(&rows.collect::<anyhow::Result<Vec<_>>>()?)
    }
}
