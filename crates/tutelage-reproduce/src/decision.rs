//! Whether hand-over windows become the default: a rule that was stated before the study's runs, and what the runs say to it.

use tutelage_compare::{CompareError, Comparison, Settings};

use crate::paper::series_name;
use crate::savings::Saving;
use crate::{
    Archive, ComparisonError, Experiment, ReportError, RunList, Selection, Series, Sheet, compare,
};

/// The curve in question, and the default that it would replace.
const CURVE: &str = "handover-bd-5";
const AGAINST: &str = "bd-5";
/// The share of the expert's reward that both are to reach.
const SHARE: f64 = 0.75;
/// The study that decides, and the tasks on which nothing was tuned.
const STUDY: &str = "fewest";
const HELD_OUT: &str = "fewest-held-out";
/// At most so much of the other's annotations, in the geometric mean over the study's panels.
pub const AT_MOST: f64 = 0.6;

/// The rule, and what the finished runs say to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// How many runs of the two curves are finished, in the study and on held-out tasks.
    pub finished: usize,
    /// How many there are to be.
    pub planned: usize,
    /// What the curve needs of the other's annotations over the study's panels.
    pub saving: Saving,
    /// How many panels and held-out tasks there are to look at.
    pub places: usize,
    /// Those of them where it clearly needs more.
    pub dearer: Vec<String>,
}

impl Decision {
    /// What the finished runs say.
    pub(crate) fn of(archive: &Archive) -> Result<Self, ReportError> {
        let (study, held_out) = (Part::of(STUDY, archive)?, Part::of(HELD_OUT, archive)?);
        let (curve, against) = names()?;
        let of = |comparison: &Comparison| {
            let panels = comparison.panels.iter();
            Saving::over(panels, &curve, &against, SHARE).map_err(stats)
        };
        let mut decision = Self {
            finished: study.finished + held_out.finished,
            planned: study.planned + held_out.planned,
            saving: study.comparison.as_ref().map_or(Ok(Saving::default()), of)?,
            places: 0,
            dearer: vec![],
        };
        let parts = [&study.comparison, &held_out.comparison];
        for panel in parts.into_iter().flatten().flat_map(|part| &part.panels) {
            let saving = Saving::over([panel].into_iter(), &curve, &against, SHARE);
            decision.places += 1;
            if saving.map_err(stats)?.is_clearly_dearer() {
                decision.dearer.push(panel.title.clone());
            }
        }
        Ok(decision)
    }

    /// Whether it saves enough.
    pub fn saves(&self) -> bool {
        let is_enough = self.saving.ratio.is_some_and(|ratio| ratio.estimate <= AT_MOST);
        is_enough && self.saving.missed == 0
    }

    /// Whether it becomes the default; nothing while runs are missing.
    pub fn verdict(&self) -> Option<bool> {
        let is_complete = self.finished == self.planned;
        is_complete.then(|| self.saves() && self.dearer.is_empty())
    }
}

fn stats(error: tutelage_compare::stats::StatsError) -> ReportError {
    ComparisonError::from(CompareError::from(error)).into()
}

/// The two curves as comparisons call them.
fn names() -> Result<(String, String), ReportError> {
    let name = |text: &str| -> Result<String, ReportError> {
        let series: Series = text.parse().map_err(|_| ReportError::Curve { curve: text.into() })?;
        Ok(series_name(&series))
    };
    Ok((name(CURVE)?, name(AGAINST)?))
}

/// The runs of the two curves in one figure.
struct Part {
    comparison: Option<Comparison>,
    finished: usize,
    planned: usize,
}

impl Part {
    fn of(figure: &str, archive: &Archive) -> Result<Self, ReportError> {
        let experiment = Experiment::named(figure)?;
        let mut runs = RunList::default();
        let algorithms = [CURVE, AGAINST].map(|name| name.parse().ok());
        let algorithms = algorithms.into_iter().flatten().collect();
        let selection = Selection { algorithms: Some(algorithms), ..Selection::default() };
        let sheet: Sheet<'_> = runs.sheet(&experiment, &selection)?;
        let missing = runs.unfinished(&sheet, archive)?.len();
        let planned = sheet.runs().len();
        let comparison = match compare(&sheet, &runs, archive, Settings::default(), |_| true) {
            Ok(comparison) => Some(comparison),
            Err(ComparisonError::Compare(CompareError::Nothing(_))) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self { comparison, finished: planned - missing, planned })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_compare::stats::Interval;

    fn decision(estimate: f64, missed: usize, dearer: &[&str], finished: usize) -> Decision {
        let ratio = Some(Interval { estimate, low: 0.9 * estimate, high: 1.1 * estimate });
        Decision {
            finished,
            planned: 10,
            saving: Saving { reached: 8 - missed, bounded: 0, missed, ratio },
            places: 13,
            dearer: dearer.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn the_rule_by_hand() {
        assert_eq!(decision(0.6, 0, &[], 10).verdict(), Some(true));
        assert_eq!(decision(0.61, 0, &[], 10).verdict(), Some(false), "it saves too little");
        assert_eq!(decision(0.4, 1, &[], 10).verdict(), Some(false), "it is missed in a panel");
        assert_eq!(decision(0.4, 0, &["grid"], 10).verdict(), Some(false), "it is dearer");
        assert_eq!(decision(0.4, 0, &[], 9).verdict(), None, "a run is missing");
    }

    #[test]
    fn clearly_dearer_is_an_interval_above_one_or_a_level_missed() {
        let saving = |low: f64, missed| Saving {
            reached: 1,
            bounded: 0,
            missed,
            ratio: Some(Interval { estimate: 1.5, low, high: 2.0 }),
        };
        assert!(saving(1.1, 0).is_clearly_dearer() && saving(0.5, 1).is_clearly_dearer());
        assert!(!saving(0.9, 0).is_clearly_dearer());
    }
}
