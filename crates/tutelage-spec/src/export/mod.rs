//! Exports of a run for other programs: annotations, learning curves and policies.

mod npz;
mod onnx;
mod policy;
mod protobuf;
mod tensorboard;

pub use onnx::{Interface, onnx};
pub use policy::export_policy;
pub use tensorboard::{tensorboard_file, write_tensorboard};

use std::path::{Path, PathBuf};

use tutelage::{Batch, Element};
use tutelage_runs::store::{AnyHistory, Disk, History, OsDisk, StoreError};

/// All labeled states of a run, in the order of the queries.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotations {
    /// The round of each row.
    pub rounds: Vec<u32>,
    /// The states, one per row.
    pub states: Rows,
    /// The expert's labels in the task's units, one per row.
    pub actions: Rows,
}

/// Rows of vectors or of indices.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// Real vectors.
    Vectors(Batch<f32>),
    /// Indices.
    Indices(Batch<u32>),
}

impl Rows {
    /// Returns the number of values in a row.
    pub fn width(&self) -> usize {
        match self {
            Self::Vectors(rows) => rows.width(),
            Self::Indices(rows) => rows.width(),
        }
    }
}

impl From<Batch<f32>> for Rows {
    fn from(rows: Batch<f32>) -> Self {
        Self::Vectors(rows)
    }
}

impl From<Batch<u32>> for Rows {
    fn from(rows: Batch<u32>) -> Self {
        Self::Indices(rows)
    }
}

/// Why annotations could not be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run has no annotations.
    #[error("the run has no annotations yet")]
    Empty,
    /// The file extension is unknown.
    #[error(
        "{0}: unknown file extension, expected .npz (Parquet files can be written from Python)"
    )]
    Ending(PathBuf),
    /// The annotations cannot be encoded.
    #[error("cannot encode {path}")]
    Format {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Annotations {
    /// Returns the annotations of a run, including those of an unfinished round.
    pub fn of(history: &AnyHistory) -> Result<Self, ExportError> {
        match history {
            AnyHistory::Vectors(history) => Self::of_history(history),
            AnyHistory::Indices(history) => Self::of_history(history),
            AnyHistory::Finite(history) => Self::of_history(history),
        }
    }

    fn of_history<S: Element, A: Element>(history: &History<S, A>) -> Result<Self, ExportError>
    where
        Rows: From<Batch<S>> + From<Batch<A>>,
    {
        let answered = history.rounds.iter().zip(1..).filter_map(|(round, number)| {
            let rows = round.labeled_rows();
            (!rows.is_empty()).then_some((number, round, rows))
        });
        let mut all: Option<(Vec<u32>, Batch<S>, Batch<A>)> = None;
        for (number, round, rows) in answered {
            let (rounds, states, actions) = all.get_or_insert_with(|| {
                (vec![], Batch::new(round.states.width()), Batch::new(round.labels.width()))
            });
            rounds.extend(vec![number; rows.len()]);
            states.extend(&round.states.select(&rows));
            actions.extend(&round.labels.select(&rows));
        }
        let (rounds, states, actions) = all.ok_or(ExportError::Empty)?;
        Ok(Self { rounds, states: states.into(), actions: actions.into() })
    }

    /// Writes the annotations as `.npz`.
    pub fn write(&self, path: &Path) -> Result<(), ExportError> {
        let bytes = match path.extension().and_then(|ending| ending.to_str()) {
            Some("npz") => npz::encode(self),
            _ => return Err(ExportError::Ending(path.into())),
        };
        let bytes = bytes.map_err(|source| ExportError::Format { path: path.into(), source })?;
        Ok(OsDisk.replace(path, &bytes).map_err(StoreError::io("write", path))?)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use tutelage::Dataset;
    use tutelage::lesson::Round;

    fn batch<T: tutelage::space::Element>(width: usize, values: &[T]) -> Batch<T> {
        Batch::from_vec(width, values.to_vec()).unwrap()
    }

    /// Two rounds, the second half labeled.
    pub(crate) fn annotations() -> Annotations {
        let first =
            Dataset { states: batch(2, &[1.0, 2.0, 3.0, 4.0]), actions: batch(1, &[0.5, -0.5]) };
        let mut second = Round::new(batch(2, &[7.0, 8.0, 5.0, 6.0]), 1);
        second.label(&[1], &batch(1, &[1.5]));
        let rounds = vec![Round::labeled(first), second];
        Annotations::of(&AnyHistory::Vectors(History { rounds, ..History::default() })).unwrap()
    }

    /// One round of indices.
    pub(crate) fn indices() -> Annotations {
        let data = Dataset { states: batch(1, &[0.5f32, 1.5]), actions: batch(1, &[2u32, 0]) };
        let rounds = vec![Round::labeled(data)];
        Annotations::of(&AnyHistory::Indices(History { rounds, ..History::default() })).unwrap()
    }

    #[test]
    fn only_labeled_states_are_exported() {
        let all = annotations();
        assert_eq!(all.rounds, [1, 1, 2]);
        assert_eq!(all.states, batch(2, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).into());
        assert_eq!(all.actions, batch(1, &[0.5f32, -0.5, 1.5]).into());
        let nothing = AnyHistory::Vectors(History::default());
        assert!(matches!(Annotations::of(&nothing), Err(ExportError::Empty)));
        assert_eq!(indices().actions, batch(1, &[2u32, 0]).into());
    }

    #[test]
    fn unknown_extensions_are_rejected() {
        for file in ["x.csv", "x.parquet", "x"] {
            let error = annotations().write(Path::new(file)).unwrap_err();
            assert!(matches!(error, ExportError::Ending(path) if path == Path::new(file)));
        }
    }
}
