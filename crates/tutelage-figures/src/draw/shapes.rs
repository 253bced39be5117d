//! The few shapes that figures are made of.

use svg::node::element::path::Data;
use svg::node::element::{Circle, Group, Path, Polygon, Text};

use crate::{Color, Style};

/// Which part of a text lies at its place.
#[derive(Clone, Copy)]
pub(super) enum At {
    Start,
    Middle,
    End,
}

pub(super) fn label(text: &str, (x, y): (f64, f64), size: f64, at: At) -> Text {
    let anchor = match at {
        At::Start => "start",
        At::Middle => "middle",
        At::End => "end",
    };
    Text::new(text)
        .set("x", short(x))
        .set("y", short(y))
        .set("font-size", size)
        .set("text-anchor", anchor)
        .set("fill", "#222222")
}

/// A straight thin line, for axes and grids.
pub(super) fn rule(from: (f64, f64), to: (f64, f64), color: &str) -> Path {
    Path::new().set("d", joined([from, to].into_iter())).set("stroke", color).set("stroke-width", 1)
}

/// Runs of points in a style: a run is what lies between points that cannot be shown.
pub(super) fn stroke(runs: &[Vec<(f64, f64)>], style: Style, color: Color) -> Group {
    let mut group = Group::new();
    if style != Style::Points {
        for run in runs.iter().filter(|run| run.len() > 1) {
            group = group.add(line(run, style, color));
        }
    }
    for (run, &point) in runs.iter().flat_map(|run| run.iter().map(move |point| (run, point))) {
        // A point with no neighbour is no line, and would otherwise not be seen.
        if matches!(style, Style::Marked | Style::Points) || run.len() == 1 {
            group = group.add(mark(point, style, color));
        }
    }
    group
}

fn line(run: &[(f64, f64)], style: Style, color: Color) -> Path {
    let path = Path::new()
        .set("d", joined(run.iter().copied()))
        .set("fill", "none")
        .set("stroke", color.hex())
        .set("stroke-width", 1.8)
        .set("stroke-linejoin", "round");
    match style {
        Style::Dashed => path.set("stroke-dasharray", "7 4"),
        Style::DashDotted => {
            path.set("stroke-dasharray", "9 4 0.1 4").set("stroke-linecap", "round")
        }
        Style::Dotted => path.set("stroke-dasharray", "0.1 4").set("stroke-linecap", "round"),
        Style::Solid | Style::Marked | Style::Points => path,
    }
}

fn mark((x, y): (f64, f64), style: Style, color: Color) -> Circle {
    let radius = if style == Style::Points { 1.8 } else { 2.6 };
    Circle::new().set("cx", short(x)).set("cy", short(y)).set("r", radius).set("fill", color.hex())
}

/// The area between two runs of points.
pub(super) fn band(lower: &[(f64, f64)], upper: &[(f64, f64)], color: Color) -> Polygon {
    let corners = lower.iter().chain(upper.iter().rev());
    let corners: Vec<String> =
        corners.map(|&(x, y)| format!("{},{}", short(x), short(y))).collect();
    Polygon::new()
        .set("points", corners.join(" "))
        .set("fill", color.hex())
        .set("fill-opacity", 0.18)
}

fn joined(points: impl Iterator<Item = (f64, f64)>) -> Data {
    points.enumerate().fold(Data::new(), |data, (i, (x, y))| {
        let point = (short(x), short(y));
        if i == 0 { data.move_to(point) } else { data.line_to(point) }
    })
}

/// A hundredth of a unit is finer than anyone sees.
pub(super) fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
