//! A figure laid out: which runs are behind which curve of which panel.

use std::collections::HashSet;

use tutelage_lab::Task;

use crate::{Archive, ArchiveError, Draw, Experiment, Profile, Row, RunList, RunRecord, Series};

/// A figure laid out: its panels, the curves in each, and the runs behind each curve.
///
/// It is made once, by [`RunList::sheet`]; running, drawing and summarising all read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet<'a> {
    /// The figure.
    pub experiment: &'a Experiment,
    /// The paper's settings or less.
    pub profile: Profile,
    /// The seeds of every curve that has none of its own.
    pub seeds: Vec<u64>,
    /// The panels, row after row, a task in each column.
    pub panels: Vec<SheetPanel<'a>>,
}

/// A panel of a [`Sheet`].
#[derive(Clone, Debug, PartialEq)]
pub struct SheetPanel<'a> {
    /// The task.
    pub task: Task,
    /// The row of the figure.
    pub row: &'a Row,
    /// The curves.
    pub curves: Vec<SheetCurve>,
}

/// A curve of a [`SheetPanel`].
#[derive(Clone, Debug, PartialEq)]
pub struct SheetCurve {
    /// What it is a curve of.
    pub series: Series,
    /// The runs behind it, one for each seed, by their place in the [`RunList`].
    pub runs: Vec<usize>,
}

/// A panel, and the records of each curve that has any.
pub(crate) struct FinishedPanel<'a> {
    pub(crate) task: Task,
    pub(crate) row: &'a Row,
    pub(crate) curves: Vec<(Series, Vec<RunRecord>)>,
}

impl<'a> Sheet<'a> {
    /// All runs that are shown, each once, in the figure's order.
    pub fn runs(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let all = self.curves().flat_map(|curve| curve.runs.iter().copied());
        all.filter(|&run| seen.insert(run)).collect()
    }

    /// The curves of all panels.
    pub(crate) fn curves(&self) -> impl Iterator<Item = &SheetCurve> {
        self.panels.iter().flat_map(|panel| &panel.curves)
    }

    /// The tasks, in the figure's order.
    pub(crate) fn tasks(&self) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        for panel in &self.panels {
            if !tasks.contains(&panel.task) {
                tasks.push(panel.task);
            }
        }
        tasks
    }

    /// Whether it shows the states that were asked about, so that the records of its runs are not enough.
    pub fn shows_states(&self) -> bool {
        matches!(self.experiment.draw, Draw::States | Draw::TwoStates)
    }

    /// The finished runs behind each panel.
    pub(crate) fn finished(
        &self,
        runs: &RunList,
        archive: &Archive,
    ) -> Result<Vec<FinishedPanel<'a>>, ArchiveError> {
        let records = |curve: &SheetCurve| -> Result<(Series, Vec<RunRecord>), ArchiveError> {
            let records = curve.runs.iter().map(|&run| archive.record(&runs[run]));
            let records: Vec<_> = records.collect::<Result<_, _>>()?;
            Ok((curve.series, records.into_iter().flatten().collect()))
        };
        let panel = |panel: &SheetPanel<'a>| {
            let curves: Vec<_> = panel.curves.iter().map(records).collect::<Result<_, _>>()?;
            let curves = curves.into_iter().filter(|(_, records)| !records.is_empty()).collect();
            Ok(FinishedPanel { task: panel.task, row: panel.row, curves })
        };
        self.panels.iter().map(panel).collect()
    }
}
