//! The comparison of algorithms on the page: the figures and tables of `tutelage compare`.

use serde::Serialize;
use tutelage_compare::{Comparison, ComparisonPanel, ComparisonSettings, CurveRow, figure};
use tutelage_draw::plot::Figure;

use super::scan::RunEntry;

/// All panels with more than one run.
#[derive(Debug, Default, Serialize)]
pub(super) struct ComparisonPage {
    panels: Vec<PagePanel>,
    /// Remarks on the runs.
    notes: Vec<String>,
}

/// A panel: one task, one class of policies.
#[derive(Debug, Serialize)]
struct PagePanel {
    title: String,
    /// The learning curves, with intervals, as SVG.
    figure: String,
    rows: Vec<CurveRow>,
}

/// Compares all runs, finished or not.
pub(super) fn compare(entries: &[RunEntry]) -> ComparisonPage {
    let settings = ComparisonSettings { unfinished: true, ..ComparisonSettings::default() };
    let started = entries.iter().filter(|entry| !entry.lines.is_empty());
    let Ok(comparison) = Comparison::new(started.map(RunEntry::run).collect(), settings) else {
        return ComparisonPage::default();
    };
    let rows = comparison.curves();
    let has_several_runs = |panel: &&ComparisonPanel| {
        panel.curves.iter().map(|curve| curve.runs.len()).sum::<usize>() > 1
    };
    let panels = comparison.panels.iter().filter(has_several_runs);
    let panels = panels.map(|panel| PagePanel {
        title: panel.title.clone(),
        figure: Figure { panels: vec![figure::rewards(&comparison, panel)], ..Figure::default() }
            .svg(),
        rows: rows.iter().filter(|row| row.panel == panel.title).cloned().collect(),
    });
    ComparisonPage { panels: panels.collect(), notes: comparison.notes.clone() }
}

#[cfg(test)]
mod tests {
    use tutelage_runs::RoundLine;

    use super::*;

    fn entry(algorithm: &str, seed: u32, rewards: &[f64]) -> RunEntry {
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
        RunEntry {
            name: format!("{algorithm}-{seed}"),
            annotations: 20,
            expert: Some(100.0),
            lines: rewards.iter().enumerate().map(line).collect(),
            spec: format!(
                "task = \"drive\"\nalgorithm = \"{algorithm}\"\nrounds = 9\nseed = {seed}\n"
            ),
            ..RunEntry::default()
        }
    }

    #[test]
    fn seeds_of_an_algorithm_share_a_row_and_a_curve() {
        let page = compare(&[
            entry("bd-5", 1, &[10.0, 30.0]),
            entry("bd-5", 2, &[20.0, 30.0, 50.0]),
            entry("dagger", 1, &[5.0]),
        ]);
        let [panel] = &page.panels[..] else { panic!("{page:?}") };
        let seeds: Vec<_> = panel.rows.iter().map(|row| (&*row.curve, row.seeds)).collect();
        assert_eq!((&*panel.title, &seeds[..]), ("drive", &[("DAgger", 1), ("BD-5", 2)][..]));
        assert!(panel.figure.starts_with("<svg") && panel.figure.contains("BD-5"));
        assert!(page.notes.iter().any(|note| note.contains("cut to 2 rounds")), "{page:?}");
    }

    #[test]
    fn a_single_run_is_not_compared() {
        assert!(compare(&[entry("bd-5", 1, &[1.0])]).panels.is_empty());
        assert!(compare(&[entry("bd-5", 1, &[]), entry("bd-5", 2, &[])]).panels.is_empty());
        assert!(compare(&[]).panels.is_empty());
    }
}
