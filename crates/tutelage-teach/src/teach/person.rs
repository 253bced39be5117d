//! A person who teaches through a page.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tutelage::choice::{Deploy, Drive, Gate};
use tutelage::expert::{Driver, NoDriver};
use tutelage::lesson::Reply;
use tutelage::{Algorithm, Element, Policy, Schedule};
use tutelage_draw::render::Render;
use tutelage_runs::{LabelSink, RunError, Teacher};

use super::classroom::Classroom;
use super::live::{Live, LiveConfig};
use super::page_state::{Phase, Shared, lock};
use super::query_queue::QueryQueue;
use super::replayer::Replayer;
use super::requests::{CommandResult, PageCommand, Request, RequestQueue};
use super::trace::{self, Trace};
use crate::notes::{self, Notes};
use crate::server::HttpError;

/// What a person teaches, and how.
pub struct PersonConfig<A> {
    /// Makes an environment that can be drawn; `None` if the task has no rendering.
    pub stage: Box<dyn Fn() -> Option<Box<dyn Render<Action = A>>>>,
    /// The run's schedule.
    pub schedule: Schedule,
    /// The run's algorithm: the learner drives, or the person takes over from it.
    pub algorithm: Algorithm,
    /// Repeat one in this many queries to measure consistency; 0 to never repeat one.
    pub repeat_every: usize,
    /// How long the last answer of a round can be undone before training starts.
    pub undo_time: Duration,
    /// Whether the run should stop; called while the run waits for the person to drive.
    pub wants_stop: Box<dyn Fn() -> bool>,
}

/// Why a person cannot teach.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PersonError {
    /// The expert drives in this algorithm.
    #[error(
        "the expert drives in this algorithm, which a person cannot do; choose one with queries (dagger, bd-5) or with taking over (take-over-5)"
    )]
    ExpertDrives,
    /// A file of the run cannot be opened.
    #[error("cannot open {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The task has no rendering.
    #[error("this task has no rendering, so it cannot be taught by hand")]
    NoRendering,
    /// The classroom has a teacher.
    #[error("another teacher is already connected")]
    Taken,
}

/// A person, as the teacher of a run.
pub struct Person<A> {
    pub(super) shared: Arc<Shared>,
    requests: RequestQueue,
    pub(super) notes: Notes,
    pub(super) queue: QueryQueue,
    pub(super) replayer: Replayer<A>,
    deploy: Deploy,
    live: Option<Live<A>>,
    no_driver: NoDriver,
    undo_time: Duration,
}

/// How long to wait for a request before the next check whether the run should stop.
const PATIENCE: Duration = Duration::from_millis(100);

impl<A: Element> Person<A> {
    /// A person in a classroom; `folder` is the run's.
    pub fn new(
        room: &Classroom,
        config: PersonConfig<A>,
        folder: &Path,
    ) -> Result<Self, PersonError> {
        let PersonConfig { stage, schedule, algorithm, repeat_every, undo_time, wants_stop } =
            config;
        let requests = lock(&room.inbox).take().ok_or(PersonError::Taken)?;
        let shared = Arc::clone(&room.shared);
        let file = |name: &str| {
            let path = folder.join(name);
            move |source| PersonError::Io { path, source }
        };
        let notes = Notes::open(&folder.join(notes::FILE)).map_err(file(notes::FILE))?;
        lock(&shared.saved).extend(notes.all().iter().map(|note| note.id.clone()));
        let stage = || stage().ok_or(PersonError::NoRendering);
        let pace = shared.read(|page| page.about.pace);
        let live = match algorithm.drive {
            Drive::Learner => None,
            Drive::Gated(Gate::Human) => {
                let trace = Trace::open(folder).map_err(file(trace::FILE))?;
                let config = LiveConfig { schedule, algorithm, pace, wants_stop };
                Some(Live::new(stage()?, config, Arc::clone(&shared), trace))
            }
            _ => return Err(PersonError::ExpertDrives),
        };
        let stream = schedule.stream.fork("teacher", 0);
        Ok(Self {
            requests,
            notes,
            queue: QueryQueue { round: 0, repeat_every, stream, back: None },
            replayer: Replayer::new(stage()?, schedule, algorithm.ask, pace),
            deploy: algorithm.deploy,
            live,
            no_driver: NoDriver,
            undo_time,
            shared,
        })
    }
}

impl<A: Element, P: Policy<State = f32, Action = A>> Teacher<f32, A, P> for Person<A> {
    fn teach(&mut self, sink: &mut LabelSink<'_, '_, f32, A, P>) -> Result<(), RunError> {
        let round = sink.queries().round;
        if self.queue.round != round {
            self.replayer.clear();
            (self.queue.round, self.queue.back) = (round, None);
        }
        if let Some(live) = &mut self.live {
            return live.teach(sink);
        }
        self.shared.enter(Phase::Asking, round, None);
        Asking { person: self, sink }.ask_all();
        // From here on the server refuses requests; those that it sent before are refused here.
        self.shared.enter(Phase::Training, round, None);
        self.shared.change(|page| page.question = None);
        for Request { response, .. } in self.requests.try_iter() {
            let _ = response.send(Err(HttpError::RoundClosed(round)));
        }
        Ok(())
    }

    fn driver(&mut self) -> &mut dyn Driver<f32, A> {
        match &mut self.live {
            Some(live) => live,
            None => &mut self.no_driver,
        }
    }

    fn trained(&mut self, round: usize, policy: &P) {
        // The film is only for display: without it the run continues.
        if let Ok(film) = self.replayer.film(round, policy, self.deploy) {
            *lock(&self.shared.film) = Some(film.into());
            self.shared.change(|page| page.film = Some(round));
        }
    }
}

/// A person and the queries of one round.
pub(super) struct Asking<'a, 'b, 'j, A, P> {
    pub(super) person: &'a mut Person<A>,
    pub(super) sink: &'a mut LabelSink<'b, 'j, f32, A, P>,
}

impl<A: Element, P: Policy<State = f32, Action = A>> Asking<'_, '_, '_, A, P> {
    /// Asks until the round is closed or the run should stop.
    fn ask_all(&mut self) {
        while !self.sink.wants_stop() {
            match self.next() {
                Some(ticket) => {
                    self.show(Some(ticket));
                    self.handle_next(None);
                }
                None if self.wait_for_undo() => break,
                None => {}
            }
        }
    }

    /// Waits for a request, at most until `until`, and handles it; returns whether it closed the round.
    fn handle_next(&mut self, until: Option<Instant>) -> bool {
        let patience = until.map_or(PATIENCE, |until| {
            until.saturating_duration_since(Instant::now()).min(PATIENCE)
        });
        let Ok(Request { command, response }) = self.person.requests.recv_timeout(patience) else {
            return false;
        };
        let closes = matches!(command, PageCommand::Close);
        let result = self.handle(command);
        let closed = closes && result.is_ok();
        // The client may have disconnected.
        let _ = response.send(result);
        closed
    }

    /// All queries have replies: leaves time to undo the last one. Returns whether the round is closed.
    fn wait_for_undo(&mut self) -> bool {
        let until = Instant::now() + self.person.undo_time;
        let round = self.person.queue.round;
        self.show(None);
        let seconds = self.person.undo_time.as_secs_f64();
        self.person.shared.enter(Phase::Closing, round, Some(seconds));
        while Instant::now() < until && !self.sink.wants_stop() {
            if self.handle_next(Some(until)) {
                return true;
            }
            if self.person.queue.back.is_some() {
                self.person.shared.enter(Phase::Asking, round, None);
                return false;
            }
        }
        true
    }

    fn handle(&mut self, command: PageCommand) -> CommandResult {
        match command {
            PageCommand::Clip(place) => self.clip(place).map(|clip| clip.to_string()),
            PageCommand::Preview(preview) => self.preview(preview),
            PageCommand::Reply(reply) => {
                let already = self.reply(reply)?;
                self.refresh();
                Ok(self.person.shared.saved_json(already))
            }
            PageCommand::Undo => {
                let row = self.person.queue.before(&self.replies(), self.person.notes.all());
                Ok(self.go_to(Some(row.ok_or(HttpError::NothingToUndo)?)))
            }
            PageCommand::Forward => Ok(self.go_to(None)),
            PageCommand::Close if self.replies().contains(&Reply::Open) => {
                Err(HttpError::OpenQuestions)
            }
            PageCommand::Close => Ok(self.person.shared.to_json()),
        }
    }

    /// Returns to a query that has a reply, or to the next open one.
    fn go_to(&mut self, back: Option<u32>) -> String {
        self.person.queue.back = back;
        self.refresh();
        self.person.shared.to_json()
    }
}
