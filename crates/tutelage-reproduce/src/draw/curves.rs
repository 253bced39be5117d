//! Learning curves with bands over seeds.

use tutelage_compare::{CompareError, Comparison, ComparisonSettings, figure};
use tutelage_draw::plot::{Color, Figure, Level, Panel, Style};

use crate::comparison::{compare, panel_title};
use crate::figure_plan::FinishedPanel;
use crate::paper::curve_name;
use crate::{
    Archive, CurveSpec, FigurePlan, PanelPlan, PanelRow, PlottedValue, ReproduceError, RunList,
};

/// The level of the intervals, as in the paper.
const LEVEL: f64 = 0.8;

pub(super) fn figure(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Figure, ReproduceError> {
    let rewards = finished(plan, runs, archive, |row| row.show != PlottedValue::ImitationLoss)?;
    let losses = finished(plan, runs, archive, |row| row.show == PlottedValue::ImitationLoss)?;
    let title = format!("{} ({:.0} % t intervals)", plan.experiment.title, 100.0 * LEVEL);
    let names = rewards.iter().chain(&losses).flat_map(Comparison::names).collect();
    let finished_panels = plan.finished(runs, archive)?;
    let caption = not_begun(&finished_panels);
    let mut figure = Figure { title, order: names, caption, ..Figure::default() };
    for panel in in_reading_order(plan, finished_panels) {
        let title = panel_title(&panel);
        let found = |comparison: &&Comparison| comparison.panels.iter().any(|p| p.title == title);
        let part = rewards.iter().chain(&losses).find(found);
        let axes = part.and_then(|part| axes(part, &title, panel.row));
        let note = |axes: Panel| Panel { note: axes.note + &missing(plan, &panel), ..axes };
        figure.panels.extend(axes.map(note));
    }
    if figure.panels.is_empty() {
        return Err(ReproduceError::Nothing(plan.experiment.name.clone()));
    }
    let columns = figure.panels.len().min(2);
    Ok(figure.columns(columns))
}

/// Compares the finished runs of some rows; `None` if there are none.
fn finished(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
    wanted: impl Fn(&PanelRow) -> bool,
) -> Result<Option<Comparison>, ReproduceError> {
    let settings = ComparisonSettings {
        level: LEVEL,
        cost: plan.experiment.over,
        ..ComparisonSettings::default()
    };
    match compare(plan, runs, archive, settings, wanted) {
        Ok(comparison) => Ok(Some(comparison)),
        Err(ReproduceError::Compare(CompareError::Nothing(_))) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Orders panels for two columns, so that their text stays readable.
///
/// The two columns show the rows of a task if there are two of them or if all show the same curves; else two tasks.
/// Rows for some tasks only come last.
fn in_reading_order<'a>(
    plan: &FigurePlan<'_>,
    mut panels: Vec<FinishedPanel<'a>>,
) -> Vec<FinishedPanel<'a>> {
    panels.retain(|panel| !panel.curves.is_empty());
    let is_whole = |row: &PanelRow| row.tasks.is_empty();
    let whole: Vec<&PanelRow> = plan.experiment.rows.iter().filter(|row| is_whole(row)).collect();
    let alike = |row: &&PanelRow| (row.show, &row.curves) == (whole[0].show, &whole[0].curves);
    if whole.len() == 2 || !whole.is_empty() && whole.iter().all(alike) {
        let tasks = plan.tasks();
        let place = |panel: &FinishedPanel<'_>| tasks.iter().position(|task| *task == panel.task);
        panels.sort_by_key(|panel| (!is_whole(panel.row), place(panel)));
    }
    panels
}

/// A note about the curves of a panel without runs.
fn missing(plan: &FigurePlan<'_>, panel: &FinishedPanel<'_>) -> String {
    let is_it =
        |other: &&PanelPlan<'_>| other.task == panel.task && std::ptr::eq(other.row, panel.row);
    let planned = plan.panels.iter().filter(is_it).flat_map(|panel| &panel.curves);
    let is_missing = |curve: &CurveSpec| panel.curves.iter().all(|(other, _)| other != curve);
    let missing = planned.map(|curve| curve.spec).filter(is_missing);
    match missing.map(|curve| curve_name(&curve)).collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        names => format!("\nnot run: {}", names.join(", ")),
    }
}

/// A caption about the panels without runs.
fn not_begun(panels: &[FinishedPanel<'_>]) -> String {
    let empty = panels.iter().filter(|panel| panel.curves.is_empty());
    match empty.map(panel_title).collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        titles => format!("Not run: {}.", titles.join("; ")),
    }
}

fn axes(comparison: &Comparison, title: &str, row: &PanelRow) -> Option<Panel> {
    let panel = comparison.panels.iter().find(|panel| panel.title == title)?;
    match row.show {
        PlottedValue::ImitationLoss => figure::loss(comparison, panel),
        PlottedValue::MeanMinusRandom => {
            let mut axes = figure::rewards(comparison, panel);
            axes.y_label = "mean − random member".into();
            // The question is whether a band lies above 0, so the whole band is shown.
            axes.y_range = None;
            let (color, style) = (Color::GRAY, Style::Solid);
            axes.levels.push(Level { name: "no difference".into(), color, style, y: 0.0 });
            Some(axes)
        }
        PlottedValue::Reward | PlottedValue::MeanAndRandom => {
            Some(figure::rewards(comparison, panel))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testbed::finish;
    use crate::{Experiment, Selection};

    #[test]
    fn a_figure_lists_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
        let experiment = Experiment::named("questions").unwrap();
        let mut runs = RunList::default();
        let plan = runs.plan(&experiment, &Selection::default()).unwrap();
        // The panel of epochs.
        let ant = plan.panels.iter().find(|panel| panel.curves.len() == 3).unwrap();
        ant.curves[1].runs.iter().for_each(|&run| finish(&runs[run], &archive, 1.0, None));
        let figure = figure(&plan, &runs, &archive).unwrap();
        let notes: Vec<&str> = figure.panels.iter().map(|panel| panel.note.as_str()).collect();
        assert_eq!(notes.len(), 2, "DAgger is in both of Ant's panels");
        assert!(notes[1].starts_with("5 seeds"), "{notes:?}");
        assert!(notes[1].ends_with("not run: DAgger (1000 epochs), DAgger (4000 epochs)"));
        let title = "Not run: Hopper, realizable, perturbation; Hopper, realizable, epochs (2000 unless named).";
        assert_eq!(figure.caption, title);
    }
}
