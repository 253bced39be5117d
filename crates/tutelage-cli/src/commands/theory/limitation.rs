//! `tutelage theory limitation`.

use serde::Serialize;
use tutelage_reproduce::theory::{GameRules, by_player, limitation_figure, play_limitation};
use tutelage_theory::{
    Game, GameSchedule, ImitationLoss, ImitationProblem, Lambda, Mean, limitation,
};

use super::Out;
use crate::arguments::Seeds;
use crate::output::{Output, Row};

/// Arguments of `tutelage theory limitation`.
#[derive(clap::Args)]
pub(crate) struct Limitation {
    /// Horizon H, at least 3
    #[arg(long, default_value_t = 10, value_name = "H")]
    horizon: usize,
    /// Rounds N
    #[arg(long, default_value_t = 1000, value_name = "N")]
    rounds: usize,
    /// States annotated per round, K
    #[arg(long, default_value_t = 5, value_name = "K")]
    states_per_round: usize,
    /// Seeds to play with: 3, 1-10 or 1,2,5-7
    #[arg(long, default_value = "1-3")]
    seeds: Seeds,
    /// Largest ensemble
    #[arg(long, default_value_t = 1000, value_name = "E")]
    max_members: usize,
    #[command(flatten)]
    out: Out,
}

#[derive(Serialize)]
struct LimitationRow {
    loss: &'static str,
    algorithm: String,
    horizon: usize,
    rounds: usize,
    seeds: usize,
    regret_per_round: f64,
    /// Of the policy trained after the last round, as is its cost.
    weight_on_h2: f64,
    cost: f64,
    mean_cost: f64,
    best_cost: f64,
    expert_cost: f64,
}

impl Row for LimitationRow {
    const HEADINGS: &'static [&'static str] = &[
        "loss",
        "algorithm",
        "Reg(N)/N",
        "weight on h2",
        "J(last policy)",
        "J(random round)",
        "min J over class",
        "J(expert)",
    ];

    fn cells(&self) -> Vec<String> {
        let numbers = [
            self.regret_per_round,
            self.weight_on_h2,
            self.cost,
            self.mean_cost,
            self.best_cost,
            self.expert_cost,
        ];
        let words = [self.loss.to_owned(), self.algorithm.clone()];
        words.into_iter().chain(numbers.map(|x| format!("{x:.3}"))).collect()
    }
}

impl Limitation {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        self.out.check("limitation")?;
        let problem = limitation(self.horizon)?;
        output.say("h1 takes the easy route from the start and pays 1 in all; h2 follows the expert onto the fast route and fails there.")?;
        output.say("h2 always has the smaller imitation loss, so whoever has no regret ends up with it and pays H - 1.\n")?;
        let rules = GameRules {
            schedule: GameSchedule {
                rounds: self.rounds,
                states_per_round: self.states_per_round,
                max_members: self.max_members,
            },
            lambdas: vec![Lambda::Proof],
            seeds: self.seeds.0.clone(),
            delta: 0.05,
        };
        let played = play_limitation(&problem, &rules)?;
        let mut rows = Vec::new();
        for (loss, played) in &played {
            let groups = by_player(played);
            rows.extend(
                groups.iter().map(|(label, _, games)| self.row(&problem, *loss, label, games)),
            );
        }
        output.rows(&rows)?;
        output.say("\nThe advantage is the loss of Proposition 1, A(s, a) = Q(s, a) - V(s) of the expert; its remark has the 0-1 loss.")?;
        let title = format!("Proposition 1, H = {}: no regret, and the worse policy", self.horizon);
        self.out.save("limitation", &limitation_figure(&title, &problem, &rules, &played))
    }

    fn row(
        &self,
        problem: &ImitationProblem,
        loss: ImitationLoss,
        label: &str,
        games: &[&Game],
    ) -> LimitationRow {
        let mean = |of: &dyn Fn(&Game) -> f64| {
            Mean::of(&games.iter().map(|game| of(game)).collect::<Vec<_>>()).value
        };
        LimitationRow {
            loss: match loss {
                ImitationLoss::Advantage => "advantage",
                ImitationLoss::ZeroOne => "0-1",
            },
            algorithm: label.into(),
            horizon: self.horizon,
            rounds: self.rounds,
            seeds: games.len(),
            regret_per_round: mean(&|game| {
                game.regret.last().copied().unwrap_or(0.0) / game.regret.len() as f64
            }),
            weight_on_h2: mean(&|game| game.last.weights[1]),
            cost: mean(&|game| game.last.cost),
            mean_cost: mean(&|game| game.mean_cost()),
            best_cost: problem.best_cost,
            expert_cost: mean(&|game| game.expert_cost),
        }
    }
}
