//! NumPy archives: `W0 b0 W1 b1 …` (`[in, out]`, tanh between), `logstd`, `rms_mean`, `rms_var`, `time_feature`.

use std::io::{Cursor, Read, Seek};
use std::path::Path;

use ndarray::{ArrayD, IxDyn, arr0};
use ndarray_npy::{NpzReader, NpzWriter, ReadNpzError};
use tutelage_envs::Task;

use super::{Array, Arrays, Card, Precision, Problem, read_bytes};
use crate::{Clock, GaussianExpert};

const EXPECTED: &str = "a NumPy archive of an expert";

/// Reads an expert for this task.
pub(crate) fn read(path: &Path, task: Task) -> Result<GaussianExpert, Problem> {
    let bytes = read_bytes(path).map_err(|e| Problem::foreign(EXPECTED, e))?;
    decode(&bytes, task)
}

fn decode(bytes: &[u8], task: Task) -> Result<GaussianExpert, Problem> {
    let foreign = |e: &dyn std::fmt::Display| Problem::foreign(EXPECTED, e);
    let mut archive = NpzReader::new(Cursor::new(bytes)).map_err(|e| foreign(&e))?;
    let mut arrays = Arrays::default();
    let mut clock = Clock::Hidden;
    for name in archive.names().map_err(|e| foreign(&e))? {
        let short = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
        if short == "time_feature" {
            clock = if is_set(&mut archive, &name)? { Clock::Shown } else { Clock::Hidden };
        } else {
            arrays.insert(short, floats(&mut archive, &name)?);
        }
    }
    arrays.expert(task, clock, Card::default())
}

/// An array of single or double precision.
fn floats<R: Read + Seek>(archive: &mut NpzReader<R>, name: &str) -> Result<Array, Problem> {
    let single: Result<ArrayD<f32>, ReadNpzError> = archive.by_name(name);
    if let Ok(array) = single {
        let values: Vec<f32> = array.iter().copied().collect();
        return Ok(Array::single(array.shape(), &values));
    }
    let double: ArrayD<f64> =
        archive.by_name(name).map_err(|e| Problem::foreign(EXPECTED, format!("{name}: {e}")))?;
    let values: Vec<f64> = double.iter().copied().collect();
    Ok(Array::double(double.shape(), &values))
}

/// A flag, stored as an integer or a truth value.
fn is_set<R: Read + Seek>(archive: &mut NpzReader<R>, name: &str) -> Result<bool, Problem> {
    let integer: Result<ArrayD<i64>, ReadNpzError> = archive.by_name(name);
    if let Ok(array) = integer {
        return Ok(array.iter().any(|&flag| flag != 0));
    }
    let truth: ArrayD<bool> =
        archive.by_name(name).map_err(|e| Problem::foreign(EXPECTED, format!("{name}: {e}")))?;
    Ok(truth.iter().any(|&flag| flag))
}

/// The bytes of an archive that holds this expert.
pub(crate) fn encode(expert: &GaussianExpert) -> Result<Vec<u8>, Problem> {
    let foreign = |e: &dyn std::fmt::Display| Problem::foreign(EXPECTED, e);
    let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
    for (name, array) in &Arrays::of(expert).0 {
        let shape = IxDyn(&array.shape);
        let written = match array.precision {
            Precision::Single => {
                let array =
                    ArrayD::from_shape_vec(shape, array.to_f32()).map_err(|e| foreign(&e))?;
                archive.add_array(name, &array)
            }
            Precision::Double => {
                let array =
                    ArrayD::from_shape_vec(shape, array.values.clone()).map_err(|e| foreign(&e))?;
                archive.add_array(name, &array)
            }
        };
        written.map_err(|e| foreign(&e))?;
    }
    let flag = arr0(i64::from(expert.clock() == Clock::Shown));
    archive.add_array("time_feature", &flag).map_err(|e| foreign(&e))?;
    Ok(archive.finish().map_err(|e| foreign(&e))?.into_inner())
}
