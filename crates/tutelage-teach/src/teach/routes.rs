//! What the page asks for.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use tokio::sync::oneshot;

use super::page_state::{Phase, Shared, lock};
use super::requests::{self, PageCommand, Place, Request};
use crate::server::{HttpError, Site, asset, events, read_json};

/// What the handlers share.
#[derive(Clone)]
struct Desk {
    shared: Arc<Shared>,
    requests: mpsc::SyncSender<Request>,
}

/// The page on which a person teaches.
pub(super) fn site(shared: Arc<Shared>, requests: mpsc::SyncSender<Request>) -> Site {
    let own = [
        asset!("/", "teach.html", "text/html; charset=utf-8"),
        asset!("/teach.js", "teach.js", "text/javascript; charset=utf-8"),
        asset!("/controls.js", "controls.js", "text/javascript; charset=utf-8"),
        asset!("/keys.js", "keys.js", "text/javascript; charset=utf-8"),
        asset!("/live.js", "live.js", "text/javascript; charset=utf-8"),
    ];
    let api = Router::new()
        .route("/api/state", get(state))
        .route("/api/events", get(changes))
        .route("/api/frames", get(frames))
        .route("/api/training", get(training))
        .route("/api/film", get(film))
        .route("/api/clip/{round}/{row}", get(clip))
        .route("/api/preview", post(preview))
        .route("/api/reply", post(reply))
        .route("/api/undo", post(undo))
        .route("/api/forward", post(forward))
        .route("/api/close", post(close))
        .route("/api/live", post(live))
        .with_state(Desk { shared, requests });
    Site::new(&own, api)
}

/// How long the run may take to answer a request.
const REPLY_TIME: Duration = Duration::from_secs(20);

impl Desk {
    /// Asks the run, where it has an ear for questions now.
    async fn ask(&self, command: PageCommand) -> Result<Response, HttpError> {
        let (phase, round) = self.shared.read(|page| (page.phase, page.round));
        if !matches!(phase, Phase::Asking | Phase::Closing) {
            return Err(HttpError::new(409, format!("No questions are open now (round {round}).")));
        }
        let (answer, answered) = oneshot::channel();
        let request = Request { command, answer };
        self.requests.try_send(request).map_err(|_| {
            HttpError::new(503, "Too many requests wait already; try again in a moment.")
        })?;
        match tokio::time::timeout(REPLY_TIME, answered).await {
            Ok(Ok(answered)) => answered.map(json),
            _ => Err(HttpError::new(503, "The run is busy; try again in a moment.")),
        }
    }
}

fn json(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn state(State(desk): State<Desk>) -> Response {
    json(desk.shared.to_json())
}

async fn changes(State(desk): State<Desk>) -> impl IntoResponse {
    let shared = Arc::clone(&desk.shared);
    events(desk.shared.listen(), move |_| shared.to_json())
}

async fn frames(State(desk): State<Desk>) -> impl IntoResponse {
    events(desk.shared.frames.subscribe(), |frame| frame.to_string())
}

/// How far training has come, where the oracle can tell.
async fn training(State(desk): State<Desk>) -> Response {
    json(serde_json::json!({ "share": desk.shared.training.share() }).to_string())
}

async fn film(State(desk): State<Desk>) -> Result<Response, HttpError> {
    let film = lock(&desk.shared.film).clone();
    let film = film.ok_or_else(|| HttpError::new(404, "There is no film yet."))?;
    Ok(json(film.to_string()))
}

async fn clip(
    State(desk): State<Desk>,
    Path((round, row)): Path<(String, String)>,
) -> Result<Response, HttpError> {
    let (Ok(round), Ok(row)) = (round.parse(), row.parse()) else {
        return Err(HttpError::new(404, "There is no such question."));
    };
    desk.ask(PageCommand::Clip(Place { round, row })).await
}

async fn preview(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpError> {
    let preview = read_json(&headers, body).await?;
    desk.ask(PageCommand::Preview(preview)).await
}

async fn reply(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpError> {
    let reply: requests::Reply = read_json(&headers, body).await?;
    if !(1..=64).contains(&reply.id.len()) {
        return Err(HttpError::new(400, "The id of a reply must have 1 to 64 characters."));
    }
    if lock(&desk.shared.saved).contains(&reply.id) {
        let state = desk.shared.to_json();
        return Ok(json(format!(r#"{{"saved":true,"already":true,"state":{state}}}"#)));
    }
    desk.ask(PageCommand::Reply(reply)).await
}

/// Requests that say nothing but that they were made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

async fn undo(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpError> {
    let Nothing {} = read_json(&headers, body).await?;
    desk.ask(PageCommand::Undo).await
}

async fn forward(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpError> {
    let Nothing {} = read_json(&headers, body).await?;
    desk.ask(PageCommand::Forward).await
}

async fn close(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpError> {
    let Nothing {} = read_json(&headers, body).await?;
    desk.ask(PageCommand::Close).await
}

/// What the person's hands do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hands {
    /// Rises from message to message.
    number: u64,
    running: bool,
    action: Option<Vec<f64>>,
}

async fn live(
    State(desk): State<Desk>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpError> {
    let hands: Hands = read_json(&headers, body).await?;
    if !desk.shared.read(|page| page.about.takes_over) {
        return Err(HttpError::new(
            409,
            "In this lesson questions are answered; nobody takes over.",
        ));
    }
    let mut live = lock(&desk.shared.live);
    if hands.number > live.last {
        live.last = hands.number;
        live.heard = Some(Instant::now());
        (live.running, live.action) = (hands.running, hands.action);
    }
    Ok(json("{}".into()))
}
