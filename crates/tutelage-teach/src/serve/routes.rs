//! The HTTP API of the run browser.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::task::spawn_blocking;

use super::run_browser::BrowserState;
use crate::server::{HttpError, Site, asset, events, json};

pub(super) fn site(browser: Arc<BrowserState>) -> Site {
    let assets = [asset!("serve.html", "text/html", "/"), asset!("serve.js", "text/javascript")];
    let api = Router::new()
        .route("/api/runs", get(runs))
        .route("/api/events", get(changes))
        .route("/api/compare", get(compare))
        .route("/api/film", get(film))
        .with_state(browser);
    Site::new(&assets, api)
}

/// Scans the folder without blocking the server's thread.
async fn update(browser: &Arc<BrowserState>) {
    let scanned = Arc::clone(browser);
    let _ = spawn_blocking(move || scanned.update()).await;
}

async fn runs(State(browser): State<Arc<BrowserState>>) -> Response {
    update(&browser).await;
    let list = Arc::clone(&browser.list.borrow());
    json(list.json.to_string())
}

async fn compare(State(browser): State<Arc<BrowserState>>) -> Result<Response, HttpError> {
    let compared = spawn_blocking(move || browser.compare()).await;
    compared.map(|text| json(text.to_string())).map_err(|_| HttpError::Internal)
}

/// Sends the version of the list whenever it changes; the folder is scanned while there are receivers.
async fn changes(State(browser): State<Arc<BrowserState>>) -> impl IntoResponse {
    let receiver = browser.list.subscribe();
    if !browser.watching.swap(true, Ordering::SeqCst) {
        tokio::spawn(watch(browser));
    }
    events(receiver, |list| list.version.to_string())
}

/// Scans the folder for all receivers, as long as there are any.
async fn watch(browser: Arc<BrowserState>) {
    loop {
        while browser.list.receiver_count() > 0 {
            update(&browser).await;
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        browser.watching.store(false, Ordering::SeqCst);
        // A receiver that subscribed before the store relies on this task.
        if browser.list.receiver_count() == 0 || browser.watching.swap(true, Ordering::SeqCst) {
            return;
        }
    }
}

async fn film(
    State(browser): State<Arc<BrowserState>>,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpError> {
    let query = query.unwrap_or_default();
    let value = |name: &str| {
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).map(decode)
    };
    let run = value("run").ok_or(HttpError::RunMissing)?;
    let round = value("round").map(|text| text.parse().map_err(|_| HttpError::Round(text)));
    let round = round.transpose()?;
    let film = spawn_blocking(move || browser.film(&run, round)).await;
    Ok(json(film.map_err(|_| HttpError::Internal)??.to_string()))
}

/// Decodes `%2F` and the like in a URL; malformed escapes stay as they are.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let decoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_escapes_are_decoded_and_malformed_ones_kept() {
        assert_eq!(decode("a%2Fb%20c"), "a/b c");
        assert_eq!(decode("100%"), "100%");
        assert_eq!(decode("%zz%4"), "%zz%4");
    }
}
