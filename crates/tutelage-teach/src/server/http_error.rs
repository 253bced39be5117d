//! Saying no: a status, a sentence, and a count.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {sentence}")]
pub struct HttpError {
    /// The HTTP status.
    pub status: u16,
    /// A sentence for people.
    pub sentence: String,
}

impl HttpError {
    pub(crate) fn new(status: u16, sentence: impl Into<String>) -> Self {
        Self { status, sentence: sentence.into() }
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::json!({ "error": self.sentence }).to_string();
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

/// How many requests were refused, by status.
#[derive(Clone, Debug, Default)]
pub struct Refused(Arc<Mutex<BTreeMap<u16, u64>>>);

impl Refused {
    pub(crate) fn count(&self, status: u16) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    /// The counts so far.
    pub fn by_status(&self) -> BTreeMap<u16, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.by_status().values().sum()
    }
}
