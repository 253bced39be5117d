//! Requests of the page, sent from the server's thread to the run's.

use std::sync::mpsc;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::notes::ReplyKind;
use crate::server::HttpError;

/// What the page asks of the run.
#[derive(Debug)]
pub(crate) enum PageCommand {
    /// The clip of a query.
    Clip(Place),
    /// A simulation of an action in a query's state.
    Preview(PreviewRequest),
    /// A reply to a query.
    Reply(ReplyRequest),
    /// Go back to the query of the previous reply.
    Undo,
    /// Return from [`PageCommand::Undo`] to the next open query.
    Forward,
    /// Start to train now instead of when the time for undo is over.
    Close,
}

/// Identifies a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) round: usize,
    pub(crate) row: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewRequest {
    pub(crate) round: usize,
    pub(crate) row: u32,
    pub(crate) action: Vec<f64>,
    pub(crate) then: Continuation,
}

/// What follows the action in a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Continuation {
    /// The same action in every step.
    Hold,
    /// The learner's actions.
    Learner,
}

/// A reply to a query.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplyRequest {
    /// The name of the query's [`super::query_queue::Ticket`].
    pub(crate) ticket: String,
    /// Unique, so that a reply that is sent twice counts once.
    pub(crate) id: String,
    #[serde(rename = "what")]
    pub(crate) kind: ReplyKind,
    pub(crate) action: Option<Vec<f64>>,
    /// The reply that the page showed before this one. A reply from another tab is not overwritten.
    pub(crate) before: Standing,
    pub(crate) seconds: f64,
}

/// The current reply to a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    Open,
    Skipped,
    Answered(Vec<f64>),
}

/// A command, and the channel for its response.
pub(crate) struct Request {
    pub(crate) command: PageCommand,
    pub(crate) response: oneshot::Sender<CommandResult>,
}

/// JSON, or the reason of a refusal.
pub(crate) type CommandResult = Result<String, HttpError>;

pub(crate) type RequestQueue = mpsc::Receiver<Request>;

/// The maximum number of waiting requests.
pub(crate) const WAITING: usize = 256;
