//! A person who teaches through a page.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tutelage::{
    Algorithm, Batch, Deploy, Drive, Driver, Gate, LearnError, Nobody, Policy, Reply, Schedule,
};
use tutelage_runs::{Desk, RunError, Teacher};

use super::board::{Phase, PlaceOnPage, Question, Shared, lock};
use super::classroom::Classroom;
use super::live::Live;
use super::mail::{self, Answered, Letter, Mailbox, Place, Request, Standing};
use super::queue::{Queue, Ticket};
use super::studio::{Studio, StudioError};
use crate::notes::{self, Account, Note, Notes, What};
use crate::server::Refusal;
use crate::show::{Answer, Controls, Show};

/// What a person teaches.
pub struct Teaching<A> {
    /// Makes an environment that can be looked at, where the task can be.
    pub stage: Box<dyn Fn() -> Option<Box<dyn Show<Action = A>>>>,
    /// The run's schedule.
    pub schedule: Schedule,
    /// The run's algorithm: the learner drives, or the person takes over from it.
    pub algorithm: Algorithm,
    /// One of so many questions is asked again; 0 for none.
    pub again_every: usize,
    /// How long an answered round stays open, so that the last answer can be undone.
    pub grace: Duration,
}

/// Why a person cannot teach so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PersonError {
    /// The algorithm asks for an expert that drives.
    #[error(
        "in this algorithm {0}; a person answers questions about what the learner did (dagger, bd-5, …) or takes over from it (take-over-5)"
    )]
    Drives(&'static str),
    /// The files beside the log.
    #[error("cannot open {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The task cannot be looked at.
    #[error("this task cannot be drawn, so that nobody could see what is asked")]
    NotDrawn,
    /// There is somebody in the room already.
    #[error("somebody teaches in this room already")]
    Taken,
}

/// A person, as the teacher of a run.
pub struct Person<A> {
    shared: Arc<Shared>,
    mailbox: Mailbox,
    notes: Notes,
    queue: Queue,
    studio: Studio<A>,
    deploy: Deploy,
    hands: Option<Live<A>>,
    nobody: Nobody,
    grace: Duration,
}

/// How long to wait for a letter before looking whether the run is to stop.
const PATIENCE: Duration = Duration::from_millis(100);

impl<A: Answer> Person<A> {
    /// Somebody who teaches this in a room; `folder` is the run's.
    pub fn new(
        room: &Classroom,
        teaching: Teaching<A>,
        folder: &Path,
    ) -> Result<Self, PersonError> {
        let Teaching { stage, schedule, algorithm, again_every, grace } = teaching;
        let mailbox = lock(&room.mailbox).take().ok_or(PersonError::Taken)?;
        let shared = Arc::clone(&room.shared);
        let file = |name: &str| {
            let path = folder.join(name);
            move |source| PersonError::Io { path, source }
        };
        let notes = Notes::open(&folder.join(notes::FILE)).map_err(file(notes::FILE))?;
        lock(&shared.saved).extend(notes.all().iter().map(|note| note.id.clone()));
        let stage = || stage().ok_or(PersonError::NotDrawn);
        let pace = shared.read(|board| board.about.pace);
        let hands = match algorithm.drive {
            Drive::Learner => None,
            Drive::Gated(Gate::Hand) => {
                let live =
                    Live::new(stage()?, schedule, algorithm, Arc::clone(&shared), pace, folder);
                Some(live.map_err(file(super::trace::FILE))?)
            }
            _ => return Err(PersonError::Drives("the expert drives")),
        };
        let stream = schedule.stream.fork("teacher", 0);
        Ok(Self {
            mailbox,
            notes,
            queue: Queue { round: 0, again_every, stream, back: None },
            studio: Studio::new(stage()?, schedule, algorithm.ask, pace),
            deploy: algorithm.deploy,
            hands,
            nobody: Nobody,
            grace,
            shared,
        })
    }
}

/// The desk of a run that a person teaches.
type DeskOf<'a, 'b, 'j, A, P> = &'a mut Desk<'b, 'j, f32, A, P>;

impl<A: Answer, P: Policy<State = f32, Action = A>> Teacher<f32, A, P> for Person<A> {
    fn teach(&mut self, desk: &mut Desk<'_, '_, f32, A, P>) -> Result<(), RunError> {
        let round = desk.questions().round;
        if self.queue.round != round {
            self.studio.clear();
            (self.queue.round, self.queue.back) = (round, None);
        }
        if self.hands.is_some() {
            return self.answer_driven(desk);
        }
        self.shared.enter(Phase::Asking, round, None);
        while !desk.wants_stop() {
            let replies = replies(desk);
            match self.queue.next(&replies, self.notes.all(), desk.annotations()) {
                Some(ticket) => {
                    self.show(desk, Some(ticket));
                    self.wait(desk, None)?;
                }
                None if self.close(desk)? => break,
                None => {}
            }
        }
        // Whoever asks from now on is told by the server that the round is closed.
        self.shared.enter(Phase::Training, round, None);
        self.shared.change(|board| board.question = None);
        for Letter { answer, .. } in self.mailbox.try_iter() {
            let _ = answer.send(Err(closed(round)));
        }
        Ok(())
    }

    fn driver(&mut self) -> &mut dyn Driver<f32, A> {
        match &mut self.hands {
            Some(live) => live,
            None => &mut self.nobody,
        }
    }

    fn trained(&mut self, round: usize, policy: &P) {
        // A film is for looking: the lesson goes on without it.
        if let Ok(film) = self.studio.film(round, policy, self.deploy) {
            *lock(&self.shared.film) = Some(film.into());
            self.shared.change(|board| board.film = Some(round));
        }
    }
}

/// What became of each question of the round.
fn replies<A: Answer, P: Policy<State = f32, Action = A>>(
    desk: &Desk<'_, '_, f32, A, P>,
) -> Vec<Reply> {
    desk.round().map_or(vec![], |round| round.replies.clone())
}

fn closed(round: usize) -> Refusal {
    Refusal::new(409, format!("Round {round} is closed: its answers can no longer be changed."))
}

impl<A: Answer> Person<A> {
    /// What was done at the controls is the answer.
    fn answer_driven<P: Policy<State = f32, Action = A>>(
        &mut self,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<(), RunError> {
        let round = desk.questions().round;
        let rows = desk.questions().rows.clone();
        let Some(live) = &mut self.hands else { return Ok(()) };
        for (at, row) in rows.into_iter().enumerate() {
            let origin = desk.questions().origins.get(at).copied();
            let action =
                origin.and_then(|origin| live.answer(round, &origin)).ok_or_else(|| {
                    let lost = format!("{} has no answer to question {row}", super::trace::FILE);
                    let source = tutelage::ExpertError::Other(lost.into());
                    LearnError::Annotate { round, source }
                })?;
            desk.answer(&[row], &row_of(&action))?;
        }
        Ok(())
    }

    /// Waits for a letter, until a moment where one is given, and answers it; says whether one came.
    fn wait<P: Policy<State = f32, Action = A>>(
        &mut self,
        desk: DeskOf<'_, '_, '_, A, P>,
        until: Option<Instant>,
    ) -> Result<Option<Came>, RunError> {
        let patience = until.map_or(PATIENCE, |until| {
            until.saturating_duration_since(Instant::now()).min(PATIENCE)
        });
        let Ok(Letter { request, answer }) = self.mailbox.recv_timeout(patience) else {
            return Ok(None);
        };
        let came = match request {
            Request::Close => Came::Close,
            _ => Came::Other,
        };
        let answered = self.handle(request, desk)?;
        // Where nobody waits any more, nobody needs to know.
        let _ = answer.send(answered);
        Ok(Some(came))
    }

    /// All is answered: gives the teacher a moment to think again. Says whether the round is to close.
    fn close<P: Policy<State = f32, Action = A>>(
        &mut self,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<bool, RunError> {
        let until = Instant::now() + self.grace;
        self.show(desk, None);
        self.shared.enter(Phase::Closing, self.queue.round, Some(self.grace.as_secs_f64()));
        while Instant::now() < until && !desk.wants_stop() {
            if let Some(Came::Close) = self.wait(desk, Some(until))? {
                return Ok(true);
            }
            if self.queue.back.is_some() {
                self.shared.enter(Phase::Asking, self.queue.round, None);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn handle<P: Policy<State = f32, Action = A>>(
        &mut self,
        request: Request,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<Answered, RunError> {
        Ok(match request {
            Request::Clip(place) => self.clip(place, desk).map(|clip| clip.to_string()),
            Request::Preview(preview) => self.preview(preview, desk),
            Request::Reply(reply) => match self.reply(reply, desk) {
                Ok(already) => {
                    self.refresh(desk);
                    Ok(format!(r#"{{"saved":true,"already":{already},"state":{}}}"#, self.state()))
                }
                refused => refused.map(|_| String::new()),
            },
            Request::Undo => {
                let before = self.queue.before(&replies(desk), self.notes.all());
                match before {
                    Some(row) => {
                        self.queue.back = Some(row);
                        self.refresh(desk);
                        Ok(self.state())
                    }
                    None => Err(Refusal::new(409, "There is nothing to undo in this round.")),
                }
            }
            Request::Forward => {
                self.queue.back = None;
                self.refresh(desk);
                Ok(self.state())
            }
            Request::Close => {
                let settled = !replies(desk).contains(&Reply::Open);
                match settled {
                    true => Ok(self.state()),
                    false => Err(Refusal::new(409, "Some questions still wait for an answer.")),
                }
            }
        })
    }

    fn state(&self) -> String {
        self.shared.to_json()
    }

    /// Shows the question that is next by now.
    fn refresh<P: Policy<State = f32, Action = A>>(&self, desk: &Desk<'_, '_, f32, A, P>) {
        let next = self.queue.next(&replies(desk), self.notes.all(), desk.annotations());
        self.show(desk, next);
    }

    /// Shows a question, unless it is shown already.
    fn show<P: Policy<State = f32, Action = A>>(
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

    fn clip<P: Policy<State = f32, Action = A>>(
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

    fn preview<P: Policy<State = f32, Action = A>>(
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

    /// Takes a reply; says whether it had been taken before.
    fn reply<P: Policy<State = f32, Action = A>>(
        &mut self,
        reply: mail::Reply,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<bool, Refusal> {
        let ticket = Ticket::parse(&reply.ticket).ok_or_else(|| {
            Refusal::new(400, format!("There is no question called {:?}.", reply.ticket))
        })?;
        if lock(&self.shared.saved).contains(&reply.id) {
            return Ok(true);
        }
        let round = desk.round().filter(|_| ticket.round == self.queue.round);
        let round = round.ok_or_else(|| closed(ticket.round))?;
        if ticket.row as usize >= round.replies.len() {
            return Err(Refusal::new(404, format!("There is no question {}.", ticket.name())));
        }
        let action = match reply.what {
            What::Agree => {
                let intended = noted(&round.intended, ticket.row as usize);
                let intended = intended
                    .ok_or_else(|| Refusal::new(422, "What the learner intended was not noted."))?;
                Some(row_of(intended))
            }
            What::Answer => {
                let numbers = reply.action.as_deref().unwrap_or_default();
                Some(read_action::<A, P>(numbers, ticket.row, desk)?)
            }
            What::Skip | What::Unsure => None,
            What::Again | What::AgainUnsure => {
                return Err(Refusal::new(
                    400,
                    "Whether a question is asked again is not the page's to say.",
                ));
            }
        };
        match ticket.again {
            Some(_) => self.reply_again(&reply, ticket, action.as_ref(), desk)?,
            None => {
                let now = standing(round, ticket.row);
                let wanted =
                    action.as_ref().map(|action| Standing::Answered(A::numbers(action.row(0))));
                if now != reply.before {
                    return match wanted.unwrap_or(Standing::Skipped) == now {
                        true => Ok(true),
                        false => Err(Refusal::new(
                            409,
                            "This question was answered elsewhere, perhaps in another tab; that answer stands.",
                        )),
                    };
                }
                self.reply_first(&reply, ticket, action.as_ref(), desk)?;
            }
        }
        lock(&self.shared.saved).insert(reply.id);
        Ok(false)
    }

    /// A reply that is learned from: first on disk, then in the lesson, then in the notes.
    fn reply_first<P: Policy<State = f32, Action = A>>(
        &mut self,
        reply: &mail::Reply,
        ticket: Ticket,
        action: Option<&Batch<A>>,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<(), Refusal> {
        let row = ticket.row;
        let puts_off = reply.what == What::Unsure
            && reply.before == Standing::Open
            && self.queue.times_put_off(row, self.notes.all()) == 0;
        let mut what = reply.what;
        match action {
            Some(action) => desk.answer(&[row], action).map(|_| ())?,
            None if puts_off => {}
            None => {
                what = What::Skip;
                desk.skip(&[row]).map(|_| ())?;
            }
        }
        self.queue.back = None;
        self.note(reply, ticket, what, action, None)
    }

    /// A reply to a question that was asked before: only noted.
    fn reply_again<P: Policy<State = f32, Action = A>>(
        &mut self,
        reply: &mail::Reply,
        ticket: Ticket,
        action: Option<&Batch<A>>,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<(), Refusal> {
        let next = self.queue.next(&replies(desk), self.notes.all(), desk.annotations());
        if next != Some(ticket) {
            return Err(Refusal::new(
                409,
                "This question was answered elsewhere, perhaps in another tab; that answer stands.",
            ));
        }
        let Some(action) = action else {
            return self.note(reply, ticket, What::AgainUnsure, None, None);
        };
        let first = desk.round().map(|round| row_of(round.answers.row(ticket.row as usize)));
        let bounds = desk.bounds();
        let [a, b] = [first, Some(action.clone())].map(|row| {
            let mut row = row.unwrap_or_else(|| action.clone());
            A::to_unit(bounds, &mut row);
            row
        });
        let loss = A::loss(a.row(0), b.row(0));
        self.note(reply, ticket, What::Again, Some(action), Some(loss))
    }

    fn note(
        &mut self,
        reply: &mail::Reply,
        ticket: Ticket,
        what: What,
        action: Option<&Batch<A>>,
        loss: Option<f64>,
    ) -> Result<(), Refusal> {
        let action = action.map(|action| A::numbers(action.row(0)));
        let seconds =
            if reply.seconds.is_finite() { reply.seconds.clamp(0.0, 3600.0) } else { 0.0 };
        let (round, row, id) = (ticket.round, ticket.row, reply.id.clone());
        let noted = self.notes.add(Note { round, row, what, id, action, loss, seconds });
        noted.map_err(|error| Refusal::new(500, format!("The answer could not be noted: {error}.")))
    }
}

/// What a letter was about, as far as closing a round goes.
enum Came {
    Close,
    Other,
}

/// A row of a batch that may not have been noted.
fn noted<A: Answer>(rows: &Batch<A>, row: usize) -> Option<&[A]> {
    (row < rows.len()).then(|| rows.row(row))
}

fn row_of<A: Answer>(action: &[A]) -> Batch<A> {
    let mut row = Batch::new(action.len());
    row.push(action);
    row
}

fn standing<A: Answer>(round: &tutelage::Round<f32, A>, row: u32) -> Standing {
    let row = row as usize;
    match round.replies[row] {
        Reply::Open => Standing::Open,
        Reply::Skipped => Standing::Skipped,
        Reply::Answered => Standing::Answered(A::numbers(round.answers.row(row))),
    }
}

/// The action of these numbers, if the task would take it.
fn read_action<A: Answer, P: Policy<State = f32, Action = A>>(
    numbers: &[f64],
    row: u32,
    desk: &Desk<'_, '_, f32, A, P>,
) -> Result<Batch<A>, Refusal> {
    let action = A::of_numbers(numbers)
        .ok_or_else(|| Refusal::new(422, format!("{numbers:?} is no action of this task.")))?;
    let action = row_of(&action);
    desk.check(&[row], &action)?;
    Ok(action)
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        let status = match &error {
            RunError::Learn(_) => 422,
            _ => 500,
        };
        Self::new(status, format!("The answer was not saved: {error}."))
    }
}

impl From<StudioError> for Refusal {
    fn from(error: StudioError) -> Self {
        Self::new(422, format!("The moment cannot be shown: {error}."))
    }
}
