//! NumPy archives: `W0 b0 W1 b1 …` (`[in, out]`, tanh between), `logstd`, `rms_mean`, `rms_var`,
//! `time_feature`.

use std::path::Path;

use tutelage_envs::Robot;
use tutelage_files::npy::{self, NpyType};
use tutelage_files::npz::{self, NpzWriter};

use super::{Array, Arrays, Card, Precision, Problem, budget, read_bytes};
use crate::{GaussianExpert, TimeFeature};

const EXPECTED: &str = "a NumPy archive of an expert";

/// Reads an expert for this task.
pub(crate) fn read(path: &Path, task: Robot) -> Result<GaussianExpert, Problem> {
    let bytes = read_bytes(path).map_err(|e| Problem::foreign(EXPECTED, e))?;
    decode(&bytes, task)
}

pub(crate) fn decode(bytes: &[u8], task: Robot) -> Result<GaussianExpert, Problem> {
    let mut arrays = Arrays::default();
    let mut time_feature = TimeFeature::Omitted;
    let stored = npz::decode(bytes, &mut budget(bytes));
    for (name, array) in stored.map_err(|e| Problem::foreign(EXPECTED, e))? {
        if name == "time_feature" {
            let is_set = array.values.iter().any(|&flag| flag != 0.0);
            time_feature = if is_set { TimeFeature::Included } else { TimeFeature::Omitted };
        } else {
            let array = floats(&name, array)?;
            arrays.insert(name, array);
        }
    }
    arrays.expert(task, time_feature, Card::default())
}

/// An array of single or double precision.
fn floats(name: &str, array: npy::NpyArray) -> Result<Array, Problem> {
    let npy::NpyArray { shape, kind, values } = array;
    let precision = match kind {
        NpyType::Single => Precision::Single,
        NpyType::Double => Precision::Double,
        other => return Err(Problem::foreign(EXPECTED, format!("{name}: {other:?}, not floats"))),
    };
    Ok(Array { shape, values, precision })
}

/// The bytes of an archive that holds this expert.
pub(crate) fn encode(expert: &GaussianExpert) -> Result<Vec<u8>, Problem> {
    let written = || -> std::io::Result<Vec<u8>> {
        let mut archive = NpzWriter::stored();
        for (name, array) in &Arrays::of(expert).0 {
            match array.precision {
                Precision::Single => archive.add(name, &array.shape, &array.to_f32())?,
                Precision::Double => archive.add(name, &array.shape, &array.values)?,
            }
        }
        archive.add(
            "time_feature",
            &[],
            &[i64::from(expert.time_feature() == TimeFeature::Included)],
        )?;
        archive.finish()
    };
    written().map_err(|e| Problem::foreign(EXPECTED, e))
}
