//! The annotations of a run for other programs.

mod npz;
mod parquet;

use std::path::{Path, PathBuf};

use tutelage::Batch;

use crate::store::{Context, Disk, History, OsDisk, StoreError};

/// Every answered state of a run, in order of arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotations {
    /// The round of each row.
    pub rounds: Vec<u32>,
    /// The states, a row each.
    pub states: Batch<f32>,
    /// The expert's answers, a row each.
    pub actions: Batch<f32>,
}

/// Why annotations could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The expert has answered nothing yet.
    #[error("there are no annotations yet")]
    Empty,
    /// The file's ending says nothing.
    #[error("{path}: the ending says how to write it; allowed are .npz and .parquet")]
    Ending {
        /// The file asked for.
        path: PathBuf,
    },
    /// The format could not hold them.
    #[error("cannot write {path}: {source}")]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The disk failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Annotations {
    /// The annotations of a run, also those of a round under way.
    pub fn of(history: &History<f32, f32>) -> Result<Self, ExportError> {
        let mut answered = history.rounds.iter().zip(1..).filter_map(|(round, number)| {
            round.answers.as_ref().map(|answers| (number, &round.states, answers))
        });
        let (number, states, actions) = answered.next().ok_or(ExportError::Empty)?;
        let mut all = Self {
            rounds: vec![number; actions.len()],
            states: states.slice(0, actions.len()),
            actions: actions.clone(),
        };
        for (number, states, actions) in answered {
            all.rounds.extend(vec![number; actions.len()]);
            all.states.extend(&states.slice(0, actions.len()));
            all.actions.extend(actions);
        }
        Ok(all)
    }

    /// Writes a file of the format that its ending names: `.npz` or `.parquet`.
    pub fn write(&self, path: &Path) -> Result<(), ExportError> {
        let bytes = match path.extension().and_then(|ending| ending.to_str()) {
            Some("npz") => npz::encode(self),
            Some("parquet") => parquet::encode(self),
            _ => return Err(ExportError::Ending { path: path.into() }),
        };
        let bytes = bytes.map_err(|source| ExportError::Format { path: path.into(), source })?;
        Ok(OsDisk.replace(path, &bytes).context("write", path)?)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::store::Round;

    /// Two rounds, the second half answered.
    pub(crate) fn annotations() -> Annotations {
        let batch = |width, values: &[f32]| Batch::from_vec(width, values.to_vec()).unwrap();
        let rounds = vec![
            Round {
                states: batch(2, &[1.0, 2.0, 3.0, 4.0]),
                answers: Some(batch(1, &[0.5, -0.5])),
            },
            Round { states: batch(2, &[5.0, 6.0, 7.0, 8.0]), answers: Some(batch(1, &[1.5])) },
        ];
        Annotations::of(&History { rounds, ..History::default() }).unwrap()
    }

    #[test]
    fn only_answered_states_count() {
        let all = annotations();
        assert_eq!(all.rounds, [1, 1, 2]);
        assert_eq!(all.states.as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(all.actions.as_slice(), [0.5, -0.5, 1.5]);
        assert!(matches!(Annotations::of(&History::default()), Err(ExportError::Empty)));
    }

    #[test]
    fn an_unknown_ending_is_refused() {
        let error = annotations().write(Path::new("x.csv")).unwrap_err().to_string();
        assert!(error.contains("x.csv") && error.contains(".npz"), "{error}");
    }
}
