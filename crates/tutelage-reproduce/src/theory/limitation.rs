//! Proposition 1: no regret, but a poor policy.

use tutelage_draw::plot::{Colour, Figure, Level, Panel, Style};
use tutelage_theory::{ImitationLoss, ImitationProblem};

use super::regret::{cost_panel, regret_panel};
use super::{GameRules, PlayedGame, TheoryError, play_all, problem, rules};
use crate::FigurePlan;

/// Plays every algorithm on the problem of Proposition 1, with the paper's loss and with the 0–1 loss.
pub fn play_limitation(
    problem: &ImitationProblem,
    rules: &GameRules,
) -> Result<[(ImitationLoss, Vec<PlayedGame>); 2], TheoryError> {
    let of = |loss| Ok((loss, play_all(&problem.with_loss(loss), rules)?));
    Ok([of(ImitationLoss::Advantage)?, of(ImitationLoss::ZeroOne)?])
}

/// Draws the cost and the regret of the policies, one row per loss.
pub fn limitation_figure(
    title: &str,
    problem: &ImitationProblem,
    rules: &GameRules,
    played: &[(ImitationLoss, Vec<PlayedGame>)],
) -> Figure {
    let mut figure = Figure::new(title).columns(2);
    for (loss, played) in played {
        let loss = loss_name(*loss);
        let expert = played.first().map_or(0.0, |played| played.game.expert_cost);
        let mut costs = cost_panel(&format!("what the policy costs ({loss})"), rules, played)
            .level("expert", expert);
        costs.levels.push(Level {
            name: "the class's best".into(),
            colour: Colour::GREY,
            style: Style::Dotted,
            y: problem.best_cost,
        });
        let regret = regret_panel(&format!("while its regret vanishes ({loss})"), rules, played);
        figure = figure.panel(costs).panel(regret);
    }
    let caption = alike(&figure);
    figure.caption(caption)
}

/// A caption about curves and rows that coincide.
fn alike(figure: &Figure) -> String {
    let [costs, _, others, _] = figure.panels.as_slice() else { return String::new() };
    let points = |panel: &Panel, name: &str| {
        let curve = panel.curves.iter().find(|curve| curve.name == name);
        curve.map(|curve| curve.points.clone())
    };
    let mut words = Vec::new();
    if costs.curves == others.curves {
        words.push("Both losses give the same games: the two policies differ in one state alone, where both losses are 1.");
    }
    if points(costs, "BC").is_some_and(|bc| points(costs, "DAgger") == Some(bc)) {
        words.push("BC lies under DAgger.");
    }
    words.join(" ")
}

/// Draws the figure of Proposition 1.
pub(crate) fn limitation(plan: &FigurePlan<'_>) -> Result<Figure, TheoryError> {
    let mut rules = rules(plan, 5);
    rules.lambdas.truncate(1);
    let problem = problem("limitation")?;
    let played = play_limitation(&problem, &rules)?;
    Ok(limitation_figure(&plan.experiment.title, &problem, &rules, &played))
}

fn loss_name(loss: ImitationLoss) -> &'static str {
    match loss {
        ImitationLoss::Advantage => "loss: the expert's advantage",
        ImitationLoss::ZeroOne => "0–1 loss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_theory::{GameSchedule, Lambda};

    #[test]
    fn the_caption_names_curves_and_rows_that_coincide() {
        let schedule = GameSchedule { rounds: 8, states_per_round: 2, max_members: 5 };
        let rules =
            GameRules { schedule, lambdas: vec![Lambda::Proof], seeds: vec![1, 2], delta: 0.05 };
        let problem = problem("limitation").unwrap();
        let played = play_limitation(&problem, &rules).unwrap();
        let figure = limitation_figure("", &problem, &rules, &played);
        assert!(figure.caption.contains("the same games"), "{}", figure.caption);
        assert!(figure.caption.ends_with("BC lies under DAgger."), "{}", figure.caption);
        let other = limitation_figure("", &problem, &rules, &[]);
        assert_eq!(other.caption, "");
    }
}
