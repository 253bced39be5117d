//! Responses to good and bad requests while a run waits for its teacher.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use common::{Client, TestSite};
use serde_json::{Value, json};
use tutelage::algorithm::dagger;
use tutelage::{Inputs, Sampling, Schedule, Stream, SyncVectorEnv};
use tutelage_oracles::LeastSquares;
use tutelage_runs::store::{OsDisk, RunDir};
use tutelage_runs::{Keep, RunConfig, Silent, run_with_teacher};
use tutelage_tasks::worlds::PendulumEnv;
use tutelage_teach::{
    About, Access, Axis, Classroom, Controls, Person, PersonConfig, Server, ServerConfig,
    ServerError, Token, read_notes,
};

fn about() -> About {
    let (name, low_label, high_label) = ("torque".into(), "right".into(), "left".into());
    let axis = Axis { name, low_label, high_label, low: -2.0, high: 2.0 };
    About {
        task: "pendulum".into(),
        aim: "swing up".into(),
        rounds: 1,
        controls: Controls::Axes(vec![axis]),
        pace: 0.05,
        ..About::default()
    }
}

fn teach(room: &Classroom, folder: &Path, rounds: usize, undo_time: Duration) {
    let config = RunConfig::<f32, f32> {
        algorithm: dagger(Sampling::Stride(7)),
        schedule: Schedule { rounds, states_per_round: 5, stream: Stream::new(3) },
        inputs: Inputs::none(),
        episodes: 2,
        keep: Keep::All,
    };
    let mut dir = RunDir::open(folder, "test", std::sync::Arc::new(OsDisk)).unwrap();
    let person = PersonConfig {
        stage: Box::new(|| Some(Box::new(PendulumEnv::default()))),
        schedule: config.schedule,
        algorithm: config.algorithm,
        repeat_every: 0,
        undo_time,
        wants_stop: Box::new(|| false),
    };
    let mut person = Person::new(room, person, folder).unwrap();
    let mut envs = SyncVectorEnv::new(vec![PendulumEnv::default(); 2]).unwrap();
    let (oracle, mut silent) = (LeastSquares::default(), Silent);
    let mut observer = room.observer(&mut silent, folder);
    let ending =
        run_with_teacher(&mut envs, &mut person, &oracle, &config, &mut dir, &mut observer);
    room.end(ending.map_err(|error| error.to_string()));
}

/// A served run with five queries per round.
struct TaughtRun {
    site: TestSite,
    client: Client,
    dir: tempfile::TempDir,
    stop: Box<dyn Fn() + Send>,
    run: Option<JoinHandle<()>>,
}

impl TaughtRun {
    fn start() -> Self {
        Self::with(512, 1, Duration::from_secs(60))
    }

    fn with(connections: usize, rounds: usize, undo_time: Duration) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let room = Classroom::new(about());
        let site = TestSite::start(room.site(), connections);
        let (client, stop) = (site.client(), Box::new(room.stopper()));
        let folder = dir.path().join("run");
        let run = std::thread::spawn(move || teach(&room, &folder, rounds, undo_time));
        let started = Self { site, client, dir, stop, run: Some(run) };
        started.wait_for("asking");
        started
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("run")
    }

    fn reply(&self, reply: &Value) -> (u16, String) {
        self.client.post("/api/reply", reply)
    }

    fn wait_for(&self, phase: &str) {
        for _ in 0..1000 {
            if self.client.get_json("/api/state").1["phase"] == phase {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the phase is not {phase}");
    }

    /// The log and the notes on disk.
    fn files(&self) -> [Vec<u8>; 2] {
        ["log.bin", "teacher.jsonl"]
            .map(|name| std::fs::read(self.folder().join(name)).unwrap_or_default())
    }
}

impl Drop for TaughtRun {
    fn drop(&mut self) {
        (self.stop)();
        if let Some(run) = self.run.take() {
            let _ = run.join();
        }
    }
}

fn answer(row: u32, id: &str, torque: f64) -> Value {
    json!({ "ticket": format!("1.{row}"), "id": id, "what": "answer", "action": [torque], "before": "open", "seconds": 1.5 })
}

fn other_reply(ticket: &str, id: &str, what: &str) -> Value {
    json!({ "ticket": ticket, "id": id, "what": what, "action": null, "before": "open", "seconds": 1.0 })
}

#[test]
fn bad_requests_are_refused_counted_and_write_nothing() {
    let run = TaughtRun::start();
    let (client, before) = (&run.client, run.files());
    let (host, cookie) = (format!("Host: {}\r\n", client.address), client.cookie());
    let own = format!("http://{}", client.address);
    let good = answer(0, "a", 1.0).to_string();
    let kind = "application/json";
    let raw = |line: &str, headers: String| client.send(line, &headers, "");
    let wrong = cookie.replace(&client.token, &"0".repeat(32));
    let ours = client.host_and_cookie();
    let mut two_numbers = answer(0, "e", 1.0);
    two_numbers["action"] = json!([1.0, 2.0]);
    let refused = [
        ("no token", raw("GET /", host.clone()), 401),
        ("wrong token", raw("GET /?token=12", host.clone()), 401),
        ("wrong cookie", raw("GET /", format!("{host}Cookie: {wrong}\r\n")), 401),
        ("other host", raw("GET /", format!("Host: evil.example\r\nCookie: {cookie}\r\n")), 403),
        ("other port", raw("GET /", format!("Host: 127.0.0.1:1\r\nCookie: {cookie}\r\n")), 403),
        ("other origin", client.post_as("/api/reply", &good, "http://evil.example", kind), 403),
        ("no origin", client.post_as("/api/reply", &good, "null", kind), 403),
        ("other site", raw("GET /api/state", format!("{ours}Sec-Fetch-Site: cross-site\r\n")), 403),
        ("method", raw("DELETE /api/state", format!("{ours}Origin: {own}\r\n")), 405),
        ("file", client.get("/../../etc/passwd"), 404),
        ("encoded file", client.get("/%2e%2e/spec.toml"), 404),
        ("form", client.post_as("/api/reply", &good, &own, "text/plain"), 415),
        ("invalid JSON", client.post_as("/api/reply", "{", &own, kind), 400),
        (
            "unknown field",
            client.post_as("/api/reply", &good.replace("\"id\"", "\"x\":1,\"id\""), &own, kind),
            400,
        ),
        ("too large", client.post_as("/api/reply", &" ".repeat(17_000), &own, kind), 413),
        ("unknown query", run.reply(&answer(99, "b", 0.0)), 404),
        ("no ticket", run.reply(&other_reply("x", "c", "skip")), 400),
        ("out of bounds", run.reply(&answer(0, "d", 2.5)), 422),
        ("two numbers", run.reply(&two_numbers), 422),
        ("empty id", run.reply(&answer(0, "", 1.0)), 400),
        ("other round", run.reply(&other_reply("7.0", "f", "skip")), 409),
        (
            "preview out of bounds",
            client.post(
                "/api/preview",
                &json!({ "round": 1, "row": 0, "action": [9.0], "then": "hold" }),
            ),
            422,
        ),
        ("unknown clip", client.get("/api/clip/1/99"), 404),
        ("clip without a number", client.get("/api/clip/1/x"), 404),
        ("early close", client.post("/api/close", &json!({})), 409),
        ("nothing to undo", client.post("/api/undo", &json!({})), 409),
        ("no taking over", client.post("/api/live", &json!({ "number": 1, "running": true })), 409),
    ];
    for (what, (status, body), expected) in &refused {
        assert_eq!(status, expected, "{what}: {body}");
        let error: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{what}: {body}"));
        assert!(error["error"].is_string(), "{what}: {body}");
    }
    assert_eq!(run.site.server.refused().total(), refused.len() as u64);
    assert_eq!(run.files(), before, "nothing was written");
}

#[test]
fn a_saved_answer_is_on_disk_and_counts_once() {
    let run = TaughtRun::start();
    let length = run.files()[0].len();
    let first = answer(0, "first", 0.5);
    let (status, body) = run.reply(&first);
    assert_eq!(status, 200, "{body}");
    let saved = run.files();
    assert!(saved[0].len() > length, "the log has the answer");
    let (status, body) = run.reply(&first);
    assert!(status == 200 && body.contains(r#""already":true"#), "{body}");
    // The same answer with another id, as after a note was lost; and another answer from a tab that showed the query open.
    assert_eq!(run.reply(&answer(0, "other id", 0.5)).0, 200);
    assert_eq!(run.reply(&answer(0, "other tab", -1.0)).0, 409);
    assert_eq!(run.files(), saved);
    // A tab that showed the first answer may revise it; a late copy of the first changes nothing.
    let mut revised = answer(0, "revised", -1.0);
    revised["before"] = json!({ "answered": [0.5] });
    assert_eq!(run.reply(&revised).0, 200);
    let (status, body) = run.reply(&first);
    assert!(status == 200 && body.contains(r#""already":true"#));
    let notes = read_notes(&run.folder());
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[1].action, Some(vec![-1.0]));
}

#[test]
fn answers_in_any_order_finish_a_round_and_the_run() {
    let run = TaughtRun::start();
    for (row, torque) in [(4, 1.0), (2, -1.0), (0, 0.0), (3, 2.0)] {
        assert_eq!(run.reply(&answer(row, &format!("r{row}"), torque)).0, 200);
    }
    let (status, clip) = run.client.get_json("/api/clip/1/1");
    assert_eq!(status, 200);
    let here = clip["here"].as_u64().unwrap() as usize;
    assert!(here > 0 && clip["frames"].as_array().unwrap().len() > here + 5, "past and future");
    let mut ask = json!({ "round": 1, "row": 1, "action": [2.0], "then": "hold" });
    let (status, hold) = run.client.post("/api/preview", &ask);
    assert_eq!(status, 200, "{hold}");
    ask["then"] = json!("learner");
    assert_ne!(run.client.post("/api/preview", &ask).1, hold, "the continuations differ");
    assert_eq!(run.reply(&other_reply("1.1", "agree", "agree")).0, 200);
    run.wait_for("closing");
    assert_eq!(run.client.post("/api/close", &json!({})).0, 200);
    run.wait_for("finished");
    assert_eq!(run.reply(&answer(0, "late", 1.0)).0, 409);
    let (_, state) = run.client.get_json("/api/state");
    assert_eq!(state["annotations"], 5);
    assert_eq!(state["curve"].as_array().unwrap().len(), 1);
    assert_eq!(state["teacher"]["agreed"], 1);
}

/// Requests that arrive while a round ends must neither wait for the next round nor block the run.
#[test]
fn clients_that_compete_for_every_query_finish_the_run() {
    let run = TaughtRun::with(512, 12, Duration::ZERO);
    let (done, finished) = mpsc::channel();
    for name in 0..4 {
        let (client, done) = (run.client.clone(), done.clone());
        std::thread::spawn(move || {
            for id in 0.. {
                let (_, state) = client.get_json("/api/state");
                let question = &state["question"];
                if state["phase"] == "finished" {
                    break;
                }
                let clip = format!("/api/clip/{}/{}", question["question_round"], question["row"]);
                assert_ne!(client.get(&clip).0, 503);
                let mut reply = answer(0, &format!("{name}.{id}"), 0.5);
                reply["ticket"] = question["ticket"].clone();
                assert_ne!(client.post("/api/reply", &reply).0, 503);
            }
            let _ = done.send(());
        });
    }
    for _ in 0..4 {
        finished.recv_timeout(Duration::from_secs(120)).unwrap();
    }
}

#[test]
fn the_token_moves_from_the_address_to_a_cookie() {
    let run = TaughtRun::start();
    let client = &run.client;
    let request = format!(
        "GET /?token={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        client.token, client.address
    );
    let response = client.response(&request);
    assert!(response.starts_with("HTTP/1.1 303"), "{response}");
    assert!(response.contains("location: /\r\n"));
    assert!(response.contains(&format!("{}; HttpOnly; SameSite=Strict; Path=/", client.cookie())));
    assert!(response.contains("content-security-policy: default-src 'none'"));
    assert_eq!(client.get("/").0, 200);
}

#[test]
fn connections_beyond_the_limit_are_refused() {
    let run = TaughtRun::with(3, 1, Duration::from_secs(60));
    let events = format!("GET /api/events HTTP/1.1\r\n{}\r\n", run.client.host_and_cookie());
    let open = [0; 3].map(|_| {
        let mut stream = run.client.open(&events);
        assert!(stream.read(&mut [0; 64]).unwrap() > 0);
        stream
    });
    assert_eq!(run.client.get("/api/state").0, 503);
    assert_eq!(run.site.server.refused().by_status().get(&503), Some(&1));
    drop(open);
    run.wait_for("asking");
}

#[test]
fn remote_addresses_need_remote_access() {
    let config = ServerConfig::local(0, Token::random().unwrap());
    assert_eq!(config.access, Access::Local);
    let address = ([0, 0, 0, 0], 0).into();
    let site = Classroom::new(about()).site();
    let error = Server::start(ServerConfig { address, ..config }, site).err();
    assert!(matches!(error, Some(ServerError::Remote(refused)) if refused == address));
}
