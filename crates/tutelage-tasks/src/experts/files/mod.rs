//! Expert files: safetensors (our format), NumPy archives, and Stable-Baselines3 archives.

mod arrays;
mod card;
mod npz;
mod pickle;
mod safetensors;
mod sb3;
mod torch;

use std::io;
use std::path::{Path, PathBuf};

use crate::bullet::{NormalizerError, Robot};
use tutelage_files::MemoryBudget;
use tutelage_net::LayoutError;

use crate::experts::GaussianExpert;

pub(crate) use arrays::{Array, Arrays, Precision};
pub use card::{Card, Score};
pub(crate) use safetensors::{decode, encode, read_bytes, write_atomically};

/// The memory that decoding an expert may take: unpacked data, values of pickles, names, shapes and
/// numbers. Weights hardly compress, so this is far more than an expert needs.
pub(crate) fn budget(file: &[u8]) -> MemoryBudget {
    MemoryBudget::in_proportion(file, 32, 1 << 27)
}

/// The largest number of axes of an array: more than any weights have, and few enough for a
/// message.
pub(crate) const MAX_AXES: usize = 32;

/// An expert's file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system reports an error.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The content is invalid.
    #[error("{}: {error}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The error.
        error: ContentError,
    },
}

/// The content of an expert's file is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContentError {
    /// The file has another format, or is damaged.
    #[error("not {expected}: {why}")]
    Format {
        /// The expected format.
        expected: &'static str,
        /// The reason.
        why: String,
    },
    /// A later version of this project wrote the file.
    #[error("format version {found}; this program reads versions up to {known}")]
    Version {
        /// The version of the file.
        found: u64,
        /// The latest known version.
        known: u64,
    },
    /// The expert is for another task.
    #[error("an expert for {found}, not for {expected}")]
    Task {
        /// The task of the caller.
        expected: Robot,
        /// The task in the file.
        found: Robot,
    },
    /// The format does not store the task, and the caller did not name it.
    #[error("does not say which task it is for; name the task")]
    NoTask,
    /// An array is missing.
    #[error("has no array {name}; an expert has {needed}")]
    Missing {
        /// The array.
        name: String,
        /// The arrays of an expert.
        needed: &'static str,
    },
    /// The shape of an array does not fit the task.
    #[error("{name} has shape {found:?}, but {task} takes {expected:?}")]
    Shape {
        /// The array: `W0` is the first layer's matrix, `b0` its bias, and so on.
        name: String,
        /// The task.
        task: Robot,
        /// The shape that the task takes.
        expected: Vec<usize>,
        /// The shape in the file.
        found: Vec<usize>,
    },
    /// A number is not finite.
    #[error("{name}[{index}] is {value}, but must be finite")]
    NotFinite {
        /// The array.
        name: String,
        /// The index over all numbers of the array.
        index: usize,
        /// The number.
        value: f64,
    },
    /// The statistics cannot normalize.
    #[error("the state normalization: {0}")]
    Normalizer(NormalizerError),
    /// The network's shape is invalid.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The experts of this project lack a feature of the file.
    #[error("{what} is {found}; only {supported} is supported")]
    Unsupported {
        /// The feature.
        what: &'static str,
        /// Its value in the file.
        found: String,
        /// The supported value.
        supported: &'static str,
    },
}

impl ContentError {
    pub(crate) fn format(expected: &'static str, why: impl ToString) -> Self {
        Self::Format { expected, why: why.to_string() }
    }

    fn extension(found: &str, supported: &'static str) -> Self {
        let (what, found) = ("the file name's extension", format!("`{found}`"));
        Self::Unsupported { what, found, supported }
    }

    pub(crate) fn at(self, path: &Path) -> FileError {
        FileError::Content { path: path.to_owned(), error: self }
    }
}

/// The extensions of files that can be written.
pub const WRITABLE_EXTENSIONS: [&str; 2] = ["safetensors", "npz"];

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

impl GaussianExpert {
    /// Reads an expert from a file. The extension determines the format:
    ///
    /// - `.safetensors`: our format, which stores the task,
    /// - `.npz`: NumPy arrays `W0 b0 W1 b1 …` (`[in, out]`), `logstd`, `rms_mean`, `rms_var`,
    ///   `time_feature`; `task` is required,
    /// - `.zip`: a Stable-Baselines3 PPO or TRPO agent; `task` is required. `statistics` is its
    ///   `vecnormalize.pkl`; without it states are not normalized.
    pub fn read(
        path: &Path,
        task: Option<Robot>,
        statistics: Option<&Path>,
    ) -> Result<Self, FileError> {
        let bytes = read_bytes(path)?;
        let named = task.ok_or(ContentError::NoTask);
        let expert = match extension(path).as_str() {
            "safetensors" => Self::from_safetensors(&bytes),
            "npz" => named.and_then(|task| Self::from_npz(&bytes, task)),
            "zip" => {
                let statistics = statistics
                    .map(|path| sb3::statistics(&read_bytes(path)?).map_err(|e| e.at(path)));
                let statistics = statistics.transpose()?.flatten();
                named.and_then(|task| sb3::decode(&bytes, statistics, task))
            }
            other => Err(ContentError::extension(other, ".safetensors, .npz or .zip")),
        };
        let expert = expert.map_err(|error| error.at(path))?;
        match task {
            Some(task) if task != expert.robot() => {
                Err(ContentError::Task { expected: task, found: expert.robot() }.at(path))
            }
            _ => Ok(expert),
        }
    }

    /// Reads an expert for this task from the bytes of a NumPy archive.
    pub fn from_npz(bytes: &[u8], task: Robot) -> Result<Self, ContentError> {
        npz::decode(bytes, task)
    }

    /// Reads an expert for this task from the bytes of a Stable-Baselines3 agent and, if given, of
    /// its `vecnormalize.pkl`.
    pub fn from_stable_baselines3(
        agent: &[u8],
        statistics: Option<&[u8]>,
        task: Robot,
    ) -> Result<Self, ContentError> {
        let statistics = statistics.map(sb3::statistics).transpose()?.flatten();
        sb3::decode(agent, statistics, task)
    }

    /// Writes an expert to a file atomically, in the format of its extension.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let bytes = match extension(path).as_str() {
            "safetensors" => self.to_safetensors(),
            "npz" => npz::encode(self),
            other => Err(ContentError::extension(other, ".safetensors or .npz")),
        };
        write_atomically(path, &bytes.map_err(|error| error.at(path))?)
    }
}
