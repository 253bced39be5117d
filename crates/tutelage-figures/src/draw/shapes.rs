//! The few shapes that figures are made of.

use crate::scene::{Anchor, Dashes, Mark, Point};
use crate::{Colour, Style};

pub(super) fn label(text: &str, place: Point, size: f64, anchor: Anchor) -> Mark {
    Mark::Label { text: text.into(), place, size, anchor, turned: false }
}

/// A label that is read from below, its middle at the place.
pub(super) fn turned(text: &str, place: Point, size: f64) -> Mark {
    Mark::Label { text: text.into(), place, size, anchor: Anchor::Middle, turned: true }
}

/// Runs of points in a style: a run is what lies between points that cannot be shown.
pub(super) fn stroke(runs: &[Vec<Point>], style: Style, colour: Colour) -> Mark {
    let mut marks = Vec::new();
    if let Some(dashes) = dashes(style) {
        let lines = runs.iter().filter(|run| run.len() > 1);
        marks.extend(lines.map(|run| Mark::Line(run.clone(), dashes, colour)));
    }
    for (run, &point) in runs.iter().flat_map(|run| run.iter().map(move |point| (run, point))) {
        // A point with no neighbour is no line, and would otherwise not be seen.
        if matches!(style, Style::Marked | Style::Points | Style::Dots) || run.len() == 1 {
            marks.push(dot(point, style, colour));
        }
    }
    Mark::Group(marks)
}

/// How a line of this style is interrupted, if there is a line.
fn dashes(style: Style) -> Option<Dashes> {
    match style {
        Style::Solid | Style::Marked => Some(Dashes::None),
        Style::Dashed => Some(Dashes::Long),
        Style::Dotted => Some(Dashes::Dots),
        Style::DashDotted => Some(Dashes::LongAndDots),
        Style::Points | Style::Dots => None,
    }
}

fn dot(centre: Point, style: Style, colour: Colour) -> Mark {
    let radius = match style {
        Style::Points => 1.8,
        Style::Dots => 4.0,
        _ => 2.6,
    };
    Mark::Dot { centre, radius, colour }
}

/// The area between two runs of points.
pub(super) fn band(lower: &[Point], upper: &[Point], colour: Colour) -> Mark {
    Mark::Veil(lower.iter().chain(upper.iter().rev()).copied().collect(), colour)
}
