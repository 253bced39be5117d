//! NumPy archives: `W0 b0 W1 b1 …` (`[in, out]`, tanh between layers), `logstd`, `rms_mean`,
//! `rms_var`, `time_feature`.

use crate::bullet::Robot;
use tutelage_files::npy::{NpyArray, NpyType};
use tutelage_files::npz::{self, NpzWriter};

use super::{Array, Arrays, Card, ContentError, Precision, budget};
use crate::experts::{GaussianExpert, TimeFeature};

const EXPECTED: &str = "a NumPy archive of an expert";

pub(crate) fn decode(bytes: &[u8], task: Robot) -> Result<GaussianExpert, ContentError> {
    let mut arrays = Arrays::default();
    let mut time_feature = TimeFeature::Omitted;
    let stored = npz::decode(bytes, &mut budget(bytes));
    for (name, array) in stored.map_err(|e| ContentError::format(EXPECTED, e))? {
        if name == "time_feature" {
            let is_set = array.values.iter().any(|&flag| flag != 0.0);
            time_feature = if is_set { TimeFeature::Included } else { TimeFeature::Omitted };
            continue;
        }
        let NpyArray { shape, kind, values } = array;
        let precision = match kind {
            NpyType::Single => Precision::Single,
            NpyType::Double => Precision::Double,
            other => {
                let why = format!("{name}: {other:?}, not floats");
                return Err(ContentError::format(EXPECTED, why));
            }
        };
        arrays.insert(name, Array { shape, values, precision });
    }
    arrays.expert(task, time_feature, Card::default())
}

/// Encodes an expert as the bytes of an archive.
pub(crate) fn encode(expert: &GaussianExpert) -> Result<Vec<u8>, ContentError> {
    let written = || -> std::io::Result<Vec<u8>> {
        let mut archive = NpzWriter::stored();
        for (name, array) in &Arrays::of(expert).0 {
            match array.precision {
                Precision::Single => archive.add(name, &array.shape, &array.to_f32())?,
                Precision::Double => archive.add(name, &array.shape, &array.values)?,
            }
        }
        let time_feature = i64::from(expert.time_feature() == TimeFeature::Included);
        archive.add("time_feature", &[], &[time_feature])?;
        archive.finish()
    };
    written().map_err(|e| ContentError::format(EXPECTED, e))
}
