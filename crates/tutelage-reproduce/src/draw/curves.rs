//! Learning curves with bands over seeds.

use tutelage_compare::{CompareError, Comparison, Settings, figure};
use tutelage_figures::{Figure, Panel};

use super::DrawError;
use crate::comparison::{ComparisonError, compare, panel_title};
use crate::sheet::FinishedPanel;
use crate::{Archive, Row, RunList, Sheet, Show};

/// How often bands should hold: as often as the paper says of its own.
const LEVEL: f64 = 0.8;

pub(super) fn figure(
    sheet: &Sheet<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Figure, DrawError> {
    let rewards = finished(sheet, runs, archive, |row| row.show != Show::ImitationLoss)?;
    let losses = finished(sheet, runs, archive, |row| row.show == Show::ImitationLoss)?;
    let title = format!("{} ({:.0} % t intervals)", sheet.experiment.title, 100.0 * LEVEL);
    let names = rewards.iter().chain(&losses).flat_map(Comparison::names).collect();
    let mut figure = Figure::new(title).order(names);
    for panel in in_reading_order(sheet, sheet.finished(runs, archive)?) {
        let title = panel_title(&panel);
        let found = |comparison: &&Comparison| comparison.panels.iter().any(|p| p.title == title);
        let part = rewards.iter().find(found).map(|part| axes(part, &title, panel.row));
        let part =
            part.or_else(|| losses.iter().find(found).map(|part| axes(part, &title, panel.row)));
        figure.panels.extend(part.flatten());
    }
    if figure.panels.is_empty() {
        return Err(DrawError::Nothing(sheet.experiment.name.clone()));
    }
    let columns = figure.panels.len().min(2);
    Ok(figure.columns(columns))
}

/// What is finished of some rows; nothing where none of it is.
fn finished(
    sheet: &Sheet<'_>,
    runs: &RunList,
    archive: &Archive,
    wanted: impl Fn(&Row) -> bool,
) -> Result<Option<Comparison>, DrawError> {
    let settings = Settings { level: LEVEL, ..Settings::default() };
    match compare(sheet, runs, archive, settings, wanted) {
        Ok(comparison) => Ok(Some(comparison)),
        Err(ComparisonError::Compare(CompareError::Nothing(_))) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Two panels stand side by side, so that their text can be read on a page: the two rows of a task where there are two,
/// else two tasks.
fn in_reading_order<'a>(
    sheet: &Sheet<'_>,
    mut panels: Vec<FinishedPanel<'a>>,
) -> Vec<FinishedPanel<'a>> {
    panels.retain(|panel| !panel.curves.is_empty());
    if sheet.experiment.rows.len() == 2 {
        let tasks = sheet.tasks();
        panels.sort_by_key(|panel| tasks.iter().position(|task| *task == panel.task));
    }
    panels
}

fn axes(comparison: &Comparison, title: &str, row: &Row) -> Option<Panel> {
    let panel = comparison.panels.iter().find(|panel| panel.title == title)?;
    match row.show {
        Show::ImitationLoss => figure::loss(comparison, panel),
        Show::MeanMinusRandom => {
            let mut axes = figure::rewards(comparison, panel).level("no difference", 0.0);
            axes.y_label = "mean's reward − random member's".into();
            Some(axes)
        }
        Show::Reward | Show::MeanAndRandom => Some(figure::rewards(comparison, panel)),
    }
}
