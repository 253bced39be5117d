//! The run browser lists, compares and films runs, and never reads, serves or changes anything else.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::TestSite;
use tutelage::algorithm::dagger;
use tutelage::{Inputs, Participants, Sampling, Schedule, Stream, SyncVectorEnv};
use tutelage_oracles::LeastSquares;
use tutelage_runs::store::{OsDisk, RunDir};
use tutelage_runs::{Keep, RunConfig, Silent, run};
use tutelage_tasks::worlds::{PendulumEnv, World};
use tutelage_teach::RunBrowser;

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

/// A film that contains the name of its run.
fn film(run: &Path, round: usize) -> Result<String, String> {
    match round {
        2 => Ok(serde_json::json!({ "run": run.file_name().unwrap().to_str() }).to_string()),
        _ => Err("the camera is broken".into()),
    }
}

fn start() -> (TestSite, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    for seed in [1, 2] {
        learn(&dir.path().join(format!("runs/a {seed}")), seed);
    }
    std::fs::write(dir.path().join("secret"), "not a run").unwrap();
    let browser = RunBrowser::new(&dir.path().join("runs"), Box::new(film));
    assert_eq!(browser.count(), 2);
    (TestSite::start(browser.site(), 512), dir)
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
fn runs_are_listed_compared_and_filmed_without_changes() {
    let (site, dir) = start();
    let (client, before) = (site.client(), files(dir.path()));
    let (status, list) = client.get_json("/api/runs");
    assert_eq!(status, 200);
    let runs = list["runs"].as_array().unwrap();
    assert_eq!((runs[0]["name"].as_str(), runs.len()), (Some("a 1"), 2));
    assert_eq!((&runs[0]["task"], &runs[0]["algorithm"]), (&"pendulum".into(), &"DAgger".into()));
    assert_eq!(runs[1]["lines"].as_array().unwrap().len(), 2);
    assert!(runs[1]["spec"].as_str().unwrap().contains("seed = 2"));
    let (status, compared) = client.get_json("/api/compare");
    assert_eq!(status, 200);
    let panel = &compared["panels"][0];
    let row = &panel["rows"][0];
    assert_eq!((&row["curve"], &row["seeds"]), (&"DAgger".into(), &2.into()));
    assert!(panel["figure"].as_str().unwrap().starts_with("<svg"));
    assert_eq!(client.get_json("/api/film/a%202/2").1["run"], "a 2");
    assert_eq!(files(dir.path()), before);
}

#[test]
fn requests_for_anything_but_listed_runs_are_refused() {
    let (site, _dir) = start();
    let client = site.client();
    let refused = [
        ("/api/film/a%202/1", 422),
        ("/api/film/a%202/7", 404),
        ("/api/film/a%202/x", 400),
        ("/api/film/../secret", 400),
        ("/api/film/%2e%2e%2fsecret/2", 404),
        ("/api/film/%2fetc%2fpasswd/2", 404),
        ("/api/film", 404),
        ("/secret", 404),
        ("/runs/a%201/log.bin", 404),
    ];
    for (path, expected) in refused {
        let (status, body) = client.get_json(path);
        assert_eq!(status, expected, "{path}: {body}");
        assert!(body["error"].is_string(), "{path}: {body}");
    }
    assert_eq!(client.post("/api/runs", &serde_json::json!({})).0, 405, "the page is read-only");
    assert_eq!(site.server.refused().total(), refused.len() as u64 + 1);
}
