//! What a teacher is shown: the question that is next, its clip, and what an action would lead to.

use std::sync::Arc;

use tutelage::{Element, Policy};
use tutelage_runs::LabelSink;

use super::page_state::{PlaceOnPage, Question, lock};
use super::person::{DeskOf, Person};
use super::question_queue::Ticket;
use super::replayer::ReplayError;
use super::replies::{closed, noted, read_action, replies, standing};
use super::requests::{self, Answered, Place, Standing};
use crate::notes::TeacherStats;
use crate::server::HttpError;
use crate::show::{Controls, numbers};

impl<A: Element> Person<A> {
    /// Shows the question that is next by now.
    pub(super) fn refresh<P: Policy<State = f32, Action = A>>(
        &self,
        desk: &LabelSink<'_, '_, f32, A, P>,
    ) {
        let next = self.queue.next(&replies(desk), self.notes.all(), desk.annotations());
        self.show(desk, next);
    }

    /// Shows a question, unless it is shown already.
    pub(super) fn show<P: Policy<State = f32, Action = A>>(
        &self,
        desk: &LabelSink<'_, '_, f32, A, P>,
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
                intended: noted(&round.intended, row).map_or(vec![], |row| numbers(row)),
                reward: round.rewards.get(row).copied(),
                time: round.origins.get(row).map(|origin| origin.time),
            }
        });
        let name = |question: &Option<Question>| {
            question.as_ref().map(|question| (question.ticket.clone(), question.standing.clone()))
        };
        let upcoming = self.queue.upcoming(&round.replies, self.notes.all());
        let shown = self.shared.read(|page| (name(&page.question), page.left, page.total));
        if shown == (name(&question), upcoming.len(), round.replies.len()) {
            return;
        }
        let teacher = TeacherStats::of(self.notes.all());
        let can_undo = self.queue.before(&round.replies, self.notes.all()).is_some();
        let annotations = desk.annotations();
        let place = |&row: &u32| Place { round: self.queue.round, row };
        self.shared.change(|page| {
            let indices = matches!(page.about.controls, Controls::Choice(_));
            (page.left, page.total) = (upcoming.len(), round.replies.len());
            page.next = upcoming.iter().take(3).map(place).collect();
            page.teacher_words = teacher.describe(indices);
            page.teacher = teacher;
            (page.question, page.can_undo, page.annotations) = (question, can_undo, annotations);
        });
    }

    pub(super) fn clip<P: Policy<State = f32, Action = A>>(
        &mut self,
        Place { round, row }: Place,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<Arc<str>, HttpError> {
        let place = Place { round, row };
        if let Some(clip) = lock(&self.shared.clips).get(place).filter(|_| self.replayer.has(row)) {
            return Ok(clip);
        }
        let (Some(open), Some(policy)) = (desk.round(), desk.policy()) else {
            return Err(closed(round));
        };
        if round != self.queue.round || row as usize >= open.states.len() {
            return Err(HttpError::new(404, format!("There is no question {round}.{row} now.")));
        }
        let (origin, state) = (open.origins.get(row as usize), open.states.row(row as usize));
        let clip: Arc<str> = self.replayer.clip(round, row, origin, state, policy)?.into();
        lock(&self.shared.clips).put(place, Arc::clone(&clip));
        Ok(clip)
    }

    pub(super) fn preview<P: Policy<State = f32, Action = A>>(
        &mut self,
        preview: requests::Preview,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Answered {
        let requests::Preview { round, row, action, then } = preview;
        self.clip(Place { round, row }, desk)?;
        let action = read_action::<A, P>(&action, row, desk)?;
        let policy = desk.policy().ok_or_else(|| closed(round))?;
        Ok(self.replayer.preview(row, action.row(0), then, policy)?)
    }
}

impl From<ReplayError> for HttpError {
    fn from(error: ReplayError) -> Self {
        Self::new(422, format!("The moment cannot be shown: {error}."))
    }
}
