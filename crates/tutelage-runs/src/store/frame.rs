//! The log as bytes: a header, then records, each behind its length and two checksums.
//!
//! ```text
//! log    = "TUTELAGE" version:u32 record*
//! record = length:u32 crc32c(length):u32 crc32c(payload):u32 payload
//! ```
//!
//! All numbers are little-endian. The length has a checksum of its own so that a damaged length cannot pass for a record
//! that the end of the file cut short. Versions 1 and 2 are framed alike; version 2 has more kinds of records.

use std::ops::Range;

/// The version of the format that this program writes; it reads all up to this one.
pub(crate) const VERSION: u32 = 2;

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
    pub(crate) version: u32,
}

/// Why bytes are no log.
#[derive(Debug, PartialEq)]
pub(crate) enum NoLog {
    /// They begin otherwise.
    Magic,
    /// They end within the header: nothing was ever written.
    Empty,
    /// They are of another version.
    Version(u32),
    /// A record is damaged, and others follow it.
    Damaged { offset: usize },
}

/// A log without records.
pub(crate) fn header() -> Vec<u8> {
    [&MAGIC[..], &VERSION.to_le_bytes()].concat()
}

/// A record with this payload, unless it is too long for its length to be written down.
pub(crate) fn frame(payload: &[u8]) -> Option<Vec<u8>> {
    let length = written(payload.len())?;
    let checksums = [crc32c::crc32c(&length), crc32c::crc32c(payload)].map(u32::to_le_bytes);
    Some([&length[..], &checksums[0], &checksums[1], payload].concat())
}

/// A length in four bytes, where it fits.
fn written(length: usize) -> Option<[u8; 4]> {
    u32::try_from(length).ok().map(u32::to_le_bytes)
}

/// How many bytes are searched, at the most, for whole records behind a bad one. Every byte that looks like the beginning
/// of a record costs as many as that record is long, so a file made for it could keep us busy for hours.
const SEARCH: usize = 256 << 20;

/// Finds the records. A bad record that nothing whole follows is what an interrupted write leaves behind; one that others
/// follow is damage.
pub(crate) fn scan(bytes: &[u8]) -> Result<Scan, NoLog> {
    let version = match (bytes.starts_with(MAGIC), word(bytes, MAGIC.len())) {
        (true, Some(version @ 1..=VERSION)) => version,
        (true, Some(version)) => return Err(NoLog::Version(version)),
        _ if header().starts_with(&bytes[..bytes.len().min(MAGIC.len())]) => {
            return Err(if bytes.len() < HEADER { NoLog::Empty } else { NoLog::Magic });
        }
        // A power cut can leave a new file its length without its bytes.
        _ if bytes.iter().all(|&byte| byte == 0) => return Err(NoLog::Empty),
        _ => return Err(NoLog::Magic),
    };
    let (mut payloads, mut end) = (Vec::new(), HEADER);
    while let Some(payload) = record(bytes, end) {
        end = payload.end;
        payloads.push(payload);
    }
    match another_follows(bytes, end) {
        true => Err(NoLog::Damaged { offset: end }),
        false => Ok(Scan { payloads, end, version }),
    }
}

/// How many records are whole before the first that is not, and where they end; nothing where the bytes are not a log.
pub(crate) fn whole(bytes: &[u8]) -> Option<(usize, usize)> {
    let version = word(bytes, MAGIC.len()).filter(|_| bytes.starts_with(MAGIC))?;
    let mut count = 0;
    let mut end = HEADER;
    while let Some(payload) = record(bytes, end) {
        (count, end) = (count + 1, payload.end);
    }
    (version <= VERSION).then_some((count, end))
}

/// Whether a whole record lies behind the bad one at this offset; where the search would be too long, it is taken to.
fn another_follows(bytes: &[u8], end: usize) -> bool {
    let mut searched = 0;
    (end + 1..bytes.len()).any(|offset| {
        searched += length(bytes, offset).map_or(0, |length| length.min(bytes.len()));
        searched > SEARCH || record(bytes, offset).is_some()
    })
}

/// What the record at this offset says of its length, where its checksum bears it out.
fn length(bytes: &[u8], offset: usize) -> Option<usize> {
    let length = word(bytes, offset)?;
    (word(bytes, offset + 4)? == crc32c::crc32c(&length.to_le_bytes())).then_some(length as usize)
}

/// The payload of the whole record at this offset.
fn record(bytes: &[u8], offset: usize) -> Option<Range<usize>> {
    let start = offset + FRAME;
    let payload = start..start.checked_add(length(bytes, offset)?)?;
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
        let frame = |payload: &[u8]| frame(payload).unwrap();
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
        for empty in [&b""[..], b"TUTE", b"TUTELAGE\x02\0", &[0; 100]] {
            assert_eq!(scan(empty), Err(NoLog::Empty));
        }
        assert_eq!(scan(b"PK\x03\x04 something else"), Err(NoLog::Magic));
        assert_eq!(scan(b"TUTELAGE\x03\0\0\0"), Err(NoLog::Version(3)));
        assert_eq!(scan(b"TUTELAGE\x01\0\0\0").map(|scan| scan.version), Ok(1));
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_length_that_does_not_fit_is_refused_and_not_cut() {
        assert_eq!(written(u32::MAX as usize), Some([0xFF; 4]));
        assert_eq!(written(1 << 32), None);
    }

    #[test]
    fn a_file_made_to_be_searched_for_ever_is_given_up_as_damaged() {
        // Every 8 bytes claim to be a record of 2 MB whose payload does not bear it out.
        let claim = (2u32 << 20).to_le_bytes();
        let claim = [claim, crc32c::crc32c(&claim).to_le_bytes()].concat();
        let bytes = [header(), claim.repeat(1 << 19)].concat();
        let started = std::time::Instant::now();
        assert_eq!(scan(&bytes), Err(NoLog::Damaged { offset: HEADER }));
        // Without a limit this is half a million checksums of 2 MB: many minutes.
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }
}
