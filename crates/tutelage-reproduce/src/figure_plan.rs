//! The plan of a figure: which runs belong to which curve of which panel.

use std::collections::HashSet;

use tutelage_spec::Task;

use crate::{
    Archive, ArchiveError, CurveSpec, Experiment, FigureKind, PanelRow, Profile, RunList, RunRecord,
};

/// The plan of a figure: its panels, their curves, and the runs of each curve.
///
/// [`RunList::plan`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct FigurePlan<'a> {
    /// The figure.
    pub experiment: &'a Experiment,
    /// The profile.
    pub profile: Profile,
    /// The seeds of all curves without their own.
    pub seeds: Vec<u64>,
    /// The panels, row by row, one column per task.
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
    /// The curve.
    pub spec: CurveSpec,
    /// The runs, one per seed, as indices into the [`RunList`].
    pub runs: Vec<usize>,
}

/// A panel with the records of each curve that has any.
pub(crate) struct FinishedPanel<'a> {
    pub(crate) task: Task,
    pub(crate) row: &'a PanelRow,
    pub(crate) curves: Vec<(CurveSpec, Vec<RunRecord>)>,
}

impl<'a> FigurePlan<'a> {
    /// Returns all runs, each once, in the figure's order.
    pub fn runs(&self) -> Vec<usize> {
        let mut seen = HashSet::new();
        let all = self.curves().flat_map(|curve| curve.runs.iter().copied());
        all.filter(|&run| seen.insert(run)).collect()
    }

    /// Returns the curves of all panels.
    pub(crate) fn curves(&self) -> impl Iterator<Item = &CurvePlan> {
        self.panels.iter().flat_map(|panel| &panel.curves)
    }

    /// Returns the tasks in the figure's order.
    pub(crate) fn tasks(&self) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        for panel in &self.panels {
            if !tasks.contains(&panel.task) {
                tasks.push(panel.task);
            }
        }
        tasks
    }

    /// Returns whether the figure shows queried states, which records do not contain.
    pub fn shows_states(&self) -> bool {
        matches!(self.experiment.draw, FigureKind::States | FigureKind::TwoStates)
    }

    /// Returns the finished runs of each panel.
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
