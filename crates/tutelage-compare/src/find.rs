//! Finding and reading runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tutelage::Evaluation;
use tutelage_runs::RoundLine;
use tutelage_runs::store::{StoreError, read_any, read_spec};

use crate::{Fields, Run};

/// Why runs could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// A run's folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file or folder that could not be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that is no record of a run.
    #[error("{path} is no record of a run: {message}")]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Neither a run nor a folder with runs in it.
    #[error("{path} holds no runs: neither log.bin nor folders with one, nor records of runs")]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
}

/// The runs of a path: a run's folder, a folder that holds some (at any depth), a record of a run as `tutelage reproduce`
/// keeps them, or a folder of these. In the order of their names. Nothing is locked or written.
pub fn find(path: &Path) -> Result<Vec<Run>, FindError> {
    if path.is_file() {
        return Ok(vec![read_record(path)?]);
    }
    let mut runs = Vec::new();
    search(path, &mut runs)?;
    match runs.is_empty() {
        true => Err(FindError::Nothing { path: path.into() }),
        false => Ok(runs),
    }
}

fn search(folder: &Path, runs: &mut Vec<Run>) -> Result<(), FindError> {
    if folder.join("log.bin").is_file() {
        runs.push(read_run(folder)?);
        return Ok(());
    }
    let failed = |source| FindError::Io { path: folder.into(), source };
    let entries = fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>();
    let mut entries: Vec<PathBuf> =
        entries.map_err(failed)?.into_iter().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() && !entry.is_symlink() {
            search(&entry, runs)?;
        } else if looks_like_a_record(&entry) {
            runs.push(read_record(&entry)?);
        }
    }
    Ok(())
}

/// Other files may be called .json; a record is only what says that it is one.
fn looks_like_a_record(file: &Path) -> bool {
    let text = || fs::read_to_string(file).ok();
    file.extension().is_some_and(|ending| ending == "json")
        && text().is_some_and(|text| text.starts_with("{\"format\":"))
}

fn read_run(folder: &Path) -> Result<Run, FindError> {
    let history = read_any(folder)?;
    let fields = Fields::parse(history.spec());
    let states_per_round = fields.get("states_per_round").and_then(|k| k.parse().ok());
    let lines = history.lines(states_per_round.unwrap_or(0), &[]);
    let expert = history.expert().map(Evaluation::mean_reward);
    Ok(Run::new(folder.into(), history.spec(), lines, expert))
}

/// Other runs that a run builds on are told by their algorithm, since their folders differ from seed to seed.
pub(crate) fn name_sources(fields: &mut Fields) {
    if let Some(data) = fields.get("data") {
        let source = read_spec(Path::new(data)).ok().map(|spec| Fields::parse(&spec));
        let algorithm = source.and_then(|fields| fields.get("algorithm").map(str::to_owned));
        let task = fields.get("task").unwrap_or_default();
        let algorithm = algorithm.unwrap_or_else(|| without_seed(data, task));
        fields.set("data", algorithm);
    }
    if let Some(runs) = fields.get("d0").and_then(|d0| d0.strip_prefix("dagger:")) {
        let count = runs.split(',').count();
        let text = format!("states of {count} run{}", if count == 1 { "" } else { "s" });
        fields.set("d0", text);
    }
}

/// A folder's name up to where its class or its seed begins, without the task: the algorithm, as folders are usually named.
fn without_seed(folder: &str, task: &str) -> String {
    let name = Path::new(folder).file_name().unwrap_or_default().to_string_lossy();
    let name = name.split("-seed-").next().unwrap_or_default();
    let name = name.strip_prefix(&format!("{task}-")).unwrap_or(name);
    let end = ["-mlp-", "-linear"].iter().filter_map(|class| name.find(class)).min();
    name[..end.unwrap_or(name.len())].to_owned()
}

/// What of a record is needed here.
#[derive(Deserialize)]
struct Record {
    spec: String,
    expert_reward: Option<f64>,
    annotations: Vec<usize>,
    reward: Vec<f64>,
    reward_sd: Vec<f64>,
    reward_random: Option<Vec<f64>>,
    imitation_loss: Option<Vec<f64>>,
    #[serde(default)]
    expert_steps: Option<Vec<u64>>,
}

fn read_record(path: &Path) -> Result<Run, FindError> {
    let failed = |source| FindError::Io { path: path.into(), source };
    let text = fs::read_to_string(path).map_err(failed)?;
    let wrong = |message: String| FindError::Record { path: path.into(), message };
    let record: Record = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let rounds = record.reward.len();
    if record.annotations.len() != rounds || record.reward_sd.len() != rounds {
        return Err(wrong("its columns have different lengths".into()));
    }
    let at = |values: &Option<Vec<f64>>, i: usize| values.as_ref()?.get(i).copied();
    let line = |i: usize| RoundLine {
        round: i + 1,
        annotations: record.annotations[i],
        expert_steps: record.expert_steps.as_ref().and_then(|steps| steps.get(i).copied()),
        reward: record.reward[i],
        reward_sd: record.reward_sd[i],
        reward_random: at(&record.reward_random, i),
        imitation_loss: at(&record.imitation_loss, i),
        seconds: None,
    };
    let lines = (0..rounds).map(line).collect();
    Ok(Run::new(path.into(), &record.spec, lines, record.expert_reward))
}
