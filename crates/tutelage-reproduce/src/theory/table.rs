//! The measured counterpart of Table 1.

use tutelage_draw::plot::{Curve, Figure, Panel, Scale, Style};
use tutelage_theory::{AnnotationsNeeded, Player, TableOneRow};

use super::{sizes, styles, with_errors};

/// Draws the cost gap over annotations, one panel per horizon, and the annotations for one gap over
/// the horizon.
///
/// The last panel uses the gap that was reached most often.
pub fn table_figure(rows: &[TableOneRow], players: &[Player], epsilons: &[f64]) -> Figure {
    let mut horizons: Vec<usize> = rows.iter().map(TableOneRow::horizon).collect();
    horizons.sort_unstable();
    horizons.dedup();
    let mut figure = Figure::new(title(rows)).columns((horizons.len() + 1).min(3));
    let styles = styles(players.iter().copied());
    for &horizon in &horizons {
        let mut panel = Panel::new(format!("H = {horizon}"))
            .x("annotations", Scale::Log)
            .y("J(π̂) − best J of the class", Scale::Log);
        for &(player, (color, style)) in &styles {
            let row = rows.iter().find(|row| row.player == player && row.horizon() == horizon);
            panel.curves.extend(row.map(|row| {
                let points = row.curve.iter().map(|p| (p.annotations as f64, p.cost_gap));
                with_errors(player.label(), points).color(color).style(style)
            }));
        }
        figure = figure.panel(panel);
    }
    let reached = |epsilon: &f64| {
        let needed = rows.iter().filter_map(|row| row.needed(*epsilon));
        needed.filter_map(AnnotationsNeeded::interpolated).count()
    };
    let epsilon = epsilons.iter().copied().max_by_key(reached).unwrap_or(1.0);
    let mut growth = Panel::new(format!("annotations for a gap of {epsilon}"))
        .x("horizon H", Scale::Log)
        .y("annotations", Scale::Log);
    for (player, (color, _)) in styles {
        let own = rows.iter().filter(|row| row.player == player);
        let points = own
            .filter_map(|row| Some((row.horizon() as f64, row.needed(epsilon)?.interpolated()?)));
        let mut points: Vec<(f64, f64)> = points.collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let curve = Curve::new(player.label(), points).color(color).style(Style::Marked);
        growth = growth.curve(curve);
    }
    figure.panel(growth)
}

fn title(rows: &[TableOneRow]) -> String {
    let Some(TableOneRow { problem, .. }) = rows.first() else { return String::new() };
    format!("Annotations for a cost gap on the {} MDP: {}", problem.name, sizes(problem, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_theory::{GapPoint, Lambda, Mean, ledge};

    #[test]
    fn last_panel_shows_the_gap_that_is_reached_most_often() {
        let point = |annotations, value| {
            let gap = Mean { value, error: 0.1 };
            GapPoint { annotations, cost_gap: gap, guarantee: gap }
        };
        let row = |horizon, player, last| TableOneRow {
            player,
            problem: ledge(horizon, 1).unwrap(),
            curve: vec![point(4, 3.0), point(8, last)],
        };
        let players = [Player::Bc, Player::MftplP(Lambda::Rate(0.1))];
        let rows: Vec<_> =
            players.iter().flat_map(|&player| [row(3, player, 0.1), row(6, player, 1.0)]).collect();
        let figure = table_figure(&rows, &players, &[2.0, 0.5]);
        assert!(figure.title.contains("ledge MDP") && figure.title.contains("B = 512"));
        assert_eq!(figure.panels.len(), 3, "two horizons and their comparison");
        assert_eq!(figure.panels[2].title, "annotations for a gap of 2");
        assert!(figure.panels[2].curves.iter().all(|curve| curve.points.len() == 2));
        let (low, high) = figure.panels[0].curves[0].band.as_ref().unwrap()[1];
        assert!((low - 0.01).abs() < 1e-12 && (high - 0.2).abs() < 1e-12, "never down to 0: {low}");
    }
}
