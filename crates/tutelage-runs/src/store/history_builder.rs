//! Builds a history from records: which record may follow which, and what each adds.
//!
//! Checking a record must take constant time, or reading a log would take quadratic time. So the builder keeps counters.

use tutelage::lesson::{Reply, Round};
use tutelage::{Batch, Element};

use super::history::{History, known_action_width};
use super::record::{Record, StoredQueries};

/// The maximum number of values in all labels of a run.
const MOST_NUMBERS: usize = 1 << 26;

/// A history, and what is needed to check the next record.
#[derive(Default)]
pub(crate) struct HistoryBuilder<S, A> {
    history: History<S, A>,
    /// The width of actions, if it is known.
    width: Option<usize>,
    /// The number of values in the labels of all rounds but the last.
    numbers: usize,
    /// The number of leading rows of the last round that all have a reply. A reply can be revised but not withdrawn.
    settled: usize,
}

impl<S: Element, A: Element> HistoryBuilder<S, A> {
    /// The history so far.
    pub(crate) fn history(&self) -> &History<S, A> {
        &self.history
    }

    /// The history.
    pub(crate) fn into_history(self) -> History<S, A> {
        self.history
    }

    /// Checks that a record may follow; the error says why not.
    pub(crate) fn check(&self, record: &Record<S, A>) -> Result<(), String> {
        match record {
            Record::Spec(_) | Record::Fingerprint(_) | Record::Expert(_) => Ok(()),
            Record::States { round, states } => {
                self.check_states(*round, states)?;
                self.check_room(states.len(), self.width.unwrap_or(1))
            }
            Record::Queries(StoredQueries { round, states, intended, .. }) => {
                self.check_states(*round, states)?;
                self.check_room(states.len(), intended.width())?;
                self.check_width("actions", intended.width())
            }
            Record::Answers { round, first, actions } => {
                if self.settled < *first as usize {
                    return Err(format!("labels starting at row {first} before the rows above"));
                }
                let rows = rows_from(*first, actions.len());
                if rows.len() != actions.len() || rows.iter().any(|&row| !self.is_open(row)) {
                    return Err(format!("rows starting at {first} are labeled twice"));
                }
                self.check_replies(*round, &rows, Some(actions))
            }
            Record::Replies { round, rows, actions } => {
                self.check_replies(*round, rows, actions.as_ref())
            }
            Record::Policy(note) => match self.history.policies.get(&(note.round as usize)) {
                Some(noted) if noted != note => {
                    Err(format!("another policy of round {}", note.round))
                }
                // The log of a run on stored data contains no rounds.
                _ if !self.history.rounds.is_empty()
                    && note.round as usize > self.settled_rounds() =>
                {
                    Err(format!("a policy of round {} before its labels", note.round))
                }
                _ => Ok(()),
            },
            Record::Result { round, .. } => {
                follows("result of round", *round, self.history.results.len() + 1)
            }
        }
    }

    fn check_states(&self, round: u32, states: &Batch<S>) -> Result<(), String> {
        follows("states of round", round, self.history.rounds.len() + 1)?;
        if self.settled_rounds() < self.history.rounds.len() {
            return Err(format!("states of round {round} before the previous round is complete"));
        }
        match self.history.rounds.first() {
            Some(first) if first.states.width() != states.width() => Err(format!(
                "states of width {} after width {}",
                states.width(),
                first.states.width()
            )),
            _ => Ok(()),
        }
    }

    fn check_replies(
        &self,
        round: u32,
        rows: &[u32],
        actions: Option<&Batch<A>>,
    ) -> Result<(), String> {
        follows("labels of round", round, self.history.rounds.len())?;
        if self.history.policies.contains_key(&self.history.rounds.len()) {
            return Err(format!("labels of round {round} after it was closed"));
        }
        let last = self.history.rounds.last().ok_or("no states")?;
        last.check_rows(rows).map_err(|error| error.to_string())?;
        let Some(actions) = actions else { return Ok(()) };
        if actions.len() != rows.len() {
            return Err(format!("{} labels for {} rows", actions.len(), rows.len()));
        }
        self.check_width("labels", actions.width())?;
        match self.width {
            Some(_) => Ok(()),
            None => self.check_room(last.states.len(), actions.width()),
        }
    }

    fn check_width(&self, what: &str, found: usize) -> Result<(), String> {
        match self.width {
            Some(width) if width != found => {
                Err(format!("{what} of width {found} after width {width}"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the labels of another round fit in memory: a few bytes can announce a huge number of them.
    fn check_room(&self, rows: usize, width: usize) -> Result<(), String> {
        let held = self.numbers + self.history.rounds.last().map_or(0, numbers);
        match rows.checked_mul(width).and_then(|more| more.checked_add(held)) {
            Some(numbers) if numbers <= MOST_NUMBERS => Ok(()),
            _ => Err(format!("{rows} labels of width {width} are too many")),
        }
    }

    fn is_open(&self, row: u32) -> bool {
        let last = self.history.rounds.last();
        last.is_some_and(|round| round.replies.get(row as usize) == Some(&Reply::Open))
    }

    /// The number of rounds whose queries all have a reply.
    fn settled_rounds(&self) -> usize {
        let is_open = |last: &Round<S, A>| self.settled < last.replies.len();
        let rounds = &self.history.rounds;
        rounds.len() - usize::from(rounds.last().is_some_and(is_open))
    }

    /// Adds a record that passed [`check`](Self::check).
    pub(crate) fn add(&mut self, record: Record<S, A>) {
        match record {
            Record::Spec(text) => self.history.spec = text,
            Record::Fingerprint(data) => self.history.fingerprints.push(data),
            Record::Expert(evaluation) => self.history.expert = Some(evaluation),
            Record::States { states, .. } => {
                self.begin(Round::new(states, self.width.unwrap_or(1)));
            }
            Record::Queries(StoredQueries { states, intended, steps, notes, .. }) => {
                let (origins, rewards) = notes.into_iter().unzip();
                let round = Round::new(states, intended.width());
                self.begin(Round { origins, rewards, intended, steps, ..round });
            }
            Record::Answers { first, actions, .. } => {
                self.reply(&rows_from(first, actions.len()), Some(&actions));
            }
            Record::Replies { rows, actions, .. } => self.reply(&rows, actions.as_ref()),
            Record::Policy(note) => {
                self.history.policies.insert(note.round as usize, note);
            }
            Record::Result { round, deployed, random } => {
                let round = round as usize;
                self.history.results.push(super::RoundResult { round, deployed, random });
            }
        }
    }

    fn begin(&mut self, round: Round<S, A>) {
        self.numbers += self.history.rounds.last().map_or(0, numbers);
        self.width = self.width.or_else(|| known_action_width(&round));
        self.settled = 0;
        self.history.rounds.push(round);
    }

    fn reply(&mut self, rows: &[u32], actions: Option<&Batch<A>>) {
        let Some(last) = self.history.rounds.last_mut() else { return };
        match actions {
            None => last.skip(rows),
            Some(actions) => {
                // Logs of format 1 contain the action width only from the first label on.
                if last.labels.width() != actions.width() {
                    *last = Round::new(last.states.clone(), actions.width());
                    self.settled = 0;
                }
                last.label(rows, actions);
                if !rows.is_empty() {
                    self.width = Some(actions.width());
                }
            }
        }
        let more = last.replies.iter().skip(self.settled);
        self.settled += more.take_while(|reply| **reply != Reply::Open).count();
    }
}

/// The number of values in the labels of a round.
fn numbers<S, A: Element>(round: &Round<S, A>) -> usize {
    round.labels.len() * round.labels.width()
}

/// `count` rows starting at `first`, fewer if `u32` overflows.
fn rows_from(first: u32, count: usize) -> Vec<u32> {
    (first..=u32::MAX).take(count).collect()
}

fn follows(what: &str, round: u32, expected: usize) -> Result<(), String> {
    if round as usize == expected {
        Ok(())
    } else {
        Err(format!("{what} {round}, expected {expected}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::PolicyNote;

    fn states(round: u32) -> Record<f32, f32> {
        let values = vec![round as f32, 0.0, 1.0, 2.0];
        Record::States { round, states: Batch::from_vec(2, values).unwrap() }
    }

    fn answers(round: u32, first: u32, count: usize) -> Record<f32, f32> {
        Record::Answers { round, first, actions: Batch::zeros(count, 3) }
    }

    fn replay(records: Vec<Record<f32, f32>>) -> Result<History<f32, f32>, String> {
        let mut builder = HistoryBuilder::default();
        for record in records {
            builder.check(&record)?;
            builder.add(record);
        }
        Ok(builder.into_history())
    }

    #[test]
    fn counters_derive_from_the_records() {
        let history = replay(vec![
            states(1),
            answers(1, 0, 1),
            answers(1, 1, 1),
            states(2),
            answers(2, 0, 1),
        ])
        .unwrap();
        assert_eq!(history.annotations(), 3);
        assert_eq!(history.data(9).unwrap().len(), 2, "the second round is not complete");
        assert_eq!(
            (history.annotated_rounds().len(), history.closed()),
            (1, 0),
            "no policy: round 1 is open"
        );
    }

    #[test]
    fn format_1_labels_each_row_once_and_in_order() {
        assert!(replay(vec![states(1), answers(1, 0, 1), answers(1, 0, 1)]).is_err());
        assert!(replay(vec![states(1), answers(1, 1, 1)]).is_err());
        assert!(replay(vec![states(1), answers(1, 0, 3)]).is_err());
        assert!(replay(vec![answers(1, 0, 1)]).is_err());
        let wider = Record::Answers { round: 1, first: 1, actions: Batch::zeros(1, 4) };
        assert!(replay(vec![states(1), answers(1, 0, 1), wider]).is_err());
    }

    #[test]
    fn replies_are_final_once_a_policy_is_trained() {
        let reply = |rows: &[u32], value: f32| Record::<f32, f32>::Replies {
            round: 1,
            rows: rows.to_vec(),
            actions: Some(Batch::from_vec(1, vec![value; rows.len()]).unwrap()),
        };
        let skip = |row: u32| Record::Replies { round: 1, rows: vec![row], actions: None };
        let history = replay(vec![states(1), reply(&[1], 0.5), skip(0), reply(&[1], 0.7)]).unwrap();
        assert_eq!(history.data(1).unwrap().actions.as_slice(), [0.7]);
        assert_eq!((history.annotations(), history.annotated_rounds().len()), (1, 1));
        assert!(replay(vec![states(1), reply(&[2], 0.5)]).is_err(), "there is no such row");
        let policy = Record::Policy(PolicyNote::of(1, b"x"));
        assert!(replay(vec![states(1), reply(&[0], 0.5), policy.clone()]).is_err());
        let all = || vec![states(1), reply(&[0, 1], 0.5), policy.clone()];
        assert_eq!(replay(all()).unwrap().closed(), 1);
        assert!(replay([all(), vec![reply(&[0], 0.1)]].concat()).is_err(), "it is closed");
        let other = Record::Policy(PolicyNote::of(1, b"y"));
        assert!(replay([all(), vec![other]].concat()).is_err(), "another policy");
        assert!(replay([all(), vec![policy]].concat()).is_ok(), "the same again");
    }

    #[test]
    fn rounds_of_different_widths_are_refused() {
        let wide = Record::States { round: 2, states: Batch::zeros(2, 3) };
        assert!(replay(vec![states(1), answers(1, 0, 2), wide]).is_err());
        let wider = Record::Answers { round: 2, first: 0, actions: Batch::zeros(2, 4) };
        assert!(replay(vec![states(1), answers(1, 0, 2), states(2), wider]).is_err());
    }

    #[test]
    fn labels_that_would_fill_all_memory_are_refused() {
        let questions = |width| {
            let (states, intended) = (Batch::zeros(2, 1), Batch::new(width));
            let (steps, notes) = (Default::default(), vec![Default::default(); 2]);
            Record::<f32, f32>::Queries(StoredQueries { round: 1, states, intended, steps, notes })
        };
        assert!(replay(vec![questions(3)]).is_ok());
        assert!(replay(vec![questions(u32::MAX as usize)]).is_err());
        let many = Record::States { round: 1, states: Batch::zeros(100_000, 1) };
        let wide = Record::Answers { round: 1, first: 0, actions: Batch::zeros(1, 100_000) };
        assert!(replay(vec![many, wide]).is_err());
    }

    #[test]
    fn labels_beyond_the_last_row_are_refused() {
        for first in [1, 2, u32::MAX - 1, u32::MAX] {
            assert!(replay(vec![states(1), answers(1, first, 2)]).is_err(), "{first}");
        }
    }

    #[test]
    fn rounds_must_be_in_order() {
        assert!(replay(vec![states(2)]).is_err());
        assert!(replay(vec![states(1), states(2)]).is_err());
        assert!(replay(vec![states(1), answers(1, 0, 2), states(2)]).is_ok());
    }

    /// With quadratic time each of these would take minutes.
    #[test]
    fn reading_takes_linear_time() {
        const MANY: u32 = 200_000;
        let questions = |round, rows: u32| Record::<f32, f32>::States {
            round,
            states: Batch::zeros(rows as usize, 1),
        };
        let answer = |round, first| Record::Answers { round, first, actions: Batch::zeros(1, 1) };
        let revise =
            |row| Record::Replies { round: 1, rows: vec![row], actions: Some(Batch::zeros(1, 1)) };
        let one_by_one = (0..MANY).map(|row| answer(1, row));
        replay([questions(1, MANY)].into_iter().chain(one_by_one).collect()).unwrap();
        let revisions = (0..MANY).map(|_| revise(MANY - 1));
        replay([questions(1, MANY)].into_iter().chain(revisions).collect()).unwrap();
        let rounds = (1..MANY / 4).flat_map(|n| [questions(n, 1), answer(n, 0)]);
        let notes = (1..MANY / 4).map(|n| Record::Policy(PolicyNote::of(n, b"x")));
        let history = replay(rounds.chain(notes).collect()).unwrap();
        assert_eq!(history.annotations_by_round(1), [0], "no round has a result");
        assert_eq!(history.expert_steps_by_round(), [0], "format 1 has no steps");
    }
}
