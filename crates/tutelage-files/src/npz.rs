//! NumPy's `.npz`: arrays by name, in a zip archive.

use std::io::{self, Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::npy::{self, NpyArray, NpyElement};
use crate::{MemoryBudget, ZipReader};

/// Returns the arrays of an archive in its order.
///
/// Unpacked bytes and decoded numbers both count against the budget.
pub fn decode(bytes: &[u8], budget: &mut MemoryBudget) -> io::Result<Vec<(String, NpyArray)>> {
    let mut archive = ZipReader::new(bytes, budget)?;
    let names = archive.names();
    let read = |name: String| {
        let packed = archive.read(&name)?;
        let array = npy::decode_within(&packed, archive.budget());
        let array = array.map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {error}"))
        })?;
        Ok((name.strip_suffix(".npy").unwrap_or(&name).to_owned(), array))
    };
    names.into_iter().map(read).collect()
}

/// Writes arrays into an archive. The output depends only on the arrays.
pub struct NpzWriter {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    options: SimpleFileOptions,
}

impl NpzWriter {
    /// Creates an uncompressed archive.
    pub fn stored() -> Self {
        Self::with(zip::CompressionMethod::Stored)
    }

    /// Creates a compressed archive.
    pub fn compressed() -> Self {
        Self::with(zip::CompressionMethod::Deflated)
    }

    fn with(method: zip::CompressionMethod) -> Self {
        let options = SimpleFileOptions::default().compression_method(method);
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())), options }
    }

    /// Adds an array.
    ///
    /// # Panics
    /// If the shape does not match the number of values.
    pub fn add<T: NpyElement>(
        &mut self,
        name: &str,
        shape: &[usize],
        values: &[T],
    ) -> io::Result<()> {
        let bytes = npy::encode(shape, values);
        self.zip.start_file(format!("{name}.npy"), self.options).map_err(io::Error::other)?;
        self.zip.write_all(&bytes)
    }

    /// Returns the bytes of the archive.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        Ok(self.zip.finish().map_err(io::Error::other)?.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_round_trip_with_their_names() {
        for mut npz in [NpzWriter::stored(), NpzWriter::compressed()] {
            npz.add("flag", &[], &[1i64]).unwrap();
            npz.add("rows", &[2, 1], &[0.5f64, 1.5]).unwrap();
            let arrays = decode(&npz.finish().unwrap(), &mut MemoryBudget::new(1000)).unwrap();
            let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["flag", "rows"]);
            assert_eq!(
                (&arrays[1].1.shape[..], &arrays[1].1.values[..]),
                (&[2, 1][..], &[0.5, 1.5][..])
            );
        }
    }

    #[test]
    fn decoded_numbers_count_against_the_budget() {
        let mut npz = NpzWriter::compressed();
        npz.add("flags", &[10_000], &[false; 10_000]).unwrap();
        let bytes = npz.finish().unwrap();
        let decode = |budget| decode(&bytes, &mut MemoryBudget::new(budget)).map(drop);
        assert!(decode(100_000).is_ok(), "one byte each in the file, eight in memory");
        let error = decode(80_000).unwrap_err().to_string();
        assert!(error.contains("80000"), "{error}");
    }
}
