//! A figure laid out: which runs are behind which curve of which panel.

use std::collections::HashSet;

use tutelage_lab::Task;

use crate::{
    Archive, ArchiveError, CurveSpec, Experiment, FigureKind, PanelRow, Profile, RunList, RunRecord,
};

/// A figure laid out: its panels, the curves in each, and the runs behind each curve.
///
/// It is made once, by [`RunList::plan`]; running, drawing and summarising all read it.
#[derive(Clone, Debug, PartialEq)]
pub struct FigurePlan<'a> {
    /// The figure.
    pub experiment: &'a Experiment,
    /// The paper's settings or less.
    pub profile: Profile,
    /// The seeds of every curve that has none of its own.
    pub seeds: Vec<u64>,
    /// The panels, row after row, a task in each column.
    pub panels: Vec<PanelPlan<'a>>,
}

/// A panel of a [`FigurePlan`].
#[derive(Clone, Debug, PartialEq)]
pub struct PanelPlan<'a> {
    /// The task.
    pub task: Task,
    /// The row of the figure.
    pub row: &'a PanelRow,
    /// The curves.
    pub curves: Vec<CurvePlan>,
}

/// A curve of a [`PanelPlan`].
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePlan {
    /// What it is a curve of.
    pub spec: CurveSpec,
    /// The runs behind it, one for each seed, by their place in the [`RunList`].
    pub runs: Vec<usize>,
}

/// A panel, and the records of each curve that has any.
pub(crate) struct FinishedPanel<'a> {
    pub(crate) task: Task,
    pub(crate) row: &'a PanelRow,
    pub(crate) curves: Vec<(CurveSpec, Vec<RunRecord>)>,
}

impl<'a> FigurePlan<'a> {
    /// All runs that are shown, each once, in the figure's order.
    pub fn runs(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let all = self.curves().flat_map(|curve| curve.runs.iter().copied());
        all.filter(|&run| seen.insert(run)).collect()
    }

    /// The curves of all panels.
    pub(crate) fn curves(&self) -> impl Iterator<Item = &CurvePlan> {
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

    /// Whether it shows the states that were request about, so that the records of its runs are not enough.
    pub fn shows_states(&self) -> bool {
        matches!(self.experiment.draw, FigureKind::States | FigureKind::TwoStates)
    }

    /// The finished runs behind each panel.
    pub(crate) fn finished(
        &self,
        runs: &RunList,
        archive: &Archive,
    ) -> Result<Vec<FinishedPanel<'a>>, ArchiveError> {
        let records = |curve: &CurvePlan| -> Result<(CurveSpec, Vec<RunRecord>), ArchiveError> {
            let records = curve.runs.iter().map(|&run| archive.record(&runs[run]));
            let records: Vec<_> = records.collect::<Result<_, _>>()?;
            Ok((curve.spec, records.into_iter().flatten().collect()))
        };
        let panel = |panel: &PanelPlan<'a>| {
            let curves: Vec<_> = panel.curves.iter().map(records).collect::<Result<_, _>>()?;
            let curves = curves.into_iter().filter(|(_, records)| !records.is_empty()).collect();
            Ok(FinishedPanel { task: panel.task, row: panel.row, curves })
        };
        self.panels.iter().map(panel).collect()
    }
}
