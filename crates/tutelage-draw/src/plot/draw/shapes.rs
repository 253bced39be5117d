//! Lines, marks and labels.

use crate::Color;
use crate::plot::Style;
use crate::plot::page::{Anchor, Dashes, Item, Point};

pub(super) fn label(text: &str, place: Point, size: f64, anchor: Anchor) -> Item {
    Item::Label { text: text.into(), place, size, anchor, turned: false }
}

/// Returns a centered label that reads upward.
pub(super) fn turned(text: &str, place: Point, size: f64) -> Item {
    Item::Label { text: text.into(), place, size, anchor: Anchor::Middle, turned: true }
}

/// Returns runs of points in a style.
pub(super) fn stroke(runs: &[Vec<Point>], style: Style, color: Color) -> Item {
    let mut items = Vec::new();
    if let Some(dashes) = dashes(style) {
        let lines = runs.iter().filter(|run| run.len() > 1);
        items.extend(lines.map(|run| Item::Line(run.clone(), dashes, color)));
    }
    let dot = |point: Point| dot(point, style, color);
    match style {
        Style::Points | Style::Dots => items.extend(runs.iter().flatten().copied().map(dot)),
        Style::Marked => items.extend(runs.iter().flat_map(|run| apart(run)).map(dot)),
        _ => {
            // A single point has no line and needs a mark.
            items.extend(runs.iter().filter(|run| run.len() == 1).map(|run| dot(run[0])));
        }
    }
    Item::Group(items)
}

/// Returns the points to mark, which are far enough apart that marks do not touch.
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

/// Returns the dashes of a style, if it has a line.
fn dashes(style: Style) -> Option<Dashes> {
    match style {
        Style::Solid | Style::Marked => Some(Dashes::None),
        Style::Dashed => Some(Dashes::Long),
        Style::Dotted => Some(Dashes::Dots),
        Style::DashDotted => Some(Dashes::LongAndDots),
        Style::Points | Style::Dots => None,
    }
}

fn dot(center: Point, style: Style, color: Color) -> Item {
    let radius = match style {
        Style::Points => 1.8,
        Style::Dots => 4.0,
        _ => 2.6,
    };
    Item::Dot { center, radius, color }
}

/// Returns the area between two runs of points.
pub(super) fn band(lower: &[Point], upper: &[Point], color: Color) -> Item {
    Item::Veil(lower.iter().chain(upper.iter().rev()).copied().collect(), color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_line_do_not_touch() {
        let run: Vec<Point> = (0..100).map(|i| (f64::from(i), 0.0)).collect();
        let dots = |style| {
            let Item::Group(items) = stroke(std::slice::from_ref(&run), style, Color::BLACK) else {
                panic!("a group")
            };
            items.iter().filter(|item| matches!(item, Item::Dot { .. })).count()
        };
        assert_eq!((dots(Style::Marked), dots(Style::Points), dots(Style::Solid)), (12, 100, 0));
    }
}
