//! What the run, the page and the person share.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, mpsc};

use tutelage::oracle::FitProgress;
use tutelage_runs::{Ending, Observer};

use super::observer::PageObserver;
use super::page_state::{About, Phase, Shared};
use super::requests::{Request, RequestQueue, WAITING};
use crate::server::Site;

/// Connects a run with the page on which a person teaches it.
pub struct Classroom {
    pub(super) shared: Arc<Shared>,
    requests: mpsc::SyncSender<Request>,
    pub(super) inbox: Mutex<Option<RequestQueue>>,
}

impl Classroom {
    /// A classroom without a teacher; [`super::Person::new`] adds one.
    pub fn new(about: About) -> Self {
        let (requests, inbox) = mpsc::sync_channel(WAITING);
        Self { shared: Arc::new(Shared::new(about)), requests, inbox: Mutex::new(Some(inbox)) }
    }

    /// The page, for [`crate::Server::start`].
    pub fn site(&self) -> Site {
        super::routes::site(Arc::clone(&self.shared), self.requests.clone())
    }

    /// An observer that updates the page and forwards to `inner`; `folder` is the run's.
    pub fn observer<'a>(&self, inner: &'a mut dyn Observer, folder: &Path) -> PageObserver<'a> {
        PageObserver::new(Arc::clone(&self.shared), inner, folder.into())
    }

    /// The training progress that the page shows, for [`tutelage::Oracle::report_to`].
    pub fn training(&self) -> Arc<FitProgress> {
        Arc::clone(&self.shared.training)
    }

    /// Shows how the run ended.
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

    /// A function that asks the run to stop at the next safe point, from any thread.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let shared = Arc::clone(&self.shared);
        move || shared.stop.store(true, Ordering::SeqCst)
    }
}
