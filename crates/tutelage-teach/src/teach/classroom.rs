//! The room in which a person teaches.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, mpsc};

use tutelage::Element;
use tutelage::oracle::FitProgress;
use tutelage_runs::store::History;
use tutelage_runs::{Ending, Observer};

use super::page_state::{About, Phase, Shared};
use super::reporter::PageObserver;
use super::requests::{Request, RequestQueue, WAITING};
use crate::server::Site;

/// The room in which a person teaches: what the page shows, and the way to the run.
pub struct Classroom {
    pub(super) shared: Arc<Shared>,
    requests: mpsc::SyncSender<Request>,
    pub(super) inbox: Mutex<Option<RequestQueue>>,
}

impl Classroom {
    /// An empty room.
    pub fn new(about: About) -> Self {
        let (requests, inbox) = mpsc::sync_channel(WAITING);
        Self { shared: Arc::new(Shared::new(about)), requests, inbox: Mutex::new(Some(inbox)) }
    }

    /// Its page.
    pub fn site(&self) -> Site {
        super::routes::site(Arc::clone(&self.shared), self.requests.clone())
    }

    /// A reporter that also writes on the page.
    pub fn reporter<'a>(&self, inner: &'a mut dyn Observer, folder: &Path) -> PageObserver<'a> {
        PageObserver::new(Arc::clone(&self.shared), inner, folder.into())
    }

    /// Where an oracle tells how far training has come ([`tutelage::Oracle::report_to`]), so that the page can show it.
    pub fn training(&self) -> Arc<FitProgress> {
        Arc::clone(&self.shared.training)
    }

    /// Shows what an earlier process had come to.
    pub fn recall<S: Element, A: Element>(&self, history: &History<S, A>) {
        let lines = tutelage_runs::RoundLine::all(history, 0, &[]);
        self.shared.change(|page| {
            page.curve = lines.iter().map(|line| (line.annotations, line.reward)).collect();
            page.annotations = history.annotations();
        });
    }

    /// Tells the page how the run ended.
    pub fn end(&self, ending: Result<Ending, String>) {
        let (phase, trouble) = match ending {
            Ok(Ending::Finished) => (Phase::Finished, None),
            Ok(Ending::Stopped) => (Phase::Stopped, None),
            Err(trouble) => (Phase::Failed, Some(trouble)),
        };
        self.shared.change(|page| {
            (page.phase, page.trouble, page.question) = (phase, trouble, None);
        });
    }

    /// Asks the run to stop at the next safe point, from any thread.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let shared = Arc::clone(&self.shared);
        move || shared.stop.store(true, Ordering::SeqCst)
    }
}
