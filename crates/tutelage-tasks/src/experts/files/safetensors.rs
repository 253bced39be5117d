//! Our format: safetensors with one metadata entry of JSON.

use std::collections::HashMap;
use std::path::Path;

use crate::bullet::Robot;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tutelage_files::check_safetensors_header;

use super::{Array, Arrays, Card, ContentError, FileError, MAX_AXES, Precision};
use crate::experts::{GaussianExpert, TimeFeature};

/// The key of the metadata entry. There is one only, because their order in a file is undefined.
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
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, ContentError> {
        let (arrays, header): (_, Header) = decode(bytes)?;
        if header.format > VERSION {
            return Err(ContentError::Version { found: header.format, known: VERSION });
        }
        let task: Robot = header.task.parse().map_err(|e| ContentError::format(EXPECTED, e))?;
        let time_feature =
            if header.time_feature { TimeFeature::Included } else { TimeFeature::Omitted };
        arrays.expert(task, time_feature, header.card)
    }

    /// Encodes this expert as the bytes of a safetensors file.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, ContentError> {
        let header = Header {
            format: VERSION,
            task: self.robot().name().to_owned(),
            time_feature: self.time_feature() == TimeFeature::Included,
            card: self.card().clone(),
        };
        encode(&Arrays::of(self), &header)
    }
}

/// Encodes arrays and a header as the bytes of a safetensors file.
pub(crate) fn encode(arrays: &Arrays, header: &impl Serialize) -> Result<Vec<u8>, ContentError> {
    let invalid = |why: &dyn std::fmt::Display| ContentError::format(EXPECTED, why);
    let bytes: Vec<(&String, &Array, Vec<u8>)> =
        arrays.0.iter().map(|(name, array)| (name, array, array.bytes())).collect();
    let mut views = Vec::new();
    for (name, array, bytes) in &bytes {
        let dtype = match array.precision {
            Precision::Single => Dtype::F32,
            Precision::Double => Dtype::F64,
        };
        let view = TensorView::new(dtype, array.shape.clone(), bytes);
        views.push((*name, view.map_err(|e| invalid(&format!("{name}: {e}")))?));
    }
    let text = serde_json::to_string(header).map_err(|e| invalid(&e))?;
    let metadata = HashMap::from([(KEY.to_owned(), text)]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| invalid(&e))
}

/// Decodes the arrays and the header of a safetensors file.
pub(crate) fn decode<H: DeserializeOwned>(bytes: &[u8]) -> Result<(Arrays, H), ContentError> {
    let invalid = |why: &dyn std::fmt::Display| ContentError::format(EXPECTED, why);
    check_safetensors_header(bytes).map_err(|e| invalid(&e))?;
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| invalid(&e))?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get(KEY));
    let text = text.ok_or_else(|| invalid(&format!("it has no metadata entry `{KEY}`")))?;
    let header = serde_json::from_str(text).map_err(|e| invalid(&e))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| invalid(&e))?;
    let mut arrays = Arrays::default();
    for (name, view) in tensors.tensors() {
        if view.shape().len() > MAX_AXES {
            let axes = view.shape().len();
            return Err(invalid(&format!("{name} has {axes} axes; at most {MAX_AXES} are read")));
        }
        let precision = match view.dtype() {
            Dtype::F32 => Precision::Single,
            Dtype::F64 => Precision::Double,
            other => return Err(invalid(&format!("{name} holds {other:?}, not floats"))),
        };
        let values = precision.decode(view.data());
        arrays.insert(name, Array { shape: view.shape().to_vec(), values, precision });
    }
    Ok((arrays, header))
}

/// The maximum size of an expert, agent or checkpoint.
const LIMIT: u64 = 1 << 26;

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    tutelage_files::read(path, LIMIT)
        .map_err(|error| FileError::Io { path: path.to_owned(), error })
}

/// Replaces a file. A reader sees the old content or the new one, even after a crash.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    tutelage_files::replace(path, bytes)
        .map_err(|error| FileError::Io { path: path.to_owned(), error })
}
