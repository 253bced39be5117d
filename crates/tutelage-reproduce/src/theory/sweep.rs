//! The effect of one quantity of the theorem.

use tutelage_draw::plot::{Color, Curve, Figure, Panel, Scale, Style};
use tutelage_theory::{ExponentComparison, ImitationProblem, SweepAxis, SweepPoint};

use super::{PERTURBED, describe, with_errors};

/// Draws the measurements with lines of the predicted slopes.
pub fn sweep_figure(
    problem: &ImitationProblem,
    axis: SweepAxis,
    points: &[SweepPoint],
    compared: &[ExponentComparison],
) -> Figure {
    let mut panel = Panel::new("").x(axis.label(), Scale::Log).y(axis.measures(), Scale::Log);
    let points = points.iter().map(|point| (point.x, point.measured));
    let curve = with_errors("measured (mean ± standard error)".into(), points);
    let measured = curve.points.clone();
    panel = panel.curve(curve.color(PERTURBED[0].0).style(Style::Marked));
    for (comparison, style) in compared.iter().zip([Style::Dashed, Style::Dotted]) {
        let part = Some(comparison.part).filter(|part| *part != "all");
        let part = part.map_or(String::new(), |part| format!(" ({part})"));
        let name = format!("slope {}, as predicted{part}", comparison.predicted);
        let line = line(&measured, comparison.predicted);
        panel = panel.curve(Curve::new(name, line).color(Color::GRAY).style(style));
    }
    Figure::new(describe(problem)).panel(panel)
}

/// A line of this slope through the center of all points, on logarithmic axes.
fn line(points: &[(f64, f64)], slope: f64) -> Vec<(f64, f64)> {
    let count = points.len().max(1) as f64;
    let x = points.iter().map(|point| point.0.ln()).sum::<f64>() / count;
    let y = points.iter().map(|point| point.1.ln()).sum::<f64>() / count;
    points.iter().map(|point| (point.0, (y + slope * (point.0.ln() - x)).exp())).collect()
}
