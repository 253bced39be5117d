//! Which question comes next.

use tutelage::Stream;
use tutelage::lesson::Reply;
use tutelage::rand::RngExt;

use crate::notes::{Note, What};

/// A question, the first time or again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) round: usize,
    pub(crate) row: u32,
    /// Which of the run's repetitions this is, where it is one.
    pub(crate) again: Option<usize>,
}

impl Ticket {
    /// How the page calls it: `round.row`, and `round.row.k` for the k-th repetition.
    pub(crate) fn name(&self) -> String {
        let first = format!("{}.{}", self.round, self.row);
        self.again.map_or(first.clone(), |k| format!("{first}.{k}"))
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('.');
        let (round, row) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let again = parts.next().map(str::parse).transpose().ok()?;
        parts.next().is_none().then_some(Self { round, row, again })
    }
}

/// The order of a round's questions: as they were met, those put off last, and now and then one again.
///
/// All of it follows from the log and the notes, so that a process that goes on asks what the last one would have asked.
pub(crate) struct QuestionQueue {
    pub(crate) round: usize,
    /// Ask one of this many again; 0 for none.
    pub(crate) repeat_every: usize,
    /// The randomness of what is asked again.
    pub(crate) stream: Stream,
    /// The question that the teacher went back to.
    pub(crate) back: Option<u32>,
}

/// So many replies lie between a question and its repetition, at least.
const GAP: usize = 6;

impl QuestionQueue {
    /// The next question; none where all are answered. `annotations` are all answers of the run.
    pub(crate) fn next(
        &self,
        replies: &[Reply],
        notes: &[Note],
        annotations: usize,
    ) -> Option<Ticket> {
        let ticket = |row, again| Some(Ticket { round: self.round, row, again });
        if let Some(row) = self.back {
            return ticket(row, None);
        }
        if let Some((row, k)) = self.again(replies, notes, annotations) {
            return ticket(row, Some(k));
        }
        self.upcoming(replies, notes).first().and_then(|&row| ticket(row, None))
    }

    /// The rows that wait, in the order in which they are asked about.
    pub(crate) fn upcoming(&self, replies: &[Reply], notes: &[Note]) -> Vec<u32> {
        let open = (0..).zip(replies).filter(|(_, reply)| **reply == Reply::Open);
        let mut rows: Vec<u32> = open.map(|(row, _)| row).collect();
        rows.sort_by_key(|&row| self.times_put_off(row, notes));
        rows
    }

    /// How often the teacher was unsure about a row.
    pub(crate) fn times_put_off(&self, row: u32, notes: &[Note]) -> usize {
        let is_it = |note: &&Note| self.is_of(note, row) && note.what == What::Unsure;
        notes.iter().filter(is_it).count()
    }

    fn is_of(&self, note: &Note, row: u32) -> bool {
        note.round == self.round && note.row == row
    }

    /// The rows of this round in the order of their last replies, without those only put off.
    pub(crate) fn trail(&self, replies: &[Reply], notes: &[Note]) -> Vec<u32> {
        let mut trail: Vec<u32> = Vec::new();
        let said = |note: &&Note| matches!(note.what, What::Answer | What::Agree | What::Skip);
        for note in notes.iter().filter(|note| note.round == self.round).filter(said) {
            trail.retain(|row| *row != note.row);
            trail.push(note.row);
        }
        // A reply whose note was lost with the process came before all others.
        let unnoted = (0..).zip(replies).filter(|(_, reply)| **reply != Reply::Open);
        let unnoted: Vec<u32> =
            unnoted.map(|(row, _)| row).filter(|row| !trail.contains(row)).collect();
        [unnoted, trail].concat()
    }

    /// The question before the one that the teacher sees.
    pub(crate) fn before(&self, replies: &[Reply], notes: &[Note]) -> Option<u32> {
        let trail = self.trail(replies, notes);
        let here = self.back.and_then(|back| trail.iter().position(|row| *row == back));
        trail[..here.unwrap_or(trail.len())].last().copied()
    }

    /// The question to ask again and which repetition of the run it is, where one is due.
    fn again(&self, replies: &[Reply], notes: &[Note], annotations: usize) -> Option<(u32, usize)> {
        let is_again = |note: &&Note| matches!(note.what, What::Again | What::AgainUnsure);
        let done = notes.iter().filter(is_again).count();
        if self.repeat_every == 0 || annotations < self.repeat_every * (done + 1) {
            return None;
        }
        let trail = self.trail(replies, notes);
        let repeated = |row: u32| notes.iter().filter(is_again).any(|note| self.is_of(note, row));
        let old_enough = &trail[..trail.len().saturating_sub(GAP)];
        let candidates: Vec<u32> = old_enough
            .iter()
            .copied()
            .filter(|&row| replies[row as usize] == Reply::Labeled && !repeated(row))
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let mut rng = self.stream.fork("again", done as u64).rng();
        Some((candidates[rng.random_range(0..candidates.len())], done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue() -> QuestionQueue {
        QuestionQueue { round: 2, repeat_every: 10, stream: Stream::new(1), back: None }
    }

    fn note(row: u32, what: What) -> Note {
        let action = None;
        Note { round: 2, row, what, id: String::new(), action, loss: None, seconds: 1.0 }
    }

    fn row(ticket: Option<Ticket>) -> Option<u32> {
        ticket.filter(|ticket| ticket.again.is_none()).map(|ticket| ticket.row)
    }

    #[test]
    fn questions_put_off_come_last() {
        let mut replies = vec![Reply::Open; 3];
        let notes = [note(0, What::Unsure)];
        assert_eq!(row(queue().next(&replies, &notes, 0)), Some(1));
        replies[1] = Reply::Labeled;
        replies[2] = Reply::Skipped;
        assert_eq!(row(queue().next(&replies, &notes, 1)), Some(0));
        replies[0] = Reply::Labeled;
        assert_eq!(queue().next(&replies, &notes, 2), None);
    }

    #[test]
    fn undo_goes_back_reply_by_reply() {
        let replies = [Reply::Labeled, Reply::Labeled, Reply::Skipped, Reply::Open];
        let notes = [note(1, What::Answer), note(0, What::Agree), note(2, What::Skip)];
        let mut queue = queue();
        let mut visited = Vec::new();
        while let Some(row) = queue.before(&replies, &notes) {
            queue.back = Some(row);
            assert_eq!(queue.next(&replies, &notes, 2).map(|ticket| ticket.row), Some(row));
            visited.push(row);
        }
        assert_eq!(visited, [2, 0, 1]);
    }

    #[test]
    fn one_in_so_many_is_asked_again_later_once_and_the_same_after_a_restart() {
        let mut replies = vec![Reply::Open; 40];
        let (mut notes, mut asked_again) = (Vec::new(), Vec::new());
        let mut annotations = 0;
        while let Some(ticket) = queue().next(&replies, &notes, annotations) {
            assert_eq!(queue().next(&replies, &notes, annotations), Some(ticket));
            match ticket.again {
                None => {
                    replies[ticket.row as usize] = Reply::Labeled;
                    notes.push(note(ticket.row, What::Answer));
                    annotations += 1;
                }
                Some(k) => {
                    assert_eq!(k, asked_again.len());
                    assert!(annotations - (ticket.row as usize) > GAP);
                    assert!(!asked_again.contains(&ticket.row));
                    asked_again.push(ticket.row);
                    notes.push(note(ticket.row, What::Again));
                }
            }
        }
        assert_eq!((annotations, asked_again.len()), (40, 4));
    }

    #[test]
    fn tickets_have_names() {
        for again in [None, Some(3)] {
            let ticket = Ticket { round: 4, row: 17, again };
            assert_eq!(Ticket::parse(&ticket.name()), Some(ticket));
        }
        for wrong in ["", "4", "4.x", "4.1.2.3", "4.1.", "-1.2"] {
            assert_eq!(Ticket::parse(wrong), None, "{wrong}");
        }
    }
}
