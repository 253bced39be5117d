//! Regret curves and the theorem's bound.

use tutelage_draw::plot::{Color, Curve, Figure, Panel, Scale, Style};
use tutelage_theory::{Game, GameSettings, ImitationProblem, Lambda, TheoryError, lambda_of};

use super::{PlayedGame, by_player, describe, play_all, problem, settings, styles};
use crate::FigurePlan;

const WITH_BOUND: &str = "MFTPL-P's regret and its bound";

/// Draws the average regret of all players, and MFTPL-P's regret with its bound.
pub fn regret_figure(
    problem: &ImitationProblem,
    settings: &GameSettings,
    played: &[PlayedGame],
) -> Figure {
    let title = format!("{}, K = {}", describe(problem), settings.states_per_round);
    let average = regret_panel("average regret", settings, played);
    Figure::new(title).panel(average).panel(bound_panel(WITH_BOUND, problem, settings, played))
}

/// The average regret Reg(n)/n, mean and range over seeds.
pub(super) fn regret_panel(title: &str, settings: &GameSettings, played: &[PlayedGame]) -> Panel {
    let panel = Panel::new(title).x("round n", Scale::Log).y("Reg(n) / n", Scale::Linear);
    with_curves(panel, settings, played, |game, n| game.regret[n - 1] / n as f64)
}

/// The cost J(πₙ) of each round's policy, mean and range over seeds.
pub(super) fn cost_panel(title: &str, settings: &GameSettings, played: &[PlayedGame]) -> Panel {
    let panel = Panel::new(title).x("round n", Scale::Log).y("cost J", Scale::Linear);
    with_curves(panel, settings, played, |game, n| game.costs[n - 1])
}

/// MFTPL-P's Reg(n), and its bound where the conditions hold. Reg(n) cannot exceed n, so a larger
/// bound is vacuous and dotted.
fn bound_panel(
    title: &str,
    problem: &ImitationProblem,
    settings: &GameSettings,
    played: &[PlayedGame],
) -> Panel {
    let note = format!("{}\na bound is drawn where its conditions on λ hold", seeds_note(settings));
    let mut panel = Panel::new(title).note(note).x("round n", Scale::Log).y("Reg(n)", Scale::Log);
    let rounds = plotted_rounds(settings.rounds);
    for (games, (color, style)) in styled_groups(played) {
        if lambda_of(&games[0].algorithm).is_none() {
            continue;
        }
        let label = games[0].label(settings);
        let regret = over_seeds(&label, games, &rounds, |game, n| game.regret[n - 1].max(0.0));
        panel = panel.curve(regret.color(color).style(style));
        for (vacuous, name, style) in
            [(false, "bound", Style::Dashed), (true, "bound, vacuous", Style::Dotted)]
        {
            let bounds = rounds.iter().filter_map(|&n| {
                let bound = games[0].bound(problem, settings, n)?;
                (bound.holds && bound.vacuous == vacuous).then_some((n as f64, bound.value))
            });
            let points: Vec<(f64, f64)> = bounds.collect();
            if !points.is_empty() {
                let curve = Curve::new(format!("{label}: {name}"), points);
                panel = panel.curve(curve.color(color).style(style));
            }
        }
    }
    let most = rounds.iter().map(|&n| (n as f64, n as f64)).collect();
    let most = Curve::new("n: no regret is larger", most).color(Color::GRAY);
    panel.curve(most.style(Style::DashDotted))
}

/// Draws the figure of the regret theorem: two finite problems, one row each.
pub(crate) fn regret(plan: &FigurePlan<'_>) -> Result<Figure, TheoryError> {
    let settings = settings(plan, 1, &[Lambda::Proof, Lambda::Rate(0.1)]);
    let mut figure = Figure::new(&plan.experiment.title).columns(2);
    for name in ["trap", "random"] {
        let problem = problem(name)?;
        let played = play_all(&problem, &settings)?;
        let title = format!("{name} MDP, {} states", problem.mdp.states());
        let mut average = regret_panel(&title, &settings, &played);
        let groups = by_player(&played);
        let lambdas = groups.iter().filter_map(|games| lambda_of(&games[0].algorithm));
        let lambdas: Vec<String> = lambdas.map(|lambda| format!("{lambda:.0}")).collect();
        average.note += &format!("; λ = {}", lambdas.join(" and "));
        let title = format!("{name} MDP: {WITH_BOUND}");
        figure.panels.extend([average, bound_panel(&title, &problem, &settings, &played)]);
    }
    Ok(figure)
}

fn styled_groups(played: &[PlayedGame]) -> impl Iterator<Item = (&[PlayedGame], (Color, Style))> {
    let groups = by_player(played);
    let styles = styles(groups.iter().map(|games| games[0].player));
    groups.into_iter().zip(styles.into_iter().map(|(_, style)| style))
}

fn with_curves(
    mut panel: Panel,
    settings: &GameSettings,
    played: &[PlayedGame],
    value: fn(&Game, usize) -> f64,
) -> Panel {
    let rounds = plotted_rounds(settings.rounds);
    panel.note = seeds_note(settings);
    for (games, (color, style)) in styled_groups(played) {
        let curve = over_seeds(&games[0].label(settings), games, &rounds, value);
        panel = panel.curve(curve.color(color).style(style));
    }
    panel
}

fn over_seeds(
    name: &str,
    games: &[PlayedGame],
    rounds: &[usize],
    value: fn(&Game, usize) -> f64,
) -> Curve {
    let values = |n: usize| games.iter().map(move |played| value(&played.game, n));
    let mean = |n: usize| values(n).sum::<f64>() / games.len() as f64;
    let range = |n: usize| {
        let low = values(n).fold(f64::INFINITY, f64::min);
        (low, values(n).fold(f64::NEG_INFINITY, f64::max))
    };
    let curve = Curve::new(name, rounds.iter().map(|&n| (n as f64, mean(n))).collect());
    match games.len() {
        1 => curve,
        _ => curve.band(rounds.iter().map(|&n| range(n)).collect()),
    }
}

fn seeds_note(settings: &GameSettings) -> String {
    match settings.seeds.len() {
        1 => "1 seed".into(),
        seeds => format!("mean and range of {seeds} seeds"),
    }
}

/// Returns the rounds to draw, in a geometric progression.
fn plotted_rounds(rounds: usize) -> Vec<usize> {
    let mut plotted: Vec<usize> =
        (0..).map(|i| 1.08f64.powi(i).round() as usize).take_while(|n| *n < rounds).collect();
    plotted.push(rounds);
    plotted.dedup();
    plotted
}

#[cfg(test)]
mod tests {
    use super::super::tests::short;
    use super::*;

    fn names(panel: &Panel) -> Vec<&str> {
        panel.curves.iter().map(|curve| curve.name.as_str()).collect()
    }

    #[test]
    fn all_seeds_enter_the_mean_and_the_band() {
        let problem = problem("trap").unwrap();
        let settings = short(1, &[Lambda::Proof, Lambda::Rate(0.1)]);
        let played = play_all(&problem, &settings).unwrap();
        let panel = regret_panel("", &settings, &played);
        let perturbed = ["MFTPL-P, λ of the proof", "MFTPL-P, λ = 0.1·Θ"];
        assert_eq!(names(&panel)[4..6], perturbed);
        assert_eq!(panel.curves.len(), 7);
        for (curve, games) in panel.curves.iter().zip(by_player(&played)) {
            let last = [0, 1].map(|i: usize| games[i].game.mean_regret());
            assert!((curve.points.last().unwrap().1 - (last[0] + last[1]) / 2.0).abs() < 1e-12);
            let band = curve.band.as_ref().unwrap().last().unwrap();
            assert_eq!(*band, (last[0].min(last[1]), last[0].max(last[1])));
        }
    }

    #[test]
    fn bound_is_drawn_if_it_holds_and_dotted_if_vacuous() {
        let problem = problem("trap").unwrap();
        let panel = |lambda| {
            let settings = short(1, &[lambda]);
            bound_panel("", &problem, &settings, &play_all(&problem, &settings).unwrap())
        };
        let expected = ["MFTPL-P", "MFTPL-P: bound, vacuous", "n: no regret is larger"];
        assert_eq!(names(&panel(Lambda::Proof)), expected);
        assert_eq!(names(&panel(Lambda::Fixed(1.0))), [expected[0], expected[2]]);
    }
}
