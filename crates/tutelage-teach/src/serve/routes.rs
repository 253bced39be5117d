//! What the page of the runs asks for.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::run_browser::Shown;
use crate::server::{HttpError, Site, asset, events};

pub(super) fn site(shown: Arc<Shown>) -> Site {
    let own = [
        asset!("/", "serve.html", "text/html; charset=utf-8"),
        asset!("/serve.js", "serve.js", "text/javascript; charset=utf-8"),
    ];
    let api = Router::new()
        .route("/api/runs", get(runs))
        .route("/api/events", get(changes))
        .route("/api/compare", get(compare))
        .route("/api/film", get(film))
        .with_state(shown);
    Site::new(&own, api)
}

fn json(text: &str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.to_owned()).into_response()
}

/// Looks at the folder away from the server's thread.
async fn look(shown: &Arc<Shown>) {
    let looking = Arc::clone(shown);
    let _ = tokio::task::spawn_blocking(move || looking.look()).await;
}

async fn runs(State(shown): State<Arc<Shown>>) -> Response {
    look(&shown).await;
    let list = Arc::clone(&shown.list.borrow());
    json(&list.json)
}

async fn compare(State(shown): State<Arc<Shown>>) -> Result<Response, HttpError> {
    let compared = tokio::task::spawn_blocking(move || shown.compare()).await;
    Ok(json(&compared.map_err(|_| HttpError::new(500, "The runs could not be compared."))?))
}

/// Tells the list's version whenever there is another; the folder is looked at while somebody listens.
async fn changes(State(shown): State<Arc<Shown>>) -> impl IntoResponse {
    let receiver = shown.list.subscribe();
    if !shown.watching.swap(true, Ordering::SeqCst) {
        tokio::spawn(keep_fresh(Arc::clone(&shown)));
    }
    events(receiver, |list| list.version.to_string())
}

/// One looks for all who listen, for as long as anybody does.
async fn keep_fresh(shown: Arc<Shown>) {
    loop {
        while shown.list.receiver_count() > 0 {
            look(&shown).await;
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        shown.watching.store(false, Ordering::SeqCst);
        // Somebody may have come between the last look and now, and relied on us.
        if shown.list.receiver_count() == 0 || shown.watching.swap(true, Ordering::SeqCst) {
            return;
        }
    }
}

async fn film(
    State(shown): State<Arc<Shown>>,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let query = query.unwrap_or_default();
    let value = |name: &str| {
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).map(decode)
    };
    let run = value("run").ok_or_else(|| HttpError::new(400, "Which run?"))?;
    let round = match value("round") {
        None => None,
        Some(text) => {
            Some(text.parse().map_err(|_| HttpError::new(400, "A round is a whole number."))?)
        }
    };
    let filmed = tokio::task::spawn_blocking(move || shown.film(&run, round)).await;
    let film = filmed.map_err(|_| HttpError::new(500, "The film could not be made."))??;
    Ok(json(&film))
}

/// Text of an address: `%2F` is a slash.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .filter(|_| byte == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded_and_nothing_breaks_on_half_of_one() {
        assert_eq!(decode("a%2Fb%20c"), "a/b c");
        assert_eq!(decode("100%"), "100%");
        assert_eq!(decode("%zz%4"), "%zz%4");
    }
}
