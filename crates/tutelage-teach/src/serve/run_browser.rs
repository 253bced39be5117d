//! The runs below a folder, kept up to date for whoever looks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::watch;
use tutelage::actor::Actor;
use tutelage::{Element, Stream};

use super::compare::compare;
use super::scan::{Entry, Scan};
use crate::server::{HttpError, Site};
use crate::show::Show;

/// Who can film what a run has learned.
///
/// ```
/// use std::path::Path;
/// use tutelage_teach::Films;
///
/// /// Whose worlds cannot be drawn.
/// struct Blind;
/// impl Films for Blind {
///     fn film(&self, run: &Path, _round: usize) -> Result<String, String> {
///         Err(format!("{} is of a world without a picture", run.display()))
///     }
/// }
/// assert!(Blind.film("runs/mine".as_ref(), 3).unwrap_err().contains("runs/mine"));
/// ```
pub trait Films: Send + Sync {
    /// An episode of a run's policy after a round, as [`film`] makes it; or why not, in a sentence.
    fn film(&self, run: &Path, round: usize) -> Result<String, String>;
}

/// The runs below a folder, for looking.
pub struct RunBrowser {
    pub(super) shared: Arc<Shown>,
}

/// What the page shows.
pub(super) struct Shown {
    folder: PathBuf,
    films: Box<dyn Films>,
    scan: Mutex<(Scan, Option<Instant>)>,
    pub(super) list: watch::Sender<Arc<List>>,
    /// How the runs of a version of the list compare, once somebody wanted to know.
    compared: Mutex<(u64, Arc<str>)>,
    /// Films made before, and one at a time.
    filmed: Mutex<HashMap<(String, usize), Arc<str>>>,
    filming: Mutex<()>,
    /// Whether somebody keeps the list fresh.
    pub(super) watching: AtomicBool,
}

/// All runs.
#[derive(Default, Serialize)]
pub(super) struct List {
    pub(super) version: u64,
    pub(super) folder: String,
    pub(super) runs: Vec<Entry>,
    #[serde(skip)]
    pub(super) json: Arc<str>,
}

/// How old the list may be.
const FRESH: Duration = Duration::from_millis(1500);

/// How many films are kept.
const FILMS: usize = 64;

impl RunBrowser {
    /// The runs below this folder.
    pub fn new(folder: &Path, films: Box<dyn Films>) -> Self {
        let shared = Shown {
            folder: folder.into(),
            films,
            scan: Mutex::default(),
            list: watch::Sender::new(Arc::default()),
            compared: Mutex::default(),
            filmed: Mutex::default(),
            filming: Mutex::default(),
            watching: AtomicBool::new(false),
        };
        shared.look();
        Self { shared: Arc::new(shared) }
    }

    /// How many runs there are now.
    pub fn count(&self) -> usize {
        self.shared.look();
        self.shared.list.borrow().runs.len()
    }

    /// Its page.
    pub fn site(&self) -> Site {
        super::routes::site(Arc::clone(&self.shared))
    }
}

impl Shown {
    /// Looks whether anything has changed, unless somebody just did.
    pub(super) fn look(&self) {
        let mut guard = lock(&self.scan);
        let (scan, last) = &mut *guard;
        if last.is_some_and(|last| last.elapsed() < FRESH) {
            return;
        }
        let runs = scan.look(&self.folder);
        *last = Some(Instant::now());
        let old = Arc::clone(&self.list.borrow());
        if runs == old.runs && old.version > 0 {
            return;
        }
        let folder = self.folder.display().to_string();
        let mut list = List { version: old.version + 1, folder, runs, json: Arc::default() };
        list.json = serde_json::to_string(&list).unwrap_or_default().into();
        self.list.send_replace(Arc::new(list));
    }

    /// How the runs compare, as JSON.
    pub(super) fn compare(&self) -> Arc<str> {
        let list = Arc::clone(&self.list.borrow());
        let mut compared = lock(&self.compared);
        if compared.0 != list.version || compared.1.is_empty() {
            let text = serde_json::to_string(&compare(&list.runs)).unwrap_or_default();
            *compared = (list.version, text.into());
        }
        Arc::clone(&compared.1)
    }

    /// The film of a run's policy after a round, or after its last.
    pub(super) fn film(&self, name: &str, round: Option<usize>) -> Result<Arc<str>, HttpError> {
        let list = Arc::clone(&self.list.borrow());
        // Only what the list has is ever opened: a name from outside is no path.
        let run = list.runs.iter().find(|run| run.name == name);
        let run = run.ok_or_else(|| HttpError::new(404, "There is no such run."))?;
        let round = round.or(run.policies.last().copied());
        let round = round.filter(|round| run.policies.contains(round));
        let round =
            round.ok_or_else(|| HttpError::new(404, "The policy of that round was not kept."))?;
        let key = (run.name.clone(), round);
        if let Some(film) = lock(&self.filmed).get(&key) {
            return Ok(Arc::clone(film));
        }
        let _one_at_a_time = lock(&self.filming);
        let film = self.films.film(&self.folder.join(&run.name), round);
        let film: Arc<str> = film
            .map_err(|why| HttpError::new(422, format!("There is no film of this run: {why}.")))?
            .into();
        let mut filmed = lock(&self.filmed);
        if filmed.len() == FILMS {
            filmed.clear();
        }
        filmed.insert(key, Arc::clone(&film));
        Ok(film)
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A film for the page: somebody acts in an environment, for up to so many frames of `pace` seconds.
pub fn film<A: Element>(
    stage: &mut dyn Show<Action = A>,
    actor: &mut dyn Actor<f32, A>,
    stream: Stream,
    frames: usize,
    pace: f64,
) -> Result<String, String> {
    crate::teach::film_of(stage, actor, stream, frames, pace).map_err(|error| error.to_string())
}
