//! Server-sent events: what changes is told to whoever listens.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::unfold;
use tokio::sync::watch;

/// Tells something now and whenever it has changed; whoever is slow misses what was outdated anyway.
pub(crate) fn events<T, F>(receiver: watch::Receiver<T>, tell: F) -> impl IntoResponse
where
    T: Clone + Send + Sync + 'static,
    F: Fn(&T) -> String + Send + 'static,
{
    let first = true;
    let stream = unfold((receiver, tell, first), |(mut receiver, tell, first)| async move {
        if !first && receiver.changed().await.is_err() {
            return None;
        }
        // Copied, so that the channel is not locked while `tell` takes other locks.
        let value = receiver.borrow_and_update().clone();
        let event = Event::default().data(tell(&value));
        Some((Ok::<Event, Infallible>(event), (receiver, tell, false)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(Duration::from_secs(5)))
}
