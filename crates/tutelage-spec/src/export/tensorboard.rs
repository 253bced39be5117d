//! Learning curves for TensorBoard. The file is derived from the log, so interruptions do not affect it.
//!
//! An event file is a sequence of records: a length, its checksum, a message and its checksum. The checksums are CRC-32C,
//! rotated and shifted by a constant.

use std::path::{Path, PathBuf};

use tutelage::evaluation::Evaluation;
use tutelage_runs::RoundLine;
use tutelage_runs::store::{AnyHistory, Disk, OsDisk, RoundResult, RoundTimings, StoreError};

use super::protobuf::Message;

/// The file name. Viewers look for `tfevents` in it.
const NAME: &str = "events.out.tfevents.0.tutelage";

/// Writes the learning curves of a run, over annotations, into a directory; returns the file.
pub fn write_tensorboard(
    history: &AnyHistory,
    lines: &[RoundLine],
    times: &[RoundTimings],
    folder: &Path,
) -> Result<PathBuf, StoreError> {
    std::fs::create_dir_all(folder).map_err(StoreError::io("create", folder))?;
    let path = tensorboard_file(folder);
    OsDisk
        .replace(&path, &events(history, lines, times))
        .map_err(StoreError::io("write", &path))?;
    Ok(path)
}

/// Returns the event file of a directory. TensorBoard shows one run per directory.
pub fn tensorboard_file(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Returns all events of a run. The clock is the run's total time in seconds.
fn events(history: &AnyHistory, lines: &[RoundLine], times: &[RoundTimings]) -> Vec<u8> {
    let mut bytes = record(&Message::new().double(1, 0.0).text(3, "brain.Event:2").finish());
    let mut clock = 0.0;
    for (line, result) in lines.iter().zip(history.results()) {
        let seconds = times.iter().find(|seconds| seconds.round == line.round);
        clock += seconds.map_or(0.0, RoundTimings::total);
        let values = values(line, result, history.expert(), seconds);
        let values = values
            .into_iter()
            .map(|(tag, value)| Message::new().text(1, tag).float(2, value as f32));
        let event = Message::new().double(1, clock).int(2, line.annotations as i64);
        bytes.extend(record(&event.message(5, Message::new().messages(1, values)).finish()));
    }
    bytes
}

/// Returns the known values of a round with their tags.
fn values(
    line: &RoundLine,
    result: &RoundResult,
    expert: Option<&Evaluation>,
    seconds: Option<&RoundTimings>,
) -> Vec<(&'static str, f64)> {
    let known = [
        ("eval/mean_reward", Some(line.reward)),
        ("eval/mean_ep_length", Some(result.deployed.mean_length())),
        ("eval/mean_reward_random_member", line.reward_random),
        ("eval/expert_reward", expert.map(Evaluation::mean_reward)),
        ("eval/imitation_loss", line.imitation_loss),
        ("rollout/round", Some(line.round as f64)),
        ("rollout/expert_steps", line.expert_steps.map(|steps| steps as f64)),
        ("time/collect", seconds.map(|seconds| seconds.collect)),
        ("time/annotate", seconds.map(|seconds| seconds.annotate)),
        ("time/train", seconds.map(|seconds| seconds.train)),
        ("time/evaluate", seconds.map(|seconds| seconds.evaluate)),
    ];
    known.into_iter().filter_map(|(tag, value)| Some((tag, value?))).collect()
}

fn record(message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u64).to_le_bytes();
    [&length[..], &checksum(&length), message, &checksum(message)].concat()
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::evaluation::Episode;
    use tutelage_runs::store::History;

    fn history() -> AnyHistory {
        let episode = Episode { reward: 7.0, length: 3, imitation_loss: Some(0.5) };
        let deployed = Evaluation { episodes: vec![episode] };
        let results = vec![RoundResult { round: 1, deployed: deployed.clone(), random: None }];
        AnyHistory::Vectors(History { results, expert: Some(deployed), ..History::default() })
    }

    #[test]
    fn checksums_are_masked_crc32c() {
        // Computed with TensorFlow's own definition: crc32c("") is 0, masked 0xa282ead8.
        assert_eq!(checksum(b""), 0xa282_ead8u32.to_le_bytes());
        // crc32c("123456789") = 0xe3069283.
        let masked = 0xe306_9283u32.rotate_right(15).wrapping_add(0xa282_ead8);
        assert_eq!(checksum(b"123456789"), masked.to_le_bytes());
        assert_eq!(record(b"abc").len(), 8 + 4 + 3 + 4);
    }

    #[test]
    fn events_are_deterministic() {
        let (history, folder) = (history(), tempfile::tempdir().unwrap());
        let lines = history.lines(10, &[]);
        let write = || write_tensorboard(&history, &lines, &[], folder.path()).unwrap();
        let first = std::fs::read(write()).unwrap();
        assert_eq!(first, std::fs::read(write()).unwrap());
        let text = String::from_utf8_lossy(&first);
        for tag in ["eval/mean_reward", "eval/imitation_loss", "eval/expert_reward"] {
            assert_eq!(text.matches(tag).count(), 1, "{tag}");
        }
        assert!(!text.contains("time/"), "no times were recorded");
    }
}
