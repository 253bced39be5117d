//! A training run in a file.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tutelage_envs::Robot;
use tutelage_net::Layout;

use crate::files::{
    Array, Arrays, FileError, Problem, decode, encode, read_bytes, write_atomically,
};
use crate::training::{Training, Trial};
use crate::trpo::{Iteration, Learner, LearnerState, TrpoSettings};
use crate::{Card, TimeFeature};

const VERSION: u64 = 1;

/// As many as doubles tell apart, so that none overflows when training goes on.
const MOST_COUNTED: u64 = 1 << 53;

/// The columns of the stored learning curve, after iteration and steps.
const COLUMNS: usize = 7;

#[derive(Serialize, Deserialize)]
struct Header {
    checkpoint: u64,
    task: String,
    seed: u64,
    iteration: u64,
    steps: u64,
    adam_steps: u64,
    settings: TrpoSettings,
    best: Option<BestHeader>,
}

#[derive(Serialize, Deserialize)]
struct BestHeader {
    score: f64,
    card: Card,
}

/// Writes a run, replacing an older checkpoint as a whole.
pub(crate) fn write(training: &Training, path: &Path) -> Result<(), FileError> {
    let LearnerState { iteration, steps, adam_steps, vectors, statistics } =
        training.learner.state();
    let mut arrays = Arrays::default();
    for (name, values) in vectors {
        arrays.insert(name, Array::single(&[values.len()], &values));
    }
    for (name, values) in statistics {
        arrays.insert(name, Array::double(&[values.len()], &values));
    }
    let curve: Vec<f64> = training.curve.iter().flat_map(to_row).collect();
    arrays.insert("curve", Array::double(&[training.curve.len(), COLUMNS], &curve));
    if let Some(best) = &training.best {
        for (name, array) in Arrays::of(&best.expert).0 {
            arrays.insert(format!("best.{name}"), array);
        }
    }
    let header = Header {
        checkpoint: VERSION,
        task: training.task.name().to_owned(),
        seed: training.learner.seed(),
        iteration,
        steps,
        adam_steps,
        settings: training.learner.settings().clone(),
        best: training
            .best
            .as_ref()
            .map(|best| BestHeader { score: best.score, card: best.expert.card().clone() }),
    };
    let bytes = encode(&arrays, &header).map_err(|problem| problem.at(path))?;
    write_atomically(path, &bytes)
}

/// What a checkpoint holds.
type Stored = (Robot, Learner, Vec<Iteration>, Option<Trial>);

/// Reads a run.
pub(crate) fn read(path: &Path) -> Result<Stored, FileError> {
    decode_run(&read_bytes(path)?).map_err(|problem| problem.at(path))
}

pub(crate) fn decode_run(bytes: &[u8]) -> Result<Stored, Problem> {
    let foreign = |why: &dyn std::fmt::Display| Problem::foreign("a checkpoint of training", why);
    let (arrays, header): (_, Header) = decode(bytes)?;
    if header.checkpoint > VERSION {
        return Err(Problem::Version { found: header.checkpoint, known: VERSION });
    }
    let task: Robot = header.task.parse().map_err(|e| foreign(&e))?;
    let widths = (task.state_width(), task.action_width());
    check_sizes(&arrays, task, &header.settings)?;
    let Header { iteration, steps, adam_steps, .. } = header;
    let counts = [("iteration", iteration), ("steps", steps), ("adam_steps", adam_steps)];
    if let Some((name, count)) = counts.into_iter().find(|(_, count)| *count > MOST_COUNTED) {
        return Err(foreign(&format!("{name} is {count}; at most {MOST_COUNTED} are counted")));
    }
    let mut learner =
        Learner::blank(header.settings, widths, header.seed).map_err(|e| foreign(&e))?;
    let mut state = learner.state();
    for (name, values) in &mut state.vectors {
        *values = arrays.checked(name, task, &[values.len()])?.to_f32();
    }
    for (name, values) in &mut state.statistics {
        *values = arrays.checked(name, task, &[values.len()])?.values.clone();
    }
    learner.restore(LearnerState { iteration, steps, adam_steps, ..state });
    let curve = arrays.get("curve")?.values.as_chunks::<COLUMNS>().0.iter().map(from_row).collect();
    let best = header.best.map(|best| {
        let mut own = Arrays::default();
        for (name, array) in &arrays.0 {
            if let Some(name) = name.strip_prefix("best.") {
                own.insert(name, array.clone());
            }
        }
        let expert = own.expert(task, TimeFeature::Omitted, best.card)?;
        Ok::<_, Problem>(Trial { score: best.score, expert })
    });
    Ok((task, learner, curve, best.transpose()?))
}

/// Whether the settings' networks have the sizes of those that are there, before any is made.
fn check_sizes(arrays: &Arrays, task: Robot, settings: &TrpoSettings) -> Result<(), Problem> {
    let outputs = [("policy", task.action_width(), task.action_width()), ("value", 1, 0)];
    for (name, width, spreads) in outputs {
        let hidden = settings.hidden.iter().copied();
        let widths: Vec<usize> =
            [task.state_width()].into_iter().chain(hidden).chain([width]).collect();
        let parameters = Layout::new(&widths)?.len();
        arrays.checked(name, task, &[parameters + spreads])?;
    }
    Ok(())
}

fn to_row(iteration: &Iteration) -> [f64; COLUMNS] {
    let Iteration { iteration, steps, reward, length, kl, entropy, explained_variance } =
        *iteration;
    [iteration as f64, steps as f64, reward, length, kl, entropy, explained_variance]
}

fn from_row(row: &[f64; COLUMNS]) -> Iteration {
    let [iteration, steps, reward, length, kl, entropy, explained_variance] = *row;
    let (iteration, steps) = (iteration as u64, steps as u64);
    Iteration { iteration, steps, reward, length, kl, entropy, explained_variance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> TrpoSettings {
        TrpoSettings {
            steps: 8000,
            batch: 2000,
            hidden: vec![16],
            trial_every: 2,
            trial_episodes: 2,
            ..TrpoSettings::default()
        }
    }

    fn finish(mut training: Training, path: &Path) -> Vec<u8> {
        while !training.is_done() {
            training.advance().unwrap();
        }
        training.save(path).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn interruption_and_threads_change_no_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.checkpoint");
        let start = || Training::new(Robot::Hopper, settings(), 5).unwrap();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| finish(start(), &path))
        };
        let whole = run(1);
        assert_eq!(run(2), whole);

        let mut interrupted = start();
        for _ in 0..3 {
            interrupted.advance().unwrap();
            interrupted.save(&path).unwrap();
            interrupted = Training::resume(&path).unwrap();
        }
        assert!(!interrupted.is_done() && interrupted.best().is_some());
        assert_eq!(finish(interrupted, &path), whole);
    }

    #[test]
    fn a_damaged_checkpoint_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.checkpoint");
        Training::new(Robot::Ant, settings(), 1).unwrap().save(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 40]).unwrap();
        let error = Training::resume(&path).err().unwrap().to_string();
        assert!(error.contains("run.checkpoint: not a safetensors file"), "{error}");
        let error = Training::resume(&folder.path().join("none")).err().unwrap().to_string();
        assert!(error.contains("none: No such file"), "{error}");
    }
}
