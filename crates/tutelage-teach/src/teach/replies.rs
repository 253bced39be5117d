//! Replies: what a teacher says to a question, on disk before it counts, and counted once.

use tutelage::lesson::Reply;
use tutelage::{Batch, Element, Policy};
use tutelage_runs::{LabelSink, RunError};

use super::page_state::lock;
use super::person::{DeskOf, Person};
use super::question_queue::Ticket;
use super::requests::{self, Standing};
use crate::notes::{Note, What};
use crate::server::HttpError;
use crate::show::{action_of_numbers, numbers};

impl<A: Element> Person<A> {
    /// Takes a reply; says whether it had been taken before.
    pub(super) fn reply<P: Policy<State = f32, Action = A>>(
        &mut self,
        reply: requests::Reply,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<bool, HttpError> {
        let ticket = Ticket::parse(&reply.ticket).ok_or_else(|| {
            HttpError::new(400, format!("There is no question called {:?}.", reply.ticket))
        })?;
        if lock(&self.shared.saved).contains(&reply.id) {
            return Ok(true);
        }
        let round = desk.round().filter(|_| ticket.round == self.queue.round);
        let round = round.ok_or_else(|| closed(ticket.round))?;
        if ticket.row as usize >= round.replies.len() {
            return Err(HttpError::new(404, format!("There is no question {}.", ticket.name())));
        }
        let action = action_of(&reply, ticket, round, desk)?;
        let already = match ticket.again {
            Some(_) => self.reply_again(&reply, ticket, action.as_ref(), desk)?,
            None => self.reply_first(&reply, ticket, action.as_ref(), desk)?,
        };
        if !already {
            lock(&self.shared.saved).insert(reply.id);
        }
        Ok(already)
    }

    /// A reply that is learned from: first on disk, then in the lesson, then in the notes. Says whether it stood there already.
    fn reply_first<P: Policy<State = f32, Action = A>>(
        &mut self,
        reply: &requests::Reply,
        ticket: Ticket,
        action: Option<&Batch<A>>,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<bool, HttpError> {
        let row = ticket.row;
        let now = desk.round().map_or(Standing::Open, |round| standing(round, row));
        if now != reply.before {
            let wanted = action.map(|action| Standing::Answered(numbers(action.row(0))));
            let same = wanted.unwrap_or(Standing::Skipped) == now;
            return same.then_some(true).ok_or_else(elsewhere);
        }
        let puts_off = reply.what == What::Unsure
            && reply.before == Standing::Open
            && self.queue.times_put_off(row, self.notes.all()) == 0;
        let what = match action {
            Some(action) => desk.label(&[row], action).map(|_| reply.what)?,
            None if puts_off => What::Unsure,
            None => desk.skip(&[row]).map(|_| What::Skip)?,
        };
        self.queue.back = None;
        self.note(reply, ticket, what, action, None)
    }

    /// A reply to a question that was asked before: only noted.
    fn reply_again<P: Policy<State = f32, Action = A>>(
        &mut self,
        reply: &requests::Reply,
        ticket: Ticket,
        action: Option<&Batch<A>>,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<bool, HttpError> {
        let next = self.queue.next(&replies(desk), self.notes.all(), desk.annotations());
        if next != Some(ticket) {
            return Err(elsewhere());
        }
        let Some(action) = action else {
            return self.note(reply, ticket, What::AgainUnsure, None, None);
        };
        let first = desk.round().map(|round| row_of(round.labels.row(ticket.row as usize)));
        let bounds = desk.bounds();
        let [a, b] = [first, Some(action.clone())].map(|row| {
            let mut row = row.unwrap_or_else(|| action.clone());
            A::to_unit(bounds, &mut row);
            row
        });
        let loss = A::loss(a.row(0), b.row(0));
        self.note(reply, ticket, What::Again, Some(action), Some(loss))
    }

    /// Notes how a question was replied to, for the first time.
    fn note(
        &mut self,
        reply: &requests::Reply,
        ticket: Ticket,
        what: What,
        action: Option<&Batch<A>>,
        loss: Option<f64>,
    ) -> Result<bool, HttpError> {
        let action = action.map(|action| numbers(action.row(0)));
        let seconds =
            if reply.seconds.is_finite() { reply.seconds.clamp(0.0, 3600.0) } else { 0.0 };
        let (round, row, id) = (ticket.round, ticket.row, reply.id.clone());
        let noted = self.notes.add(Note { round, row, what, id, action, loss, seconds });
        let failed =
            |error| HttpError::new(500, format!("The answer could not be noted: {error}."));
        noted.map(|()| false).map_err(failed)
    }
}

/// The action that a reply comes to, where it comes to one.
fn action_of<A: Element, P: Policy<State = f32, Action = A>>(
    reply: &requests::Reply,
    ticket: Ticket,
    round: &tutelage::lesson::Round<f32, A>,
    desk: &LabelSink<'_, '_, f32, A, P>,
) -> Result<Option<Batch<A>>, HttpError> {
    match reply.what {
        What::Answer => {
            let numbers = reply.action.as_deref().unwrap_or_default();
            read_action(numbers, ticket.row, desk).map(Some)
        }
        What::Agree => {
            let intended = noted(&round.intended, ticket.row as usize).map(row_of);
            let unknown = || HttpError::new(422, "What the learner intended was not noted.");
            intended.ok_or_else(unknown).map(Some)
        }
        What::Skip | What::Unsure => Ok(None),
        What::Again | What::AgainUnsure => {
            let no = "Whether a question is asked again is not the page's to say.";
            Err(HttpError::new(400, no))
        }
    }
}

/// What became of each question of the round.
pub(super) fn replies<A: Element, P: Policy<State = f32, Action = A>>(
    desk: &LabelSink<'_, '_, f32, A, P>,
) -> Vec<Reply> {
    desk.round().map_or(vec![], |round| round.replies.clone())
}

fn elsewhere() -> HttpError {
    let stands =
        "This question was answered elsewhere, perhaps in another tab; that answer stands.";
    HttpError::new(409, stands)
}

pub(super) fn closed(round: usize) -> HttpError {
    HttpError::new(409, format!("Round {round} is closed: its answers can no longer be changed."))
}

/// A row of a batch that may not have been noted.
pub(super) fn noted<A: Element>(rows: &Batch<A>, row: usize) -> Option<&[A]> {
    (row < rows.len()).then(|| rows.row(row))
}

pub(super) fn row_of<A: Element>(action: &[A]) -> Batch<A> {
    let mut row = Batch::new(action.len());
    row.push(action);
    row
}

pub(super) fn standing<A: Element>(round: &tutelage::lesson::Round<f32, A>, row: u32) -> Standing {
    let row = row as usize;
    match round.replies[row] {
        Reply::Open => Standing::Open,
        Reply::Skipped => Standing::Skipped,
        Reply::Labeled => Standing::Answered(numbers(round.labels.row(row))),
    }
}

/// The action of these numbers, if the task would take it.
pub(super) fn read_action<A: Element, P: Policy<State = f32, Action = A>>(
    numbers: &[f64],
    row: u32,
    desk: &LabelSink<'_, '_, f32, A, P>,
) -> Result<Batch<A>, HttpError> {
    let action = action_of_numbers(numbers)
        .ok_or_else(|| HttpError::new(422, format!("{numbers:?} is no action of this task.")))?;
    let action = row_of(&action);
    desk.check(&[row], &action)?;
    Ok(action)
}

impl From<RunError> for HttpError {
    fn from(error: RunError) -> Self {
        let status = match &error {
            RunError::Learn(_) => 422,
            _ => 500,
        };
        Self::new(status, format!("The answer was not saved: {error}."))
    }
}
