//! `tutelage theory limitation`.

use serde_json::json;
use tutelage_reproduce::theory::{PlayedGame, by_player, limitation_figure, play_limitation};
use tutelage_theory::{Game, ImitationLoss, Mean, limitation};

use super::{GameArgs, Out, print_rows};
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
                ("regret_per_round", "Reg(N)/N", mean(Game::mean_regret)),
                ("weight_on_h2", "weight on h2", mean(|game| game.last.weights[1])),
                ("cost", "J(last policy)", mean(|game| game.last.cost)),
                ("mean_cost", "J(random round)", mean(Game::mean_cost)),
                ("best_cost", "min J over class", problem.best_cost),
                ("expert_cost", "J(expert)", mean(|game| game.expert_cost)),
            ];
            let mut object = json!({
                "loss": loss, "algorithm": algorithm,
                "horizon": self.game.horizon, "rounds": settings.rounds, "seeds": games.len(),
            });
            let mut cells = vec![("loss", loss.into()), ("algorithm", algorithm)];
            for (key, heading, number) in numbers {
                object[key] = number.into();
                cells.push((heading, format!("{number:.3}")));
            }
            (object, cells)
        };
        let mut rows = Vec::new();
        for (loss, played) in &played {
            rows.extend(by_player(played).into_iter().map(|games| row(*loss, games)));
        }
        print_rows(output, rows)?;
        output.say("\nThe advantage is the loss of Proposition 1, A(s, a) = Q(s, a) - V(s) of the expert; its remark has the 0-1 loss.")?;
        let horizon = self.game.horizon;
        let title = format!("Proposition 1, H = {horizon}: no regret, and the worse policy");
        self.out.save("limitation", &limitation_figure(&title, &problem, &settings, &played))
    }
}
