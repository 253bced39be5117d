//! What the page shows of a query: its state, its clip, and previews of actions.

use std::sync::Arc;

use tutelage::{Element, Policy};

use super::page_state::Question;
use super::person::Asking;
use super::query_queue::Ticket;
use super::replies::{recorded, standing};
use super::requests::{CommandResult, Place, PreviewRequest, Standing};
use crate::notes::TeacherStats;
use crate::server::HttpError;
use crate::show::{Controls, numbers};

impl<A: Element, P: Policy<State = f32, Action = A>> Asking<'_, '_, '_, A, P> {
    /// The query to show next.
    pub(super) fn next(&self) -> Option<Ticket> {
        let person = &self.person;
        person.queue.next(&self.replies(), person.notes.all(), self.sink.annotations())
    }

    /// Shows the next query.
    pub(super) fn refresh(&self) {
        self.show(self.next());
    }

    /// Shows a query, unless the page shows it already.
    pub(super) fn show(&self, ticket: Option<Ticket>) {
        let Some(round) = self.sink.round() else { return };
        let question = ticket.map(|ticket| {
            let row = ticket.row as usize;
            Question {
                question_round: ticket.round,
                row: ticket.row,
                ticket: ticket.name(),
                standing: match ticket.repetition {
                    None => standing(round, ticket.row),
                    Some(_) => Standing::Open,
                },
                state: round.states.row(row).iter().map(|&x| f64::from(x)).collect(),
                intended: recorded(&round.intended, row).map_or(vec![], |row| numbers(row)),
                reward: round.rewards.get(row).copied(),
                time: round.origins.get(row).map(|origin| origin.time),
            }
        });
        let (queue, notes) = (&self.person.queue, self.person.notes.all());
        let upcoming = queue.upcoming(&round.replies, notes);
        let (left, total) = (upcoming.len(), round.replies.len());
        let key = |question: &Option<Question>| {
            question.as_ref().map(|question| (question.ticket.clone(), question.standing.clone()))
        };
        let shown = self.person.shared.read(|page| (key(&page.question), page.left, page.total));
        if shown == (key(&question), left, total) {
            return;
        }
        let teacher = TeacherStats::of(notes);
        let can_undo = queue.before(&round.replies, notes).is_some();
        let annotations = self.sink.annotations();
        let place = |&row: &u32| Place { round: queue.round, row };
        self.person.shared.change(|page| {
            let indices = matches!(page.about.controls, Controls::Choice(_));
            (page.left, page.total) = (left, total);
            page.next = upcoming.iter().take(3).map(place).collect();
            page.teacher_words = teacher.describe(indices);
            page.teacher = teacher;
            (page.question, page.can_undo, page.annotations) = (question, can_undo, annotations);
        });
    }

    pub(super) fn clip(&mut self, Place { round, row }: Place) -> Result<Arc<str>, HttpError> {
        let (Some(open), Some(policy)) = (self.sink.round(), self.sink.policy()) else {
            return Err(HttpError::RoundClosed(round));
        };
        if round != self.person.queue.round || row as usize >= open.states.len() {
            return Err(HttpError::NoQuestion(format!("{round}.{row}")));
        }
        let (origin, state) = (open.origins.get(row as usize), open.states.row(row as usize));
        Ok(self.person.replayer.clip(round, row, origin, state, policy)?)
    }

    pub(super) fn preview(&mut self, preview: PreviewRequest) -> CommandResult {
        let PreviewRequest { round, row, action, then } = preview;
        self.clip(Place { round, row })?;
        let action = self.parse_action(&action, row)?;
        let policy = self.sink.policy().ok_or(HttpError::RoundClosed(round))?;
        Ok(self.person.replayer.preview(row, action.row(0), then, policy)?)
    }
}
