//! How algorithms compare, over seeds: what `tutelage compare` says, for the page.

use serde::Serialize;
use tutelage_compare::{Comparison, ComparisonPanel, ComparisonSettings, CurveRow, LearningCurve};

use super::scan::Entry;

/// All panels that there is anything to compare in.
#[derive(Debug, Default, Serialize)]
pub(super) struct Compared {
    /// How often intervals should hold.
    level: f64,
    panels: Vec<OnPage>,
    /// What a reader should know of it.
    notes: Vec<String>,
}

/// A panel: one task, one class of policies.
#[derive(Debug, Serialize)]
struct OnPage {
    title: String,
    expert: Option<f64>,
    curves: Vec<Line>,
}

/// The runs of one algorithm, over seeds.
#[derive(Debug, Serialize)]
struct Line {
    name: String,
    runs: Vec<String>,
    /// Annotations, mean reward, and the ends of its interval; a single run has none.
    points: Vec<[Option<f64>; 4]>,
    row: Option<CurveRow>,
}

/// Compares all runs, finished or not.
pub(super) fn compare(entries: &[Entry]) -> Compared {
    let settings = ComparisonSettings { unfinished: true, ..ComparisonSettings::default() };
    let level = settings.level;
    let begun = entries.iter().filter(|entry| !entry.lines.is_empty());
    let Ok(comparison) = Comparison::new(begun.map(Entry::run).collect(), settings) else {
        return Compared { level, ..Compared::default() };
    };
    let rows = comparison.curves();
    let several = |panel: &&ComparisonPanel| {
        panel.curves.iter().map(|curve| curve.runs.len()).sum::<usize>() > 1
    };
    let panels = comparison.panels.iter().filter(several);
    let panels = panels.map(|panel| OnPage {
        title: panel.title.clone(),
        expert: panel.expert,
        curves: panel.curves.iter().map(|curve| line(curve, panel, &rows, level)).collect(),
    });
    Compared { level, panels: panels.collect(), notes: comparison.notes.clone() }
}

fn line(curve: &LearningCurve, panel: &ComparisonPanel, rows: &[CurveRow], level: f64) -> Line {
    let intervals = curve.curves.intervals(level).unwrap_or_default();
    let point = |(&cost, interval): (&f64, &tutelage_compare::stats::Interval)| {
        let end = |end: f64| Some(end).filter(|end| end.is_finite() && curve.runs.len() > 1);
        [Some(cost), Some(interval.estimate), end(interval.low), end(interval.high)]
    };
    let is_it = |row: &&CurveRow| row.panel == panel.title && row.curve == curve.name;
    Line {
        name: curve.name.clone(),
        runs: curve.runs.iter().map(|run| run.source.display().to_string()).collect(),
        points: curve.curves.costs.iter().zip(&intervals).map(point).collect(),
        row: rows.iter().find(is_it).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use tutelage_compare::stats::t_interval;
    use tutelage_runs::RoundLine;

    use super::*;

    fn entry(algorithm: &str, seed: u32, rewards: &[f64]) -> Entry {
        let line = |(i, &reward): (usize, &f64)| RoundLine {
            round: i + 1,
            annotations: 10 * (i + 1),
            expert_steps: Some(0),
            reward,
            reward_sd: 0.0,
            reward_random: None,
            imitation_loss: None,
            seconds: None,
        };
        Entry {
            name: format!("{algorithm}-{seed}"),
            annotations: 20,
            expert: Some(100.0),
            lines: rewards.iter().enumerate().map(line).collect(),
            spec: format!(
                "task = \"drive\"\nalgorithm = \"{algorithm}\"\nrounds = 9\nseed = {seed}\n"
            ),
            ..Entry::default()
        }
    }

    #[test]
    fn seeds_of_an_algorithm_are_one_curve_with_the_intervals_of_compare() {
        let entries = [
            entry("bd-5", 1, &[10.0, 30.0]),
            entry("bd-5", 2, &[20.0, 30.0, 50.0]),
            entry("dagger", 1, &[5.0]),
        ];
        let compared = compare(&entries);
        let [panel] = &compared.panels[..] else { panic!("{compared:?}") };
        assert_eq!((&*panel.title, panel.expert), ("drive", Some(100.0)));
        let [dagger, bd] = &panel.curves[..] else { panic!("{panel:?}") };
        assert_eq!((&*bd.name, bd.runs.len(), dagger.runs.len()), ("BD-5", 2, 1));
        assert_eq!(bd.points.len(), 2, "as far as both have come");
        let interval = t_interval(&[10.0, 20.0], 0.95).unwrap();
        assert_eq!(bd.points[0], [10.0, 15.0, interval.low, interval.high].map(Some));
        assert_eq!(dagger.points, [[Some(10.0), Some(5.0), None, None]], "one seed has no band");
        assert_eq!(bd.row.as_ref().unwrap().seeds, 2);
        assert!(compared.notes.iter().any(|note| note.contains("cut to 2 rounds")), "{compared:?}");
    }

    #[test]
    fn one_run_alone_is_no_comparison() {
        assert!(compare(&[entry("bd-5", 1, &[1.0])]).panels.is_empty());
        assert!(compare(&[entry("bd-5", 1, &[]), entry("bd-5", 2, &[])]).panels.is_empty());
        assert!(compare(&[]).panels.is_empty());
    }
}
