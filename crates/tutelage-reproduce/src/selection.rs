//! What part of a figure is wanted.

use tutelage::AlgorithmName;
use tutelage_lab::Task;

use crate::{CurveSpec, Experiment, PanelRow, Profile};

/// What part of a figure is wanted; what is not said is wanted whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The paper's settings or less.
    pub profile: Profile,
    /// The tasks.
    pub tasks: Option<Vec<Task>>,
    /// The algorithms.
    pub algorithms: Option<Vec<AlgorithmName>>,
    /// The seeds.
    pub seeds: Option<Vec<u64>>,
}

impl Selection {
    /// The tasks of this row of a figure that are wanted.
    pub fn tasks(&self, experiment: &Experiment, row: &PanelRow) -> Vec<Task> {
        let shown = |task: &Task| row.tasks.is_empty() || row.tasks.contains(task);
        let wanted = |task: &Task| {
            shown(task) && self.tasks.as_ref().is_none_or(|tasks| tasks.contains(task))
        };
        experiment.tasks.iter().copied().filter(wanted).collect()
    }

    /// The seeds of this figure that are wanted.
    pub fn seeds(&self, experiment: &Experiment) -> Vec<u64> {
        self.seeds.clone().unwrap_or_else(|| self.profile.seeds(&experiment.seeds))
    }

    /// The seeds of one of its curves that are wanted. A curve with seeds of its own plays no others of the figure's; seeds
    /// that are not the figure's at all are for every curve.
    pub fn seeds_of(&self, experiment: &Experiment, curve: &CurveSpec) -> Vec<u64> {
        let own = experiment.seeds_of(curve);
        let is_its = |seed: &u64| own.contains(seed) || !experiment.seeds.contains(seed);
        match &self.seeds {
            None => self.profile.seeds(own),
            Some(seeds) => seeds.iter().copied().filter(is_its).collect(),
        }
    }

    /// The curves of this row that are wanted.
    pub fn curves<'a>(&'a self, row: &'a PanelRow) -> impl Iterator<Item = &'a CurveSpec> {
        row.curves.iter().filter(|curve| {
            self.algorithms.as_ref().is_none_or(|wanted| wanted.contains(&curve.algorithm))
        })
    }

    /// All of a figure, for a figure is always drawn from everything that is finished; with the seeds that were request for
    /// beside its own.
    #[must_use]
    pub fn whole(&self, experiment: &Experiment) -> Self {
        let mut seeds = self.profile.seeds(&experiment.seeds);
        seeds.extend(self.seeds.iter().flatten());
        seeds.sort_unstable();
        seeds.dedup();
        Self { profile: self.profile, seeds: Some(seeds), ..Self::default() }
    }
}
