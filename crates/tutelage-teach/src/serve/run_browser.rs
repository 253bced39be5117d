//! The runs below a folder, with caches of comparisons and films.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::watch;
use tutelage::actor::Actor;
use tutelage::{Element, Stream};
use tutelage_draw::render::Render;

use super::compare::compare;
use super::scan::{RunEntry, Scanner};
use crate::server::{HttpError, Site};
use crate::teach::lock;

/// Makes the film of a run's policy after a round with [`film`], or says why there is none.
pub type Films = Box<dyn Fn(&Path, usize) -> Result<String, String> + Send + Sync>;

/// Lists, compares and shows the runs below a folder.
pub struct RunBrowser {
    state: Arc<BrowserState>,
}

/// What the server's handlers share.
pub(super) struct BrowserState {
    folder: PathBuf,
    films: Films,
    scanner: Mutex<(Scanner, Option<Instant>)>,
    pub(super) list: watch::Sender<Arc<RunList>>,
    /// The comparison of a version of the list.
    compared: Mutex<(u64, Arc<str>)>,
    /// Films by run and round. The lock is held while a film is made, so that only one is made at a time.
    made: Mutex<HashMap<(String, usize), Arc<str>>>,
    /// Whether a task updates the list.
    pub(super) watching: AtomicBool,
}

/// All runs.
#[derive(Default, Serialize)]
pub(super) struct RunList {
    pub(super) version: u64,
    folder: String,
    runs: Vec<RunEntry>,
    #[serde(skip)]
    pub(super) json: Arc<str>,
}

/// How old the list may be.
const FRESH: Duration = Duration::from_millis(1500);

/// The maximum number of films in the cache.
const FILMS: usize = 64;

impl RunBrowser {
    /// The runs below this folder.
    pub fn new(folder: &Path, films: Films) -> Self {
        let state = BrowserState {
            folder: folder.into(),
            films,
            scanner: Mutex::default(),
            list: watch::Sender::new(Arc::default()),
            compared: Mutex::default(),
            made: Mutex::default(),
            watching: AtomicBool::new(false),
        };
        state.update();
        Self { state: Arc::new(state) }
    }

    /// The number of runs.
    pub fn count(&self) -> usize {
        self.state.update();
        self.state.list.borrow().runs.len()
    }

    /// The page, for [`crate::Server::start`].
    pub fn site(&self) -> Site {
        super::routes::site(Arc::clone(&self.state))
    }
}

impl BrowserState {
    /// Scans the folder, unless the list is fresh.
    pub(super) fn update(&self) {
        let mut guard = lock(&self.scanner);
        let (scanner, last) = &mut *guard;
        if last.is_some_and(|last| last.elapsed() < FRESH) {
            return;
        }
        let runs = scanner.scan(&self.folder);
        *last = Some(Instant::now());
        let old = Arc::clone(&self.list.borrow());
        if runs == old.runs && old.version > 0 {
            return;
        }
        let folder = self.folder.display().to_string();
        let mut list = RunList { version: old.version + 1, folder, runs, json: Arc::default() };
        list.json = serde_json::to_string(&list).unwrap_or_default().into();
        self.list.send_replace(Arc::new(list));
    }

    /// The comparison of the runs, as JSON.
    pub(super) fn compare(&self) -> Arc<str> {
        let list = Arc::clone(&self.list.borrow());
        let mut compared = lock(&self.compared);
        if compared.0 != list.version || compared.1.is_empty() {
            let text = serde_json::to_string(&compare(&list.runs)).unwrap_or_default();
            *compared = (list.version, text.into());
        }
        Arc::clone(&compared.1)
    }

    /// The film of a run's policy after a round.
    pub(super) fn film(&self, name: &str, round: usize) -> Result<Arc<str>, HttpError> {
        let list = Arc::clone(&self.list.borrow());
        // Names are looked up, never used as paths: a request can only open runs of the list.
        let run = list.runs.iter().find(|run| run.name == name).ok_or(HttpError::NoRun)?;
        if !run.policies.contains(&round) {
            return Err(HttpError::NoPolicy);
        }
        let key = (run.name.clone(), round);
        let mut made = lock(&self.made);
        if let Some(film) = made.get(&key) {
            return Ok(Arc::clone(film));
        }
        let film = (self.films)(&self.folder.join(&run.name), round);
        let film: Arc<str> = film.map_err(HttpError::Film)?.into();
        if made.len() == FILMS {
            made.clear();
        }
        made.insert(key, Arc::clone(&film));
        Ok(film)
    }
}

/// A film of an actor in an environment, of at most `frames` frames of `pace` seconds.
pub fn film<A: Element>(
    stage: &mut dyn Render<Action = A>,
    actor: &mut dyn Actor<f32, A>,
    stream: Stream,
    frames: usize,
    pace: f64,
) -> Result<String, String> {
    crate::teach::film_of(stage, actor, stream, frames, pace)
        .map_err(|error| tutelage_runs::error_text(&error))
}
