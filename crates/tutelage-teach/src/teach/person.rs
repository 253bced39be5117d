//! A person who teaches through a page.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tutelage::choice::{Deploy, Drive, Gate};
use tutelage::expert::{Driver, NoDriver};
use tutelage::lesson::Reply;
use tutelage::{Algorithm, Element, Policy, Schedule};
use tutelage_runs::{LabelSink, RunError, Teacher};

use super::classroom::Classroom;
use super::live::{Driving, Live};
use super::page_state::{Phase, Shared, lock};
use super::question_queue::QuestionQueue;
use super::replayer::Replayer;
use super::replies::{closed, replies};
use super::requests::{Answered, PageCommand, Request, RequestQueue};
use super::trace::{self, Trace};
use crate::notes::{self, Notes};
use crate::server::HttpError;
use crate::show::Show;

/// What a person teaches.
pub struct Teaching<A> {
    /// Makes an environment that can be looked at, where the task can be.
    pub stage: Box<dyn Fn() -> Option<Box<dyn Show<Action = A>>>>,
    /// The run's schedule.
    pub schedule: Schedule,
    /// The run's algorithm: the learner drives, or the person takes over from it.
    pub algorithm: Algorithm,
    /// One of so many questions is asked again; 0 for none.
    pub repeat_every: usize,
    /// How long an answered round stays open, so that the last answer can be undone.
    pub grace: Duration,
    /// Asked while the run waits for somebody at the controls: whether it is to stop.
    pub leaves: Box<dyn Fn() -> bool>,
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
    pub(super) shared: Arc<Shared>,
    requests: RequestQueue,
    pub(super) notes: Notes,
    pub(super) queue: QuestionQueue,
    pub(super) replayer: Replayer<A>,
    deploy: Deploy,
    hands: Option<Live<A>>,
    nobody: NoDriver,
    grace: Duration,
}

/// How long to wait for a request before looking whether the run is to stop.
const PATIENCE: Duration = Duration::from_millis(100);

impl<A: Element> Person<A> {
    /// Somebody who teaches this in a room; `folder` is the run's.
    pub fn new(
        room: &Classroom,
        teaching: Teaching<A>,
        folder: &Path,
    ) -> Result<Self, PersonError> {
        let Teaching { stage, schedule, algorithm, repeat_every, grace, leaves } = teaching;
        let requests = lock(&room.inbox).take().ok_or(PersonError::Taken)?;
        let shared = Arc::clone(&room.shared);
        let file = |name: &str| {
            let path = folder.join(name);
            move |source| PersonError::Io { path, source }
        };
        let notes = Notes::open(&folder.join(notes::FILE)).map_err(file(notes::FILE))?;
        lock(&shared.saved).extend(notes.all().iter().map(|note| note.id.clone()));
        let stage = || stage().ok_or(PersonError::NotDrawn);
        let pace = shared.read(|page| page.about.pace);
        let hands = match algorithm.drive {
            Drive::Learner => None,
            Drive::Gated(Gate::Human) => {
                let trace = Trace::open(folder).map_err(file(trace::FILE))?;
                let driving = Driving { schedule, algorithm, pace, leaves };
                Some(Live::new(stage()?, driving, Arc::clone(&shared), trace))
            }
            _ => return Err(PersonError::Drives("the expert drives")),
        };
        let stream = schedule.stream.fork("teacher", 0);
        Ok(Self {
            requests,
            notes,
            queue: QuestionQueue { round: 0, repeat_every, stream, back: None },
            replayer: Replayer::new(stage()?, schedule, algorithm.ask, pace),
            deploy: algorithm.deploy,
            hands,
            nobody: NoDriver,
            grace,
            shared,
        })
    }
}

/// The desk of a run that a person teaches.
pub(super) type DeskOf<'a, 'b, 'j, A, P> = &'a mut LabelSink<'b, 'j, f32, A, P>;

impl<A: Element, P: Policy<State = f32, Action = A>> Teacher<f32, A, P> for Person<A> {
    fn teach(&mut self, desk: &mut LabelSink<'_, '_, f32, A, P>) -> Result<(), RunError> {
        let round = desk.queries().round;
        if self.queue.round != round {
            self.replayer.clear();
            (self.queue.round, self.queue.back) = (round, None);
        }
        if let Some(live) = &mut self.hands {
            return live.teach(desk);
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
        self.shared.change(|page| page.question = None);
        for Request { answer, .. } in self.requests.try_iter() {
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
        if let Ok(film) = self.replayer.film(round, policy, self.deploy) {
            *lock(&self.shared.film) = Some(film.into());
            self.shared.change(|page| page.film = Some(round));
        }
    }
}

impl<A: Element> Person<A> {
    /// Waits for a request, until a moment where one is given, and answers it; says whether one came.
    fn wait<P: Policy<State = f32, Action = A>>(
        &mut self,
        desk: DeskOf<'_, '_, '_, A, P>,
        until: Option<Instant>,
    ) -> Result<Option<Came>, RunError> {
        let patience = until.map_or(PATIENCE, |until| {
            until.saturating_duration_since(Instant::now()).min(PATIENCE)
        });
        let Ok(Request { command, answer }) = self.requests.recv_timeout(patience) else {
            return Ok(None);
        };
        let came = match command {
            PageCommand::Close => Came::Close,
            _ => Came::Other,
        };
        let answered = self.handle(command, desk)?;
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
        command: PageCommand,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> Result<Answered, RunError> {
        Ok(match command {
            PageCommand::Clip(place) => self.clip(place, desk).map(|clip| clip.to_string()),
            PageCommand::Preview(preview) => self.preview(preview, desk),
            PageCommand::Reply(reply) => match self.reply(reply, desk) {
                Ok(already) => {
                    self.refresh(desk);
                    let state = self.shared.to_json();
                    Ok(format!(r#"{{"saved":true,"already":{already},"state":{state}}}"#))
                }
                refused => refused.map(|_| String::new()),
            },
            PageCommand::Undo => match self.queue.before(&replies(desk), self.notes.all()) {
                Some(row) => Ok(self.go_to(Some(row), desk)),
                None => Err(HttpError::new(409, "There is nothing to undo in this round.")),
            },
            PageCommand::Forward => Ok(self.go_to(None, desk)),
            PageCommand::Close => match replies(desk).contains(&Reply::Open) {
                true => Err(HttpError::new(409, "Some questions still wait for an answer.")),
                false => Ok(self.shared.to_json()),
            },
        })
    }

    /// Back to a question that was replied to, or forward to the one that is next.
    fn go_to<P: Policy<State = f32, Action = A>>(
        &mut self,
        back: Option<u32>,
        desk: DeskOf<'_, '_, '_, A, P>,
    ) -> String {
        self.queue.back = back;
        self.refresh(desk);
        self.shared.to_json()
    }
}

/// What a request was about, as far as closing a round goes.
enum Came {
    Close,
    Other,
}
