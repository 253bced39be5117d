//! The room in which a person teaches.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, mpsc};

use tutelage::{Action, Training};
use tutelage_runs::store::{History, Stored};
use tutelage_runs::{Ending, Reporter};

use super::board::{About, Phase, Shared};
use super::mail::{Letter, Mailbox, WAITING};
use super::reporter::OnBoard;
use crate::server::Site;

/// The room in which a person teaches: what the page shows, and the way to the run.
pub struct Classroom {
    pub(super) shared: Arc<Shared>,
    letters: mpsc::SyncSender<Letter>,
    pub(super) mailbox: Mutex<Option<Mailbox>>,
}

impl Classroom {
    /// An empty room.
    pub fn new(about: About) -> Self {
        let (letters, mailbox) = mpsc::sync_channel(WAITING);
        Self { shared: Arc::new(Shared::new(about)), letters, mailbox: Mutex::new(Some(mailbox)) }
    }

    /// Its page.
    pub fn site(&self) -> Site {
        super::routes::site(Arc::clone(&self.shared), self.letters.clone())
    }

    /// A reporter that also writes on the board.
    pub fn reporter<'a>(&self, inner: &'a mut dyn Reporter, folder: &Path) -> OnBoard<'a> {
        OnBoard::new(Arc::clone(&self.shared), inner, folder.into())
    }

    /// Where an oracle tells how far training has come ([`tutelage::Oracle::report_to`]), so that the page can show it.
    pub fn training(&self) -> Arc<Training> {
        Arc::clone(&self.shared.training)
    }

    /// Shows what an earlier process had come to.
    pub fn recall<S: Stored, A: Stored + Action>(&self, history: &History<S, A>) {
        let lines = tutelage_runs::RoundLine::all(history, 0, &[]);
        self.shared.change(|board| {
            board.curve = lines.iter().map(|line| (line.annotations, line.reward)).collect();
            board.annotations = history.annotations();
        });
    }

    /// Tells the page how the run ended.
    pub fn end(&self, ending: Result<Ending, String>) {
        let (phase, trouble) = match ending {
            Ok(Ending::Finished) => (Phase::Finished, None),
            Ok(Ending::Stopped) => (Phase::Stopped, None),
            Err(trouble) => (Phase::Failed, Some(trouble)),
        };
        self.shared.change(|board| {
            (board.phase, board.trouble, board.question) = (phase, trouble, None);
        });
    }

    /// Asks the run to stop at the next safe point, from any thread.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let shared = Arc::clone(&self.shared);
        move || shared.stop.store(true, Ordering::SeqCst)
    }
}
