//! Proposition 1: no regret, but a poor policy.

use tutelage_draw::plot::{Color, Figure, Level, Panel, Style};
use tutelage_theory::{GameSettings, ImitationLoss, ImitationProblem, Lambda, TheoryError};

use super::regret::{cost_panel, regret_panel};
use super::{PlayedGame, play_all, problem, settings};
use crate::FigurePlan;

/// Plays every algorithm on the problem of Proposition 1, with the paper's loss and with the 0–1
/// loss.
pub fn play_limitation(
    problem: &ImitationProblem,
    settings: &GameSettings,
) -> Result<[(ImitationLoss, Vec<PlayedGame>); 2], TheoryError> {
    let of = |loss| Ok::<_, TheoryError>((loss, play_all(&problem.with_loss(loss), settings)?));
    Ok([of(ImitationLoss::Advantage)?, of(ImitationLoss::ZeroOne)?])
}

/// Draws the cost and the regret of the policies, one row per loss.
pub fn limitation_figure(
    title: &str,
    problem: &ImitationProblem,
    settings: &GameSettings,
    played: &[(ImitationLoss, Vec<PlayedGame>)],
) -> Figure {
    let mut figure = Figure::new(title).columns(2);
    for (loss, played) in played {
        let loss = match loss {
            ImitationLoss::Advantage => "loss: the expert's advantage",
            ImitationLoss::ZeroOne => "0–1 loss",
        };
        let expert = played.first().map_or(0.0, |played| played.game.expert_cost);
        let mut costs = cost_panel(&format!("what the policy costs ({loss})"), settings, played)
            .level("expert", expert);
        let (name, y) = ("the class's best".into(), problem.best_cost);
        costs.levels.push(Level { name, color: Color::GRAY, style: Style::Dotted, y });
        let regret = regret_panel(&format!("while its regret vanishes ({loss})"), settings, played);
        figure = figure.panel(costs).panel(regret);
    }
    let caption = caption(&figure);
    figure.caption(caption)
}

/// A caption about curves and rows that coincide.
fn caption(figure: &Figure) -> String {
    let [costs, _, others, _] = figure.panels.as_slice() else { return String::new() };
    let points = |panel: &Panel, name: &str| {
        let curve = panel.curves.iter().find(|curve| curve.name == name);
        curve.map(|curve| curve.points.clone())
    };
    let mut words = Vec::new();
    if costs.curves == others.curves {
        words.push("Both losses give the same games: the two policies differ in one state only, and there both losses are 1.");
    }
    if points(costs, "BC").is_some_and(|bc| points(costs, "DAgger") == Some(bc)) {
        words.push("BC lies under DAgger.");
    }
    words.join(" ")
}

/// Draws the figure of Proposition 1.
pub(crate) fn limitation(plan: &FigurePlan<'_>) -> Result<Figure, TheoryError> {
    let settings = settings(plan, 5, &[Lambda::Proof]);
    let problem = problem("limitation")?;
    let played = play_limitation(&problem, &settings)?;
    Ok(limitation_figure(&plan.experiment.title, &problem, &settings, &played))
}

#[cfg(test)]
mod tests {
    use super::super::tests::short;
    use super::*;

    #[test]
    fn caption_names_curves_and_rows_that_coincide() {
        let settings = short(2, &[Lambda::Proof]);
        let problem = problem("limitation").unwrap();
        let played = play_limitation(&problem, &settings).unwrap();
        let figure = limitation_figure("", &problem, &settings, &played);
        assert!(figure.caption.contains("the same games"), "{}", figure.caption);
        assert!(figure.caption.ends_with("BC lies under DAgger."), "{}", figure.caption);
        assert_eq!(limitation_figure("", &problem, &settings, &[]).caption, "");
    }
}
