//! The HTTP API of the teaching page.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use tokio::sync::oneshot;

use super::page_state::{Phase, Shared, lock};
use super::requests::{PageCommand, Place, PreviewRequest, ReplyRequest, Request};
use crate::server::{HttpError, Json, Site, asset, events, json};

/// What the handlers share.
#[derive(Clone)]
struct Api {
    shared: Arc<Shared>,
    requests: mpsc::SyncSender<Request>,
}

/// The page on which a person teaches.
pub(super) fn site(shared: Arc<Shared>, requests: mpsc::SyncSender<Request>) -> Site {
    let assets = [
        asset!("teach.html", "text/html", "/"),
        asset!("teach.js", "text/javascript"),
        asset!("controls.js", "text/javascript"),
        asset!("keys.js", "text/javascript"),
        asset!("live.js", "text/javascript"),
    ];
    let command = |command: fn() -> PageCommand| {
        post(async move |State(api): State<Api>, Json(NoFields {}): Json<NoFields>| {
            api.ask(command()).await
        })
    };
    let api = Router::new()
        .route("/api/state", get(state))
        .route("/api/events", get(changes))
        .route("/api/frames", get(frames))
        .route("/api/training", get(training))
        .route("/api/film", get(film))
        .route("/api/clip/{round}/{row}", get(clip))
        .route("/api/preview", post(preview))
        .route("/api/reply", post(reply))
        .route("/api/undo", command(|| PageCommand::Undo))
        .route("/api/forward", command(|| PageCommand::Forward))
        .route("/api/close", command(|| PageCommand::Close))
        .route("/api/live", post(live))
        .with_state(Api { shared, requests });
    Site::new(&assets, api)
}

/// How long the run may take to respond.
const REPLY_TIME: Duration = Duration::from_secs(20);

impl Api {
    /// Sends a command to the run, if the run takes commands now.
    async fn ask(&self, command: PageCommand) -> Result<Response, HttpError> {
        let (response, responded) = oneshot::channel();
        // The page stays locked until the request is sent: when the run leaves these phases it drains the queue, and a
        // request that is sent later would wait until the next round.
        self.shared.read(|page| {
            if !matches!(page.phase, Phase::Asking | Phase::Closing) {
                return Err(HttpError::NotAsking(page.round));
            }
            let sent = self.requests.try_send(Request { command, response });
            sent.map_err(|_| HttpError::QueueFull)
        })?;
        match tokio::time::timeout(REPLY_TIME, responded).await {
            Ok(Ok(response)) => response.map(json),
            _ => Err(HttpError::Busy),
        }
    }
}

async fn state(State(api): State<Api>) -> Response {
    json(api.shared.to_json())
}

async fn changes(State(api): State<Api>) -> impl IntoResponse {
    let receiver = api.shared.subscribe();
    events(receiver, move |_| api.shared.to_json())
}

async fn frames(State(api): State<Api>) -> impl IntoResponse {
    events(api.shared.frames.subscribe(), |frame| frame.to_string())
}

async fn training(State(api): State<Api>) -> Response {
    json(serde_json::json!({ "share": api.shared.training.share() }).to_string())
}

async fn film(State(api): State<Api>) -> Result<Response, HttpError> {
    let film = lock(&api.shared.film).clone().ok_or(HttpError::NoFilm)?;
    Ok(json(film.to_string()))
}

async fn clip(
    State(api): State<Api>,
    Path((round, row)): Path<(String, String)>,
) -> Result<Response, HttpError> {
    let (Ok(round), Ok(row)) = (round.parse(), row.parse()) else {
        return Err(HttpError::NoQuestion(format!("{round}.{row}")));
    };
    api.ask(PageCommand::Clip(Place { round, row })).await
}

async fn preview(
    State(api): State<Api>,
    Json(preview): Json<PreviewRequest>,
) -> Result<Response, HttpError> {
    api.ask(PageCommand::Preview(preview)).await
}

async fn reply(
    State(api): State<Api>,
    Json(reply): Json<ReplyRequest>,
) -> Result<Response, HttpError> {
    if !(1..=64).contains(&reply.id.len()) {
        return Err(HttpError::ReplyId(reply.id.len()));
    }
    if lock(&api.shared.saved).contains(&reply.id) {
        return Ok(json(api.shared.saved_json(true)));
    }
    api.ask(PageCommand::Reply(reply)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoFields {}

/// The state of the controls while the learner drives.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlMessage {
    /// Increases from message to message.
    number: u64,
    running: bool,
    action: Option<Vec<f64>>,
}

async fn live(
    State(api): State<Api>,
    Json(message): Json<ControlMessage>,
) -> Result<Response, HttpError> {
    if !api.shared.read(|page| page.about.takes_over) {
        return Err(HttpError::NotTakingOver);
    }
    let mut live = lock(&api.shared.live);
    if message.number > live.last {
        live.last = message.number;
        live.heard = Some(Instant::now());
        (live.running, live.action) = (message.running, message.action);
    }
    Ok(json("{}"))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::mem::ManuallyDrop;
    use std::net::TcpStream;

    use super::*;
    use crate::server::{Server, ServerConfig, Token};
    use crate::{About, Classroom};

    /// How long the run's thread changes the page.
    const STRESS: Duration = Duration::from_secs(2);

    /// An event stream once held the channel's read lock while it built the JSON, which read the channel again. A change
    /// between the two reads waited for the first and blocked the second, so that server and run stopped.
    #[test]
    fn event_streams_requests_and_changes_never_deadlock() {
        let room = Classroom::new(About::default());
        let server = Server::start(ServerConfig::local(0, Token::zero()), room.site()).unwrap();
        // After a deadlock the server's thread could not be joined.
        let server = ManuallyDrop::new(server);
        let address = server.address();
        let open = move |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            let cookie = format!("tutelage-{}={}", address.port(), Token::zero().digits());
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n")
                .unwrap();
            stream.write_all(b"Connection: close\r\n\r\n").unwrap();
            BufReader::new(stream).lines().map_while(Result::ok)
        };
        let is_last = |line: &String| line.contains(r#""phase":"finished""#);
        let (done, finished) = mpsc::channel();
        let spawn = |act: Box<dyn FnOnce() + Send>| {
            let done = done.clone();
            std::thread::spawn(move || {
                act();
                let _ = done.send(());
            });
        };
        for _ in 0..4 {
            spawn(Box::new(move || assert!(open("/api/events").any(|line| is_last(&line)))));
            spawn(Box::new(move || while !open("/api/state").any(|line| is_last(&line)) {}));
        }
        let shared = Arc::clone(&room.shared);
        spawn(Box::new(move || {
            let end = Instant::now() + STRESS;
            while Instant::now() < end {
                shared.change(|page| page.round += 1);
                shared.to_json();
            }
            shared.change(|page| page.phase = Phase::Finished);
        }));
        for _ in 0..9 {
            finished.recv_timeout(Duration::from_secs(60)).expect("a deadlock or a lost event");
        }
        drop(ManuallyDrop::into_inner(server));
    }
}
