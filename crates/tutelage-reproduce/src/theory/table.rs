//! The measured counterpart of Table 1.

use tutelage_draw::plot::{Curve, Figure, Panel, Scale, Style};
use tutelage_theory::{AnnotationsNeeded, Contender, TableOneRow};

use super::{contender_style, styled};

/// Draws the cost gap over annotations, one panel per horizon, and the annotations for one gap over the horizon.
///
/// The last panel uses the gap that was reached most often.
pub fn table_figure(lines: &[TableOneRow], contenders: &[Contender], epsilons: &[f64]) -> Figure {
    let mut horizons: Vec<usize> = lines.iter().map(TableOneRow::horizon).collect();
    horizons.sort_unstable();
    horizons.dedup();
    let mut figure = Figure::new(title(lines)).columns((horizons.len() + 1).min(3));
    for &horizon in &horizons {
        let mut panel = Panel::new(format!("H = {horizon}"))
            .x("annotations", Scale::Log)
            .y("J(π̂) − best J of the class", Scale::Log);
        for (contender, turn) in turns(contenders) {
            let mut own = lines.iter().filter(|line| line.contender == contender);
            let line = own.find(|line| line.horizon() == horizon);
            panel.curves.extend(line.map(|line| gap_curve(line, turn)));
        }
        figure = figure.panel(panel);
    }
    let reached = |epsilon: &f64| {
        let needed = lines.iter().filter_map(|line| line.needed(*epsilon));
        needed.filter(|needed| matches!(needed, AnnotationsNeeded::About(_))).count()
    };
    let epsilon = epsilons.iter().copied().max_by_key(reached).unwrap_or(1.0);
    figure.panel(growth_panel(lines, contenders, epsilon))
}

fn title(lines: &[TableOneRow]) -> String {
    let Some(TableOneRow { problem, .. }) = lines.first() else { return String::new() };
    format!(
        "Annotations for a cost gap on the {} MDP: S = {}, A = {}, B = {}, µ = {:.3}, σ = {:.3}",
        problem.name,
        problem.mdp.states(),
        problem.mdp.actions(),
        problem.class.size(),
        problem.mu,
        problem.sigma
    )
}

fn gap_curve(line: &TableOneRow, turn: usize) -> Curve {
    let shown = line.curve.iter().filter(|point| point.cost_gap.value > 0.0);
    let points = shown.clone().map(|p| (p.annotations as f64, p.cost_gap.value)).collect();
    let band = shown.map(|p| {
        let (value, error) = (p.cost_gap.value, p.cost_gap.error);
        ((value - error).max(0.1 * value), value + error)
    });
    let curve = Curve::new(line.contender.name(), points).band(band.collect());
    styled(curve, contender_style(line.contender, turn))
}

/// C(ε) as a function of H.
fn growth_panel(lines: &[TableOneRow], contenders: &[Contender], epsilon: f64) -> Panel {
    let mut panel = Panel::new(format!("annotations for a gap of {epsilon}"))
        .x("horizon H", Scale::Log)
        .y("annotations", Scale::Log);
    for (contender, turn) in turns(contenders) {
        let own = lines.iter().filter(|line| line.contender == contender);
        let points = own.filter_map(|line| match line.needed(epsilon)? {
            AnnotationsNeeded::About(annotations) => Some((line.horizon() as f64, annotations)),
            AnnotationsNeeded::AtMost(_) | AnnotationsNeeded::MoreThan(_) => None,
        });
        let mut points: Vec<(f64, f64)> = points.collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (colour, _) = contender_style(contender, turn);
        panel =
            panel.curve(Curve::new(contender.name(), points).colour(colour).style(Style::Marked));
    }
    panel
}

/// Pairs each contender with its index among MFTPL-P's λ.
fn turns(contenders: &[Contender]) -> Vec<(Contender, usize)> {
    let perturbed = |contender: &Contender| matches!(contender, Contender::MftplP(_));
    let turn = |place: usize| contenders[..place].iter().filter(|c| perturbed(c)).count();
    contenders.iter().enumerate().map(|(place, &contender)| (contender, turn(place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_theory::{GapPoint, Lambda, Mean, ledge};

    #[test]
    fn the_last_panel_shows_the_gap_most_often_reached() {
        let mean = |value| Mean { value, error: 0.1 };
        let point = |annotations, gap| GapPoint {
            annotations,
            cost_gap: mean(gap),
            guarantee: mean(2.0 * gap),
        };
        let line = |horizon, contender, last| TableOneRow {
            contender,
            problem: ledge(horizon, 1).unwrap(),
            curve: vec![point(4, 3.0), point(8, last)],
        };
        let contenders = [Contender::Bc, Contender::MftplP(Lambda::Rate(0.1))];
        let [bc, mftpl_p] = contenders;
        let lines =
            [line(3, bc, 0.1), line(6, bc, 1.0), line(3, mftpl_p, 0.1), line(6, mftpl_p, 1.0)];
        let figure = table_figure(&lines, &contenders, &[2.0, 0.5]);
        assert!(figure.title.contains("ledge MDP") && figure.title.contains("B = 512"));
        assert_eq!(figure.panels.len(), 3, "two horizons and their comparison");
        assert_eq!(figure.panels[2].title, "annotations for a gap of 2");
        assert!(figure.panels[2].curves.iter().all(|curve| curve.points.len() == 2));
        let (low, high) = figure.panels[0].curves[0].band.as_ref().unwrap()[1];
        assert!((low - 0.01).abs() < 1e-12 && (high - 0.2).abs() < 1e-12, "never down to 0: {low}");
    }
}
