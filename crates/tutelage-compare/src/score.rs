//! The scores by which runs are ranked.

use crate::stats::{last_five, mean, mean_between};

use crate::arrange::{ComparisonPanel, LearningCurve};
use crate::{ComparedRun, Cost};

/// How a run is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoreKind {
    /// The mean of the last five rounds: final performance.
    LastFive,
    /// The mean over all rounds, or over the budget: learning speed.
    Average,
}

impl ScoreKind {
    pub(crate) const BOTH: [Self; 2] = [Self::LastFive, Self::Average];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LastFive => "last five",
            Self::Average => "average",
        }
    }

    fn of(self, rewards: &[f64]) -> Option<f64> {
        match self {
            Self::LastFive => last_five(rewards),
            Self::Average => mean(rewards),
        }
    }
}

/// The range of costs that all runs of a panel cover, so that runs with the same cost are compared.
///
/// It is needed only if the cost includes expert steps. Without them, every round costs the same number of annotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonBudget {
    /// The cost.
    pub cost: Cost,
    /// The cost of the most expensive first round. Below it, some run has no policy.
    pub from: f64,
    /// The final cost of the cheapest run.
    pub to: f64,
}

impl CommonBudget {
    /// Returns the budget of these runs, or `None` if no range is covered by all of them.
    pub(crate) fn of<'a>(runs: impl Iterator<Item = &'a ComparedRun>, cost: Cost) -> Option<Self> {
        let ends = runs.map(|run| {
            let costs = [run.lines.first()?, run.lines.last()?].map(|line| cost.after(line));
            Some((costs[0]?, costs[1]?))
        });
        let widest = (f64::NEG_INFINITY, f64::INFINITY);
        let (from, to) = ends
            .flatten()
            .fold(widest, |(from, to), (first, last)| (f64::max(from, first), f64::min(to, last)));
        (from < to && from.is_finite() && to.is_finite()).then_some(Self { cost, from, to })
    }

    /// Scores a run within the budget.
    fn score(&self, run: &ComparedRun, score: ScoreKind) -> Option<f64> {
        let points = run.points(self.cost)?;
        match score {
            ScoreKind::Average => mean_between(&points, self.from, self.to),
            ScoreKind::LastFive => {
                let paid = points.iter().filter(|(cost, _)| *cost <= self.to);
                last_five(&paid.map(|(_, reward)| *reward).collect::<Vec<_>>())
            }
        }
    }
}

impl ComparisonPanel {
    /// Returns the score of each run.
    pub(crate) fn scores(&self, curve: &LearningCurve, score: ScoreKind) -> Vec<f64> {
        let of = |run: &ComparedRun| match &self.budget {
            None => score.of(&run.rewards()),
            Some(budget) => budget.score(run, score),
        };
        curve.runs.iter().map(|run| of(run).unwrap_or(f64::NAN)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testbed::run;
    use crate::{Comparison, ComparisonSettings};

    fn compared(cost: Cost) -> Comparison {
        let runs = vec![
            run("dagger", 1, 0, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            run("bc", 1, 1000, &[4.0, 8.0, 9.0, 9.0, 9.0, 9.0]),
        ];
        Comparison::new(runs, ComparisonSettings { cost, ..ComparisonSettings::default() }).unwrap()
    }

    fn scores(comparison: &Comparison, name: &str) -> [f64; 2] {
        let panel = &comparison.panels[0];
        ScoreKind::BOTH.map(|score| panel.scores(panel.curve(name).unwrap(), score)[0])
    }

    #[test]
    fn annotations_need_no_budget() {
        let comparison = compared(Cost::Annotations);
        assert_eq!(comparison.panels[0].budget, None);
        assert_eq!(scores(&comparison, "DAgger"), [6.0, 5.0]);
        assert_eq!(scores(&comparison, "BC"), [8.8, 8.0]);
    }

    #[test]
    fn costs_with_steps_are_compared_within_a_budget() {
        // A round of BC costs 20, one of DAgger 10: from 20 to 60 DAgger has five rounds, BC three.
        let comparison = compared(Cost::Weighted(0.01));
        let budget = CommonBudget { cost: Cost::Weighted(0.01), from: 20.0, to: 60.0 };
        assert_eq!(comparison.panels[0].budget, Some(budget));
        assert_eq!(scores(&comparison, "DAgger"), [6.0, 6.0]);
        assert_eq!(scores(&comparison, "BC"), [7.0, 0.5 * (6.0 + 8.5)]);
        assert_eq!(comparison.notes.len(), 1, "{:?}", comparison.notes);
    }

    #[test]
    fn runs_without_a_common_cost_use_their_own_rounds() {
        let comparison = compared(Cost::ExpertSteps);
        assert_eq!(comparison.panels[0].budget, None, "in DAgger, the expert never drives");
        assert_eq!(scores(&comparison, "BC"), [8.8, 8.0]);
        assert_eq!(comparison.notes.len(), 1, "{:?}", comparison.notes);
    }
}
