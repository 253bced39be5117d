//! The bytes of the log: a header, then records, each after its length and two checksums.
//!
//! ```text
//! log    = "TUTELAGE" version:u32 record*
//! record = length:u32 crc32c(length):u32 crc32c(payload):u32 payload
//! ```
//!
//! All numbers are little-endian. The length has its own checksum, so that a damaged length is not mistaken for a record that
//! is cut short by the end of the file. Versions 1 and 2 have the same framing; version 2 has more kinds of records.

use std::ops::Range;

/// The format version that this program writes. It reads all versions up to this one.
pub(crate) const VERSION: u32 = 2;

const MAGIC: &[u8; 8] = b"TUTELAGE";
const HEADER: usize = 12;
const FRAME: usize = 12;

/// The records of a log.
#[derive(Debug, PartialEq)]
pub(crate) struct Scan {
    /// The payloads of the complete records.
    pub(crate) payloads: Vec<Range<usize>>,
    /// The end of the last complete record. Anything after it is an incomplete record.
    pub(crate) end: usize,
    pub(crate) version: u32,
}

/// Why bytes are not a valid log.
#[derive(Debug, PartialEq)]
pub(crate) enum NotALog {
    /// The magic bytes are missing.
    Magic,
    /// They end within the header: no record was ever complete.
    Empty,
    /// The format is newer.
    Version(u32),
    /// A record is damaged, and a complete one follows it.
    Damaged { offset: usize },
}

/// A log without records.
pub(crate) fn header() -> Vec<u8> {
    [&MAGIC[..], &VERSION.to_le_bytes()].concat()
}

/// A record with this payload, or `None` if its length does not fit in four bytes.
pub(crate) fn frame(payload: &[u8]) -> Option<Vec<u8>> {
    let length = length_bytes(payload.len())?;
    let checksums = [crc32c::crc32c(&length), crc32c::crc32c(payload)].map(u32::to_le_bytes);
    Some([&length[..], &checksums[0], &checksums[1], payload].concat())
}

/// A length in four bytes, if it fits.
fn length_bytes(length: usize) -> Option<[u8; 4]> {
    u32::try_from(length).ok().map(u32::to_le_bytes)
}

/// The number of bytes to checksum in search of complete records after a bad one. Every possible start of a record costs that
/// record's length, so a crafted file could take hours.
const SEARCH: usize = 256 << 20;

/// Finds the records. A bad record at the end comes from an interrupted write; a bad record before a complete one is damage.
pub(crate) fn scan(bytes: &[u8]) -> Result<Scan, NotALog> {
    let version = match (bytes.starts_with(MAGIC), word(bytes, MAGIC.len())) {
        (true, Some(version @ 1..=VERSION)) => version,
        (true, Some(version)) => return Err(NotALog::Version(version)),
        _ if header().starts_with(&bytes[..bytes.len().min(MAGIC.len())]) => {
            return Err(if bytes.len() < HEADER { NotALog::Empty } else { NotALog::Magic });
        }
        // After a power cut a new file can have its length but only zeros.
        _ if bytes.iter().all(|&byte| byte == 0) => return Err(NotALog::Empty),
        _ => return Err(NotALog::Magic),
    };
    let payloads = records(bytes);
    let end = payloads.last().map_or(HEADER, |payload| payload.end);
    match another_follows(bytes, end) {
        true => Err(NotALog::Damaged { offset: end }),
        false => Ok(Scan { payloads, end, version }),
    }
}

/// The number of complete records before the first bad one, and the offset of their end. `None` if the bytes are not a log.
pub(crate) fn complete(bytes: &[u8]) -> Option<(usize, usize)> {
    let version = word(bytes, MAGIC.len()).filter(|_| bytes.starts_with(MAGIC))?;
    let payloads = records(bytes);
    let end = payloads.last().map_or(HEADER, |payload| payload.end);
    (version <= VERSION).then_some((payloads.len(), end))
}

/// The payloads of the complete records before the first bad one.
fn records(bytes: &[u8]) -> Vec<Range<usize>> {
    let next = |payload: &Range<usize>| record(bytes, payload.end);
    std::iter::successors(record(bytes, HEADER), next).collect()
}

/// Whether a complete record follows the bad one at this offset. Assumes so if the search would take too long.
fn another_follows(bytes: &[u8], end: usize) -> bool {
    let mut searched = 0;
    (end + 1..bytes.len()).any(|offset| {
        searched += length(bytes, offset).map_or(0, |length| length.min(bytes.len()));
        searched > SEARCH || record(bytes, offset).is_some()
    })
}

/// The length of the record at this offset, if its checksum is correct.
fn length(bytes: &[u8], offset: usize) -> Option<usize> {
    let length = word(bytes, offset)?;
    (word(bytes, offset + 4)? == crc32c::crc32c(&length.to_le_bytes())).then_some(length as usize)
}

/// The payload of the record at this offset, if it is complete.
fn record(bytes: &[u8], offset: usize) -> Option<Range<usize>> {
    let start = offset + FRAME;
    let payload = start..start.checked_add(length(bytes, offset)?)?;
    let is_intact = crc32c::crc32c(bytes.get(payload.clone())?) == word(bytes, offset + 8)?;
    is_intact.then_some(payload)
}

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..offset + 4)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> Vec<u8> {
        let frame = |payload: &[u8]| frame(payload).unwrap();
        [header(), frame(b"first"), frame(b""), frame(b"the third record")].concat()
    }

    fn read(bytes: &[u8]) -> Result<Vec<&[u8]>, NotALog> {
        Ok(scan(bytes)?.payloads.into_iter().map(|at| &bytes[at]).collect())
    }

    #[test]
    fn records_are_read_in_order() {
        assert_eq!(read(&log()), Ok(vec![&b"first"[..], b"", b"the third record"]));
        assert_eq!(scan(&log()).unwrap().end, log().len());
    }

    #[test]
    fn a_truncated_log_keeps_its_complete_records() {
        let log = log();
        let ends = [HEADER, HEADER + 17, HEADER + 29, log.len()];
        for length in HEADER..=log.len() {
            let scan = scan(&log[..length]).unwrap();
            assert_eq!(scan.end, *ends.iter().rfind(|&&end| end <= length).unwrap(), "{length}");
        }
    }

    #[test]
    fn a_changed_byte_before_the_last_record_is_damage() {
        let log = log();
        for at in HEADER..HEADER + 29 {
            let mut bytes = log.clone();
            bytes[at] ^= 0x10;
            let offset = if at < HEADER + 17 { HEADER } else { HEADER + 17 };
            assert_eq!(scan(&bytes), Err(NotALog::Damaged { offset }), "byte {at}");
        }
    }

    #[test]
    fn zeros_or_noise_after_the_last_record_are_ignored() {
        for tail in [vec![0; 100], vec![0xA5; 100], vec![1]] {
            let bytes = [log(), tail].concat();
            assert_eq!(scan(&bytes).unwrap().end, log().len());
        }
    }

    #[test]
    fn other_files_and_newer_versions_are_refused() {
        for empty in [&b""[..], b"TUTE", b"TUTELAGE\x02\0", &[0; 100]] {
            assert_eq!(scan(empty), Err(NotALog::Empty));
        }
        assert_eq!(scan(b"PK\x03\x04 something else"), Err(NotALog::Magic));
        assert_eq!(scan(b"TUTELAGE\x03\0\0\0"), Err(NotALog::Version(3)));
        assert_eq!(scan(b"TUTELAGE\x01\0\0\0").map(|scan| scan.version), Ok(1));
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_length_beyond_four_bytes_is_refused() {
        assert_eq!(length_bytes(u32::MAX as usize), Some([0xFF; 4]));
        assert_eq!(length_bytes(1 << 32), None);
    }

    #[test]
    fn a_file_crafted_for_endless_search_counts_as_damaged() {
        // Every 8 bytes claim to be a record of 2 MB, with a wrong checksum.
        let claim = (2u32 << 20).to_le_bytes();
        let claim = [claim, crc32c::crc32c(&claim).to_le_bytes()].concat();
        let bytes = [header(), claim.repeat(1 << 19)].concat();
        let started = std::time::Instant::now();
        assert_eq!(scan(&bytes), Err(NotALog::Damaged { offset: HEADER }));
        // Without a limit these would be half a million checksums of 2 MB.
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }
}
