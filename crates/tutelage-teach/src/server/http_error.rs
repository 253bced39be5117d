//! Refused requests: the reason, its HTTP status, and counts.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tutelage_runs::RunError;

use crate::teach::ReplayError;

/// Why a request was refused. The page shows the message to the user.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("Malformed request: {0}.")]
    Malformed(serde_json::Error),
    #[error("The id of a reply must have 1 to 64 characters, got {0}.")]
    ReplyId(usize),
    #[error("{0:?} is not the name of a question.")]
    TicketName(String),
    #[error("Only the server decides which questions are repeated.")]
    RepeatKind,
    #[error("The request needs the name of a run: ?run=NAME.")]
    RunMissing,
    #[error("The round must be a whole number, got {0:?}.")]
    Round(String),
    #[error("Open the address that the terminal printed, including its token.")]
    Token,
    #[error("This server does not answer to the name {0:?}.")]
    Host(String),
    #[error("Requests from other pages are refused.")]
    Origin,
    #[error("There is nothing here.")]
    Path,
    #[error("There is no question {0}.")]
    NoQuestion(String),
    #[error("There is no film yet.")]
    NoFilm,
    #[error("There is no such run.")]
    NoRun,
    #[error("The policy of that round was not kept.")]
    NoPolicy,
    #[error("This method is not supported here.")]
    Method,
    #[error("The request took too long to arrive.")]
    SlowBody,
    #[error("No questions are open now (round {0}).")]
    NotAsking(usize),
    #[error("Round {0} is closed: its answers can no longer be changed.")]
    RoundClosed(usize),
    #[error("This question was answered elsewhere, perhaps in another tab; that answer is kept.")]
    AnsweredElsewhere,
    #[error("There is nothing to undo in this round.")]
    NothingToUndo,
    #[error("Some questions still need an answer.")]
    OpenQuestions,
    #[error("This lesson asks questions; there is no taking over.")]
    NotTakingOver,
    #[error("A request can have at most {0} bytes.")]
    LargeBody(usize),
    #[error("A request must have Content-Type: application/json.")]
    ContentType,
    #[error("{0:?} is not an action of this task.")]
    Action(Vec<f64>),
    #[error("The learner's action was not recorded for this question.")]
    NoIntention,
    #[error("The moment cannot be shown: {0}.")]
    Replay(#[from] ReplayError),
    #[error("There is no film of this run: {0}.")]
    Film(String),
    #[error("The answer was not saved: {0}.")]
    Save(#[from] RunError),
    #[error("The answer could not be recorded: {0}.")]
    Record(io::Error),
    #[error("The server failed while it handled the request.")]
    Internal,
    #[error("Too many requests are waiting; try again in a moment.")]
    QueueFull,
    #[error("The run is busy; try again in a moment.")]
    Busy,
    #[error("Too many connections are open; try again later.")]
    Connections,
}

impl HttpError {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Malformed(_)
            | Self::ReplyId(_)
            | Self::TicketName(_)
            | Self::RepeatKind
            | Self::RunMissing
            | Self::Round(_) => StatusCode::BAD_REQUEST,
            Self::Token => StatusCode::UNAUTHORIZED,
            Self::Host(_) | Self::Origin => StatusCode::FORBIDDEN,
            Self::Path | Self::NoQuestion(_) | Self::NoFilm | Self::NoRun | Self::NoPolicy => {
                StatusCode::NOT_FOUND
            }
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::SlowBody => StatusCode::REQUEST_TIMEOUT,
            Self::NotAsking(_)
            | Self::RoundClosed(_)
            | Self::AnsweredElsewhere
            | Self::NothingToUndo
            | Self::OpenQuestions
            | Self::NotTakingOver => StatusCode::CONFLICT,
            Self::LargeBody(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Action(_)
            | Self::NoIntention
            | Self::Replay(_)
            | Self::Film(_)
            | Self::Save(RunError::Learn(_)) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Save(_) | Self::Record(_) | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::QueueFull | Self::Busy | Self::Connections => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let body = super::json(serde_json::json!({ "error": self.to_string() }).to_string());
        (self.status(), body).into_response()
    }
}

/// Counts of refused requests.
#[derive(Clone, Debug, Default)]
pub struct Refused(Arc<Mutex<BTreeMap<u16, u64>>>);

impl Refused {
    pub(crate) fn count(&self, status: StatusCode) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(status.as_u16()).or_default() += 1;
    }

    /// The counts by HTTP status.
    pub fn by_status(&self) -> BTreeMap<u16, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.by_status().values().sum()
    }
}
