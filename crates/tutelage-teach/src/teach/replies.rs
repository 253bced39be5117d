//! Replies: saved on disk before they count, and counted once.

use tutelage::lesson::{Reply, Round};
use tutelage::{Batch, Element, Policy};

use super::page_state::lock;
use super::person::Asking;
use super::query_queue::Ticket;
use super::requests::{ReplyRequest, Standing};
use crate::notes::{Note, ReplyKind};
use crate::server::HttpError;
use crate::show::{action_of_numbers, numbers};

impl<A: Element, P: Policy<State = f32, Action = A>> Asking<'_, '_, '_, A, P> {
    /// Saves a reply; returns whether it was saved before.
    pub(super) fn reply(&mut self, reply: ReplyRequest) -> Result<bool, HttpError> {
        let ticket = Ticket::parse(&reply.ticket);
        let ticket = ticket.ok_or_else(|| HttpError::TicketName(reply.ticket.clone()))?;
        if lock(&self.person.shared.saved).contains(&reply.id) {
            return Ok(true);
        }
        let round = self.sink.round().filter(|_| ticket.round == self.person.queue.round);
        let round = round.ok_or(HttpError::RoundClosed(ticket.round))?;
        if ticket.row as usize >= round.replies.len() {
            return Err(HttpError::NoQuestion(ticket.name()));
        }
        let action = self.action_of(&reply, ticket, round)?;
        let already = match ticket.repetition {
            Some(_) => self.save_repetition(&reply, ticket, action.as_ref())?,
            None => self.save_label(&reply, ticket, action.as_ref())?,
        };
        if !already {
            lock(&self.person.shared.saved).insert(reply.id);
        }
        Ok(already)
    }

    /// Saves a reply in the log, and then in the notes; returns whether the log already had it.
    fn save_label(
        &mut self,
        reply: &ReplyRequest,
        ticket: Ticket,
        action: Option<&Batch<A>>,
    ) -> Result<bool, HttpError> {
        let row = ticket.row;
        let now = self.sink.round().map_or(Standing::Open, |round| standing(round, row));
        if now != reply.before {
            let wanted = action.map(|action| Standing::Answered(numbers(action.row(0))));
            let same = wanted.unwrap_or(Standing::Skipped) == now;
            return same.then_some(true).ok_or(HttpError::AnsweredElsewhere);
        }
        let person = &mut *self.person;
        let is_postponed = reply.kind == ReplyKind::Unsure
            && reply.before == Standing::Open
            && person.queue.postponements(row, person.notes.all()) == 0;
        let kind = match action {
            Some(action) => self.sink.label(&[row], action).map(|_| reply.kind)?,
            None if is_postponed => ReplyKind::Unsure,
            None => self.sink.skip(&[row]).map(|_| ReplyKind::Skip)?,
        };
        person.queue.back = None;
        self.note(reply, ticket, kind, action, None)
    }

    /// Notes the reply to a repeated query; the learner is not trained on it.
    fn save_repetition(
        &mut self,
        reply: &ReplyRequest,
        ticket: Ticket,
        action: Option<&Batch<A>>,
    ) -> Result<bool, HttpError> {
        if self.next() != Some(ticket) {
            return Err(HttpError::AnsweredElsewhere);
        }
        let Some(action) = action else {
            return self.note(reply, ticket, ReplyKind::AgainUnsure, None, None);
        };
        let first = self.sink.round().map(|round| batch_of(round.labels.row(ticket.row as usize)));
        let bounds = self.sink.bounds();
        let [a, b] = [first.as_ref().unwrap_or(action), action].map(|action| {
            let mut unit = action.clone();
            A::to_unit(bounds, &mut unit);
            unit
        });
        let loss = A::loss(a.row(0), b.row(0));
        self.note(reply, ticket, ReplyKind::Again, Some(action), Some(loss))
    }

    /// Notes a reply; returns `false`, since it is new.
    fn note(
        &mut self,
        reply: &ReplyRequest,
        ticket: Ticket,
        kind: ReplyKind,
        action: Option<&Batch<A>>,
        loss: Option<f64>,
    ) -> Result<bool, HttpError> {
        let action = action.map(|action| numbers(action.row(0)));
        let seconds =
            if reply.seconds.is_finite() { reply.seconds.clamp(0.0, 3600.0) } else { 0.0 };
        let (round, row, id) = (ticket.round, ticket.row, reply.id.clone());
        let noted = self.person.notes.add(Note { round, row, kind, id, action, loss, seconds });
        noted.map(|()| false).map_err(HttpError::Record)
    }

    /// The action of a reply, if its kind has one.
    fn action_of(
        &self,
        reply: &ReplyRequest,
        ticket: Ticket,
        round: &Round<f32, A>,
    ) -> Result<Option<Batch<A>>, HttpError> {
        match reply.kind {
            ReplyKind::Answer => {
                self.parse_action(reply.action.as_deref().unwrap_or_default(), ticket.row).map(Some)
            }
            ReplyKind::Agree => {
                let intended = recorded(&round.intended, ticket.row as usize);
                Ok(Some(batch_of(intended.ok_or(HttpError::NoIntention)?)))
            }
            ReplyKind::Skip | ReplyKind::Unsure => Ok(None),
            ReplyKind::Again | ReplyKind::AgainUnsure => Err(HttpError::RepeatKind),
        }
    }

    /// The action of these numbers, if the task accepts it.
    pub(super) fn parse_action(&self, values: &[f64], row: u32) -> Result<Batch<A>, HttpError> {
        let action = action_of_numbers(values);
        let action = batch_of(&action.ok_or_else(|| HttpError::Action(values.to_vec()))?);
        self.sink.check(&[row], &action)?;
        Ok(action)
    }

    /// The replies to the queries of the round.
    pub(super) fn replies(&self) -> Vec<Reply> {
        self.sink.round().map_or(vec![], |round| round.replies.clone())
    }
}

/// A row of a batch that is empty if nothing was recorded.
pub(super) fn recorded<A: Element>(rows: &Batch<A>, row: usize) -> Option<&[A]> {
    (row < rows.len()).then(|| rows.row(row))
}

/// A batch of one action.
pub(super) fn batch_of<A: Element>(action: &[A]) -> Batch<A> {
    let mut batch = Batch::new(action.len());
    batch.push(action);
    batch
}

pub(super) fn standing<A: Element>(round: &Round<f32, A>, row: u32) -> Standing {
    let row = row as usize;
    match round.replies[row] {
        Reply::Open => Standing::Open,
        Reply::Skipped => Standing::Skipped,
        Reply::Labeled => Standing::Answered(numbers(round.labels.row(row))),
    }
}
