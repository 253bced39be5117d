//! Runs side by side.

use crate::stats::{Bootstrap, StatsError};
use tutelage::Stream;

use crate::arrange::{ComparisonPanel, LearningCurve, RunGroup, arrange, group_runs};
use crate::{ComparedRun, Cost};

/// What to compare, and how sure to be.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// What curves are drawn over.
    pub cost: Cost,
    /// How often intervals should hold.
    pub level: f64,
    /// The curve that others are compared with; without one, all with all.
    pub baseline: Option<String>,
    /// Whether runs of the same seed belong together.
    pub paired: bool,
    /// The fields that make a panel.
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

/// Runs that cannot be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// There is nothing to compare.
    #[error(
        "none of the {0} runs has anything to compare yet; --unfinished counts those under way"
    )]
    Nothing(usize),
    /// There is no such curve.
    #[error("there is no curve \"{name}\" to compare with; there are {}", known.join(", "))]
    Baseline {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A statistic.
    #[error(transparent)]
    Stats(#[from] StatsError),
}

/// Runs sorted into panels and curves. All numbers are functions of these.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was asked for.
    pub settings: ComparisonSettings,
    /// One for each task and class.
    pub panels: Vec<ComparisonPanel>,
    /// What a reader should know: runs left out, curves of different lengths.
    pub notes: Vec<String>,
    /// The name of the curve that others are compared with.
    pub baseline: Option<String>,
}

impl Comparison {
    /// Sorts runs into panels and curves.
    pub fn new(runs: Vec<ComparedRun>, settings: ComparisonSettings) -> Result<Self, CompareError> {
        let groups = group_runs(runs, &settings.panels);
        Self::of_groups(groups, settings)
    }

    /// Compares runs that are sorted already.
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
            notes.push(format!("{left} run{s} not finished, left out (--unfinished counts them)"));
        }
        let mut sorted = arrange(groups, settings.cost);
        notes.append(&mut sorted.notes);
        if sorted.panels.is_empty() {
            return Err(CompareError::Nothing(all));
        }
        let mut comparison = Self { settings, panels: sorted.panels, notes, baseline: None };
        comparison.baseline = comparison.find_baseline()?;
        Ok(comparison)
    }

    fn find_baseline(&self) -> Result<Option<String>, CompareError> {
        let Some(wanted) = &self.settings.baseline else { return Ok(None) };
        let same = |text: &str| text.eq_ignore_ascii_case(wanted);
        let is_it = |curve: &&LearningCurve| {
            let key = curve.algorithm.as_ref().map(ToString::to_string);
            same(&curve.name) || key.is_some_and(|key| same(&key) && !curve.runs.is_empty())
        };
        // A whole name goes before an algorithm's, which several curves may have.
        let curves = || self.panels.iter().flat_map(|panel| &panel.curves);
        let found = curves().find(|curve| same(&curve.name)).or_else(|| curves().find(is_it));
        match found {
            Some(curve) => Ok(Some(curve.name.clone())),
            None => Err(CompareError::Baseline { name: wanted.clone(), known: self.names() }),
        }
    }

    /// The names of all curves, in their order.
    pub fn names(&self) -> Vec<String> {
        let mut curves: Vec<&LearningCurve> =
            self.panels.iter().flat_map(|panel| &panel.curves).collect();
        curves.sort_by_key(|curve| (crate::style::rank(curve.algorithm.as_ref()), &curve.name));
        let mut names: Vec<String> = curves.iter().map(|curve| curve.name.clone()).collect();
        names.dedup();
        names
    }

    /// The bootstrap behind the intervals of statistics other than means.
    pub(crate) fn bootstrap(&self) -> Result<Bootstrap, StatsError> {
        let stream = Stream::new(0).fork("compare", 0);
        Ok(Bootstrap::new(self.settings.level, 2000, stream)?.expanded())
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        let curves = self.panels.iter().flat_map(|panel| &panel.curves);
        curves.map(|curve| curve.runs.len()).sum()
    }
}

impl ComparisonPanel {
    /// The curve of this name.
    pub fn curve(&self, name: &str) -> Option<&LearningCurve> {
        self.curves.iter().find(|curve| curve.name == name)
    }

    /// A reward in units of the expert's: 0 is nothing, 1 the expert.
    pub fn share(&self, reward: f64) -> Option<f64> {
        Some((reward - self.zero) / (self.expert? - self.zero))
    }

    /// The reward at this share of the expert's.
    pub fn reward_at(&self, share: f64) -> Option<f64> {
        Some(self.zero + share * (self.expert? - self.zero))
    }
}
