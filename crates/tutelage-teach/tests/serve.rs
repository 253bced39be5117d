//! Looking at runs: what is listed, compared and filmed, and that nothing else is ever read, served or changed.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tutelage::algorithm::dagger;
use tutelage::{Inputs, Participants, Sampling, Schedule, Stream, SyncVectorEnv};
use tutelage_oracles::LeastSquares;
use tutelage_runs::store::{OsDisk, RunDir};
use tutelage_runs::{Keep, RunConfig, Silent, run};
use tutelage_teach::{Films, Limits, Reach, RunBrowser, Server, Token};
use tutelage_worlds::{PendulumEnv, World};

/// A short run on the pendulum.
fn learn(folder: &Path, seed: u64) {
    let spec = format!("task = \"pendulum\"\nalgorithm = \"dagger\"\nrounds = 2\nseed = {seed}\n");
    let job = RunConfig::<f32, f32> {
        algorithm: dagger(Sampling::Stride(7)),
        schedule: Schedule { rounds: 2, states_per_round: 5, stream: Stream::new(seed) },
        inputs: Inputs::none(),
        episodes: 2,
        keep: Keep::All,
    };
    let mut dir = RunDir::open(folder, &spec, Arc::new(OsDisk)).unwrap();
    let mut envs = SyncVectorEnv::new(vec![PendulumEnv::default(); 2]).unwrap();
    let mut expert = PendulumEnv::default().expert();
    let oracle = LeastSquares::default();
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
    run(participants, &job, &mut dir, &mut Silent).unwrap();
}

/// Says which run and round it was asked to film.
struct Telling;

impl Films for Telling {
    fn film(&self, run: &Path, round: usize) -> Result<String, String> {
        match round {
            2 => Ok(serde_json::json!({ "run": run.file_name().unwrap().to_str() }).to_string()),
            _ => Err("the camera is broken".into()),
        }
    }
}

struct Shop {
    server: Server,
    dir: tempfile::TempDir,
    token: String,
}

impl Shop {
    fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for seed in [1, 2] {
            learn(&dir.path().join(format!("runs/a {seed}")), seed);
        }
        std::fs::write(dir.path().join("secret"), "nobody's business").unwrap();
        let run_browser = RunBrowser::new(&dir.path().join("runs"), Box::new(Telling));
        assert_eq!(run_browser.count(), 2);
        let (address, limits) = ("127.0.0.1:0".parse().unwrap(), Limits::default());
        let token = Token::random().unwrap();
        let server =
            Server::start(address, Reach::ThisMachine, token, limits, run_browser.site()).unwrap();
        let token = server.url().rsplit('=').next().unwrap().to_owned();
        Self { server, dir, token }
    }

    fn send(&self, line: &str, more: &str) -> (u16, String) {
        let address = self.server.address();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let cookie = format!("tutelage-{}={}", address.port(), self.token);
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n{more}Connection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    fn get(&self, path: &str) -> (u16, Value) {
        let (status, body) = self.send(&format!("GET {path}"), "");
        (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("{path}: {body}")))
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found
}

#[test]
fn runs_are_listed_compared_and_filmed_and_nothing_is_changed() {
    let shop = Shop::open();
    let before = files(shop.dir.path());
    let (status, list) = shop.get("/api/runs");
    assert_eq!(status, 200);
    let runs = list["runs"].as_array().unwrap();
    assert_eq!((runs[0]["name"].as_str(), runs.len()), (Some("a 1"), 2));
    assert_eq!((&runs[0]["task"], &runs[0]["algorithm"]), (&"pendulum".into(), &"DAgger".into()));
    assert_eq!(runs[1]["lines"].as_array().unwrap().len(), 2);
    assert!(runs[1]["spec"].as_str().unwrap().contains("seed = 2"));
    let (status, compared) = shop.get("/api/compare");
    assert_eq!(status, 200);
    let curve = &compared["panels"][0]["curves"][0];
    assert_eq!((&curve["name"], &curve["row"]["seeds"]), (&"DAgger".into(), &2.into()));
    assert_eq!(curve["points"].as_array().unwrap().len(), 2);
    assert!(curve["points"][0][2].as_f64() < curve["points"][0][3].as_f64(), "a band");
    assert_eq!(shop.get("/api/film?run=a%202").1["run"], "a 2");
    assert_eq!(shop.get("/api/film?run=a%202&round=2").1["run"], "a 2");
    assert_eq!(files(shop.dir.path()), before);
}

#[test]
fn whatever_is_no_run_of_the_list_is_refused() {
    let shop = Shop::open();
    let refused = [
        (shop.get("/api/film?run=a%202&round=1"), 422, "the camera is broken"),
        (shop.get("/api/film?run=a%202&round=7"), 404, "not kept"),
        (shop.get("/api/film?run=a%202&round=x"), 400, "whole number"),
        (shop.get("/api/film?run=../secret"), 404, "no such run"),
        (shop.get("/api/film?run=%2e%2e%2fsecret"), 404, "no such run"),
        (shop.get("/api/film?run=/etc/passwd"), 404, "no such run"),
        (shop.get("/api/film"), 400, "Which run?"),
        (shop.get("/secret"), 404, "nothing here"),
        (shop.get("/runs/a%201/log.bin"), 404, "nothing here"),
    ];
    for ((status, said), expected, words) in &refused {
        assert_eq!(status, expected, "{said}");
        assert!(said["error"].as_str().unwrap().contains(words), "{said}");
    }
    let origin = format!("Origin: http://{}\r\n", shop.server.address());
    let (status, body) = shop.send("POST /api/runs", &origin);
    assert_eq!(status, 405, "there is nothing to change: {body}");
    assert_eq!(shop.server.refused().total(), refused.len() as u64 + 1);
}
