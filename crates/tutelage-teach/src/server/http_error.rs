//! Refused requests: the reason, its HTTP status, and counts.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tutelage_runs::{RunError, error_text};

use crate::teach::{ReplayError, lock};

/// Declares the errors by HTTP status.
macro_rules! http_errors {
    ($($status:ident { $($message:literal $variant:ident $(($data:ty))?;)* })*) => {
        /// Why a request was refused. The page shows the message to the user.
        #[derive(Debug, thiserror::Error)]
        pub(crate) enum HttpError {
            $($(#[error($message)] $variant $(($data))?,)*)*
        }

        impl HttpError {
            pub(crate) fn status(&self) -> StatusCode {
                match self {
                    $($(Self::$variant { .. } => StatusCode::$status,)*)*
                }
            }
        }
    };
}

http_errors! {
    BAD_REQUEST {
        "Malformed request: {0}." Malformed(serde_json::Error);
        "The id of a reply must have 1 to 64 characters, got {0}." ReplyId(usize);
        "{0:?} is not the name of a question." TicketName(String);
        "Only the server decides which questions are repeated." RepeatKind;
        "The round must be a whole number, got {0:?}." Round(String);
    }
    UNAUTHORIZED {
        "Open the URL that the terminal printed, including its token." Token;
    }
    FORBIDDEN {
        "This server does not answer to the name {0:?}." Host(String);
        "Requests from other pages are refused." Origin;
    }
    NOT_FOUND {
        "There is nothing here." Path;
        "There is no question {0}." NoQuestion(String);
        "There is no film yet." NoFilm;
        "There is no such run." NoRun;
        "The policy of that round was not kept." NoPolicy;
    }
    METHOD_NOT_ALLOWED {
        "This method is not supported here." Method;
    }
    REQUEST_TIMEOUT {
        "The request took too long to arrive." SlowBody;
    }
    CONFLICT {
        "No questions are open now (round {0})." NotAsking(usize);
        "Round {0} is closed: its answers can no longer be changed." RoundClosed(usize);
        "This question was answered elsewhere, perhaps in another tab; that answer is kept." AnsweredElsewhere;
        "There is nothing to undo in this round." NothingToUndo;
        "Some questions still need an answer." OpenQuestions;
        "This lesson asks questions; there is no taking over." NotTakingOver;
    }
    PAYLOAD_TOO_LARGE {
        "A request can have at most {0} bytes." LargeBody(usize);
    }
    UNSUPPORTED_MEDIA_TYPE {
        "A request must have Content-Type: application/json." ContentType;
    }
    UNPROCESSABLE_ENTITY {
        "{0:?} is not an action of this task." Action(Vec<f64>);
        "The learner's action was not recorded for this question." NoIntention;
        "The moment cannot be shown: {0}." Replay(String);
        "There is no film of this run: {0}." Film(String);
        "The answer is not valid: {0}." Label(String);
    }
    INTERNAL_SERVER_ERROR {
        "The answer was not saved: {0}." Save(String);
        "The answer could not be recorded: {0}." Record(io::Error);
        "The server failed while it handled the request." Internal;
    }
    SERVICE_UNAVAILABLE {
        "Too many requests are waiting; try again in a moment." QueueFull;
        "The run is busy; try again in a moment." Busy;
        "Too many connections are open; try again later." Connections;
    }
}

impl From<ReplayError> for HttpError {
    fn from(error: ReplayError) -> Self {
        Self::Replay(error_text(&error))
    }
}

impl From<RunError> for HttpError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Learn(error) => Self::Label(error_text(&error)),
            error => Self::Save(error_text(&error)),
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
        *lock(&self.0).entry(status.as_u16()).or_default() += 1;
    }

    /// The counts by HTTP status.
    pub fn by_status(&self) -> BTreeMap<u16, u64> {
        lock(&self.0).clone()
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.by_status().values().sum()
    }
}
