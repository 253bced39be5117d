//! A size check for safetensors headers.

/// Headers of policies and experts are far smaller.
const LONGEST: u64 = 1 << 20;

/// A header is longer than any header of a policy or an expert.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("its header has {length} bytes; at most {LONGEST} are read")]
pub struct HeaderTooLong {
    length: u64,
}

/// Rejects a safetensors file with an oversized header.
///
/// The safetensors library allocates many times the size of a header, so check it first.
///
/// ```
/// let long = [&(1_u64 << 21).to_le_bytes()[..], &vec![b' '; 1 << 21]].concat();
/// let error = tutelage_files::check_safetensors_header(&long).unwrap_err();
/// assert_eq!(error.to_string(), "its header has 2097152 bytes; at most 1048576 are read");
/// // Not a safetensors file: the library reports that.
/// assert!(tutelage_files::check_safetensors_header(b"not a safetensors file").is_ok());
/// ```
pub fn check_safetensors_header(bytes: &[u8]) -> Result<(), HeaderTooLong> {
    match bytes.first_chunk().map(|length| u64::from_le_bytes(*length)) {
        // A header longer than the file is invalid, which the library reports.
        Some(length) if length > LONGEST && length <= bytes.len() as u64 => {
            Err(HeaderTooLong { length })
        }
        _ => Ok(()),
    }
}
