//! A training run in a file.

use std::path::Path;

use crate::bullet::Robot;
use serde::{Deserialize, Serialize};
use tutelage_net::Layout;

use crate::experts::files::{
    Array, Arrays, ContentError, FileError, decode, encode, read_bytes, write_atomically,
};
use crate::experts::training::{Training, Trial};
use crate::experts::trpo::{Iteration, TrpoLearner, TrpoSettings};
use crate::experts::{Card, TimeFeature};

const VERSION: u64 = 1;

/// Doubles are exact up to this count, and counts up to it do not overflow when training resumes.
const MAX_COUNT: u64 = 1 << 53;

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

/// Writes a run atomically.
pub(crate) fn write(training: &Training, path: &Path) -> Result<(), FileError> {
    let (learner, best) = (&training.learner, &training.best);
    let mut arrays = learner.arrays();
    let curve: Vec<f64> = training.curve.iter().flat_map(to_row).collect();
    arrays.insert("curve", Array::double(&[training.curve.len(), COLUMNS], &curve));
    if let Some(best) = best {
        for (name, array) in Arrays::of(&best.expert).0 {
            arrays.insert(format!("best.{name}"), array);
        }
    }
    let [iteration, steps, adam_steps] = learner.counts();
    let best = best.as_ref();
    let header = Header {
        checkpoint: VERSION,
        task: training.task.name().to_owned(),
        seed: learner.seed(),
        iteration,
        steps,
        adam_steps,
        settings: learner.settings().clone(),
        best: best.map(|best| BestHeader { score: best.score, card: best.expert.card().clone() }),
    };
    let bytes = encode(&arrays, &header).map_err(|error| error.at(path))?;
    write_atomically(path, &bytes)
}

/// The content of a checkpoint.
pub(crate) type Stored = (Robot, TrpoLearner, Vec<Iteration>, Option<Trial>);

/// Reads a run.
pub(crate) fn read(path: &Path) -> Result<Stored, FileError> {
    decode_run(&read_bytes(path)?).map_err(|error| error.at(path))
}

pub(crate) fn decode_run(bytes: &[u8]) -> Result<Stored, ContentError> {
    let invalid =
        |why: &dyn std::fmt::Display| ContentError::format("a checkpoint of training", why);
    let (arrays, header): (_, Header) = decode(bytes)?;
    if header.checkpoint > VERSION {
        return Err(ContentError::Version { found: header.checkpoint, known: VERSION });
    }
    let task: Robot = header.task.parse().map_err(|e| invalid(&e))?;
    check_sizes(&arrays, task, &header.settings)?;
    let counts = [header.iteration, header.steps, header.adam_steps];
    if let Some(count) = counts.iter().find(|count| **count > MAX_COUNT) {
        return Err(invalid(&format!("a count is {count}; at most {MAX_COUNT} are counted")));
    }
    let widths = (task.state_width(), task.action_width());
    let learner = TrpoLearner::blank(header.settings, widths, header.seed);
    let mut learner = learner.map_err(|e| invalid(&e))?;
    for (name, array) in learner.arrays().0 {
        arrays.checked(&name, task, &array.shape)?;
    }
    learner.restore(counts, &arrays)?;
    let curve = arrays.get("curve")?.values.as_chunks::<COLUMNS>().0.iter().map(from_row).collect();
    let best = header.best.map(|best| {
        let own = arrays.0.iter().filter_map(|(name, array)| {
            Some((name.strip_prefix("best.")?.to_owned(), array.clone()))
        });
        let expert = Arrays(own.collect()).expert(task, TimeFeature::Omitted, best.card)?;
        Ok::<_, ContentError>(Trial { score: best.score, expert })
    });
    Ok((task, learner, curve, best.transpose()?))
}

/// Checks that the stored networks have the sizes of the settings, before any allocation.
fn check_sizes(arrays: &Arrays, task: Robot, settings: &TrpoSettings) -> Result<(), ContentError> {
    let outputs = [("policy", task.action_width(), task.action_width()), ("value", 1, 0)];
    for (name, width, spreads) in outputs {
        let parameters = Layout::new(&settings.widths(task.state_width(), width))?.len();
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
    fn result_does_not_depend_on_interruptions_or_threads() {
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
    fn damaged_checkpoint_is_refused() {
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
