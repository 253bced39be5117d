//! Proposition 1: no regret, and the worse policy.

use tutelage_figures::{Colour, Figure, Level, Style};
use tutelage_theory::{Loss, Problem};

use super::regret::{cost_panel, regret_panel};
use super::{Played, Rules, TheoryError, play_all, problem, rules};
use crate::Sheet;

/// Every algorithm's games on Proposition 1's problem, with the paper's own loss and with the 0–1 loss.
pub fn play_limitation(
    problem: &Problem,
    rules: &Rules,
) -> Result<[(Loss, Vec<Played>); 2], TheoryError> {
    let of = |loss| Ok((loss, play_all(&problem.judged_by(loss), rules)?));
    Ok([of(Loss::Advantage)?, of(Loss::ZeroOne)?])
}

/// What the policies cost and how their regret vanishes, a row for each loss.
pub fn limitation_figure(
    title: &str,
    problem: &Problem,
    rules: &Rules,
    played: &[(Loss, Vec<Played>)],
) -> Figure {
    let mut figure = Figure::new(title).columns(2);
    for (loss, played) in played {
        let loss = loss_name(*loss);
        let mut costs = cost_panel(&format!("what the policy costs ({loss})"), rules, played)
            .level("the class's best", problem.best_cost);
        costs.levels.push(Level {
            name: "expert".into(),
            colour: Colour::GREY,
            style: Style::Dotted,
            y: played.first().map_or(0.0, |played| played.game.expert_cost),
        });
        let regret = regret_panel(&format!("while its regret vanishes ({loss})"), rules, played);
        figure = figure.panel(costs).panel(regret);
    }
    figure
}

/// The figure of Proposition 1.
pub(crate) fn limitation(sheet: &Sheet<'_>) -> Result<Figure, TheoryError> {
    let mut rules = rules(sheet, 5);
    rules.lambdas.truncate(1);
    let problem = problem("limitation")?;
    let played = play_limitation(&problem, &rules)?;
    Ok(limitation_figure(&sheet.experiment.title, &problem, &rules, &played))
}

fn loss_name(loss: Loss) -> &'static str {
    match loss {
        Loss::Advantage => "loss: the expert's advantage",
        Loss::ZeroOne => "0–1 loss",
    }
}
