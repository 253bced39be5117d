//! What a teacher is shown: the question that is next, its clip, and what an action would lead to.

use std::sync::Arc;

use tutelage::Policy;
use tutelage_runs::Desk;

use super::board::{PlaceOnPage, Question, lock};
use super::mail::{self, Answered, Place, Standing};
use super::person::{DeskOf, Person};
use super::queue::Ticket;
use super::replies::{closed, noted, read_action, replies, standing};
use super::studio::StudioError;
use crate::notes::Account;
use crate::server::Refusal;
use crate::show::{Answer, Controls};

impl<A: Answer> Person<A> {
    /// Shows the question that is next by now.
    pub(super) fn refresh<P: Policy<State = f32, Action = A>>(
        &self,
        desk: &Desk<'_, '_, f32, A, P>,
    ) {
        let next = self.queue.next(&replies(desk), self.notes.all(), desk.annotations());
        self.show(desk, next);
    }

    /// Shows a question, unless it is shown already.
    pub(super) fn show<P: Policy<State = f32, Action = A>>(
        &self,
        desk: &Desk<'_, '_, f32, A, P>,
        ticket: Option<Ticket>,
    ) {
        let Some(round) = desk.round() else { return };
        let question = ticket.map(|ticket| {
            let row = ticket.row as usize;
            Question {
                place: PlaceOnPage { question_round: ticket.round, row: ticket.row },
                ticket: ticket.name(),
                standing: match ticket.again {
                    None => standing(round, ticket.row),
                    Some(_) => Standing::Open,
                },
                state: round.states.row(row).iter().map(|&x| f64::from(x)).collect(),
                intended: noted(&round.intended, row).map_or(vec![], |row| A::numbers(row)),
                reward: round.rewards.get(row).copied(),
                time: round.origins.get(row).map(|origin| origin.time),
            }
        });
        let name = |question: &Option<Question>| {
            question.as_ref().map(|question| (question.ticket.clone(), question.standing.clone()))
        };
        let upcoming = self.queue.upcoming(&round.replies, self.notes.all());
        let shown = self.shared.read(|board| (name(&board.question), board.left, board.total));
        if shown == (name(&question), upcoming.len(), round.replies.len()) {
            return;
        }
        let teacher = Account::of(self.notes.all());
        let can_undo = self.queue.before(&round.replies, self.notes.all()).is_some();
        let annotations = desk.annotations();
        let place = |&row: &u32| Place { round: self.queue.round, row };
        self.shared.change(|board| {
            let indices = matches!(board.about.controls, Controls::Choice(_));
            (board.left, board.total) = (upcoming.len(), round.replies.len());
            board.next = upcoming.iter().take(3).map(place).collect();
            board.teacher_words = teacher.in_words(indices);
            board.teacher = teacher;
            (board.question, board.can_undo, board.annotations) = (question, can_undo, annotations);
        });
    }

    pub(super) fn clip<P: Policy<State = f32, Action = A>>(
        &mut self,
        Place { round, row }: Place,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<Arc<str>, Refusal> {
        let place = Place { round, row };
        if let Some(clip) = lock(&self.shared.clips).get(place).filter(|_| self.studio.has(row)) {
            return Ok(clip);
        }
        let (Some(open), Some(policy)) = (desk.round(), desk.policy()) else {
            return Err(closed(round));
        };
        if round != self.queue.round || row as usize >= open.states.len() {
            return Err(Refusal::new(404, format!("There is no question {round}.{row} now.")));
        }
        let (origin, state) = (open.origins.get(row as usize), open.states.row(row as usize));
        let clip: Arc<str> = self.studio.clip(round, row, origin, state, policy)?.into();
        lock(&self.shared.clips).put(place, Arc::clone(&clip));
        Ok(clip)
    }

    pub(super) fn preview<P: Policy<State = f32, Action = A>>(
        &mut self,
        preview: mail::Preview,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Answered {
        let mail::Preview { round, row, action, then } = preview;
        self.clip(Place { round, row }, desk)?;
        let action = read_action::<A, P>(&action, row, desk)?;
        let policy = desk.policy().ok_or_else(|| closed(round))?;
        Ok(self.studio.preview(row, action.row(0), then, policy)?)
    }
}

impl From<StudioError> for Refusal {
    fn from(error: StudioError) -> Self {
        Self::new(422, format!("The moment cannot be shown: {error}."))
    }
}
