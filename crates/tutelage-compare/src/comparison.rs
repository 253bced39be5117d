//! The comparison of runs.

use crate::stats::{Bootstrap, StatsError};
use tutelage::Stream;

use crate::arrange::{ComparisonPanel, LearningCurve, RunGroup, arrange, group_runs};
use crate::{ComparedRun, Cost};

/// How runs are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// The x axis of learning curves.
    pub cost: Cost,
    /// The confidence level of intervals.
    pub level: f64,
    /// The curve that all others are compared with; `None` compares all with all.
    pub baseline: Option<String>,
    /// Whether runs of the same seed are paired.
    pub paired: bool,
    /// The spec fields by which runs are sorted into panels.
    pub panels: Vec<String>,
    /// Whether unfinished runs are included.
    pub unfinished: bool,
}

impl Default for ComparisonSettings {
    fn default() -> Self {
        Self {
            cost: Cost::Annotations,
            level: 0.95,
            baseline: None,
            paired: false,
            panels: vec!["task".into(), "class".into()],
            unfinished: false,
        }
    }
}

/// Why runs cannot be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// No run is finished, or none has the requested cost.
    #[error("nothing to compare: {0} runs, but none is finished and has the requested cost")]
    Nothing(usize),
    /// The baseline does not exist.
    #[error("unknown baseline \"{name}\"; the curves are {}", known.join(", "))]
    Baseline {
        /// The requested name.
        name: String,
        /// The names of all curves.
        known: Vec<String>,
    },
    /// A statistic failed.
    #[error(transparent)]
    Stats(#[from] StatsError),
}

/// Runs sorted into panels and curves. Its methods compute all numbers.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The settings.
    pub settings: ComparisonSettings,
    /// The panels, usually one per task and class.
    pub panels: Vec<ComparisonPanel>,
    /// Remarks for the reader, such as runs that were left out or cut.
    pub notes: Vec<String>,
    /// The name of the curve that all others are compared with.
    pub baseline: Option<String>,
}

impl Comparison {
    /// Sorts runs into panels and curves, and compares them.
    pub fn new(runs: Vec<ComparedRun>, settings: ComparisonSettings) -> Result<Self, CompareError> {
        let groups = group_runs(runs, &settings.panels);
        Self::of_groups(groups, settings)
    }

    /// Compares runs that are already sorted into panels and curves.
    pub fn of_groups(
        mut groups: Vec<RunGroup>,
        settings: ComparisonSettings,
    ) -> Result<Self, CompareError> {
        Bootstrap::new(settings.level, 1, Stream::new(0))?;
        let count = |groups: &[RunGroup]| {
            let curves = groups.iter().flat_map(|group| &group.curves);
            curves.map(|(_, runs)| runs.len()).sum::<usize>()
        };
        let all = count(&groups);
        for (_, runs) in groups.iter_mut().flat_map(|group| &mut group.curves) {
            runs.retain(|run| !run.lines.is_empty() && (settings.unfinished || run.is_finished()));
        }
        let mut notes = Vec::new();
        let left = all - count(&groups);
        if left > 0 && left < all {
            let s = if left == 1 { " is" } else { "s are" };
            notes.push(format!("{left} run{s} not finished, left out"));
        }
        let panels = arrange(groups, settings.cost, &mut notes);
        if panels.is_empty() {
            return Err(CompareError::Nothing(all));
        }
        let mut comparison = Self { settings, panels, notes, baseline: None };
        comparison.baseline = comparison.find_baseline()?;
        Ok(comparison)
    }

    fn find_baseline(&self) -> Result<Option<String>, CompareError> {
        let Some(wanted) = &self.settings.baseline else { return Ok(None) };
        let same = |text: &str| text.eq_ignore_ascii_case(wanted);
        let has_key = |curve: &&LearningCurve| {
            curve.algorithm.as_ref().is_some_and(|algorithm| same(&algorithm.to_string()))
        };
        // Prefer the name of a curve to the name of an algorithm, which several curves may share.
        let curves = || self.panels.iter().flat_map(|panel| &panel.curves);
        let found = curves().find(|curve| same(&curve.name)).or_else(|| curves().find(has_key));
        match found {
            Some(curve) => Ok(Some(curve.name.clone())),
            None => Err(CompareError::Baseline { name: wanted.clone(), known: self.names() }),
        }
    }

    /// Returns the names of all curves in display order.
    pub fn names(&self) -> Vec<String> {
        let mut curves: Vec<&LearningCurve> =
            self.panels.iter().flat_map(|panel| &panel.curves).collect();
        curves.sort_by_key(|curve| (crate::style::rank(curve.algorithm.as_ref()), &curve.name));
        let mut names: Vec<String> = curves.iter().map(|curve| curve.name.clone()).collect();
        names.dedup();
        names
    }

    /// Returns the bootstrap for all intervals except those of means.
    pub(crate) fn bootstrap(&self) -> Result<Bootstrap, StatsError> {
        let stream = Stream::new(0).fork("compare", 0);
        Ok(Bootstrap::new(self.settings.level, 2000, stream)?.expanded())
    }
}

impl ComparisonPanel {
    /// Returns the curve with this name.
    pub fn curve(&self, name: &str) -> Option<&LearningCurve> {
        self.curves.iter().find(|curve| curve.name == name)
    }

    /// Converts a reward to units of the expert's reward: 0 at [`zero`](Self::zero), 1 for the expert.
    pub fn share(&self, reward: f64) -> Option<f64> {
        Some((reward - self.zero) / (self.expert? - self.zero))
    }

    /// Returns the reward at this share of the expert's reward.
    pub fn reward_at(&self, share: f64) -> Option<f64> {
        Some(self.zero + share * (self.expert? - self.zero))
    }
}
