//! Files that experts live in: safetensors (our own), NumPy archives, and Stable-Baselines3
//! archives.

mod arrays;
mod card;
mod npz;
mod pickle;
mod safetensors;
mod sb3;
mod torch;

use std::path::{Path, PathBuf};

use tutelage_envs::{NormalizerError, Robot};
use tutelage_files::MemoryBudget;
use tutelage_net::LayoutError;

use crate::GaussianExpert;

pub(crate) use arrays::{Array, Arrays, Precision};
pub use card::{Card, Score};
pub(crate) use safetensors::{decode, encode, read_bytes, write_atomically};

/// What reading a file of an expert may take in all: what it unpacks to, the values of its pickles,
/// names, shapes and numbers. Weights hardly compress, so that this is far more than any expert
/// takes.
pub(crate) fn budget(file: &[u8]) -> MemoryBudget {
    MemoryBudget::in_proportion(file, 32, 1 << 27)
}

/// As many axes as an array may have: more than any weights, and few enough for a message.
pub(crate) const MOST_AXES: usize = 32;

/// Why a file gave no expert, or could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// What the file holds is of no use.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The reason.
        problem: Problem,
    },
}

/// What is wrong with a file's content.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not a file of this kind, or a damaged one.
    #[error("not {expected}: {why}")]
    Foreign {
        /// What it should have been.
        expected: &'static str,
        /// How one can tell.
        why: String,
    },
    /// Written by a later version of this project.
    #[error("format version {found}; this program reads versions up to {known}")]
    Version {
        /// The file's version.
        found: u64,
        /// The latest one known.
        known: u64,
    },
    /// The expert is for another task.
    #[error("an expert for {found}, not for {expected}")]
    Task {
        /// The task asked for.
        expected: Robot,
        /// The task in the file.
        found: Robot,
    },
    /// The file does not say which task the expert is for.
    #[error("does not say which task it is for: name the task (on the command line: --task TASK)")]
    NoTask,
    /// An array is not there.
    #[error("has no array {name}; an expert has {needed}")]
    Missing {
        /// Its name.
        name: String,
        /// All names.
        needed: &'static str,
    },
    /// An array has another shape than the task takes.
    #[error("{name} has shape {found:?}, but {task} takes {expected:?}")]
    Shape {
        /// The array: `W0` is the first layer's matrix, `b0` its bias, and so on.
        name: String,
        /// The task.
        task: Robot,
        /// What it takes.
        expected: Vec<usize>,
        /// What there was.
        found: Vec<usize>,
    },
    /// A number is not finite.
    #[error("{name}[{index}] is {value}, but must be finite")]
    NotFinite {
        /// The array.
        name: String,
        /// The place in it, counted over all its numbers.
        index: usize,
        /// What stood there.
        value: f64,
    },
    /// Statistics that cannot normalize.
    #[error("the state normalization: {0}")]
    Normalizer(#[from] NormalizerError),
    /// A shape that no network has.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Something this project's experts do not have.
    #[error("{what} is {found}; only {supported} is supported")]
    Unsupported {
        /// What it is about.
        what: &'static str,
        /// What the file wants.
        found: String,
        /// What there is.
        supported: &'static str,
    },
}

impl Problem {
    pub(crate) fn foreign(expected: &'static str, why: impl ToString) -> Self {
        Self::Foreign { expected, why: why.to_string() }
    }

    pub(crate) fn at(self, path: &Path) -> FileError {
        FileError::Content { path: path.to_owned(), problem: self }
    }
}

/// The kinds of file, by their extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.safetensors`: everything that is known about an expert.
    Safetensors,
    /// `.npz`: NumPy arrays `W0 b0 W1 b1 …` (`[in, out]`), `logstd`, `rms_mean`, `rms_var`,
    /// `time_feature`.
    Npz,
    /// `.zip`: a Stable-Baselines3 PPO or TRPO agent; read only.
    StableBaselines3,
}

impl Format {
    /// The endings of files that can be written.
    pub const WRITABLE: [&'static str; 2] = ["safetensors", "npz"];

    /// The format that a file name says.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        match extension(path).to_ascii_lowercase().as_str() {
            "safetensors" => Ok(Self::Safetensors),
            "npz" => Ok(Self::Npz),
            "zip" => Ok(Self::StableBaselines3),
            _ => Err(Problem::Unsupported {
                what: "the file name's extension",
                found: format!("`{}`", extension(path)),
                supported: ".safetensors, .npz or .zip",
            }
            .at(path)),
        }
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

impl GaussianExpert {
    /// Reads an expert from a file, whose extension says how.
    ///
    /// A safetensors file knows its task; the other formats need to be told. `statistics` is the
    /// `vecnormalize.pkl` beside a Stable-Baselines3 agent; without it states are taken as they
    /// are.
    pub fn read(
        path: &Path,
        task: Option<Robot>,
        statistics: Option<&Path>,
    ) -> Result<Self, FileError> {
        // What is not there at all should not be blamed for what it does not say.
        std::fs::metadata(path)
            .map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        let expert = match Format::of(path)? {
            Format::Safetensors => Self::from_safetensors(&read_bytes(path)?),
            Format::Npz => task.ok_or(Problem::NoTask).and_then(|task| npz::read(path, task)),
            Format::StableBaselines3 => match task {
                None => Err(Problem::NoTask),
                Some(task) => return sb3::read(path, statistics, task),
            },
        };
        let expert = expert.map_err(|problem| problem.at(path))?;
        match task {
            Some(task) if task != expert.robot() => {
                Err(Problem::Task { expected: task, found: expert.robot() }.at(path))
            }
            _ => Ok(expert),
        }
    }

    /// Reads an expert for this task from the bytes of a NumPy archive.
    pub fn from_npz(bytes: &[u8], task: Robot) -> Result<Self, Problem> {
        npz::decode(bytes, task)
    }

    /// Reads an expert for this task from the bytes of a Stable-Baselines3 agent and, if given, of
    /// the `vecnormalize.pkl` beside it.
    pub fn from_stable_baselines3(
        agent: &[u8],
        statistics: Option<&[u8]>,
        task: Robot,
    ) -> Result<Self, Problem> {
        sb3::decode(agent, statistics, task)
    }

    /// Writes an expert to a file, whose extension says how. The file appears whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let bytes = match Format::of(path) {
            Ok(Format::Safetensors) => self.to_safetensors(),
            Ok(Format::Npz) => npz::encode(self),
            Ok(Format::StableBaselines3) | Err(_) => Err(Problem::Unsupported {
                what: "the file name's extension",
                found: format!("`{}`", extension(path)),
                supported: ".safetensors or .npz",
            }),
        };
        write_atomically(path, &bytes.map_err(|problem| problem.at(path))?)
    }
}
