//! The numbers of each curve, in one panel and over panels.

use serde::Serialize;

use crate::arrange::{ComparisonPanel, LearningCurve};
use crate::comparison::Comparison;
use crate::score::ScoreKind;
use crate::stats::{
    Interval, aggregate, cost_to_reach, last_five, mean, performance_profile, t_interval,
};

/// The shares of the expert's reward at which costs are compared.
pub const LEVELS: [f64; 4] = [0.5, 0.75, 0.9, 0.95];

/// The numbers of a curve in one panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveRow {
    /// The title of the panel.
    pub panel: String,
    /// The name of the curve.
    pub curve: String,
    /// The number of seeds.
    pub seeds: usize,
    /// The expert's average return.
    pub expert: Option<f64>,
    /// The mean number of annotations at the end.
    pub annotations: f64,
    /// The mean number of steps that the expert drove, if it was counted.
    pub expert_steps: Option<f64>,
    /// The mean reward of the last five rounds (within the panel's budget, if it has one).
    pub last_five: Interval,
    /// The mean reward over all rounds, or over the panel's budget, if it has one.
    pub average: Interval,
    /// The mean imitation loss of the last five rounds.
    pub imitation_loss: Option<Interval>,
    /// The cost at which the mean curve reaches each of the [`LEVELS`] and stays above it.
    pub to_reach: [Option<Interval>; 4],
}

/// A curve over all panels that show every curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aggregate {
    /// The name of the curve.
    pub curve: String,
    /// The number of panels.
    pub panels: usize,
    /// The total number of runs.
    pub runs: usize,
    /// The interquartile mean of the last five rounds, in units of the expert's reward.
    pub last_five: Interval,
    /// The interquartile mean of the averages, in units of the expert's reward.
    pub average: Interval,
}

impl Comparison {
    /// Returns the numbers of every curve, panel by panel.
    pub fn curves(&self) -> Vec<CurveRow> {
        let row = |panel| move |curve| self.row(panel, curve);
        self.panels.iter().flat_map(|panel| panel.curves.iter().map(row(panel))).collect()
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
        let to_reach = |share| {
            let level = panel.reward_at(share)?;
            cost_to_reach(&curve.curves, level, &self.bootstrap().ok()?).ok()?
        };
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
            to_reach: LEVELS.map(to_reach),
        }
    }

    /// Returns interquartile means over the panels that show every curve; empty if there is no such panel.
    pub fn aggregates(&self) -> Vec<Aggregate> {
        let panels = self.common_panels();
        self.names().iter().filter_map(|name| self.aggregate(name, &panels)).collect()
    }

    fn aggregate(&self, name: &str, panels: &[&ComparisonPanel]) -> Option<Aggregate> {
        let bootstrap = self.bootstrap().ok()?;
        let [last_five, average] =
            ScoreKind::BOTH.map(|score| aggregate(&shares(name, panels, score)?, &bootstrap).ok());
        let runs =
            panels.iter().filter_map(|panel| panel.curve(name)).map(|curve| curve.runs.len());
        Some(Aggregate {
            curve: name.into(),
            panels: panels.len(),
            runs: runs.sum(),
            last_five: last_five?,
            average: average?,
        })
    }

    /// Returns the performance profile of a curve: the share of runs above each of these scores.
    pub(crate) fn profile(&self, name: &str, scores: &[f64]) -> Option<Vec<Interval>> {
        let shares = shares(name, &self.common_panels(), ScoreKind::LastFive)?;
        performance_profile(&shares, scores, &self.bootstrap().ok()?).ok()
    }

    /// Returns the panels with an expert that show every curve.
    fn common_panels(&self) -> Vec<&ComparisonPanel> {
        let names = self.names();
        let is_common = |panel: &&ComparisonPanel| {
            panel.expert.is_some() && names.iter().all(|name| panel.curve(name).is_some())
        };
        self.panels.iter().filter(is_common).collect()
    }
}

fn shares(name: &str, panels: &[&ComparisonPanel], score: ScoreKind) -> Option<Vec<Vec<f64>>> {
    let of_panel = |panel: &&ComparisonPanel| {
        let scores = panel.scores(panel.curve(name)?, score);
        scores.into_iter().map(|score| panel.share(score)).collect()
    };
    panels.iter().map(of_panel).collect()
}
