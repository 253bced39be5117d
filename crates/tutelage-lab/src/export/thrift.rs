//! Thrift's compact protocol, as far as Parquet's headers need it: structs of numbers, texts, lists and structs.
//!
//! A field is the distance of its number to that of the field before and its kind, in one byte; whole numbers are zigzag
//! and seven bits to a byte; a struct ends with a zero. Reference: the Thrift compact protocol specification.

/// A struct, field by field; the numbers of its fields grow.
#[derive(Clone, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

/// The kinds of values, as the protocol numbers them.
#[derive(Clone, Copy)]
enum Kind {
    I32 = 5,
    I64 = 6,
    Text = 8,
    List = 9,
    Struct = 12,
}

impl Struct {
    #[must_use]
    pub(super) fn i32(self, field: u8, value: i32) -> Self {
        self.field(field, Kind::I32, &zigzag(value.into()))
    }

    #[must_use]
    pub(super) fn i64(self, field: u8, value: u64) -> Self {
        self.field(field, Kind::I64, &zigzag(value as i64))
    }

    #[must_use]
    pub(super) fn text(self, field: u8, text: &str) -> Self {
        self.field(field, Kind::Text, &sized(text))
    }

    #[must_use]
    pub(super) fn within(self, field: u8, value: Self) -> Self {
        self.field(field, Kind::Struct, &value.end())
    }

    #[must_use]
    pub(super) fn numbers(self, field: u8, values: &[i32]) -> Self {
        let items = values.iter().flat_map(|&value| zigzag(value.into()));
        self.list(field, Kind::I32, values.len(), items)
    }

    #[must_use]
    pub(super) fn texts(self, field: u8, texts: &[&str]) -> Self {
        self.list(field, Kind::Text, texts.len(), texts.iter().flat_map(|text| sized(text)))
    }

    #[must_use]
    pub(super) fn structs(self, field: u8, items: Vec<Self>) -> Self {
        let length = items.len();
        self.list(field, Kind::Struct, length, items.into_iter().flat_map(Self::end))
    }

    /// The bytes of the whole struct.
    pub(super) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn list(self, field: u8, of: Kind, length: usize, items: impl Iterator<Item = u8>) -> Self {
        let mut list = match length {
            0..15 => vec![(length as u8) << 4 | of as u8],
            _ => [vec![0xf0 | of as u8], varint(length as u64)].concat(),
        };
        list.extend(items);
        self.field(field, Kind::List, &list)
    }

    fn field(mut self, field: u8, kind: Kind, value: &[u8]) -> Self {
        self.bytes.push((field - self.last) << 4 | kind as u8);
        self.bytes.extend(value);
        self.last = field;
        self
    }
}

fn sized(text: &str) -> Vec<u8> {
    let mut bytes = varint(text.len() as u64);
    bytes.extend(text.as_bytes());
    bytes
}

fn zigzag(value: i64) -> Vec<u8> {
    varint(((value << 1) ^ (value >> 63)) as u64)
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        assert_eq!([zigzag(0), zigzag(-1), zigzag(1)], [[0], [1], [2]]);
        assert_eq!(zigzag(-65), [0x81, 0x01]);
        assert_eq!(varint(300), [0xac, 0x02]);
        assert_eq!(varint(u64::MAX).len(), 10);
    }

    #[test]
    fn fields_follow_their_numbers() {
        let inner = Struct::default().i64(3, 1);
        let bytes = Struct::default().i32(1, 7).within(4, inner).text(5, "ab").end();
        assert_eq!(bytes, [0x15, 14, 0x3c, 0x36, 2, 0, 0x18, 2, b'a', b'b', 0]);
    }

    #[test]
    fn long_lists_say_their_length_apart() {
        let list = |length| Struct::default().numbers(1, &vec![0; length]).end();
        assert_eq!(list(2), [0x19, 0x25, 0, 0, 0]);
        assert_eq!(list(15)[..3], [0x19, 0xf5, 15]);
        assert_eq!(list(15).len(), 3 + 15 + 1);
    }
}
