//! Our own format: safetensors with one metadata entry, a JSON text.

use std::collections::HashMap;
use std::path::Path;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tutelage_envs::Robot;
use tutelage_files::check_safetensors_header;

use super::{Array, Arrays, Card, FileError, MOST_AXES, Precision, Problem};
use crate::{GaussianExpert, TimeFeature};

/// The key of the metadata entry. A single one, because their order in a file is not defined.
const KEY: &str = "tutelage";

const EXPECTED: &str = "a safetensors file of this project";

/// The format's version, raised with every change that older programs cannot read.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    task: String,
    time_feature: bool,
    #[serde(flatten)]
    card: Card,
}

impl GaussianExpert {
    /// Reads an expert from the bytes of a safetensors file.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, Problem> {
        let (arrays, header): (_, Header) = decode(bytes)?;
        if header.format > VERSION {
            return Err(Problem::Version { found: header.format, known: VERSION });
        }
        let task: Robot = header.task.parse().map_err(|e| Problem::foreign(EXPECTED, e))?;
        let time_feature =
            if header.time_feature { TimeFeature::Included } else { TimeFeature::Omitted };
        arrays.expert(task, time_feature, header.card)
    }

    /// The bytes of a safetensors file that holds this expert.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, Problem> {
        let header = Header {
            format: VERSION,
            task: self.robot().name().to_owned(),
            time_feature: self.time_feature() == TimeFeature::Included,
            card: self.card().clone(),
        };
        encode(&Arrays::of(self), &header)
    }
}

/// Arrays and a header as the bytes of a safetensors file.
pub(crate) fn encode(arrays: &Arrays, header: &impl Serialize) -> Result<Vec<u8>, Problem> {
    let foreign = |why: String| Problem::Foreign { expected: EXPECTED, why };
    let bytes: Vec<(&String, &Array, Vec<u8>)> =
        arrays.0.iter().map(|(name, array)| (name, array, array_bytes(array))).collect();
    let mut views = Vec::new();
    for (name, array, bytes) in &bytes {
        let dtype = match array.precision {
            Precision::Single => Dtype::F32,
            Precision::Double => Dtype::F64,
        };
        let view = TensorView::new(dtype, array.shape.clone(), bytes);
        views.push((*name, view.map_err(|e| foreign(format!("{name}: {e}")))?));
    }
    let text = serde_json::to_string(header).map_err(|e| foreign(e.to_string()))?;
    let metadata = HashMap::from([(KEY.to_owned(), text)]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| foreign(e.to_string()))
}

/// The arrays and the header in the bytes of a safetensors file.
pub(crate) fn decode<H: DeserializeOwned>(bytes: &[u8]) -> Result<(Arrays, H), Problem> {
    let foreign = |why: String| Problem::Foreign { expected: EXPECTED, why };
    check_safetensors_header(bytes).map_err(|e| foreign(e.to_string()))?;
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| foreign(e.to_string()))?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get(KEY));
    let text = text.ok_or_else(|| foreign(format!("it has no metadata entry `{KEY}`")))?;
    let header = serde_json::from_str(text).map_err(|e| foreign(e.to_string()))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| foreign(e.to_string()))?;
    let mut arrays = Arrays::default();
    for (name, view) in tensors.tensors() {
        if view.shape().len() > MOST_AXES {
            let axes = view.shape().len();
            return Err(foreign(format!("{name} has {axes} axes; at most {MOST_AXES} are read")));
        }
        let (values, precision) = match view.dtype() {
            Dtype::F32 => (
                chunks(view.data()).map(|b| f64::from(f32::from_le_bytes(b))).collect(),
                Precision::Single,
            ),
            Dtype::F64 => {
                (chunks(view.data()).map(f64::from_le_bytes).collect(), Precision::Double)
            }
            other => return Err(foreign(format!("{name} holds {other:?}, not floats"))),
        };
        arrays.insert(name, Array { shape: view.shape().to_vec(), values, precision });
    }
    Ok((arrays, header))
}

fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

fn array_bytes(array: &Array) -> Vec<u8> {
    match array.precision {
        Precision::Single => array.values.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect(),
        Precision::Double => array.values.iter().flat_map(|x| x.to_le_bytes()).collect(),
    }
}

/// No expert, agent or checkpoint is longer.
const LIMIT: u64 = 1 << 26;

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    tutelage_files::read(path, LIMIT)
        .map_err(|source| FileError::Io { path: path.to_owned(), source })
}

/// Replaces a file as a whole: a reader sees the old content or the new one, also after a crash.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    tutelage_files::replace(path, bytes)
        .map_err(|source| FileError::Io { path: path.to_owned(), source })
}
