//! Formats that are taken apart before a mutation and reassembled with valid checksums.

use std::io::{Cursor, Write};

use tutelage_files::{MemoryBudget, ZipReader};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The structure of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One part.
    Plain,
    /// A run's log: a header, then records with their lengths and checksums.
    Log,
    /// Safetensors: a length, a JSON header of that length, numbers.
    Safetensors,
    /// A NumPy array: magic, the length of the header, the header, numbers.
    Npy,
    /// A zip archive, possibly with nested archives.
    Zip,
    /// An HTTP request: its head without the content length, then the body.
    Request,
}

/// The parts of a file, with their names if they have any.
pub(crate) type Parts = Vec<(String, Vec<u8>)>;

/// More bytes than any seed unpacks to.
const BUDGET: u64 = 1 << 26;

impl Form {
    /// Splits a file and joins it again.
    pub fn rejoined(self, bytes: &[u8]) -> Vec<u8> {
        self.join(&self.parts(bytes))
    }

    /// Splits a file. A file of another form is a single part.
    pub(crate) fn parts(self, bytes: &[u8]) -> Parts {
        let parts = match self {
            Self::Plain => None,
            Self::Log => log_parts(bytes),
            Self::Safetensors => safetensors_parts(bytes),
            Self::Npy => npy_parts(bytes),
            Self::Zip => zip_parts(bytes, ""),
            Self::Request => request_parts(bytes),
        };
        parts.unwrap_or_else(|| vec![(String::new(), bytes.to_vec())])
    }

    /// Joins parts with valid lengths and checksums.
    pub(crate) fn join(self, parts: &Parts) -> Vec<u8> {
        let head = |i: usize| parts.get(i).map_or(&[][..], |part| &part.1);
        match self {
            Self::Plain => head(0).to_vec(),
            Self::Log => {
                let records = parts.iter().skip(1).flat_map(|(_, payload)| framed(payload));
                head(0).iter().copied().chain(records).collect()
            }
            Self::Safetensors => {
                let length = (head(0).len() as u64).to_le_bytes();
                [&length[..], head(0), head(1)].concat()
            }
            Self::Npy => {
                let length = (head(1).len().min(0xffff) as u16).to_le_bytes();
                [head(0), &length, head(1), head(2)].concat()
            }
            Self::Zip => zip_of(parts, ""),
            Self::Request => {
                let length = format!("{LENGTH}{}\r\n\r\n", head(1).len());
                [head(0), length.as_bytes(), head(1)].concat()
            }
        }
    }
}

fn framed(payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_le_bytes();
    let checksums = [crc32c::crc32c(&length), crc32c::crc32c(payload)].map(u32::to_le_bytes);
    [&length[..], &checksums[0], &checksums[1], payload].concat()
}

fn unnamed(parts: &[&[u8]]) -> Parts {
    parts.iter().map(|part| (String::new(), part.to_vec())).collect()
}

fn log_parts(bytes: &[u8]) -> Option<Parts> {
    let (header, mut rest) = bytes.split_at_checked(12)?;
    let mut parts = vec![header];
    while let Some((frame, behind)) = rest.split_at_checked(12) {
        let length = u32::from_le_bytes(frame[..4].try_into().ok()?);
        let (payload, next) = behind.split_at_checked(length as usize)?;
        parts.push(payload);
        rest = next;
    }
    Some(unnamed(&parts))
}

fn safetensors_parts(bytes: &[u8]) -> Option<Parts> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (header, numbers) =
        rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some(unnamed(&[header, numbers]))
}

/// The start of the last line of a request's head.
const LENGTH: &str = "Content-Length: ";

fn request_parts(bytes: &[u8]) -> Option<Parts> {
    let find = |what: &[u8]| bytes.windows(what.len()).position(|window| window == what);
    let (length, end) = (find(LENGTH.as_bytes())?, find(b"\r\n\r\n")?);
    Some(unnamed(&[bytes.get(..length)?, bytes.get(end + 4..)?]))
}

fn npy_parts(bytes: &[u8]) -> Option<Parts> {
    let (magic, rest) = bytes.split_at_checked(8)?;
    let (length, rest) = rest.split_first_chunk()?;
    let (header, numbers) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    Some(unnamed(&[magic, header, numbers]))
}

/// Returns the files of an archive; those of nested archives are named `outer!inner`.
fn zip_parts(bytes: &[u8], above: &str) -> Option<Parts> {
    let mut budget = MemoryBudget::new(BUDGET);
    let mut archive = ZipReader::new(bytes, &mut budget).ok()?;
    let mut parts = Vec::new();
    for name in archive.names() {
        let file = archive.read(&name).ok()?;
        match zip_parts(&file, &format!("{above}{name}!")) {
            Some(within) if !within.is_empty() => parts.extend(within),
            _ => parts.push((format!("{above}{name}"), file)),
        }
    }
    Some(parts)
}

fn zip_of(parts: &Parts, above: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // Compressed, so that a short input can unpack to a long part.
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let mut done: Vec<&str> = Vec::new();
    for (name, bytes) in parts {
        let Some(name) = name.strip_prefix(above) else { continue };
        let (file, is_archive) =
            name.split_once('!').map_or((name, false), |(file, _)| (file, true));
        if done.contains(&file) {
            continue;
        }
        done.push(file);
        let within = is_archive.then(|| zip_of(parts, &format!("{above}{file}!")));
        // Entries with invalid names are left out.
        let _ = zip
            .start_file(file, options)
            .and_then(|()| Ok(zip.write_all(within.as_ref().unwrap_or(bytes))?));
    }
    zip.finish().map(Cursor::into_inner).unwrap_or_default()
}
