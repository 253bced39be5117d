//! NumPy's `.npy`: a header with type, order and shape, followed by the numbers.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use crate::{MemoryBudget, MemoryBudgetExceeded};

/// A decoded array: its numbers in row-major order, as doubles (integers beyond 2⁵³ are rounded).
#[derive(Clone, Debug, PartialEq)]
pub struct NpyArray {
    /// The size of each axis.
    pub shape: Vec<usize>,
    /// The type in the file.
    pub kind: NpyType,
    /// The numbers.
    pub values: Vec<f64>,
}

/// The type of the numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NpyType {
    /// Booleans, one byte each.
    Bool,
    /// Signed integers with this many bytes.
    Int(usize),
    /// Unsigned integers with this many bytes.
    Unsigned(usize),
    /// Single precision.
    Single,
    /// Double precision.
    Double,
}

/// Why bytes could not be decoded as an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// Not a `.npy` file, or a truncated one.
    #[error("not a NumPy array: {0}")]
    Foreign(&'static str),
    /// The header is not a valid dictionary.
    #[error("the array's header: {0}")]
    Header(String),
    /// An unsupported type.
    #[error("unsupported type: {}; supported are booleans, integers, float32 and float64", describe(.0))]
    Type(String),
    /// The size of the file does not match its header.
    #[error("shape {shape:?} needs {expected} bytes, but the file has {found}")]
    Length {
        /// The shape.
        shape: Vec<usize>,
        /// The bytes that it needs.
        expected: String,
        /// The bytes in the file.
        found: usize,
    },
    /// More numbers than the budget allows.
    #[error("shape {shape:?} needs more than the limit of {limit} bytes")]
    Long {
        /// The shape.
        shape: Vec<usize>,
        /// The limit.
        limit: u64,
    },
}

/// Describes NumPy's name of a type that is not supported.
fn describe(descr: &str) -> String {
    match descr.trim_start_matches(['<', '>', '|', '=']).chars().next() {
        Some('U' | 'S' | 'a') => "text".into(),
        Some('O') => "Python objects".into(),
        Some('M' | 'm') => "times".into(),
        Some('c') => "complex numbers".into(),
        _ => format!("NumPy type {descr}"),
    }
}

/// Numbers that can be encoded.
///
/// ```
/// use tutelage_files::npy::NpyElement;
///
/// let mut bytes = Vec::new();
/// 0.5f32.push(&mut bytes);
/// assert_eq!((f32::DESCR, bytes), ("<f4", 0.5f32.to_le_bytes().to_vec()));
/// ```
pub trait NpyElement: Copy {
    /// NumPy's name of the type.
    const DESCR: &'static str;

    /// Appends the little-endian bytes.
    fn push(self, bytes: &mut Vec<u8>);
}

macro_rules! element {
    ($($type:ty => $descr:literal),*) => {$(
        impl NpyElement for $type {
            const DESCR: &'static str = $descr;

            fn push(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}
element!(f32 => "<f4", f64 => "<f8", u32 => "<u4", i64 => "<i8");

impl NpyElement for bool {
    const DESCR: &'static str = "|b1";

    fn push(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// Returns the bytes of an array.
///
/// # Panics
/// If the shape does not match the number of values.
pub fn encode<T: NpyElement>(shape: &[usize], values: &[T]) -> Vec<u8> {
    assert_eq!(shape.iter().product::<usize>(), values.len(), "shape {shape:?}");
    let axes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let axes = if shape.len() == 1 { axes.trim_end() } else { axes.trim_end_matches(", ") };
    let header =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({axes}), }}", T::DESCR);
    // The format pads the header so that the numbers start at a multiple of 64, and ends it with \n.
    let length = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    let mut bytes = [MAGIC, &[1, 0], &(length as u16).to_le_bytes()].concat();
    bytes.extend(format!("{header:<width$}\n", width = length - 1).bytes());
    values.iter().for_each(|value| value.push(&mut bytes));
    bytes
}

/// The default limit for the decoded numbers: 256 MiB.
const MOST: u64 = 1 << 28;

/// Decodes an array of at most 2²⁵ numbers.
pub fn decode(bytes: &[u8]) -> Result<NpyArray, NpyError> {
    decode_within(bytes, &mut MemoryBudget::new(MOST))
}

/// Decodes an array; each number takes eight bytes of the budget.
pub(crate) fn decode_within(bytes: &[u8], budget: &mut MemoryBudget) -> Result<NpyArray, NpyError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::Foreign("wrong signature"))?;
    let (header, numbers) = split(rest).ok_or(NpyError::Foreign("truncated header"))?;
    let header =
        std::str::from_utf8(header).map_err(|_| NpyError::Foreign("header is not text"))?;
    let NpyHeader { kind, is_big_endian, is_fortran, shape } = parse(header)?;
    let count = shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
    let length = count.and_then(|count| count.checked_mul(kind.width()));
    if length != Some(numbers.len()) {
        let expected = length.map_or("too many".into(), |length| length.to_string());
        return Err(NpyError::Length { shape, expected, found: numbers.len() });
    }
    let count = numbers.len() / kind.width();
    if let Err(MemoryBudgetExceeded { whole: limit }) = budget.spend(8 * count) {
        return Err(NpyError::Long { shape, limit });
    }
    let number = |place: usize| &numbers[place * kind.width()..][..kind.width()];
    let place = |index: usize| if is_fortran { column_major(&shape, index) } else { index };
    let values = (0..count).map(|index| kind.read(number(place(index)), is_big_endian)).collect();
    Ok(NpyArray { shape, kind, values })
}

/// Splits the header's text from the numbers.
fn split(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[version, _], rest) = rest.split_first_chunk()?;
    let (length, rest) = match version {
        1 => rest.split_first_chunk().map(|(&two, rest)| (u16::from_le_bytes(two).into(), rest))?,
        2 | 3 => rest.split_first_chunk().map(|(&four, rest)| (u32::from_le_bytes(four), rest))?,
        _ => return None,
    };
    rest.split_at_checked(usize::try_from(length).ok()?)
}

struct NpyHeader {
    kind: NpyType,
    is_big_endian: bool,
    is_fortran: bool,
    shape: Vec<usize>,
}

/// NumPy's limit before version 2.
const MOST_AXES: usize = 32;

/// Parses a dictionary with the keys `descr`, `fortran_order` and `shape`, in any order.
fn parse(text: &str) -> Result<NpyHeader, NpyError> {
    let wrong = |what: &str| {
        NpyError::Header(format!(
            "{what} in {:?}",
            text.trim_end().chars().take(200).collect::<String>()
        ))
    };
    let value = |key: &str| {
        let after =
            ["'", "\""].iter().find_map(|quote| text.split_once(&format!("{quote}{key}{quote}")));
        let value = after.and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
        value.map(str::trim_start).ok_or_else(|| wrong(&format!("no {key}")))
    };
    let descr = value("descr")?;
    let quote = descr
        .chars()
        .next()
        .filter(|c| "'\"".contains(*c))
        .ok_or_else(|| wrong("structured type"))?;
    let descr = descr[1..].split(quote).next().unwrap_or_default();
    let order = value("fortran_order")?;
    let is_fortran = match (order.starts_with("True"), order.starts_with("False")) {
        (true, _) => true,
        (_, true) => false,
        _ => return Err(wrong("fortran_order is not a boolean")),
    };
    let shape = value("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (axes, _) = shape.ok_or_else(|| wrong("shape is not a tuple"))?;
    let axes = axes.split(',').map(str::trim).filter(|axis| !axis.is_empty());
    let axes =
        axes.map(|axis| axis.trim_end_matches('L').parse().map_err(|_| wrong("invalid size")));
    let shape = axes.take(MOST_AXES + 1).collect::<Result<Vec<usize>, _>>()?;
    if shape.len() > MOST_AXES {
        return Err(wrong(&format!("more than {MOST_AXES} axes")));
    }
    let kind =
        NpyType::of(descr).ok_or_else(|| NpyError::Type(descr.chars().take(50).collect()))?;
    Ok(NpyHeader { kind, is_big_endian: descr.starts_with('>'), is_fortran, shape })
}

impl NpyType {
    fn of(descr: &str) -> Option<Self> {
        match descr.strip_prefix(['<', '>', '|', '='])? {
            "b1" => Some(Self::Bool),
            "f4" => Some(Self::Single),
            "f8" => Some(Self::Double),
            word => {
                let width =
                    word.get(1..)?.parse().ok().filter(|width| [1, 2, 4, 8].contains(width))?;
                match word.as_bytes()[0] {
                    b'i' => Some(Self::Int(width)),
                    b'u' => Some(Self::Unsigned(width)),
                    _ => None,
                }
            }
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(width) | Self::Unsigned(width) => width,
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    fn read(self, number: &[u8], is_big_endian: bool) -> f64 {
        let at = |i: usize| if is_big_endian { number[number.len() - 1 - i] } else { number[i] };
        let fill =
            if matches!(self, Self::Int(width) if at(width - 1) & 0x80 != 0) { 0xff } else { 0 };
        let eight: [u8; 8] = std::array::from_fn(|i| if i < number.len() { at(i) } else { fill });
        let bits = u64::from_le_bytes(eight);
        match self {
            Self::Bool => f64::from(u8::from(bits != 0)),
            Self::Int(_) => bits as i64 as f64,
            Self::Unsigned(_) => bits as f64,
            Self::Single => f64::from(f32::from_bits(bits as u32)),
            Self::Double => f64::from_bits(bits),
        }
    }
}

/// Converts a row-major index to the position in a column-major array.
fn column_major(shape: &[usize], mut index: usize) -> usize {
    let mut stride: usize = shape.iter().product();
    let mut place = 0;
    for &size in shape.iter().rev() {
        stride /= size;
        place += index % size * stride;
        index /= size;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_round_trip() {
        let array = decode(&encode(&[2, 3], &[1.0f32, -2.0, 3.5, 4.0, 5.0, 6.0])).unwrap();
        assert_eq!((array.shape, array.kind), (vec![2, 3], NpyType::Single));
        assert_eq!(array.values, [1.0, -2.0, 3.5, 4.0, 5.0, 6.0]);
        for shape in [vec![], vec![1], vec![1, 1, 1]] {
            let array = decode(&encode(&shape, &[7i64])).unwrap();
            assert_eq!(
                (array.shape, array.kind, array.values),
                (shape, NpyType::Int(8), vec![7.0])
            );
        }
        assert_eq!(decode(&encode(&[2], &[true, false])).unwrap().values, [1.0, 0.0]);
        assert_eq!(decode(&encode(&[1], &[u32::MAX])).unwrap().values, [f64::from(u32::MAX)]);
        assert_eq!(decode(&encode(&[0, 3], &[0.0f64; 0])).unwrap().shape, [0, 3]);
    }

    /// Returns a file of version 1 with this header.
    fn file(header: &str, numbers: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), numbers].concat()
    }

    #[test]
    fn other_orders_and_widths_are_decoded() {
        // [[1, 2, 3], [4, 5, 6]], column by column, in big-endian shorts.
        let header = r#"{"shape": (2, 3), "fortran_order": True, "descr": ">i2"}"#;
        let array = decode(&file(header, &[0, 1, 0, 4, 0, 2, 0, 5, 0xff, 0xfd, 0, 6])).unwrap();
        assert_eq!(
            (array.kind, array.values),
            (NpyType::Int(2), vec![1.0, 2.0, -3.0, 4.0, 5.0, 6.0])
        );
        let header = "{'descr': '|i1', 'fortran_order': False, 'shape': (3L,), }";
        assert_eq!(decode(&file(header, &[0xff, 2, 0x80])).unwrap().values, [-1.0, 2.0, -128.0]);
    }

    #[test]
    fn shapes_that_do_not_match_the_file_are_rejected() {
        let lie = |descr: &str, shape: &str, numbers: &[u8]| {
            decode(&file(
                &format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}"),
                numbers,
            ))
            .unwrap_err()
        };
        for shape in ["(1099511627776, 3)", "(4611686018427387904, 4)", "(3,)", "(1, 1, 0)", "()"] {
            assert!(matches!(lie("<f4", shape, &[0; 8]), NpyError::Length { .. }), "{shape}");
        }
        assert!(matches!(lie("<c8", "(1,)", &[0; 8]), NpyError::Type(_)));
        assert_eq!(lie("<U1", "(1,)", &[0; 4]), NpyError::Type("<U1".into()));
        assert!(matches!(lie("<f4", "(99999999999999999999,)", &[0; 4]), NpyError::Header(_)));
        for bytes in [&b""[..], b"\x93NUMPY", b"\x93NUMPY\x01\0\xff\xff{}", b"\x93NUMPY\x09\0\0\0"]
        {
            assert!(matches!(decode(bytes), Err(NpyError::Foreign(_))));
        }
    }

    #[test]
    fn numbers_count_against_the_budget() {
        for order in ["True", "False"] {
            let header =
                format!("{{'descr': '|u1', 'fortran_order': {order}, 'shape': (2, 50), }}");
            let bytes = file(&header, &[7; 100]);
            assert_eq!(
                decode_within(&bytes, &mut MemoryBudget::new(800)).unwrap().values,
                [7.0; 100]
            );
            let error = decode_within(&bytes, &mut MemoryBudget::new(799)).unwrap_err();
            assert!(matches!(error, NpyError::Long { .. }), "{error}");
        }
        let axes = "1, ".repeat(40);
        let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({axes})}}");
        assert!(matches!(decode(&file(&header, &[0])), Err(NpyError::Header(_))), "40 axes");
    }
}
