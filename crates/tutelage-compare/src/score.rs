//! What runs are ranked by.

use crate::stats::{last_five, mean, mean_between};

use crate::arrange::{ComparisonPanel, LearningCurve};
use crate::{ComparedRun, Cost};

/// What is made of a run's rewards to rank it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoreKind {
    /// The mean of the last five rounds: what it ends at.
    LastFive,
    /// The mean over all rounds, or over the budget: how soon it gets there.
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

/// What all runs of a panel have spent, so that they can be ranked as equals.
///
/// Rounds cost the same number of annotations whoever drives, and then the rounds themselves are the budget. Where steps of
/// the expert's count, the same round costs one algorithm more than another, and one that goes on for longer would be
/// credited with what it bought there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonBudget {
    /// What is spent.
    pub cost: Cost,
    /// What the dearest first round costs: before it some run has no policy.
    pub from: f64,
    /// Where the run that costs least ends.
    pub to: f64,
}

impl CommonBudget {
    /// The budget of these runs; nothing where there is no cost that all of them cover.
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

    /// A run's score within the budget: its last five rounds that it pays for, or its mean height over it.
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
    /// Each run's score.
    pub(crate) fn scores(&self, curve: &LearningCurve, score: ScoreKind) -> Vec<f64> {
        let of = |run: &ComparedRun| match &self.budget {
            None => score.of(&run.rewards()),
            Some(budget) => budget.score(run, score),
        };
        curve.runs.iter().map(|run| of(run).unwrap_or(f64::NAN)).collect()
    }

    /// Scores in units of the expert's.
    pub(crate) fn shares(&self, curve: &LearningCurve, score: ScoreKind) -> Option<Vec<f64>> {
        self.scores(curve, score).into_iter().map(|score| self.share(score)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Comparison, ComparisonSettings};
    use tutelage_runs::RoundLine;

    /// A run whose rounds cost 10 annotations and so many steps of the expert's each.
    fn run(algorithm: &str, steps: u64, rewards: &[f64]) -> ComparedRun {
        let line = |(round, &reward): (usize, &f64)| RoundLine {
            round,
            annotations: 10 * round,
            expert_steps: Some(steps * round as u64),
            reward,
            reward_sd: 0.0,
            reward_random: None,
            imitation_loss: None,
            seconds: None,
        };
        let lines = (1..).zip(rewards).map(line).collect();
        ComparedRun::new(algorithm.into(), &format!("algorithm = '{algorithm}'"), lines, Some(10.0))
    }

    fn compared(cost: Cost) -> Comparison {
        let runs = vec![
            run("dagger", 0, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            run("bc", 1000, &[4.0, 8.0, 9.0, 9.0, 9.0, 9.0]),
        ];
        Comparison::new(runs, ComparisonSettings { cost, ..ComparisonSettings::default() }).unwrap()
    }

    fn scores(comparison: &Comparison, name: &str) -> [f64; 2] {
        let panel = &comparison.panels[0];
        ScoreKind::BOTH.map(|score| panel.scores(panel.curve(name).unwrap(), score)[0])
    }

    #[test]
    fn rounds_are_the_budget_where_annotations_count() {
        let comparison = compared(Cost::Annotations);
        assert_eq!(comparison.panels[0].budget, None);
        assert_eq!(scores(&comparison, "DAgger"), [6.0, 5.0]);
        assert_eq!(scores(&comparison, "BC"), [8.8, 8.0]);
    }

    #[test]
    fn where_steps_count_runs_are_ranked_within_what_all_have_spent() {
        // A round of BC costs 20, one of DAgger 10: from 20 to 60 DAgger has five rounds, BC three.
        let comparison = compared(Cost::Weighted(0.01));
        let budget = CommonBudget { cost: Cost::Weighted(0.01), from: 20.0, to: 60.0 };
        assert_eq!(comparison.panels[0].budget, Some(budget));
        assert_eq!(scores(&comparison, "DAgger"), [6.0, 6.0]);
        assert_eq!(scores(&comparison, "BC"), [7.0, 0.5 * (6.0 + 8.5)]);
        let note = &comparison.notes[0];
        assert!(note.contains("between 20 and 60"), "{note}");
    }

    #[test]
    fn runs_without_a_cost_in_common_are_ranked_by_their_own_rounds() {
        let comparison = compared(Cost::ExpertSteps);
        assert_eq!(comparison.panels[0].budget, None, "DAgger's expert never drives");
        assert_eq!(scores(&comparison, "BC"), [8.8, 8.0]);
        let note = &comparison.notes[0];
        assert!(note.contains("no budget in common"), "{note}");
    }
}
