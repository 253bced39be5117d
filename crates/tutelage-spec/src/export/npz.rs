//! NumPy archives with the arrays `states` (n × d), `actions` (n × a) and `round` (n).

use tutelage_files::npz::NpzWriter;

use super::{Annotations, Rows};

pub(super) fn encode(
    annotations: &Annotations,
) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let mut npz = NpzWriter::compressed();
    for (name, rows) in [("states", &annotations.states), ("actions", &annotations.actions)] {
        match rows {
            Rows::Vectors(rows) => npz.add(name, &[rows.len(), rows.width()], rows.as_slice())?,
            Rows::Indices(rows) => npz.add(name, &[rows.len(), rows.width()], rows.as_slice())?,
        }
    }
    npz.add("round", &[annotations.rounds.len()], &annotations.rounds)?;
    Ok(npz.finish()?)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

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
