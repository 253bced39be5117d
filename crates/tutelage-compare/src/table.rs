//! One row for every curve.

use crate::stats::{Interval, cost_to_reach, last_five, mean, t_interval};
use serde::Serialize;

use crate::arrange::{ComparisonPanel, LearningCurve};
use crate::comparison::Comparison;
use crate::score::ScoreKind;

/// The shares of the expert's reward that runs comparison to.
pub const LEVELS: [f64; 4] = [0.5, 0.75, 0.9, 0.95];

/// A curve in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveRow {
    /// The panel.
    pub panel: String,
    /// The curve.
    pub curve: String,
    /// How many seeds.
    pub seeds: usize,
    /// The expert's average return.
    pub expert: Option<f64>,
    /// Annotations at the end, in the mean.
    pub annotations: f64,
    /// Steps driven by the expert by the end, in the mean, where they were counted.
    pub expert_steps: Option<f64>,
    /// The mean reward of the last five rounds; of those within the panel's budget, where it has one.
    pub last_five: Interval,
    /// The mean reward over all rounds; over the panel's budget, where it has one.
    pub average: Interval,
    /// The mean imitation loss of the last five rounds.
    pub imitation_loss: Option<Interval>,
    /// The cost at which the mean curve reaches 50, 75, 90 and 95 % of the expert's reward for good ([`LEVELS`]).
    pub to_reach: [Option<Interval>; 4],
}

impl Comparison {
    /// Every curve in numbers, panel after panel.
    pub fn curves(&self) -> Vec<CurveRow> {
        let rows = |panel| move |curve| (panel, curve);
        let all = self.panels.iter().flat_map(|panel| panel.curves.iter().map(rows(panel)));
        all.map(|(panel, curve)| self.row(panel, curve)).collect()
    }

    fn row(&self, panel: &ComparisonPanel, curve: &LearningCurve) -> CurveRow {
        let nothing = Interval::unbounded(f64::NAN);
        let interval = |values: &[f64]| t_interval(values, self.settings.level).unwrap_or(nothing);
        let last = || curve.runs.iter().filter_map(|run| run.lines.last());
        let losses = curve.runs.iter().map(|run| {
            let losses: Option<Vec<f64>> =
                run.lines.iter().map(|line| line.imitation_loss).collect();
            last_five(&losses?)
        });
        let steps: Option<Vec<f64>> =
            last().map(|line| line.expert_steps.map(|steps| steps as f64)).collect();
        let annotations: Vec<f64> = last().map(|line| line.annotations as f64).collect();
        CurveRow {
            panel: panel.title.clone(),
            curve: curve.name.clone(),
            seeds: curve.runs.len(),
            expert: panel.expert,
            annotations: mean(&annotations).unwrap_or(f64::NAN),
            expert_steps: steps.and_then(|steps| mean(&steps)),
            last_five: interval(&panel.scores(curve, ScoreKind::LastFive)),
            average: interval(&panel.scores(curve, ScoreKind::Average)),
            imitation_loss: losses.collect::<Option<Vec<_>>>().map(|losses| interval(&losses)),
            to_reach: LEVELS.map(|share| self.to_reach(panel, curve, share)),
        }
    }

    fn to_reach(
        &self,
        panel: &ComparisonPanel,
        curve: &LearningCurve,
        share: f64,
    ) -> Option<Interval> {
        let level = panel.reward_at(share)?;
        cost_to_reach(&curve.curves, level, &self.bootstrap().ok()?).ok()?
    }
}
