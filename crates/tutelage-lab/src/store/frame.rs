//! The log as bytes: a header, then records, each behind its length and two checksums.
//!
//! ```text
//! log    = "TUTELAGE" version:u32 record*
//! record = length:u32 crc32c(length):u32 crc32c(payload):u32 payload
//! ```
//!
//! All numbers are little-endian. The length has a checksum of its own so that a damaged length cannot pass for a record
//! that the end of the file cut short.

use std::ops::Range;

/// The version of the format that this program writes and reads.
pub(crate) const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"TUTELAGE";
const HEADER: usize = 12;
const FRAME: usize = 12;

/// What the bytes of a log hold.
#[derive(Debug, PartialEq)]
pub(crate) struct Scan {
    /// Where each whole record's payload lies.
    pub(crate) payloads: Vec<Range<usize>>,
    /// Where the whole records end; what follows is a torn record.
    pub(crate) end: usize,
}

/// Why bytes are no log.
#[derive(Debug, PartialEq)]
pub(crate) enum NoLog {
    /// They begin otherwise.
    Magic,
    /// They are of another version.
    Version(u32),
    /// A record is damaged, and others follow it.
    Damaged { offset: usize },
}

/// A log without records.
pub(crate) fn header() -> Vec<u8> {
    [&MAGIC[..], &VERSION.to_le_bytes()].concat()
}

/// A record with this payload.
pub(crate) fn frame(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    let checksums = [crc32c::crc32c(&length), crc32c::crc32c(payload)].map(u32::to_le_bytes);
    [&length[..], &checksums[0], &checksums[1], payload].concat()
}

/// Finds the records. A bad record that nothing whole follows is what an interrupted write leaves behind; one that others
/// follow is damage.
pub(crate) fn scan(bytes: &[u8]) -> Result<Scan, NoLog> {
    match (bytes.starts_with(MAGIC), word(bytes, MAGIC.len())) {
        (true, Some(VERSION)) => {}
        (true, Some(version)) => return Err(NoLog::Version(version)),
        _ => return Err(NoLog::Magic),
    }
    let (mut payloads, mut end) = (Vec::new(), HEADER);
    while let Some(payload) = record(bytes, end) {
        end = payload.end;
        payloads.push(payload);
    }
    if (end + 1..bytes.len()).any(|offset| record(bytes, offset).is_some()) {
        return Err(NoLog::Damaged { offset: end });
    }
    Ok(Scan { payloads, end })
}

/// The payload of the whole record at this offset.
fn record(bytes: &[u8], offset: usize) -> Option<Range<usize>> {
    let length = word(bytes, offset)?;
    if word(bytes, offset + 4)? != crc32c::crc32c(&length.to_le_bytes()) {
        return None;
    }
    let start = offset + FRAME;
    let payload = start..start.checked_add(length as usize)?;
    let sound = crc32c::crc32c(bytes.get(payload.clone())?) == word(bytes, offset + 8)?;
    sound.then_some(payload)
}

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..offset + 4)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> Vec<u8> {
        [header(), frame(b"first"), frame(b""), frame(b"the third record")].concat()
    }

    fn read(bytes: &[u8]) -> Result<Vec<&[u8]>, NoLog> {
        Ok(scan(bytes)?.payloads.into_iter().map(|at| &bytes[at]).collect())
    }

    #[test]
    fn records_come_back_in_order() {
        assert_eq!(read(&log()), Ok(vec![&b"first"[..], b"", b"the third record"]));
        assert_eq!(scan(&log()).unwrap().end, log().len());
    }

    #[test]
    fn a_log_cut_anywhere_keeps_its_whole_records() {
        let log = log();
        let ends = [HEADER, HEADER + 17, HEADER + 29, log.len()];
        for length in HEADER..=log.len() {
            let scan = scan(&log[..length]).unwrap();
            assert_eq!(scan.end, *ends.iter().rfind(|&&end| end <= length).unwrap(), "{length}");
        }
    }

    #[test]
    fn any_changed_byte_before_the_last_record_is_damage_at_its_record() {
        let log = log();
        for at in HEADER..HEADER + 29 {
            let mut bytes = log.clone();
            bytes[at] ^= 0x10;
            let offset = if at < HEADER + 17 { HEADER } else { HEADER + 17 };
            assert_eq!(scan(&bytes), Err(NoLog::Damaged { offset }), "byte {at}");
        }
    }

    #[test]
    fn zeros_or_noise_after_the_last_record_are_a_torn_tail() {
        for tail in [vec![0; 100], vec![0xA5; 100], vec![1]] {
            let bytes = [log(), tail].concat();
            assert_eq!(scan(&bytes).unwrap().end, log().len());
        }
    }

    #[test]
    fn other_files_and_versions_are_told_apart() {
        assert_eq!(scan(b"TUTE"), Err(NoLog::Magic));
        assert_eq!(scan(b"PK\x03\x04 something else"), Err(NoLog::Magic));
        assert_eq!(scan(b"TUTELAGE\x02\0\0\0"), Err(NoLog::Version(2)));
    }
}
