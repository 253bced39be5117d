//! The part of the Protocol Buffers wire format that ONNX and TensorBoard files need.
//!
//! A message is a sequence of fields, each a key (number and wire type) and a value. Integers are varints, seven bits per byte
//! with the lowest first. Texts, bytes and messages follow their length. Floating-point numbers are little-endian.

/// A message under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// An integer (wire type 0); negative ones take ten bytes.
    pub(super) fn int(mut self, field: u32, value: i64) -> Self {
        self.key(field, 0);
        self.varint(value as u64);
        self
    }

    /// A double (wire type 1).
    pub(super) fn double(mut self, field: u32, value: f64) -> Self {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A float (wire type 5).
    pub(super) fn float(mut self, field: u32, value: f32) -> Self {
        self.key(field, 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Bytes (wire type 2).
    pub(super) fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        self.key(field, 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    /// A text.
    pub(super) fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// A message in a message.
    pub(super) fn message(self, field: u32, value: Message) -> Self {
        self.bytes(field, &value.0)
    }

    /// A repeated field of messages.
    pub(super) fn messages(self, field: u32, values: impl IntoIterator<Item = Message>) -> Self {
        values.into_iter().fold(self, |message, value| message.message(field, value))
    }

    /// A repeated field of texts.
    pub(super) fn texts(self, field: u32, values: &[&str]) -> Self {
        values.iter().fold(self, |message, value| message.text(field, value))
    }

    /// A repeated field of integers.
    pub(super) fn ints(self, field: u32, values: impl IntoIterator<Item = i64>) -> Self {
        values.into_iter().fold(self, |message, value| message.int(field, value))
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_format_says() {
        // 300 is 0b10_0101100: the low seven bits first.
        assert_eq!(Message::new().int(1, 300).finish(), [0x08, 0xac, 0x02]);
        assert_eq!(Message::new().text(2, "hi").finish(), [0x12, 2, b'h', b'i']);
        assert_eq!(Message::new().int(16, 0).finish(), [0x80, 0x01, 0], "a key of two bytes");
        let minus_one = [&[0x08][..], &[0xff; 9], &[0x01]].concat();
        assert_eq!(Message::new().int(1, -1).finish(), minus_one);
        assert_eq!(Message::new().float(2, 1.0).finish(), [0x15, 0, 0, 0x80, 0x3f]);
        let inner = Message::new().int(1, 1);
        assert_eq!(Message::new().message(3, inner).finish(), [0x1a, 2, 0x08, 1]);
    }
}
