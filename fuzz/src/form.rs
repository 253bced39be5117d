//! How a file is put together, so that a mutation reaches what lies behind lengths and checksums.

use std::io::{Cursor, Write};

use tutelage_files::{MemoryBudget, ZipReader};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// How a file is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it comes.
    Plain,
    /// A run's log: a header, then records behind their length and checksums.
    Log,
    /// A length, a JSON header of that length, numbers.
    Safetensors,
    /// A NumPy array: magic, the length of the header, the header, numbers.
    Npy,
    /// A zip archive, whose files may be archives themselves.
    Zip,
    /// A request over HTTP: its head without the length of its body, then the body.
    Request,
}

/// A file's parts, under their names where they have some.
pub(crate) type Parts = Vec<(String, Vec<u8>)>;

/// What no seed unpacks to.
const BUDGET: u64 = 1 << 26;

impl Form {
    /// A file taken apart and put together again.
    pub fn rejoined(self, bytes: &[u8]) -> Vec<u8> {
        self.join(&self.parts(bytes))
    }

    /// Takes a file apart; one that is not of this form is a single part.
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

    /// Puts parts together, with lengths and checksums that are true.
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

/// How the line begins that says how long a request's body is; it is the last of the head.
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

/// The files of an archive, those of archives within it as `outer!inner`.
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
    // Packed, so that a long part is a short input: what unpacks is what readers must beware of.
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
        // What cannot be written is left out: the archive is another input then.
        let _ = zip
            .start_file(file, options)
            .and_then(|()| Ok(zip.write_all(within.as_ref().unwrap_or(bytes))?));
    }
    zip.finish().map(Cursor::into_inner).unwrap_or_default()
}
