//! Which part of a figure to reproduce.

use tutelage::AlgorithmName;
use tutelage_spec::Task;

use crate::{CurveSpec, Experiment, PanelRow, Profile};

/// Which part of a figure to reproduce. `None` selects everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The profile.
    pub profile: Profile,
    /// The tasks.
    pub tasks: Option<Vec<Task>>,
    /// The algorithms.
    pub algorithms: Option<Vec<AlgorithmName>>,
    /// The seeds.
    pub seeds: Option<Vec<u64>>,
}

impl Selection {
    /// Returns the selected tasks of a row.
    pub fn tasks(&self, experiment: &Experiment, row: &PanelRow) -> Vec<Task> {
        let shown = |task: &Task| row.tasks.is_empty() || row.tasks.contains(task);
        let wanted = |task: &Task| {
            shown(task) && self.tasks.as_ref().is_none_or(|tasks| tasks.contains(task))
        };
        experiment.tasks.iter().copied().filter(wanted).collect()
    }

    /// Returns the selected seeds of a figure.
    pub fn seeds(&self, experiment: &Experiment) -> Vec<u64> {
        self.seeds.clone().unwrap_or_else(|| self.profile.seeds(&experiment.seeds))
    }

    /// Returns the selected seeds of a curve.
    ///
    /// A curve with its own seeds leaves out the figure's other seeds. Seeds that are not the figure's apply to all curves.
    pub fn seeds_of(&self, experiment: &Experiment, curve: &CurveSpec) -> Vec<u64> {
        let own = experiment.seeds_of(curve);
        let is_its = |seed: &u64| own.contains(seed) || !experiment.seeds.contains(seed);
        match &self.seeds {
            None => self.profile.seeds(own),
            Some(seeds) => seeds.iter().copied().filter(is_its).collect(),
        }
    }

    /// Returns the selected curves of a row.
    pub fn curves<'a>(&'a self, row: &'a PanelRow) -> impl Iterator<Item = &'a CurveSpec> {
        row.curves.iter().filter(|curve| {
            self.algorithms.as_ref().is_none_or(|wanted| wanted.contains(&curve.algorithm))
        })
    }

    /// Selects the whole figure with the requested seeds added, because figures show everything that is finished.
    #[must_use]
    pub fn whole(&self, experiment: &Experiment) -> Self {
        let mut seeds = self.profile.seeds(&experiment.seeds);
        seeds.extend(self.seeds.iter().flatten());
        seeds.sort_unstable();
        seeds.dedup();
        Self { profile: self.profile, seeds: Some(seeds), ..Self::default() }
    }
}
