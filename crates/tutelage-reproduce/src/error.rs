//! The error of figures and reports.

use tutelage_compare::CompareError;
use tutelage_draw::plot::FigureError;
use tutelage_theory::TheoryError;

use crate::report::{END, KNOWN};
use crate::{ArchiveError, ExperimentError, PlanError};

/// Why runs could not be compared, or a figure or a report could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// The figure is invalid.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// The figure cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A record could not be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The runs cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The picture could not be made.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// A game on a finite MDP failed.
    #[error(transparent)]
    Theory(#[from] TheoryError),
    /// No run of this figure is finished.
    #[error("no run of {0} is finished yet")]
    Nothing(String),
    /// There are too few states for a map.
    #[error("{0} states are too few for a map; at least 10 are needed")]
    TooFewStates(usize),
    /// The requested table does not exist.
    #[error("line {line}: unknown table `{text}`; expected {KNOWN}")]
    Table {
        /// The line, from 1.
        line: usize,
        /// The request.
        text: String,
    },
    /// The end of a table, which starts in this line, is missing.
    #[error("line {0}: no `{END}` follows")]
    NoEnd(usize),
    /// The curve does not exist.
    #[error("unknown curve `{0}`")]
    Curve(String),
    /// The list of claims is invalid.
    #[error("experiments/claims.toml: {0}")]
    Claims(String),
}
