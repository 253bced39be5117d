//! What is known of the teacher beside the answers: how each was given, how long it took, and what was said when asked again.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::lines::{self, Lines};

/// The file beside the log.
pub(crate) const FILE: &str = "teacher.jsonl";

/// A line of the notes: something that the teacher did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// n.
    pub round: usize,
    /// The question.
    pub row: u32,
    /// What was done.
    pub what: What,
    /// The name under which the page sent it: what comes twice under one name counts once.
    pub id: String,
    /// The action, in the task's own units, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Vec<f64>>,
    /// How far this is from the first answer, by the loss ℓ, where a question was asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Seconds from the question to the answer, as the page saw them.
    pub seconds: f64,
}

/// What a teacher can do with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Say what to do.
    Answer,
    /// Say that what the learner intends is right.
    Agree,
    /// Leave it out.
    Skip,
    /// Put it off: it comes back at the end of the round, and is left out if the teacher is unsure then, too.
    Unsure,
    /// Answer it a second time, without knowing: nothing is learned from that but how sure the teacher is.
    Again,
    /// Not know when asked a second time.
    AgainUnsure,
}

/// The notes of a run, open for more.
pub(crate) type Notes = Lines<Note>;

/// The notes of a run; none where nobody took any.
pub fn read_notes(folder: &Path) -> Vec<Note> {
    lines::read(&folder.join(FILE))
}

/// What the notes say of a teacher.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TeacherStats {
    /// Questions answered, revisions not counted.
    pub answers: usize,
    /// Of them, those in which the learner was right.
    pub agreed: usize,
    /// Questions left out.
    pub skipped: usize,
    /// How often a question was put off.
    pub unsure: usize,
    /// The median of the seconds that an answer took.
    pub seconds: Option<f64>,
    /// How many questions were asked again and answered.
    pub repeated: usize,
    /// The mean loss between first and second answers: how much the teacher disagrees with themselves.
    pub disagreement: Option<f64>,
}

impl TeacherStats {
    /// Sums up.
    pub fn of(notes: &[Note]) -> Self {
        let last =
            notes.iter().filter(|note| !matches!(note.what, What::Again | What::AgainUnsure));
        let last: std::collections::BTreeMap<_, _> =
            last.map(|note| ((note.round, note.row), note.what)).collect();
        let ended = |what: What| last.values().filter(|last| **last == what).count();
        let losses: Vec<f64> = notes.iter().filter_map(|note| note.loss).collect();
        let gave = |note: &&Note| note.action.is_some();
        Self {
            answers: ended(What::Answer) + ended(What::Agree),
            agreed: ended(What::Agree),
            skipped: ended(What::Skip),
            unsure: notes.iter().filter(|note| note.what == What::Unsure).count(),
            seconds: median(notes.iter().filter(gave).map(|note| note.seconds).collect()),
            repeated: losses.len(),
            disagreement: (!losses.is_empty())
                .then(|| losses.iter().sum::<f64>() / losses.len() as f64),
        }
    }

    /// What a person wants to know about themselves, in a sentence or two; `indices` tells how actions differ.
    pub fn describe(&self, indices: bool) -> String {
        let mut words = format!("{} questions answered", self.answers);
        if let Some(seconds) = self.seconds {
            words += &format!(", {seconds:.1} s each (median)");
        }
        if self.skipped > 0 {
            words += &format!(", {} left out", self.skipped);
        }
        let Some(loss) = self.disagreement else { return words + "." };
        let repeated = self.repeated;
        words
            + &match indices {
                true => format!(
                    ". Asked again about {repeated}, you chose otherwise in {:.0}.",
                    loss * repeated as f64
                ),
                false => format!(
                    ". Asked again about {repeated}, you were {:.0} % of the range away from your first answer (root mean square).",
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

    fn note(row: u32, what: What, seconds: f64, loss: Option<f64>) -> Note {
        let action = (!matches!(what, What::Skip | What::Unsure)).then(|| vec![0.5]);
        Note { round: 1, row, what, id: format!("{row}-{what:?}"), action, loss, seconds }
    }

    #[test]
    fn an_account_counts_last_words_and_measures_disagreement() {
        let notes = [
            note(0, What::Answer, 1.0, None),
            note(1, What::Unsure, 9.0, None),
            note(0, What::Agree, 3.0, None),
            note(1, What::Skip, 4.0, None),
            note(2, What::Answer, 2.0, None),
            note(2, What::Again, 2.0, Some(1.0)),
            note(0, What::Again, 2.0, Some(0.0)),
        ];
        let account = TeacherStats::of(&notes);
        let expected = TeacherStats {
            answers: 2,
            agreed: 1,
            skipped: 1,
            unsure: 1,
            seconds: Some(2.0),
            repeated: 2,
            disagreement: Some(0.5),
        };
        assert_eq!(account, expected);
        assert!(account.describe(true).ends_with("you chose otherwise in 1."));
        assert!(account.describe(false).contains("35 % of the range"));
        assert_eq!(TeacherStats::of(&[]).describe(true), "0 questions answered.");
    }
}
