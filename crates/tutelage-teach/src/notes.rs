//! Notes on the teacher's replies: their kind, how long they took, and answers to repeated queries.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::lines::{self, Lines};

/// The file, next to the log.
pub(crate) const FILE: &str = "teacher.jsonl";

/// A reply of the teacher: a line of `teacher.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The round of the query.
    pub round: usize,
    /// The row of the query.
    pub row: u32,
    /// The kind of reply.
    #[serde(rename = "what")]
    pub kind: ReplyKind,
    /// Chosen by the page; replies with the same id count once.
    pub id: String,
    /// The action, in the task's units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Vec<f64>>,
    /// For a repeated query, the loss ℓ between the two answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Seconds that the page showed the query.
    pub seconds: f64,
}

/// Ways to reply to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// An action.
    Answer,
    /// The learner's action is right.
    Agree,
    /// No label.
    Skip,
    /// Postpone the query to the end of the round. A second time it means [`ReplyKind::Skip`].
    Unsure,
    /// An action for a repeated query. It measures consistency and is not learned from.
    Again,
    /// No action for a repeated query.
    AgainUnsure,
}

/// The notes of a run, open for appending.
pub(crate) type Notes = Lines<Note>;

/// The notes of a run; empty if it has none.
pub fn read_notes(folder: &Path) -> Vec<Note> {
    lines::read(&folder.join(FILE))
}

/// Statistics of a teacher's notes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TeacherStats {
    /// Answered queries, without revisions.
    pub answers: usize,
    /// Of these, the ones in which the learner was right.
    pub agreed: usize,
    /// Skipped queries.
    pub skipped: usize,
    /// Postponements.
    pub unsure: usize,
    /// The median time of an answer, in seconds.
    pub seconds: Option<f64>,
    /// Repeated queries with an answer.
    pub repeated: usize,
    /// The mean loss between first and second answers.
    pub disagreement: Option<f64>,
}

impl TeacherStats {
    /// Computes the statistics.
    pub fn of(notes: &[Note]) -> Self {
        let last = notes
            .iter()
            .filter(|note| !matches!(note.kind, ReplyKind::Again | ReplyKind::AgainUnsure));
        let last: std::collections::BTreeMap<_, _> =
            last.map(|note| ((note.round, note.row), note.kind)).collect();
        let ended = |kind: ReplyKind| last.values().filter(|last| **last == kind).count();
        let losses: Vec<f64> = notes.iter().filter_map(|note| note.loss).collect();
        let gave = |note: &&Note| note.action.is_some();
        Self {
            answers: ended(ReplyKind::Answer) + ended(ReplyKind::Agree),
            agreed: ended(ReplyKind::Agree),
            skipped: ended(ReplyKind::Skip),
            unsure: notes.iter().filter(|note| note.kind == ReplyKind::Unsure).count(),
            seconds: median(notes.iter().filter(gave).map(|note| note.seconds).collect()),
            repeated: losses.len(),
            disagreement: (!losses.is_empty())
                .then(|| losses.iter().sum::<f64>() / losses.len() as f64),
        }
    }

    /// A summary for the teacher; `indices` says that actions are choices instead of vectors.
    pub fn describe(&self, indices: bool) -> String {
        let mut words = format!("{} questions answered", self.answers);
        if let Some(seconds) = self.seconds {
            words += &format!(", {seconds:.1} s each (median)");
        }
        if self.skipped > 0 {
            words += &format!(", {} skipped", self.skipped);
        }
        let Some(loss) = self.disagreement else { return words + "." };
        let repeated = self.repeated;
        words
            + &match indices {
                true => format!(
                    ". Repeated questions: {repeated}, of which you answered {:.0} differently.",
                    loss * repeated as f64
                ),
                false => format!(
                    ". Repeated questions: {repeated}; your answers differed by {:.0} % of the range (root mean square).",
                    100.0 * loss.sqrt() / 2.0
                ),
            }
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { upper } else { 0.5 * (values[middle - 1] + upper) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(row: u32, kind: ReplyKind, seconds: f64, loss: Option<f64>) -> Note {
        let action = (!matches!(kind, ReplyKind::Skip | ReplyKind::Unsure)).then(|| vec![0.5]);
        Note { round: 1, row, kind, id: format!("{row}-{kind:?}"), action, loss, seconds }
    }

    #[test]
    fn stats_use_the_last_reply_and_measure_disagreement() {
        let notes = [
            note(0, ReplyKind::Answer, 1.0, None),
            note(1, ReplyKind::Unsure, 9.0, None),
            note(0, ReplyKind::Agree, 3.0, None),
            note(1, ReplyKind::Skip, 4.0, None),
            note(2, ReplyKind::Answer, 2.0, None),
            note(2, ReplyKind::Again, 2.0, Some(1.0)),
            note(0, ReplyKind::Again, 2.0, Some(0.0)),
        ];
        let stats = TeacherStats::of(&notes);
        let expected = TeacherStats {
            answers: 2,
            agreed: 1,
            skipped: 1,
            unsure: 1,
            seconds: Some(2.0),
            repeated: 2,
            disagreement: Some(0.5),
        };
        assert_eq!(stats, expected);
        assert!(stats.describe(true).ends_with("you answered 1 differently."));
        assert!(stats.describe(false).contains("35 % of the range"));
        assert_eq!(TeacherStats::of(&[]).describe(true), "0 questions answered.");
    }
}
