//! The order of a round's queries.

use tutelage::Stream;
use tutelage::lesson::Reply;
use tutelage::rand::RngExt;

use crate::notes::{Note, ReplyKind};

/// A query, asked for the first time or repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) round: usize,
    pub(crate) row: u32,
    /// The index of this repetition in the run; `None` if the query is not repeated.
    pub(crate) repetition: Option<usize>,
}

impl Ticket {
    /// `round.row`, or `round.row.k` for repetition k.
    pub(crate) fn name(&self) -> String {
        let first = format!("{}.{}", self.round, self.row);
        self.repetition.map_or(first.clone(), |k| format!("{first}.{k}"))
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('.');
        let (round, row) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let repetition = parts.next().map(str::parse).transpose().ok()?;
        parts.next().is_none().then_some(Self { round, row, repetition })
    }
}

/// Orders a round's queries: as collected, postponed ones last, with some repeated.
///
/// The order is a function of the log and the notes, so that a resumed run continues with the same query.
pub(crate) struct QueryQueue {
    pub(crate) round: usize,
    /// Repeat one in this many queries; 0 to never repeat one.
    pub(crate) repeat_every: usize,
    /// Selects the queries to repeat.
    pub(crate) stream: Stream,
    /// The query that the teacher returned to by undo.
    pub(crate) back: Option<u32>,
}

/// The minimum number of replies between a query and its repetition.
const GAP: usize = 6;

impl QueryQueue {
    /// The next query; `None` if all have replies. `annotations` counts the labels of the run.
    pub(crate) fn next(
        &self,
        replies: &[Reply],
        notes: &[Note],
        annotations: usize,
    ) -> Option<Ticket> {
        let ticket = |row, repetition| Some(Ticket { round: self.round, row, repetition });
        if let Some(row) = self.back {
            return ticket(row, None);
        }
        if let Some((row, k)) = self.repetition(replies, notes, annotations) {
            return ticket(row, Some(k));
        }
        self.upcoming(replies, notes).first().and_then(|&row| ticket(row, None))
    }

    /// The open rows, in the order in which they are asked.
    pub(crate) fn upcoming(&self, replies: &[Reply], notes: &[Note]) -> Vec<u32> {
        let open = (0..).zip(replies).filter(|(_, reply)| **reply == Reply::Open);
        let mut rows: Vec<u32> = open.map(|(row, _)| row).collect();
        rows.sort_by_key(|&row| self.postponements(row, notes));
        rows
    }

    /// How often the teacher was unsure about a row.
    pub(crate) fn postponements(&self, row: u32, notes: &[Note]) -> usize {
        let is_it = |note: &&Note| self.is_of(note, row) && note.kind == ReplyKind::Unsure;
        notes.iter().filter(is_it).count()
    }

    fn is_of(&self, note: &Note, row: u32) -> bool {
        note.round == self.round && note.row == row
    }

    /// The rows of this round with replies, ordered by their last reply.
    pub(crate) fn trail(&self, replies: &[Reply], notes: &[Note]) -> Vec<u32> {
        let mut trail: Vec<u32> = Vec::new();
        let is_reply = |note: &&Note| {
            matches!(note.kind, ReplyKind::Answer | ReplyKind::Agree | ReplyKind::Skip)
        };
        for note in notes.iter().filter(|note| note.round == self.round).filter(is_reply) {
            trail.retain(|row| *row != note.row);
            trail.push(note.row);
        }
        // If the process was killed between log and note, the reply counts as the oldest.
        let unnoted = (0..).zip(replies).filter(|(_, reply)| **reply != Reply::Open);
        let unnoted: Vec<u32> =
            unnoted.map(|(row, _)| row).filter(|row| !trail.contains(row)).collect();
        [unnoted, trail].concat()
    }

    /// The query of the reply before the current query.
    pub(crate) fn before(&self, replies: &[Reply], notes: &[Note]) -> Option<u32> {
        let trail = self.trail(replies, notes);
        let here = self.back.and_then(|back| trail.iter().position(|row| *row == back));
        trail[..here.unwrap_or(trail.len())].last().copied()
    }

    /// The row to repeat and the index of the repetition, if one is due.
    fn repetition(
        &self,
        replies: &[Reply],
        notes: &[Note],
        annotations: usize,
    ) -> Option<(u32, usize)> {
        let is_again =
            |note: &&Note| matches!(note.kind, ReplyKind::Again | ReplyKind::AgainUnsure);
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

    fn queue() -> QueryQueue {
        QueryQueue { round: 2, repeat_every: 10, stream: Stream::new(1), back: None }
    }

    fn note(row: u32, kind: ReplyKind) -> Note {
        let action = None;
        Note { round: 2, row, kind, id: String::new(), action, loss: None, seconds: 1.0 }
    }

    fn row(ticket: Option<Ticket>) -> Option<u32> {
        ticket.filter(|ticket| ticket.repetition.is_none()).map(|ticket| ticket.row)
    }

    #[test]
    fn postponed_queries_come_last() {
        let mut replies = vec![Reply::Open; 3];
        let notes = [note(0, ReplyKind::Unsure)];
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
        let notes =
            [note(1, ReplyKind::Answer), note(0, ReplyKind::Agree), note(2, ReplyKind::Skip)];
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
    fn queries_are_repeated_once_and_deterministically() {
        let mut replies = vec![Reply::Open; 40];
        let (mut notes, mut repeated) = (Vec::new(), Vec::new());
        let mut annotations = 0;
        while let Some(ticket) = queue().next(&replies, &notes, annotations) {
            assert_eq!(queue().next(&replies, &notes, annotations), Some(ticket));
            match ticket.repetition {
                None => {
                    replies[ticket.row as usize] = Reply::Labeled;
                    notes.push(note(ticket.row, ReplyKind::Answer));
                    annotations += 1;
                }
                Some(k) => {
                    assert_eq!(k, repeated.len());
                    assert!(annotations - (ticket.row as usize) > GAP);
                    assert!(!repeated.contains(&ticket.row));
                    repeated.push(ticket.row);
                    notes.push(note(ticket.row, ReplyKind::Again));
                }
            }
        }
        assert_eq!((annotations, repeated.len()), (40, 4));
    }

    #[test]
    fn ticket_names_round_trip() {
        for repetition in [None, Some(3)] {
            let ticket = Ticket { round: 4, row: 17, repetition };
            assert_eq!(Ticket::parse(&ticket.name()), Some(ticket));
        }
        for wrong in ["", "4", "4.x", "4.1.2.3", "4.1.", "-1.2"] {
            assert_eq!(Ticket::parse(wrong), None, "{wrong}");
        }
    }
}
