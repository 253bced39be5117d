//! The HTTP API of the run browser.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
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
        .route("/api/film/{run}/{round}", get(film))
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
    Path((run, round)): Path<(String, String)>,
) -> Result<Response, HttpError> {
    let round = round.parse().map_err(|_| HttpError::Round(round))?;
    let film = spawn_blocking(move || browser.film(&run, round)).await;
    Ok(json(film.map_err(|_| HttpError::Internal)??.to_string()))
}
