//! `tutelage theory limitation`.

use serde_json::json;
use tutelage_reproduce::theory::{PlayedGame, by_player, limitation_figure, play_limitation};
use tutelage_theory::{Game, ImitationLoss, Mean, limitation};

use super::{GameArgs, Out};
use crate::output::Output;

/// Arguments of `tutelage theory limitation`.
#[derive(clap::Args)]
#[command(mut_arg("horizon", |arg| arg.help("Horizon H, at least 3")))]
#[command(mut_arg("rounds", |arg| arg.default_value("1000")))]
#[command(mut_arg("states_per_round", |arg| arg.default_value("5")))]
#[command(mut_arg("max_members", |arg| arg.default_value("1000")))]
pub(crate) struct Limitation {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    out: Out,
}

impl Limitation {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        self.out.check("limitation")?;
        let (problem, settings) = (limitation(self.game.horizon)?, self.game.settings());
        output.say("h1 takes the easy route from the start and pays 1 in all; h2 follows the expert onto the fast route and fails there.")?;
        output.say("h2 always has the smaller imitation loss, so a learner without regret ends with it and pays H - 1.\n")?;
        let played = play_limitation(&problem, &settings)?;
        let row = |loss: ImitationLoss, games: &[PlayedGame]| {
            let mean = |of: fn(&Game) -> f64| Mean::of(games, |played| of(&played.game)).value;
            let loss = match loss {
                ImitationLoss::Advantage => "advantage",
                ImitationLoss::ZeroOne => "0-1",
            };
            let algorithm = games[0].label(&settings);
            let numbers = [
                mean(Game::mean_regret),
                mean(|game| game.last.weights[1]),
                mean(|game| game.last.cost),
                mean(Game::mean_cost),
                problem.best_cost,
                mean(|game| game.expert_cost),
            ];
            let [regret_per_round, weight_on_h2, cost, mean_cost, best_cost, expert_cost] = numbers;
            let object = json!({
                "loss": loss, "algorithm": algorithm,
                "horizon": self.game.horizon, "rounds": settings.rounds, "seeds": games.len(),
                "regret_per_round": regret_per_round, "weight_on_h2": weight_on_h2, "cost": cost,
                "mean_cost": mean_cost, "best_cost": best_cost, "expert_cost": expert_cost,
            });
            let words = [loss.into(), algorithm];
            (object, words.into_iter().chain(numbers.map(|x| format!("{x:.3}"))).collect())
        };
        let mut rows = Vec::new();
        for (loss, played) in &played {
            rows.extend(by_player(played).into_iter().map(|games| row(*loss, games)));
        }
        let headings = [
            "loss",
            "algorithm",
            "Reg(N)/N",
            "weight on h2",
            "J(last policy)",
            "J(random round)",
            "min J over class",
            "J(expert)",
        ];
        output.records(&headings, rows)?;
        output.say("\nThe advantage is the loss of Proposition 1, A(s, a) = Q(s, a) - V(s) of the expert; its remark has the 0-1 loss.")?;
        let horizon = self.game.horizon;
        let title = format!("Proposition 1, H = {horizon}: no regret, and the worse policy");
        self.out.save("limitation", &limitation_figure(&title, &problem, &settings, &played))
    }
}
