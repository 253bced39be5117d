//! The few shapes that figures are made of.

use crate::plot::scene::{Anchor, Dashes, Mark, Point};
use crate::plot::{Colour, Style};

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
    let dot = |point: Point| dot(point, style, colour);
    match style {
        Style::Points | Style::Dots => marks.extend(runs.iter().flatten().copied().map(dot)),
        Style::Marked => marks.extend(runs.iter().flat_map(|run| apart(run)).map(dot)),
        _ => {
            // A point with no neighbour is no line, and would otherwise not be seen.
            marks.extend(runs.iter().filter(|run| run.len() == 1).map(|run| dot(run[0])));
        }
    }
    Mark::Group(marks)
}

/// The points of a line that are marked: those that would touch the mark before them are not.
fn apart(run: &[Point]) -> Vec<Point> {
    let mut marked: Vec<Point> = Vec::new();
    for &(x, y) in run {
        if marked.last().is_none_or(|last| (x - last.0).hypot(y - last.1) >= BETWEEN_MARKS) {
            marked.push((x, y));
        }
    }
    marked
}

const BETWEEN_MARKS: f64 = 9.0;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_line_do_not_touch_and_those_of_a_map_are_all_drawn() {
        let run: Vec<Point> = (0..100).map(|i| (f64::from(i), 0.0)).collect();
        let dots = |style| {
            let Mark::Group(marks) = stroke(std::slice::from_ref(&run), style, Colour::BLACK)
            else {
                panic!("a group")
            };
            marks.iter().filter(|mark| matches!(mark, Mark::Dot { .. })).count()
        };
        assert_eq!((dots(Style::Marked), dots(Style::Points), dots(Style::Solid)), (12, 100, 0));
    }
}
