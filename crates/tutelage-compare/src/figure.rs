//! Figures of a comparison, two panels wide so that their text stays readable.

use std::collections::BTreeMap;

use crate::stats::{Interval, RunCurves, mean};
use tutelage_draw::plot::{Curve as Line, Figure, Panel as Axes, Scale, Style};

use crate::arrange::{ComparisonPanel, LearningCurve};
use crate::comparison::Comparison;

/// Draws learning curves: means over seeds with t intervals, and the expert as a level.
pub fn curves(comparison: &Comparison) -> Figure {
    let panels = comparison.panels.iter().map(|panel| rewards(comparison, panel));
    figure(comparison, "Learning curves", panels.collect())
}

/// Draws the imitation loss; `None` if no run has one.
pub fn losses(comparison: &Comparison) -> Option<Figure> {
    let panels = comparison.panels.iter().filter_map(|panel| loss(comparison, panel));
    let panels: Vec<Axes> = panels.collect();
    (!panels.is_empty()).then(|| figure(comparison, "Imitation loss", panels))
}

/// Draws one panel of [`curves`].
pub fn rewards(comparison: &Comparison, panel: &ComparisonPanel) -> Axes {
    let line = |curve: &LearningCurve| line(curve, &curve.curves, comparison.settings.level);
    let mut axes = axes(comparison, panel, "average reward", Scale::Linear);
    axes.curves = panel.curves.iter().map(line).collect();
    match panel.expert {
        Some(expert) if dwarfs(expert, &axes.curves) => {
            axes.y_range = range(&axes.curves, None);
            axes.note += &format!("\nexpert: {expert:.0}, above the axis");
            axes
        }
        expert => {
            axes.y_range = range(&axes.curves, expert);
            expert.into_iter().fold(axes, |axes, expert| axes.level("expert", expert))
        }
    }
}

/// Returns whether showing the expert would flatten the curves.
fn dwarfs(expert: f64, lines: &[Line]) -> bool {
    let (low, high) = extent(lines.iter().flat_map(|line| &line.points).map(|point| point.1));
    high > low && high - low < 0.35 * (expert - low)
}

/// Draws one panel of [`losses`].
pub fn loss(comparison: &Comparison, panel: &ComparisonPanel) -> Option<Axes> {
    let cost = comparison.settings.cost;
    let line = |curve: &LearningCurve| -> Option<Line> {
        let points = curve.runs.iter().map(|run| {
            let point = |line| Some((cost.after(line)?, line.imitation_loss?));
            run.lines.iter().map(point).collect::<Option<Vec<_>>>()
        });
        let losses = RunCurves::on_common_points(&points.collect::<Option<Vec<_>>>()?).ok()?;
        let mut line = self::line(curve, &losses, comparison.settings.level);
        // A logarithmic axis cannot show a lower end at or below 0.
        let lines = line.points.iter().zip(line.band.iter_mut().flatten());
        lines.for_each(|((_, y), (low, _))| *low = low.max(0.2 * y));
        Some(line)
    };
    let axes = axes(comparison, panel, "imitation loss", Scale::Log);
    let curves: Vec<Line> = panel.curves.iter().filter_map(line).collect();
    (!curves.is_empty()).then_some(Axes { curves, ..axes })
}

/// Draws performance profiles, interquartile means and comparisons with the baseline over panels, in units of the expert's
/// reward. Returns `None` if no panel has an expert and all curves.
pub fn summary(comparison: &Comparison) -> Option<Figure> {
    let aggregates = comparison.aggregates();
    let count = aggregates.first()?.panels;
    let mut panels = vec![profiles(comparison)?];
    let value = |of: fn(&crate::Aggregate) -> Interval| {
        aggregates.iter().map(|row| (row.curve.clone(), of(row))).collect::<Vec<_>>()
    };
    let mut add = |title: &str, label: &str, values: Vec<(String, Interval)>, even| {
        panels.extend(forest(comparison, [title, label], &values, even));
    };
    let share = "share of the expert's reward";
    add("Last five rounds", share, value(|row| row.last_five), None);
    let over = match comparison.panels.iter().any(|panel| panel.budget.is_some()) {
        true => "Average over cost",
        false => "Average over rounds",
    };
    add(over, share, value(|row| row.average), None);
    if let Some(baseline) = &comparison.baseline {
        let pairs = comparison.pairs().over_panels;
        let pairs = || pairs.iter().filter(|row| row.pair.score == "average");
        let improvements = pairs().map(|row| (row.pair.curve.clone(), row.pair.improvement));
        let title = format!("P(average above {baseline}'s)");
        add(&title, "probability", improvements.collect(), Some(0.5));
        let ratios =
            pairs().filter_map(|row| Some((row.pair.curve.clone(), row.cost_of_its_level.ratio?)));
        let title = format!("Cost to where {baseline} ends, relative to {baseline}");
        add(&title, &comparison.settings.cost.to_string(), ratios.collect(), Some(1.0));
    }
    let title = if count == 1 { "Summary".into() } else { format!("Over {count} panels") };
    Some(figure(comparison, &title, panels))
}

fn figure(comparison: &Comparison, title: &str, panels: Vec<Axes>) -> Figure {
    let columns = panels.len().min(2);
    let level = 100.0 * comparison.settings.level;
    let title = format!("{title} ({level:.0} % intervals)");
    Figure { title, panels, columns, order: comparison.names(), ..Figure::default() }
}

fn axes(comparison: &Comparison, panel: &ComparisonPanel, label: &str, scale: Scale) -> Axes {
    let cost = comparison.settings.cost.to_string();
    let note = [Some(seeds(panel)), driven(panel)].into_iter().flatten().collect::<Vec<_>>();
    Axes::new(&panel.title).note(note.join("\n")).x(cost, Scale::Linear).y(label, scale)
}

/// Describes the number of seeds: that of most curves, and the exceptions.
fn seeds(panel: &ComparisonPanel) -> String {
    let mut curves: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for curve in &panel.curves {
        curves.entry(curve.runs.len()).or_default().push(&curve.name);
    }
    let usual = curves.iter().max_by_key(|(_, names)| names.len()).map_or(0, |(&count, _)| count);
    let s = if usual == 1 { "" } else { "s" };
    let others = curves.iter().rev().filter(|(count, _)| **count != usual);
    let others = others.map(|(count, names)| format!("; {count} of {}", names.join(", ")));
    format!("{usual} seed{s}{}", others.collect::<String>())
}

/// Lists the expert steps of each curve that has any or did not count them.
fn driven(panel: &ComparisonPanel) -> Option<String> {
    let steps = |curve: &LearningCurve| -> Option<f64> {
        let last = curve.runs.iter().map(|run| Some(run.lines.last()?.expert_steps? as f64));
        mean(&last.collect::<Option<Vec<_>>>()?)
    };
    let drove = panel.curves.iter().map(|curve| (&curve.name, steps(curve)));
    let drove: Vec<_> = drove.filter(|(_, steps)| *steps != Some(0.0)).collect();
    if drove.is_empty() {
        return None;
    }
    // No line break between a curve and its number.
    let words = drove.iter().map(|(name, steps)| match steps {
        Some(steps) => format!("{name}\u{a0}{steps:.0}"),
        None => format!("{name}\u{a0}not\u{a0}counted"),
    });
    let each = words.collect::<Vec<_>>().join(", ");
    let counted: Vec<f64> = drove.iter().filter_map(|(_, steps)| *steps).collect();
    // The tables contain each number; here a long list would take the space of the curves.
    let is_long = each.chars().count() > LONGEST_NOTE && counted.len() == drove.len();
    let (least, most) = extent(counted.iter().copied());
    let steps = if is_long { format!("{least:.0} to {most:.0}") } else { each };
    Some(format!("steps driven by the expert: {steps}"))
}

/// About three lines.
const LONGEST_NOTE: usize = 150;

/// Returns the minimum and the maximum.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let widest = (f64::INFINITY, f64::NEG_INFINITY);
    values.fold(widest, |(low, high), value| (f64::min(low, value), f64::max(high, value)))
}

/// Draws the mean of the runs with t intervals. A single run has none and is faint.
fn line(curve: &LearningCurve, runs: &RunCurves, level: f64) -> Line {
    let intervals = runs.intervals(level).unwrap_or_default();
    let points = runs.costs.iter().zip(&intervals).map(|(&x, point)| (x, point.estimate));
    let line = Line::new(&curve.name, points.collect()).color(curve.color).style(curve.style);
    match runs.runs.len() {
        1 => Line { faint: true, ..line },
        _ => line.band(intervals.iter().map(|point| (point.low, point.high)).collect()),
    }
}

/// Returns the range of the means and the expert, with a margin. Wide intervals of few seeds may be cut.
fn range(lines: &[Line], expert: Option<f64>) -> Option<(f64, f64)> {
    let values = lines.iter().flat_map(|line| &line.points).map(|point| point.1).chain(expert);
    let (low, high) = extent(values);
    let margin = 0.12 * (high - low);
    (margin > 0.0).then_some((low - margin, high + margin))
}

fn profiles(comparison: &Comparison) -> Option<Axes> {
    let scores: Vec<f64> = (0..=60).map(|i| f64::from(i) / 50.0).collect();
    let axes = Axes::new("Performance profiles")
        .note("last five rounds")
        .x("share τ of the expert's reward", Scale::Linear)
        .y("share of runs above τ", Scale::Linear);
    let mut axes = Axes { y_range: Some((-0.03, 1.03)), ..axes };
    for name in comparison.names() {
        let profile = comparison.profile(&name, &scores)?;
        let curve = find_curve(comparison, &name)?;
        let points = scores.iter().zip(&profile).map(|(&x, point)| (x, point.estimate)).collect();
        let is_known = profile.iter().all(|point| point.low.is_finite() && point.high.is_finite());
        // Marks at every point would hide such a fine line.
        let style = if curve.style == Style::Marked { Style::Solid } else { curve.style };
        let line = Line::new(name, points).color(curve.color).style(style);
        axes.curves.push(match is_known {
            true => line.band(profile.iter().map(|point| (point.low, point.high)).collect()),
            false => line,
        });
    }
    Some(axes)
}

fn find_curve<'a>(comparison: &'a Comparison, name: &str) -> Option<&'a LearningCurve> {
    comparison.panels.iter().find_map(|panel| panel.curve(name))
}

/// Draws estimates with their intervals, one per row, and a vertical line at `even`. An unbounded end is an arrow.
fn forest(
    comparison: &Comparison,
    [title, label]: [&str; 2],
    values: &[(String, Interval)],
    even: Option<f64>,
) -> Option<Axes> {
    let ends = values.iter().flat_map(|(_, value)| [value.low, value.estimate, value.high]);
    let (low, high) = extent(ends.filter(|end| end.is_finite()));
    let margin = 0.08 * (high - low).max(0.05);
    let (low, high) = (low - margin, high + margin);
    let (low, high) =
        even.map_or((low, high), |even| (low.min(even - 0.05), high.max(even + 0.05)));
    let names = values.iter().map(|(name, _)| name.clone()).collect();
    let (bottom, top) = (0.5 - values.len() as f64, 0.5);
    let axes = Axes::new(title).x(label, Scale::Linear);
    let (x_range, y_range) = (Some((low, high)), Some((bottom, top)));
    let mut axes = Axes { x_range, y_range, y_names: names, ..axes };
    if let Some(even) = even {
        let line = Line::new("", vec![(even, bottom), (even, top)]).style(Style::Dashed);
        axes.curves.push(line.color(tutelage_draw::plot::Color::GRAY));
    }
    for (i, (name, value)) in values.iter().enumerate() {
        let (row, color) = (-(i as f64), find_curve(comparison, name)?.color);
        axes.curves.extend(bar(value, row, (low, high)).map(|bar| bar.color(color)));
        axes.curves
            .push(Line::new("", vec![(value.estimate, row)]).color(color).style(Style::Marked));
    }
    (!values.is_empty()).then_some(axes)
}

/// Draws an interval: a line, with an arrow to the edge of the axes at an unbounded end. Draws nothing without any bound.
fn bar(value: &Interval, row: f64, (left, right): (f64, f64)) -> impl Iterator<Item = Line> {
    let known = [value.low, value.high].map(f64::is_finite);
    let tips = [left + 0.01 * (right - left), right - 0.01 * (right - left)];
    let ends = [0, 1].map(|i| if known[i] { [value.low, value.high][i] } else { tips[i] });
    let line = vec![(ends[0], row), (ends[1], row)];
    let back = 0.025 * (right - left);
    let head = move |i: usize| {
        let x = ends[i] + [back, -back][i];
        vec![(x, row + 0.14), (ends[i], row), (x, row - 0.14)]
    };
    let heads = (0..2).filter(move |&i| !known[i]).map(head);
    let all = std::iter::once(line).chain(heads).map(|points| Line::new("", points));
    all.filter(move |_| known.contains(&true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testbed::run;
    use crate::{ComparedRun, ComparisonSettings};

    fn drawn(runs: Vec<ComparedRun>) -> Axes {
        let comparison = Comparison::new(runs, ComparisonSettings::default()).unwrap();
        curves(&comparison).panels.remove(0)
    }

    #[test]
    fn notes_list_seeds_and_expert_steps() {
        let note = |runs: Vec<ComparedRun>| drawn(runs).note;
        let driven = [("dagger", 1, 0), ("bc", 1, 900), ("bc", 2, 1100)]
            .map(|(a, s, n)| run(a, s, n, &[5.0]));
        let expected = "2 seeds; 1 of DAgger\nsteps driven by the expert: BC\u{a0}1000";
        assert_eq!(note(driven.to_vec()), expected);
        assert_eq!(note(vec![run("dagger", 1, 0, &[5.0])]), "1 seed");
        let mut uncounted = run("bc", 1, 900, &[5.0]);
        uncounted.lines[0].expert_steps = None;
        let expected = "2 seeds\nsteps driven by the expert: BC\u{a0}not\u{a0}counted";
        assert_eq!(note(vec![run("bc", 2, 900, &[5.0]), uncounted]), expected);
        let many = [1, 2, 3, 4, 5, 6, 7, 8]
            .map(|m| run(&format!("windows-bd-5(0.5,0.1,0.05,6,{m})"), 1, 100 * m, &[5.0]));
        let expected = "1 seed\nsteps driven by the expert: 100 to 800";
        assert_eq!(note(many.to_vec()), expected, "a long list is summarized");
        let numbers =
            [("dagger", 5), ("bd-5", 5), ("bd-25", 3), ("mp-25(15)", 3), ("bc", 5), ("bd-2", 4)];
        let runs = |(name, seeds)| (1..=seeds).map(move |seed| run(name, seed, 0, &[5.0]));
        let all = numbers.into_iter().flat_map(runs).collect();
        assert_eq!(note(all), "5 seeds; 4 of BD-2; 3 of BD-25, MP-25(15)");
    }

    #[test]
    fn an_expert_far_above_all_curves_is_in_the_note() {
        let [far, near] = [6.0, 8.0].map(|reward| drawn(vec![run("dagger", 1, 0, &[5.0, reward])]));
        assert_eq!((far.levels.len(), near.levels.len()), (0, 1));
        assert_eq!(far.note, "1 seed\nexpert: 10, above the axis");
        assert!(far.y_range.unwrap().1 < 7.0 && near.y_range.unwrap().1 > 10.0);
    }

    #[test]
    fn unbounded_ends_are_arrows() {
        let lines = |low, high| {
            let value = Interval { estimate: 0.5, low, high };
            bar(&value, -1.0, (0.0, 1.0)).map(|line| line.points).collect::<Vec<_>>()
        };
        assert_eq!(lines(0.4, 0.6), [vec![(0.4, -1.0), (0.6, -1.0)]]);
        let open = lines(f64::NEG_INFINITY, 0.6);
        assert_eq!(open.len(), 2, "a line and an arrow head");
        assert_eq!((open[0][0], open[1][1]), ((0.01, -1.0), (0.01, -1.0)));
        assert!(open[1][0].0 > 0.01, "it points to the left");
        assert!(lines(f64::NEG_INFINITY, f64::INFINITY).is_empty());
    }
}
