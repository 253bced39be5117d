//! Responses: JSON, and server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use tokio::sync::watch;

/// A response of text that is JSON already.
pub(crate) fn json(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// Sends the current value, and each later one. A slow client skips values that were replaced meanwhile.
pub(crate) fn events<T, F>(receiver: watch::Receiver<T>, describe: F) -> impl IntoResponse
where
    T: Clone + Send + Sync + 'static,
    F: Fn(T) -> String + Send + 'static,
{
    let first = true;
    let stream =
        unfold((receiver, describe, first), |(mut receiver, describe, first)| async move {
            if !first && receiver.changed().await.is_err() {
                return None;
            }
            // Clone instead of borrowing: `describe` takes other locks, and a borrow is a read lock on the channel. A second
            // read of the channel inside `describe` would wait forever behind a sender that waits for the first to end.
            let value = receiver.borrow_and_update().clone();
            let event = Event::default().data(describe(value));
            Some((Ok::<Event, Infallible>(event), (receiver, describe, false)))
        });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(5)))
}
