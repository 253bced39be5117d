//! The effect of one quantity of the theorem.

use tutelage_draw::plot::{Colour, Curve, Figure, Panel, Scale, Style};
use tutelage_theory::{ExponentComparison, Player, RegretSweep, SweepAxis, SweepPoint};

use super::{describe, player_style, styled};

/// Draws the measurements with lines of the predicted slopes.
pub fn sweep_figure(
    sweep: &RegretSweep,
    over: SweepAxis,
    points: &[SweepPoint],
    compared: &[ExponentComparison],
) -> Figure {
    let mut panel = Panel::new("").x(over.label(), Scale::Log).y(over.measures(), Scale::Log);
    let look = player_style(Player::MftplP { members: 1, lambda: 0.0 }, 0);
    let shown = || points.iter().filter(|point| point.measured.value > 0.0);
    let measured = shown().map(|p| (p.x, p.measured.value)).collect();
    let band = shown().map(|p| {
        let (value, error) = (p.measured.value, p.measured.error);
        ((value - error).max(0.1 * value), value + error)
    });
    let curve = Curve::new("measured (mean ± standard error)", measured).band(band.collect());
    panel = panel.curve(styled(curve, (look.0, Style::Marked)));
    for (comparison, style) in compared.iter().zip([Style::Dashed, Style::Dotted]) {
        let part = Some(comparison.part).filter(|part| *part != "all");
        let part = part.map_or(String::new(), |part| format!(" ({part})"));
        let name = format!("slope {}, as predicted{part}", comparison.predicted);
        let line = line(points, comparison.predicted);
        panel = panel.curve(Curve::new(name, line).colour(Colour::GREY).style(style));
    }
    Figure::new(describe(&sweep.problem)).panel(panel)
}

/// A line of this slope through the center of all points.
fn line(points: &[SweepPoint], slope: f64) -> Vec<(f64, f64)> {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.measured.value > 0.0)
        .map(|point| (point.x.ln(), point.measured.value.ln()))
        .collect();
    let count = logs.len().max(1) as f64;
    let middle = |value: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(value).sum::<f64>() / count;
    let (x, y) = (middle(&|log| log.0), middle(&|log| log.1));
    logs.iter().map(|log| (log.0.exp(), (y + slope * (log.0 - x)).exp())).collect()
}
