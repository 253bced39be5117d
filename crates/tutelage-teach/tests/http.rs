//! What the server answers to good and to bad requests, while a real run waits for its teacher.

#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::{Value, json};
use tutelage::algorithm::dagger;
use tutelage::{
    Bounds, Env, EnvError, Inputs, Rng, Sampling, Schedule, Spaces, Step, Stream, SyncVectorEnv,
};
use tutelage_oracles::LeastSquares;
use tutelage_runs::store::{OsDisk, RunDir};
use tutelage_runs::{Keep, RunConfig, Silent, run_with_teacher};
use tutelage_teach::{
    About, Axis, Classroom, Controls, Limits, Person, Reach, Server, Show, Teaching, Token, View,
    read_notes,
};
use tutelage_worlds::{Draw, PendulumEnv};

/// A pendulum that can be looked at.
#[derive(Clone, Default)]
struct Seen(PendulumEnv);

impl Env for Seen {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        self.0.spaces()
    }

    fn horizon(&self) -> usize {
        self.0.horizon()
    }

    fn bounds(&self) -> Bounds {
        self.0.bounds()
    }

    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        self.0.reset(rng, state)
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.0.step(action, state)
    }
}

impl Show for Seen {
    fn look(&self) -> View {
        View::Shapes(self.0.picture())
    }
}

const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// A lesson of one round of five questions, served.
struct Lesson {
    server: Server,
    dir: tempfile::TempDir,
    stop: Box<dyn Fn() + Send>,
    run: Option<std::thread::JoinHandle<()>>,
}

fn about() -> About {
    let axis = Axis {
        name: "torque".into(),
        low_label: "right".into(),
        high_label: "left".into(),
        low: -2.0,
        high: 2.0,
    };
    About {
        task: "pendulum".into(),
        aim: "swing up".into(),
        algorithm: "dagger".into(),
        rounds: 1,
        folder: String::new(),
        controls: Controls::Axes(vec![axis]),
        state_names: vec![],
        pace: 0.05,
        takes_over: false,
    }
}

fn carry_out(room: &Classroom, folder: &Path) {
    let job = RunConfig::<f32, f32> {
        algorithm: dagger(Sampling::Stride(7)),
        schedule: Schedule { rounds: 1, states_per_round: 5, stream: Stream::new(3) },
        inputs: Inputs::none(),
        episodes: 2,
        keep: Keep::All,
    };
    let mut dir = RunDir::open(folder, "test", Arc::new(OsDisk)).unwrap();
    let teaching = Teaching {
        stage: Box::new(|| Some(Box::new(Seen::default()))),
        schedule: job.schedule,
        algorithm: job.algorithm,
        repeat_every: 0,
        grace: Duration::from_secs(60),
        leaves: Box::new(|| false),
    };
    let mut person = Person::new(room, teaching, folder).unwrap();
    let mut envs = SyncVectorEnv::new(vec![Seen::default(); 2]).unwrap();
    let (oracle, mut silent) = (LeastSquares::default(), Silent);
    let mut reporter = room.reporter(&mut silent, folder);
    let ended = run_with_teacher(&mut envs, &mut person, &oracle, &job, &mut dir, &mut reporter);
    room.end(ended.map_err(|error| error.to_string()));
}

impl Lesson {
    fn begin() -> Self {
        Self::with_limits(Limits::default())
    }

    fn with_limits(limits: Limits) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("token"), TOKEN).unwrap();
        let room = Classroom::new(about());
        let token = Token::kept_in(&dir.path().join("token")).unwrap();
        let address: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let server =
            Server::start(address, Reach::ThisMachine, token, limits, room.site()).unwrap();
        let stop = Box::new(room.stopper());
        let folder = dir.path().join("run");
        let run = std::thread::spawn(move || carry_out(&room, &folder));
        let lesson = Self { server, dir, stop, run: Some(run) };
        lesson.wait_for("asking");
        lesson
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("run")
    }

    /// A request as it goes over the wire.
    fn send(&self, text: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }

    fn host(&self) -> String {
        self.server.address().to_string()
    }

    fn cookie(&self) -> String {
        format!("tutelage-{}={TOKEN}", self.server.address().port())
    }

    fn get(&self, path: &str) -> (u16, String) {
        let (host, cookie) = (self.host(), self.cookie());
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        ))
    }

    fn post_as(&self, path: &str, body: &str, origin: &str, kind: &str) -> (u16, String) {
        let (host, cookie, length) = (self.host(), self.cookie(), body.len());
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nCookie: {cookie}\r\nContent-Type: {kind}\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ))
    }

    fn post(&self, path: &str, body: &Value) -> (u16, String) {
        self.post_as(
            path,
            &body.to_string(),
            &format!("http://{}", self.host()),
            "application/json",
        )
    }

    fn state(&self) -> Value {
        serde_json::from_str(&self.get("/api/state").1).unwrap()
    }

    fn wait_for(&self, phase: &str) {
        for _ in 0..1000 {
            if self.state()["phase"] == phase {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it is {} and not {phase}", self.state()["phase"]);
    }

    /// What is on the disk.
    fn disk(&self) -> (Vec<u8>, Vec<u8>) {
        let read = |name: &str| std::fs::read(self.folder().join(name)).unwrap_or_default();
        (read("log.bin"), read("teacher.jsonl"))
    }
}

impl Drop for Lesson {
    fn drop(&mut self) {
        (self.stop)();
        if let Some(run) = self.run.take() {
            let _ = run.join();
        }
    }
}

fn reply(row: u32, id: &str, torque: f64) -> Value {
    json!({ "ticket": format!("1.{row}"), "id": id, "what": "answer", "action": [torque], "before": "open", "seconds": 1.5 })
}

#[test]
fn bad_requests_are_refused_with_a_sentence_counted_and_write_nothing() {
    let lesson = Lesson::begin();
    let (host, before) = (lesson.host(), lesson.disk());
    let own = format!("http://{host}");
    let good = reply(0, "a", 1.0).to_string();
    let kind = "application/json";
    let raw = |line: &str, headers: &str| {
        lesson.send(&format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"))
    };
    let cookie = lesson.cookie();
    let refused = [
        ("no token", raw("GET /", &format!("Host: {host}\r\n")), 401),
        ("a wrong token", raw("GET /?token=12", &format!("Host: {host}\r\n")), 401),
        ("a wrong cookie", raw("GET /", &format!("Host: {host}\r\nCookie: {}\r\n", cookie.replace("00", "11"))), 401),
        ("another host", raw("GET /", &format!("Host: evil.example\r\nCookie: {cookie}\r\n")), 403),
        ("another port", raw("GET /", &format!("Host: 127.0.0.1:1\r\nCookie: {cookie}\r\n")), 403),
        ("another origin", lesson.post_as("/api/reply", &good, "http://evil.example", kind), 403),
        ("no origin", lesson.post_as("/api/reply", &good, "null", kind), 403),
        ("another site's page", raw("GET /api/state", &format!("Host: {host}\r\nCookie: {cookie}\r\nSec-Fetch-Site: cross-site\r\n")), 403),
        ("another method", raw("DELETE /api/state", &format!("Host: {host}\r\nOrigin: {own}\r\nCookie: {cookie}\r\n")), 405),
        ("a file", lesson.get("/../../etc/passwd"), 404),
        ("a file, encoded", lesson.get("/%2e%2e/spec.toml"), 404),
        ("a form", lesson.post_as("/api/reply", &good, &own, "text/plain"), 415),
        ("no JSON", lesson.post_as("/api/reply", "{", &own, kind), 400),
        ("a field too many", lesson.post_as("/api/reply", &good.replace("\"id\"", "\"x\":1,\"id\""), &own, kind), 400),
        ("too large", lesson.post_as("/api/reply", &" ".repeat(17_000), &own, kind), 413),
        ("no such question", lesson.post("/api/reply", &reply(99, "b", 0.0)), 404),
        ("no ticket", lesson.post("/api/reply", &json!({ "ticket": "x", "id": "c", "what": "skip", "before": "open", "seconds": 1.0 })), 400),
        ("outside the box", lesson.post("/api/reply", &reply(0, "d", 2.5)), 422),
        ("not a number of this task", lesson.post("/api/reply", &json!({ "ticket": "1.0", "id": "e", "what": "answer", "action": [1.0, 2.0], "before": "open", "seconds": 1.0 })), 422),
        ("no name", lesson.post("/api/reply", &reply(0, "", 1.0)), 400),
        ("another round", lesson.post("/api/reply", &json!({ "ticket": "7.0", "id": "f", "what": "skip", "action": null, "before": "open", "seconds": 1.0 })), 409),
        ("a preview outside", lesson.post("/api/preview", &json!({ "round": 1, "row": 0, "action": [9.0], "then": "hold" })), 422),
        ("a clip of nothing", lesson.get("/api/clip/1/99"), 404),
        ("too early to close", lesson.post("/api/close", &json!({})), 409),
        ("nothing to undo", lesson.post("/api/undo", &json!({})), 409),
    ];
    for (what, (status, body), expected) in &refused {
        assert_eq!(status, expected, "{what}: {body}");
        let said: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{what}: {body}"));
        assert!(said["error"].as_str().is_some_and(|s| s.ends_with(['.', '?'])), "{what}: {body}");
    }
    assert_eq!(lesson.server.refused().total(), refused.len() as u64);
    assert_eq!(lesson.disk(), before, "nothing was written");
}

#[test]
fn an_answer_is_on_disk_when_it_is_called_saved_and_the_same_one_counts_once() {
    let lesson = Lesson::begin();
    let length = lesson.disk().0.len();
    let answer = reply(0, "first", 0.5);
    let (status, body) = lesson.post("/api/reply", &answer);
    assert_eq!(status, 200, "{body}");
    let saved = lesson.disk();
    assert!(saved.0.len() > length, "it is in the log");
    for _ in 0..3 {
        let (status, body) = lesson.post("/api/reply", &answer);
        assert_eq!(status, 200);
        assert!(body.contains(r#""already":true"#), "{body}");
    }
    // The same under another name, as after a lost note; and another answer by somebody who saw the question open.
    assert_eq!(lesson.post("/api/reply", &reply(0, "other name", 0.5)).0, 200);
    let (status, body) = lesson.post("/api/reply", &reply(0, "other tab", -1.0));
    assert!(status == 409 && body.contains("that answer stands"), "{body}");
    assert_eq!(lesson.disk(), saved);
    // Who saw the first answer may revise it; a late copy of the first changes nothing.
    let mut revised = reply(0, "revised", -1.0);
    revised["before"] = json!({ "answered": [0.5] });
    assert_eq!(lesson.post("/api/reply", &revised).0, 200);
    let (status, body) = lesson.post("/api/reply", &answer);
    assert!(status == 200 && body.contains(r#""already":true"#));
    let notes = read_notes(&lesson.folder());
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[1].action, Some(vec![-1.0]));
}

#[test]
fn out_of_order_answers_settle_a_round_and_the_run_ends() {
    let lesson = Lesson::begin();
    for (row, torque) in [(4, 1.0), (2, -1.0), (0, 0.0), (3, 2.0)] {
        assert_eq!(lesson.post("/api/reply", &reply(row, &format!("r{row}"), torque)).0, 200);
    }
    let (status, clip) = lesson.get("/api/clip/1/1");
    let clip: Value = serde_json::from_str(&clip).unwrap();
    assert_eq!(status, 200);
    let here = clip["here"].as_u64().unwrap() as usize;
    assert!(here > 0 && clip["frames"].as_array().unwrap().len() > here + 5, "past and future");
    let ask = json!({ "round": 1, "row": 1, "action": [2.0], "then": "hold" });
    let (status, hold) = lesson.post("/api/preview", &ask);
    assert_eq!(status, 200, "{hold}");
    let mut ask = ask;
    ask["then"] = json!("learner");
    assert_ne!(lesson.post("/api/preview", &ask).1, hold, "what follows differs");
    let agree = json!({ "ticket": "1.1", "id": "agree", "what": "agree", "action": null, "before": "open", "seconds": 2.0 });
    assert_eq!(lesson.post("/api/reply", &agree).0, 200);
    lesson.wait_for("closing");
    assert_eq!(lesson.post("/api/close", &json!({})).0, 200);
    lesson.wait_for("finished");
    let (status, body) = lesson.post("/api/reply", &reply(0, "late", 1.0));
    assert!(status == 409, "{status} {body}");
    let state = lesson.state();
    assert_eq!(state["annotations"], 5);
    assert_eq!(state["curve"].as_array().unwrap().len(), 1);
    assert_eq!(state["teacher"]["agreed"], 1);
}

#[test]
fn the_token_becomes_a_cookie_and_leaves_the_address() {
    let lesson = Lesson::begin();
    let mut stream = TcpStream::connect(lesson.server.address()).unwrap();
    let host = lesson.host();
    write!(stream, "GET /?token={TOKEN} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    assert!(answer.contains("location: /\r\n"));
    assert!(answer.contains(&format!("{}; HttpOnly; SameSite=Strict; Path=/", lesson.cookie())));
    assert!(answer.contains("content-security-policy: default-src 'none'"));
    let (status, page) = lesson.get("/");
    assert!(status == 200 && page.contains("<title>Teaching"), "{page}");
}

#[test]
fn connections_beyond_the_limit_are_turned_away_with_a_sentence() {
    let lesson = Lesson::with_limits(Limits { connections: 3 });
    let address = lesson.server.address();
    let (host, cookie) = (lesson.host(), lesson.cookie());
    let (sender, receiver) = mpsc::channel();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET /api/events HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n")
            .unwrap();
        let mut first = [0; 64];
        assert!(stream.read(&mut first).unwrap() > 0);
        sender.send(stream).unwrap();
    }
    let (status, body) = lesson.get("/api/state");
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("Too many connections"));
    assert_eq!(lesson.server.refused().by_status().get(&503), Some(&1));
    drop((sender, receiver));
    lesson.wait_for("asking");
}

#[test]
fn an_address_beyond_this_machine_must_be_meant() {
    let room = Classroom::new(about());
    let address: SocketAddr = "0.0.0.0:0".parse().unwrap();
    let token = Token::random().unwrap();
    let error = Server::start(address, Reach::ThisMachine, token, Limits::default(), room.site())
        .err()
        .unwrap();
    assert!(error.to_string().contains("--beyond-this-machine"), "{error}");
}
