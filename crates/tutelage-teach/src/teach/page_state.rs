//! The state of the page: the phase of the run, the current question, and the results so far.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::sync::watch;
use tutelage::oracle::FitProgress;
use tutelage_runs::RoundLine;

use super::requests::{Place, Standing};
use crate::notes::TeacherStats;
use crate::show::Controls;

/// A lesson, as the page describes it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct About {
    /// The task's name.
    pub task: String,
    /// The goal of the task: "balance the pole".
    pub aim: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// The number of rounds.
    pub rounds: usize,
    /// The folder of the run.
    pub folder: String,
    /// How a person sets an action.
    pub controls: Controls,
    /// Names of the components of a state; may be empty.
    pub state_names: Vec<String>,
    /// Seconds between steps when a person watches.
    pub pace: f64,
    /// Whether the person takes over from the learner instead of answering questions.
    pub takes_over: bool,
}

/// What the run is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The run starts.
    #[default]
    Beginning,
    /// The learner acts and collects states.
    Collecting,
    /// The learner acts, and the person may take over.
    Driving,
    /// The run waits for answers.
    Asking,
    /// All questions are answered; the last answer can still be undone.
    Closing,
    /// The learner trains.
    Training,
    /// The new policy is evaluated.
    Evaluating,
    /// All rounds are finished.
    Finished,
    /// The run was stopped and can be resumed.
    Stopped,
    /// The run failed.
    Failed,
}

/// Everything that the page shows.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct PageState {
    #[serde(flatten)]
    pub(crate) about: About,
    /// Increases with every change.
    version: u64,
    pub(crate) phase: Phase,
    pub(crate) round: usize,
    /// When the phase began.
    #[serde(skip)]
    pub(crate) since: Option<Instant>,
    /// Seconds that the phase took in the previous round.
    pub(crate) usual: Option<f64>,
    pub(crate) question: Option<Question>,
    /// The next questions; the page fetches their clips in advance.
    pub(crate) next: Vec<Place>,
    pub(crate) left: usize,
    pub(crate) total: usize,
    pub(crate) can_undo: bool,
    /// Annotations and reward after each round.
    pub(crate) curve: Vec<(usize, f64)>,
    pub(crate) annotations: usize,
    /// The round whose policy the film shows.
    pub(crate) film: Option<usize>,
    pub(crate) teacher: TeacherStats,
    pub(crate) teacher_words: String,
    pub(crate) trouble: Option<String>,
    /// When this process started, in milliseconds; the page notices a restart by it.
    pub(crate) began: u64,
}

impl PageState {
    /// Adds a finished round.
    pub(crate) fn add(&mut self, line: &RoundLine) {
        self.curve.push((line.annotations, line.reward));
        self.annotations = line.annotations;
    }
}

/// A question on the page.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Question {
    pub(crate) question_round: usize,
    pub(crate) row: u32,
    pub(crate) ticket: String,
    pub(crate) standing: Standing,
    pub(crate) state: Vec<f64>,
    /// The learner's action.
    pub(crate) intended: Vec<f64>,
    /// The reward of its episode so far.
    pub(crate) reward: Option<f64>,
    /// The step of its episode.
    pub(crate) time: Option<u32>,
}

/// The state that the run's thread and the server's thread share.
///
/// To rule out deadlocks, a thread holds at most one of these mutexes at a time and does not touch the watch channels while it
/// holds one. Handlers of channel events first copy the value, so that they hold no read lock when they lock `page`.
pub(crate) struct Shared {
    page: Mutex<PageState>,
    /// The version of the page; receivers learn of changes by it.
    version: watch::Sender<u64>,
    pub(crate) film: Mutex<Option<Arc<str>>>,
    /// The ids of all saved replies.
    pub(crate) saved: Mutex<HashSet<String>>,
    pub(crate) live: Mutex<LiveControl>,
    /// What the page shows while the learner drives.
    pub(crate) frames: watch::Sender<Arc<str>>,
    pub(crate) training: Arc<FitProgress>,
    pub(crate) stop: AtomicBool,
}

/// The state of the controls while the learner drives.
#[derive(Debug, Default)]
pub(crate) struct LiveControl {
    pub(crate) running: bool,
    pub(crate) action: Option<Vec<f64>>,
    /// When the last message arrived. A silent page counts as released controls.
    pub(crate) heard: Option<Instant>,
    /// The number of the last message; late messages with lower numbers are ignored.
    pub(crate) last: u64,
}

/// Locks a mutex. Values behind these mutexes are replaced as a whole, so a panic cannot leave them inconsistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(about: About) -> Self {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_millis());
        let page = PageState { about, began: began as u64, ..PageState::default() };
        Self {
            page: Mutex::new(page),
            version: watch::Sender::new(0),
            film: Mutex::default(),
            saved: Mutex::default(),
            live: Mutex::default(),
            frames: watch::Sender::new("{}".into()),
            training: Arc::default(),
            stop: AtomicBool::new(false),
        }
    }

    /// Changes the page and notifies all receivers of [`Shared::subscribe`].
    pub(crate) fn change(&self, change: impl FnOnce(&mut PageState)) {
        let mut page = lock(&self.page);
        change(&mut page);
        page.version += 1;
        let version = page.version;
        // The channel has a lock, too; see `Shared`.
        drop(page);
        self.version.send_modify(|sent| *sent = version.max(*sent));
    }

    /// Reads from the page.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&PageState) -> T) -> T {
        read(&lock(&self.page))
    }

    /// Enters a phase.
    pub(crate) fn enter(&self, phase: Phase, round: usize, usual: Option<f64>) {
        self.change(|page| {
            (page.phase, page.round, page.usual) = (phase, round, usual);
            page.since = Some(Instant::now());
        });
    }

    /// The page as JSON.
    pub(crate) fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Snapshot<'a> {
            elapsed: f64,
            #[serde(flatten)]
            page: &'a PageState,
        }
        self.read(|page| {
            let elapsed = page.since.map_or(0.0, |since| since.elapsed().as_secs_f64());
            serde_json::to_string(&Snapshot { elapsed, page }).unwrap_or_default()
        })
    }

    /// The response to a reply that was saved; `already` if an earlier request had saved it.
    pub(crate) fn saved_json(&self, already: bool) -> String {
        format!(r#"{{"saved":true,"already":{already},"state":{}}}"#, self.to_json())
    }

    /// Notified of every change.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
