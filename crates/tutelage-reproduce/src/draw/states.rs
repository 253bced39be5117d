//! Figures of queried states: a joint t-SNE map.

use std::fmt::Write;

use tutelage::Stream;
use tutelage_draw::plot::{Color, Curve, Figure, Panel, Style};

use crate::paper::curve_name;
use crate::{Archive, CurveSpec, FigureKind, FigurePlan, ReproduceError, RunList, tsne};

/// The position of a state on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MapPoint {
    /// The curve of the figure.
    curve: usize,
    /// The round.
    round: usize,
    x: f32,
    y: f32,
}

/// The default perplexity; smaller for few states.
const PERPLEXITY: f64 = 30.0;

pub(super) fn figure(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Figure, ReproduceError> {
    let curves: Vec<CurveSpec> = plan.curves().map(|curve| curve.spec).collect();
    let names: Vec<&str> = plan.runs().iter().map(|&run| runs[run].name.as_str()).collect();
    let key = format!("# {}", names.join(" "));
    let path = archive.map_path(&plan.experiment.name);
    let places = match tutelage_files::read_text(&path).ok().and_then(|text| parse(&text, &key)) {
        Some(places) => places,
        None => {
            let places = map(plan, runs, archive)?;
            archive.write(&path, print(&places, &key).as_bytes())?;
            places
        }
    };
    Ok(match plan.experiment.draw {
        FigureKind::TwoStates => together(&plan.experiment.title, &curves, &places),
        _ => apart(&plan.experiment.title, &curves, &places),
    })
}

/// Computes a joint map of the states of all runs.
fn map(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Vec<MapPoint>, ReproduceError> {
    let mut rows: Vec<Vec<f32>> = Vec::new();
    let mut places = Vec::new();
    let shown = plan.curves().enumerate();
    for (index, run) in shown.flat_map(|(i, curve)| curve.runs.iter().map(move |&run| (i, run))) {
        let run = &runs[run];
        let history = archive.data(run).ok_or_else(|| ReproduceError::Nothing(run.name.clone()))?;
        for (n, states) in history.states().into_iter().enumerate() {
            for row in states.rows() {
                rows.push(row.to_vec());
                places.push(MapPoint { curve: index, round: n + 1, x: 0.0, y: 0.0 });
            }
        }
    }
    if rows.len() < 10 {
        return Err(ReproduceError::TooFewStates(rows.len()));
    }
    let perplexity = PERPLEXITY.min((rows.len() - 1) as f64 / 3.0);
    let points = tsne::embed(&rows, perplexity, &mut Stream::new(0).fork("t-SNE", 0).rng());
    for (place, point) in places.iter_mut().zip(points) {
        (place.x, place.y) = (point[0] as f32, point[1] as f32);
    }
    Ok(places)
}

/// One panel per algorithm, with states colored by round.
fn apart(title: &str, curves: &[CurveSpec], places: &[MapPoint]) -> Figure {
    let rounds = places.iter().map(|place| place.round).max().unwrap_or(1);
    let named = |round: usize| (format!("round {round}"), nth_color(round - 1, rounds));
    let ramp = (1..=rounds).map(named).collect();
    let figure = Figure { ramp, ..Figure::new(title).columns(2) };
    curves.iter().enumerate().fold(figure, |figure, (index, one)| {
        let curve = |round: usize| {
            let (name, color) = named(round);
            points(name, color, places, |place| place.curve == index && place.round == round)
        };
        let panel = map_panel(curve_name(one), places);
        figure.panel((1..=rounds).map(curve).fold(panel, Panel::curve))
    })
}

/// All algorithms in one panel, one color each.
fn together(title: &str, curves: &[CurveSpec], places: &[MapPoint]) -> Figure {
    let curve = |(index, one): (usize, &CurveSpec)| {
        let (name, color) =
            (format!("{}'s states", curve_name(one)), nth_color(index, curves.len()));
        points(name, color, places, |place| place.curve == index)
    };
    let panel = map_panel(String::new(), places);
    Figure::new(title).panel(curves.iter().enumerate().map(curve).fold(panel, Panel::curve))
}

fn nth_color(index: usize, count: usize) -> Color {
    Color::blue_to_red(index as f64 / count.saturating_sub(1).max(1) as f64)
}

/// A panel without ticks; all panels have the same range.
fn map_panel(title: String, places: &[MapPoint]) -> Panel {
    let range = |of: &dyn Fn(&MapPoint) -> f32| {
        let values = || places.iter().map(of).map(f64::from);
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let margin = 0.04 * (high - low);
        (low - margin, high + margin)
    };
    Panel {
        hide_ticks: true,
        x_range: Some(range(&|place| place.x)),
        y_range: Some(range(&|place| place.y)),
        ..Panel::new(title)
    }
}

fn points(
    name: String,
    color: Color,
    places: &[MapPoint],
    wanted: impl Fn(&MapPoint) -> bool,
) -> Curve {
    let chosen = places.iter().filter(|place| wanted(place));
    let points = chosen.map(|place| (f64::from(place.x), f64::from(place.y)));
    Curve::new(name, points.collect()).color(color).style(Style::Points)
}

fn print(places: &[MapPoint], key: &str) -> String {
    let mut text = format!("{key}\nseries,round,x,y\n");
    for MapPoint { curve, round, x, y } in places {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{curve},{round},{x:.3},{y:.3}");
    }
    text
}

/// Parses a map; returns `None` if it was made from other runs.
fn parse(text: &str, key: &str) -> Option<Vec<MapPoint>> {
    let mut lines = text.lines();
    if lines.next()? != key || lines.next()? != "series,round,x,y" {
        return None;
    }
    let place = |line: &str| {
        let [curve, round, x, y] = line.split(',').collect::<Vec<_>>()[..] else { return None };
        let (curve, round) = (curve.parse().ok()?, round.parse().ok()?);
        Some(MapPoint { curve, round, x: x.parse().ok()?, y: y.parse().ok()? })
    };
    lines.map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_only_for_the_same_runs() {
        let places = vec![
            MapPoint { curve: 0, round: 1, x: 0.5, y: -2.25 },
            MapPoint { curve: 1, round: 20, x: 3.0, y: 0.125 },
        ];
        let text = print(&places, "# a b");
        assert_eq!(parse(&text, "# a b"), Some(places));
        assert_eq!(parse(&text, "# a c"), None);
        assert_eq!(parse("nonsense", "# a b"), None);
    }
}
