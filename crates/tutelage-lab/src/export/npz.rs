//! NumPy: `states` (n × d), `actions` (n × a), `round` (n).

use std::io::Cursor;

use ndarray::{ArrayView1, ArrayView2};
use ndarray_npy::NpzWriter;
use tutelage::{Batch, Element};

use super::{Annotations, Rows};

pub(super) fn encode(
    annotations: &Annotations,
) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let mut npz = NpzWriter::new_compressed(Cursor::new(Vec::new()));
    for (name, rows) in [("states", &annotations.states), ("actions", &annotations.actions)] {
        match rows {
            Rows::Vectors(rows) => npz.add_array(name, &matrix(rows)?)?,
            Rows::Indices(rows) => npz.add_array(name, &matrix(rows)?)?,
        }
    }
    npz.add_array("round", &ArrayView1::from(&annotations.rounds))?;
    Ok(npz.finish()?.into_inner())
}

fn matrix<T: Element>(rows: &Batch<T>) -> Result<ArrayView2<'_, T>, ndarray::ShapeError> {
    ArrayView2::from_shape((rows.len(), rows.width()), rows.as_slice())
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, array};
    use ndarray_npy::NpzReader;

    use super::*;
    use crate::export::tests::{annotations, indices};

    #[test]
    fn arrays_come_back() {
        let mut npz = NpzReader::new(Cursor::new(encode(&annotations()).unwrap())).unwrap();
        let states: Array2<f32> = npz.by_name("states").unwrap();
        assert_eq!(states, array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let actions: Array2<f32> = npz.by_name("actions").unwrap();
        assert_eq!(actions, array![[0.5], [-0.5], [1.5]]);
        let rounds: Array1<u32> = npz.by_name("round").unwrap();
        assert_eq!(rounds, array![1, 1, 2]);
        let mut npz = NpzReader::new(Cursor::new(encode(&indices()).unwrap())).unwrap();
        let actions: Array2<u32> = npz.by_name("actions").unwrap();
        assert_eq!(actions, array![[2], [0]]);
    }
}
