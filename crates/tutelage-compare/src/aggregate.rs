//! What curves come to over panels, in units of the expert's reward.

use crate::stats::{Interval, aggregate, performance_profile};
use serde::Serialize;

use crate::arrange::ComparisonPanel;
use crate::comparison::Comparison;
use crate::score::ScoreKind;

/// A curve over all panels that all curves have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aggregate {
    /// The curve.
    pub curve: String,
    /// How many panels.
    pub panels: usize,
    /// How many runs in all.
    pub runs: usize,
    /// The interquartile mean of runs' last five rounds, the expert being 1.
    pub last_five: Interval,
    /// The interquartile mean of runs' averages, the expert being 1.
    pub average: Interval,
}

impl Comparison {
    /// The panels that have an expert and all curves.
    pub(crate) fn common_panels(&self) -> Vec<&ComparisonPanel> {
        let names = self.names();
        let is_whole = |panel: &&ComparisonPanel| {
            panel.expert.is_some() && names.iter().all(|name| panel.curve(name).is_some())
        };
        self.panels.iter().filter(is_whole).collect()
    }

    /// Interquartile means over the panels that all curves have; empty where there is none.
    pub fn aggregates(&self) -> Vec<Aggregate> {
        let panels = self.common_panels();
        self.names().iter().filter_map(|name| self.aggregate(name, &panels)).collect()
    }

    fn aggregate(&self, name: &str, panels: &[&ComparisonPanel]) -> Option<Aggregate> {
        let bootstrap = self.bootstrap().ok()?;
        let [last_five, average] = ScoreKind::BOTH.map(|score| {
            let shares = shares(name, panels, score)?;
            let shares: Vec<&[f64]> = shares.iter().map(Vec::as_slice).collect();
            aggregate(&shares, &bootstrap).ok()
        });
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

    /// The performance profile of a curve over the panels that all curves have: (score, share of runs above it).
    pub(crate) fn profile(&self, name: &str, scores: &[f64]) -> Option<Vec<Interval>> {
        let shares = shares(name, &self.common_panels(), ScoreKind::LastFive)?;
        let shares: Vec<&[f64]> = shares.iter().map(Vec::as_slice).collect();
        performance_profile(&shares, scores, &self.bootstrap().ok()?).ok()
    }
}

fn shares(name: &str, panels: &[&ComparisonPanel], score: ScoreKind) -> Option<Vec<Vec<f64>>> {
    panels.iter().map(|panel| panel.shares(panel.curve(name)?, score)).collect()
}
