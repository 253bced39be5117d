//! Finished runs for tests.

#![allow(clippy::unwrap_used)]

use tutelage_runs::store::AnyHistory;

use crate::{Archive, PlannedRun, RunRecord};

/// Writes a record with this reward in every round; the expert's is 100.
pub(crate) fn finish(run: &PlannedRun, archive: &Archive, reward: f64, random: Option<f64>) {
    let nothing = AnyHistory::Vectors(Default::default());
    let (rounds, record) = (run.spec.rounds, run.record(&nothing, &[], 1));
    let same = |value: f64| vec![value; rounds];
    let record = RunRecord {
        expert_reward: Some(100.0),
        annotations: (1..=rounds).map(|n| 50 * n).collect(),
        reward: same(reward),
        reward_sd: same(0.0),
        reward_random: random.map(same),
        imitation_loss: None,
        collect_seconds: same(0.0),
        train_seconds: same(0.0),
        evaluate_seconds: same(0.0),
        ..record
    };
    archive.save(run, &record).unwrap();
}
