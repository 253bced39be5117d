//! Writes the seeds that our own code can produce; the others in `corpus` are copies of test files.

use std::error::Error;
use std::io::{Cursor, Write};
use std::path::Path;

use tutelage::choice::TrainOn;
use tutelage::oracle::TrainingSets;
use tutelage::{Dataset, Oracle, Spaces, Stream};
use tutelage_files::npy;
use tutelage_oracles::mlp::{MlpClassifier, MlpSettings};
use tutelage_oracles::{LeastSquares, Standardize};
use tutelage_runs::store::RoundTimings;
use tutelage_tasks::bullet::{Normalizer, Robot};
use tutelage_tasks::experts::trpo::TrpoSettings;
use tutelage_tasks::experts::{Card, GaussianExpert, GaussianPolicy, TimeFeature, Training};
use tutelage_teach::{Note, ReplyKind};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let write = |name: &str, bytes: &[u8]| tutelage_files::replace(&corpus.join(name), bytes);

    let widths = [Robot::Hopper.state_width(), 3, Robot::Hopper.action_width()];
    let policy = GaussianPolicy::random(&widths, -1.0, &mut Stream::new(1).rng())?;
    let normalizer = Normalizer::new(vec![0.1; widths[0]], vec![0.7; widths[0]])?;
    let card = Card { seed: Some(3), command: Some("by hand".into()), ..Card::default() };
    let expert = GaussianExpert::new(Robot::Hopper, policy, normalizer, TimeFeature::Omitted, card);
    write("expert/hopper.safetensors", &expert.to_safetensors()?)?;
    expert.write(&corpus.join("npz/hopper.npz"))?;

    let settings = TrpoSettings {
        steps: 200,
        batch: 100,
        episode: 50,
        hidden: vec![3],
        trial_every: 1,
        trial_episodes: 1,
        ..TrpoSettings::default()
    };
    let mut training = Training::new(Robot::Hopper, settings, 5)?;
    training.advance()?;
    training.save(&corpus.join("checkpoint/hopper.checkpoint"))?;

    let spaces = Spaces { states: 2, actions: 3 };
    let mut data = Dataset::empty(spaces);
    let mut indices = Dataset::empty(spaces);
    for i in 0..5u16 {
        let x = f32::from(i);
        data.states.push(&[x, 1.0 - x * x]);
        data.actions.push(&[0.1 * x, -x, 0.5]);
        indices.states.push(&[x, 1.0 - x * x]);
        indices.actions.push(&[u32::from(i % 3)]);
    }
    let sets = TrainingSets::new(&data, TrainOn::Bootstrap, spaces, 2, Stream::new(1))?;
    let affine = LeastSquares { standardize: Standardize::Yes }.fit(&sets, &Stream::new(2))?;
    write("policy/affine.safetensors", &affine.to_safetensors()?)?;
    let sets = TrainingSets::new(&indices, TrainOn::Data, spaces, 1, Stream::new(1))?;
    let softmax = MlpClassifier::new(MlpSettings::new(&[4]))?.fit(&sets, &Stream::new(2))?;
    write("policy/softmax.safetensors", &softmax.to_safetensors()?)?;

    write("npy/single.npy", &npy::encode(&[2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]))?;
    write("npy/double.npy", &npy::encode(&[4], &[1.0f64, f64::NAN, -1.0, 1e300]))?;
    write("npy/flags.npy", &npy::encode(&[3], &[true, false, true]))?;

    let second =
        RoundTimings { round: 2, train: 1.5, memory: Some(1 << 20), ..RoundTimings::default() };
    let times = [RoundTimings { round: 1, collect: 0.25, ..RoundTimings::default() }, second];
    let note = |kind, action| Note {
        round: 1,
        row: 3,
        kind,
        id: "a-1".into(),
        action,
        loss: Some(0.5),
        seconds: 2.25,
    };
    let notes = [
        note(ReplyKind::Answer, Some(vec![0.5, -1.0])),
        note(ReplyKind::Again, Some(vec![0.25, 1.0])),
    ];
    write("times/times.jsonl", &lines(&times)?)?;
    write("teacher/teacher.jsonl", &lines(&notes)?)?;
    let log = std::fs::read(corpus.join("log/finished-1.bin"))?;
    let spec = std::fs::read(corpus.join("spec/drive.toml"))?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("spec.toml", &spec), ("log.bin", &log)] {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(bytes)?;
    }
    write("delivery/run.zip", &zip.finish()?.into_inner())?;
    Ok(())
}

/// Encodes each item as a line of JSON.
fn lines(items: &[impl serde::Serialize]) -> serde_json::Result<Vec<u8>> {
    let lines: Result<Vec<String>, _> = items.iter().map(serde_json::to_string).collect();
    Ok((lines?.join("\n") + "\n").into_bytes())
}
