//! Mutations of byte strings.

use rand::RngExt;
use tutelage::Rng;

/// Numbers at the limits of common types.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    255,
    65_535,
    65_536,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    1 << 60,
    1 << 61,
    1 << 63,
    u64::MAX / 8,
    u64::MAX,
];

/// Replacements for numbers in text.
const WORDS: [&str; 14] = [
    "0",
    "-1",
    "1e30",
    "-1e30",
    "1e400",
    "NaN",
    "inf",
    "9223372036854775808",
    "18446744073709551615",
    "1099511627776",
    "65536",
    "null",
    "''",
    "0.0000001",
];

/// The largest size of a part of an input.
const LONGEST: usize = 1 << 22;
/// Binary logarithm of the most repetitions: readers with a high cost per byte fail only then.
const OFTEN: u32 = 20;

/// Applies one random mutation.
pub(crate) fn mutate(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    if bytes.is_empty() {
        return bytes.extend(slice(other, rng));
    }
    let at = rng.random_range(0..bytes.len());
    if rng.random_range(0..500) == 0 {
        return repeat(bytes, at, rng);
    }
    match rng.random_range(0..12) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = rng.random_range(0..=255),
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][rng.random_range(0..5)],
        3 => overwrite(bytes, at, &edge(rng).to_le_bytes()[..4]),
        4 => overwrite(bytes, at, &edge(rng).to_le_bytes()),
        5 => drop(bytes.drain(at..(at + short(rng)).min(bytes.len()))),
        6 => bytes.truncate(at),
        7 => {
            let again = bytes[at..(at + short(rng)).min(bytes.len())].to_vec();
            insert(bytes, at, &again.repeat(rng.random_range(1..4)));
        }
        8 => insert(bytes, at, slice(other, rng)),
        9 => overwrite(bytes, at, slice(other, rng)),
        10 => number(bytes, at, WORDS[rng.random_range(0..WORDS.len())].as_bytes()),
        _ => number(bytes, at, edge(rng).to_string().as_bytes()),
    }
    bytes.truncate(LONGEST);
}

/// Repeats a few bytes up to a million times.
fn repeat(bytes: &mut Vec<u8>, at: usize, rng: &mut Rng) {
    let end = (at + rng.random_range(1..9)).min(bytes.len());
    let times = 1 << rng.random_range(0..=OFTEN);
    let room = LONGEST.saturating_sub(bytes.len()) / (end - at);
    let again = bytes[at..end].repeat(room.min(times));
    insert(bytes, at, &again);
}

fn edge(rng: &mut Rng) -> u64 {
    EDGES[rng.random_range(0..EDGES.len())]
}

fn short(rng: &mut Rng) -> usize {
    let most = 1 << rng.random_range(0..8);
    rng.random_range(1..=most)
}

fn slice<'a>(other: &'a [u8], rng: &mut Rng) -> &'a [u8] {
    let from = rng.random_range(0..=other.len());
    &other[from..(from + short(rng)).min(other.len())]
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    bytes[at..].iter_mut().zip(with).for_each(|(byte, with)| *byte = *with);
}

fn insert(bytes: &mut Vec<u8>, at: usize, what: &[u8]) {
    bytes.splice(at..at, what.iter().copied());
}

/// Replaces the next number in a text, if there is one.
fn number(bytes: &mut Vec<u8>, at: usize, word: &[u8]) {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
    let Some(start) = bytes[at..].iter().position(is_digit).map(|start| at + start) else { return };
    let length = bytes[start..].iter().take_while(|byte| is_digit(byte)).count();
    bytes.splice(start..start + length, word.iter().copied());
}
