//! What everybody sees: where the run is, what is asked, what it came to so far.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use tokio::sync::watch;
use tutelage::oracle::FitProgress;

use super::requests::{Place, Standing};
use crate::notes::TeacherStats;
use crate::show::Controls;

/// What is taught, and how.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    /// The task's name.
    pub task: String,
    /// What is to be done in it.
    pub aim: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// N.
    pub rounds: usize,
    /// The folder that everything is kept in.
    pub folder: String,
    /// How a person acts.
    pub controls: Controls,
    /// Names of a state's numbers, where they have some.
    pub state_names: Vec<String>,
    /// Seconds that a step takes where somebody watches.
    pub pace: f64,
    /// Whether the person takes over from the learner instead of answering questions.
    pub takes_over: bool,
}

/// What the run is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It has not begun yet.
    Beginning,
    /// The learner acts, and meets the states that will be asked about.
    Collecting,
    /// The learner acts under the person's eyes.
    Driving,
    /// Questions wait.
    Asking,
    /// All questions are answered; training begins in a moment.
    Closing,
    /// The next policy is trained.
    Training,
    /// The next policy plays its episodes.
    Evaluating,
    /// All rounds are played.
    Finished,
    /// The run was stopped, and can be continued.
    Stopped,
    /// The run could not go on.
    Failed,
}

/// The whole of what the page shows.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageState {
    #[serde(flatten)]
    pub(crate) about: About,
    /// Increases with every change.
    version: u64,
    pub(crate) phase: Phase,
    pub(crate) round: usize,
    /// Seconds since the phase began, when this was told.
    #[serde(skip)]
    pub(crate) since: Option<Instant>,
    /// Seconds that the phase took in the round before.
    pub(crate) usual: Option<f64>,
    pub(crate) question: Option<Question>,
    /// The questions that come after it, so that their clips can be fetched before.
    pub(crate) next: Vec<Place>,
    pub(crate) left: usize,
    pub(crate) total: usize,
    pub(crate) can_undo: bool,
    /// Annotations and reward after each round.
    pub(crate) curve: Vec<(usize, f64)>,
    pub(crate) annotations: usize,
    /// The round whose policy there is a film of.
    pub(crate) film: Option<usize>,
    pub(crate) teacher: TeacherStats,
    pub(crate) teacher_words: String,
    pub(crate) trouble: Option<String>,
    /// When this process began, so that the page notices another.
    pub(crate) began: u64,
}

/// A question on the page.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Question {
    #[serde(flatten)]
    pub(crate) place: PlaceOnPage,
    pub(crate) ticket: String,
    pub(crate) standing: Standing,
    pub(crate) state: Vec<f64>,
    /// What the learner would do.
    pub(crate) intended: Vec<f64>,
    /// What its episode has earned so far.
    pub(crate) reward: Option<f64>,
    /// How many steps into its episode.
    pub(crate) time: Option<u32>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct PlaceOnPage {
    pub(crate) question_round: usize,
    pub(crate) row: u32,
}

impl Serialize for Place {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.round, self.row).serialize(serializer)
    }
}

/// What the two threads share.
pub(crate) struct Shared {
    page: Mutex<PageState>,
    /// Rises whenever the page changes.
    version: watch::Sender<u64>,
    pub(crate) clips: Mutex<Clips>,
    pub(crate) film: Mutex<Option<Arc<str>>>,
    /// The names of all replies that were ever saved.
    pub(crate) saved: Mutex<HashSet<String>>,
    pub(crate) live: Mutex<LiveControl>,
    /// What the person sees while the learner drives.
    pub(crate) frames: watch::Sender<Arc<str>>,
    pub(crate) training: Arc<FitProgress>,
    pub(crate) stop: AtomicBool,
}

/// What the person does with the controls while the learner drives.
#[derive(Debug, Default)]
pub(crate) struct LiveControl {
    pub(crate) running: bool,
    pub(crate) action: Option<Vec<f64>>,
    /// When the page was last heard of: who is silent has let go.
    pub(crate) heard: Option<Instant>,
    /// The number of the last message, so that an older one that comes late changes nothing.
    pub(crate) last: u64,
}

/// The clips made last.
#[derive(Default)]
pub(crate) struct Clips {
    known: HashMap<Place, Arc<str>>,
    order: VecDeque<Place>,
}

/// How many clips are kept.
const CLIPS: usize = 64;

impl Clips {
    pub(crate) fn get(&self, place: Place) -> Option<Arc<str>> {
        self.known.get(&place).cloned()
    }

    pub(crate) fn put(&mut self, place: Place, clip: Arc<str>) {
        if self.known.insert(place, clip).is_none() {
            self.order.push_back(place);
        }
        if self.order.len() > CLIPS
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

/// A lock whose holder cannot have left things half done: whatever is behind it is replaced whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(about: About) -> Self {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_millis());
        let page = PageState {
            about,
            version: 0,
            phase: Phase::Beginning,
            round: 0,
            since: None,
            usual: None,
            question: None,
            next: vec![],
            left: 0,
            total: 0,
            can_undo: false,
            curve: vec![],
            annotations: 0,
            film: None,
            teacher: TeacherStats::default(),
            teacher_words: String::new(),
            trouble: None,
            began: began as u64,
        };
        Self {
            page: Mutex::new(page),
            version: watch::Sender::new(0),
            clips: Mutex::default(),
            film: Mutex::default(),
            saved: Mutex::default(),
            live: Mutex::default(),
            frames: watch::Sender::new("{}".into()),
            training: Arc::default(),
            stop: AtomicBool::new(false),
        }
    }

    /// Changes the page and notifies every listener.
    pub(crate) fn change(&self, change: impl FnOnce(&mut PageState)) {
        let mut page = lock(&self.page);
        change(&mut page);
        page.version += 1;
        let version = page.version;
        // Never hold both locks: a listener that holds the channel's lock may want the page's.
        drop(page);
        self.version.send_modify(|sent| *sent = version.max(*sent));
    }

    /// Reads from the page.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&PageState) -> T) -> T {
        read(&lock(&self.page))
    }

    /// Begins a phase.
    pub(crate) fn enter(&self, phase: Phase, round: usize, usual: Option<f64>) {
        self.change(|page| {
            (page.phase, page.round, page.usual) = (phase, round, usual);
            page.since = Some(Instant::now());
        });
    }

    /// The page as JSON.
    pub(crate) fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Told<'a> {
            elapsed: f64,
            #[serde(flatten)]
            page: &'a PageState,
        }
        self.read(|page| {
            let elapsed = page.since.map_or(0.0, |since| since.elapsed().as_secs_f64());
            let told = Told { elapsed, page };
            serde_json::to_string(&told).unwrap_or_default()
        })
    }

    /// Hears of changes.
    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Three parties once waited for each other: a listener held the channel's lock and wanted the page's, a reader held
    /// the page's and wanted the channel's, and a writer was queued between them.
    #[test]
    fn changes_readers_and_listeners_never_block_each_other() {
        const TIMES: usize = 20_000;
        let controls = Controls::Choice(vec![]);
        let about = About {
            task: String::new(),
            aim: String::new(),
            algorithm: String::new(),
            rounds: 1,
            folder: String::new(),
            controls,
            state_names: vec![],
            pace: 1.0,
            takes_over: false,
        };
        let shared = Arc::new(Shared::new(about));
        let (done, finished) = mpsc::channel();
        let party = |act: Box<dyn Fn(&Shared) + Send>| {
            let (shared, done) = (Arc::clone(&shared), done.clone());
            std::thread::spawn(move || {
                (0..TIMES).for_each(|_| act(&shared));
                let _ = done.send(());
            });
        };
        let listener = shared.listen();
        party(Box::new(move |shared| {
            let held = listener.borrow();
            shared.to_json();
            drop(held);
        }));
        party(Box::new(|shared| drop(shared.to_json())));
        party(Box::new(|shared| shared.change(|page| page.round += 1)));
        for _ in 0..3 {
            finished.recv_timeout(Duration::from_secs(60)).unwrap();
        }
        assert_eq!(*shared.listen().borrow(), TIMES as u64);
        assert!(shared.to_json().contains(&format!("\"version\":{TIMES}")));
    }
}
