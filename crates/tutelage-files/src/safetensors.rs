//! The header of a safetensors file, looked at before the format's library reads it.

/// Some layers and a card take far less.
const LONGEST: u64 = 1 << 20;

/// A header longer than that of any policy or expert.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("its header has {length} bytes; at most {LONGEST} are read")]
pub struct HeaderTooLong {
    length: u64,
}

/// Refuses a safetensors file whose header is longer than any that is expected: the library takes many times the bytes of a
/// header, whatever the file holds.
///
/// ```
/// let long = [&(1_u64 << 21).to_le_bytes()[..], &vec![b' '; 1 << 21]].concat();
/// let error = tutelage_files::check_safetensors_header(&long).unwrap_err();
/// assert_eq!(error.to_string(), "its header has 2097152 bytes; at most 1048576 are read");
/// // No safetensors at all: the library will say so.
/// assert!(tutelage_files::check_safetensors_header(b"a letter to a friend").is_ok());
/// ```
pub fn check_safetensors_header(bytes: &[u8]) -> Result<(), HeaderTooLong> {
    match bytes.first_chunk().map(|length| u64::from_le_bytes(*length)) {
        // What is longer than the file is none at all, which the library notices.
        Some(length) if length > LONGEST && length <= bytes.len() as u64 => {
            Err(HeaderTooLong { length })
        }
        _ => Ok(()),
    }
}
