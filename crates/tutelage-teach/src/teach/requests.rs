//! Letters from the server's thread to the run's, each with an answer.

use std::sync::mpsc;

use serde::Deserialize;
use tokio::sync::oneshot;

use crate::notes::What;
use crate::server::HttpError;

/// What the page wants of the run.
#[derive(Debug)]
pub(crate) enum PageCommand {
    /// The clip of a question.
    Clip(Place),
    /// What an action would lead to.
    Preview(Preview),
    /// A reply to a question.
    Reply(Reply),
    /// Back to the question replied to last.
    Undo,
    /// Forward again to the question that was next.
    Forward,
    /// All is answered: train now.
    Close,
}

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(crate) struct Place {
    pub(crate) round: usize,
    pub(crate) row: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Preview {
    pub(crate) round: usize,
    pub(crate) row: u32,
    pub(crate) action: Vec<f64>,
    pub(crate) then: Then,
}

/// What follows the action in a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Then {
    /// The same action, again and again.
    Hold,
    /// Whatever the learner does.
    Learner,
}

/// What a teacher says to a question.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// Which question, and whether it was asked again.
    pub(crate) ticket: String,
    /// A name of its own, so that the same reply sent twice counts once.
    pub(crate) id: String,
    pub(crate) what: What,
    pub(crate) action: Option<Vec<f64>>,
    /// What the page showed as the reply so far: a question that was answered elsewhere is not answered over.
    pub(crate) before: Standing,
    pub(crate) seconds: f64,
}

/// What stands as the reply to a question.
#[derive(Clone, Debug, PartialEq, serde::Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    Open,
    Skipped,
    Answered(Vec<f64>),
}

/// A request, and where its answer is waited for.
pub(crate) struct Request {
    pub(crate) command: PageCommand,
    pub(crate) answer: oneshot::Sender<Answered>,
}

/// JSON, or why not.
pub(crate) type Answered = Result<String, HttpError>;

pub(crate) type RequestQueue = mpsc::Receiver<Request>;

/// How many requests may wait.
pub(crate) const WAITING: usize = 256;
