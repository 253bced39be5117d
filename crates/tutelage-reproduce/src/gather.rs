//! The finished runs behind each panel of a figure.

use tutelage_lab::Task;

use crate::plan::{PlanError, Setting};
use crate::{Archive, ArchiveError, Experiment, Plan, Record, Row, Selection, Series};

/// A panel: one task, one row of the figure, and the records of each curve that has any.
pub(crate) struct Gathered<'a> {
    pub(crate) task: Task,
    pub(crate) row: &'a Row,
    pub(crate) finished: Vec<(Series, Vec<Record>)>,
}

/// Why records could not be gathered.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// A run that cannot be.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A record.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// All panels, row after row.
pub(crate) fn gather<'a>(
    experiment: &'a Experiment,
    selection: &Selection,
    plan: &mut Plan,
    archive: &Archive,
) -> Result<Vec<Gathered<'a>>, GatherError> {
    let mut panels = Vec::new();
    for row in &experiment.rows {
        for task in selection.tasks(experiment) {
            let setting = Setting { task, row, profile: selection.profile };
            let mut finished = Vec::new();
            for series in selection.series(row) {
                let mut records = Vec::new();
                for seed in selection.seeds(experiment) {
                    let run = plan.run(setting, series, seed)?;
                    records.extend(archive.record(&plan.runs[run])?);
                }
                if !records.is_empty() {
                    finished.push((*series, records));
                }
            }
            panels.push(Gathered { task, row, finished });
        }
    }
    Ok(panels)
}
