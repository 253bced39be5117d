//! Reads Python pickles without running anything.
//!
//! A pickle is a program for a stack machine whose only dangerous opcodes import a name and call it.
//! Here a name stays text and a call becomes an [`Object`]: the result is data, and no code runs.
//! Only the opcodes that `torch.save` and a pickled `VecNormalize` contain are known.

use std::collections::HashMap;

use tutelage_files::MemoryBudget;

use super::MAX_AXES;

/// The longest name of a module or of an item in it.
const MAX_NAME: usize = 100;

/// The memory that an opcode may take on the stack, in a list or among the marks.
const SLOT: usize = 16;
/// The memory of a memo entry.
const MEMO: usize = 32;

/// The index of a value.
pub(crate) type Id = usize;

/// A value. Values refer to each other by index, because a pickle may share them.
#[derive(Debug)]
pub(crate) enum Node {
    None,
    /// A number or a truth value.
    Number(f64),
    /// Bytes, text, or the name `module.name` of an import.
    Bytes(Vec<u8>),
    /// A tuple, a list, or a persistent ID, which is a tuple.
    List(Vec<Id>),
    Object(Object),
}

/// A dictionary, or an object that a call would create.
#[derive(Debug, Default)]
pub(crate) struct Object {
    /// The class or function, and its arguments.
    call: Option<(Id, Id)>,
    state: Option<Id>,
    entries: Vec<(Id, Id)>,
}

/// A pickle as data.
#[derive(Debug)]
pub(crate) struct Pickle {
    nodes: Vec<Node>,
    root: Id,
}

/// Why bytes cannot be read as a pickle.
#[derive(Debug, thiserror::Error)]
#[error("byte {offset} of the pickle: {why}")]
pub(crate) struct PickleError {
    offset: usize,
    why: String,
}

impl Pickle {
    /// Reads a pickle. A single byte may create a value, so all values count against the budget.
    pub(crate) fn parse(bytes: &[u8], budget: &mut MemoryBudget) -> Result<Self, PickleError> {
        let (nodes, stack, marks, memo) = Default::default();
        let mut machine = Machine { bytes, at: 0, budget, nodes, stack, marks, memo };
        match machine.run() {
            Ok(root) => Ok(Self { nodes: machine.nodes, root }),
            Err(why) => Err(PickleError { offset: machine.at, why }),
        }
    }

    pub(crate) fn root(&self) -> Id {
        self.root
    }

    pub(crate) fn bytes(&self, id: Id) -> Option<&[u8]> {
        if let Node::Bytes(bytes) = &self.nodes[id] { Some(bytes) } else { None }
    }

    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        str::from_utf8(self.bytes(id)?).ok()
    }

    pub(crate) fn number(&self, id: Id) -> Option<f64> {
        if let Node::Number(number) = self.nodes[id] { Some(number) } else { None }
    }

    pub(crate) fn list(&self, id: Id) -> Option<&[Id]> {
        if let Node::List(items) = &self.nodes[id] { Some(items) } else { None }
    }

    pub(crate) fn size(&self, id: Id) -> Option<usize> {
        // Doubles represent integers exactly up to 2^53.
        let is_size = |x: &f64| x.fract() == 0.0 && (0.0..9e15).contains(x);
        self.number(id).filter(is_size).map(|x| x as usize)
    }

    /// The sizes along the axes of an array.
    pub(crate) fn sizes(&self, id: Id) -> Option<Vec<usize>> {
        let items = self.list(id).filter(|items| items.len() <= MAX_AXES)?;
        items.iter().map(|&id| self.size(id)).collect()
    }

    fn object(&self, id: Id) -> Option<&Object> {
        if let Node::Object(object) = &self.nodes[id] { Some(object) } else { None }
    }

    /// The class or function and the arguments of an object.
    pub(crate) fn call(&self, id: Id) -> Option<(&str, &[Id])> {
        let (function, arguments) = self.object(id)?.call?;
        Some((self.text(function)?, self.list(arguments)?))
    }

    pub(crate) fn state(&self, id: Id) -> Option<Id> {
        self.object(id)?.state
    }

    /// The entries of a dictionary or of an object of a subclass.
    pub(crate) fn entries(&self, id: Id) -> &[(Id, Id)] {
        self.object(id).map_or(&[], |object| &object.entries)
    }

    /// The attribute of an object.
    pub(crate) fn attribute(&self, id: Id, name: &str) -> Option<Id> {
        let entries = self.entries(self.state(id)?);
        entries.iter().find(|(key, _)| self.text(*key) == Some(name)).map(|&(_, value)| value)
    }
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    budget: &'a mut MemoryBudget,
    nodes: Vec<Node>,
    stack: Vec<Id>,
    /// The stack heights of the marks.
    marks: Vec<usize>,
    memo: HashMap<u64, Id>,
}

type Step<T> = Result<T, String>;

impl Machine<'_> {
    /// Runs to the end; the result is the value on top of the stack.
    fn run(&mut self) -> Step<Id> {
        loop {
            self.spend(SLOT)?;
            match self.byte()? {
                b'.' => return self.pop(),
                opcode => self.step(opcode)?,
            }
        }
    }

    fn step(&mut self, opcode: u8) -> Step<()> {
        let node = match opcode {
            b'N' => Node::None,
            0x88 | 0x89 => Node::Number(f64::from(u8::from(opcode == 0x88))),
            b'K' => Node::Number(self.unsigned(1)? as f64),
            b'M' => Node::Number(self.unsigned(2)? as f64),
            b'J' => Node::Number(i32::from_le_bytes(self.array()?).into()),
            0x8a => {
                let count = self.byte()?;
                Node::Number(long(self.take(count.into())?) as f64)
            }
            b'G' => Node::Number(f64::from_be_bytes(self.array()?)),
            b'C' | 0x8c => self.counted(1)?,
            b'B' | b'X' => self.counted(4)?,
            0x8d | 0x8e => self.counted(8)?,
            b']' | b')' => Node::List(Vec::new()),
            b't' => Node::List(self.since_mark()?),
            0x85..=0x87 => Node::List(self.pop_some(usize::from(opcode - 0x84))?),
            b'}' => Node::Object(Object::default()),
            b'c' => Node::Bytes([self.line()?, self.line()?].join(&b'.')),
            0x93 => self.import()?,
            b'R' | 0x81 => {
                let (arguments, function) = (self.pop()?, self.pop()?);
                Node::Object(Object { call: Some((function, arguments)), ..Object::default() })
            }
            _ => return self.rearrange(opcode),
        };
        self.spend(size_of::<Node>())?;
        self.nodes.push(node);
        self.stack.push(self.nodes.len() - 1);
        Ok(())
    }

    /// Opcodes that create no value.
    fn rearrange(&mut self, opcode: u8) -> Step<()> {
        match opcode {
            0x80 => drop(self.byte()?),  // protocol
            0x95 => drop(self.take(8)?), // frame
            b'Q' => {}                   // a persistent ID stays a tuple
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'a' | b'e' => {
                let more = if opcode == b'a' { self.pop_some(1)? } else { self.since_mark()? };
                match self.top()? {
                    Node::List(items) => items.extend(more),
                    _ => return Err("items of something that is not a list".into()),
                }
            }
            b's' | b'u' => {
                let pairs = if opcode == b's' { self.pop_some(2)? } else { self.since_mark()? };
                let pairs = pairs.as_chunks::<2>().0.iter().map(|&[key, value]| (key, value));
                self.top_object()?.entries.extend(pairs);
            }
            b'b' => {
                let state = self.pop()?;
                self.top_object()?.state = Some(state);
            }
            b'q' | b'r' | 0x94 => {
                let index = self.memo_index(opcode)?;
                let top = *self.stack.last().ok_or("an empty stack")?;
                self.spend(MEMO)?;
                self.memo.insert(index, top);
            }
            b'h' | b'j' => {
                let index = self.memo_index(opcode)?;
                self.stack.push(*self.memo.get(&index).ok_or("a reference to nothing")?);
            }
            other => return Err(format!("unknown opcode {other:#04x}")),
        }
        Ok(())
    }

    fn memo_index(&mut self, opcode: u8) -> Step<u64> {
        match opcode {
            b'q' | b'h' => self.unsigned(1),
            b'r' | b'j' => self.unsigned(4),
            _ => Ok(self.memo.len() as u64),
        }
    }

    /// The name of an import. Its parts may be shared, so a long one could fill the memory.
    fn import(&mut self) -> Step<Node> {
        let (name, module) = (self.pop()?, self.pop()?);
        let part = |id: Id| match &self.nodes[id] {
            Node::Bytes(text) if text.len() <= MAX_NAME => Ok(text.as_slice()),
            _ => Err(format!("an import without a name of at most {MAX_NAME} bytes")),
        };
        let import = [part(module)?, part(name)?].join(&b'.');
        self.spend(import.len())?;
        Ok(Node::Bytes(import))
    }

    /// Bytes after their count, a number of `width` bytes.
    fn counted(&mut self, width: usize) -> Step<Node> {
        let count = self.unsigned(width)?;
        let count = usize::try_from(count).map_err(|_| "a count beyond all memory")?;
        self.spend(count)?;
        Ok(Node::Bytes(self.take(count)?.to_vec()))
    }

    fn spend(&mut self, bytes: usize) -> Step<()> {
        self.budget.spend(bytes).map_err(|exceeded| exceeded.to_string())
    }

    fn top(&mut self) -> Step<&mut Node> {
        let top = *self.stack.last().ok_or("an empty stack")?;
        Ok(&mut self.nodes[top])
    }

    fn top_object(&mut self) -> Step<&mut Object> {
        match self.top()? {
            Node::Object(object) => Ok(object),
            _ => Err("contents of something that is not an object".into()),
        }
    }

    fn pop(&mut self) -> Step<Id> {
        self.stack.pop().ok_or_else(|| "an empty stack".into())
    }

    fn pop_some(&mut self, count: usize) -> Step<Vec<Id>> {
        let from = self.stack.len().checked_sub(count).ok_or("an empty stack")?;
        Ok(self.stack.split_off(from))
    }

    fn since_mark(&mut self) -> Step<Vec<Id>> {
        let mark = self.marks.pop().ok_or("no mark")?;
        let count = self.stack.len().checked_sub(mark).ok_or("an empty stack")?;
        self.pop_some(count)
    }

    fn take(&mut self, count: usize) -> Step<&[u8]> {
        let taken = self.bytes[self.at..].get(..count).ok_or("the pickle ends too early")?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Step<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| "the pickle ends too early".into())
    }

    /// A little-endian number of at most 8 bytes.
    fn unsigned(&mut self, width: usize) -> Step<u64> {
        Ok(self.take(width)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn byte(&mut self) -> Step<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn line(&mut self) -> Step<Vec<u8>> {
        let length = self.bytes[self.at..].iter().position(|&b| b == b'\n');
        let line = self.take(length.ok_or("a line without end")?)?.to_vec();
        self.take(1)?;
        Ok(line)
    }
}

/// A little-endian two's complement integer. Wider ones than 64 bits, such as the state of a random
/// generator, are truncated, because no reader uses them.
fn long(bytes: &[u8]) -> i64 {
    let sign = if bytes.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 };
    i64::from_le_bytes(std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Pickle, PickleError> {
        Pickle::parse(bytes, &mut MemoryBudget::new(10_000))
    }

    #[test]
    fn calls_are_recorded_but_not_made() {
        // os.system("true"), in protocol 2.
        let pickle = parse(b"\x80\x02cos\nsystem\nX\x04\0\0\0true\x85R.").unwrap();
        let (function, arguments) = pickle.call(pickle.root()).unwrap();
        assert_eq!((function, pickle.text(arguments[0])), ("os.system", Some("true")));
    }

    #[test]
    fn containers_numbers_and_shared_values_are_read() {
        // {"a": [1, -2, 2.5, -1, 256], "b": the same list}
        let mut bytes = b"\x80\x04}(\x8c\x01a]\x94(K\x01J\xfe\xff\xff\xffG".to_vec();
        bytes.extend(2.5f64.to_be_bytes());
        bytes.extend(b"\x8a\x01\xff\x8a\x02\0\x01e\x8c\x01bh\0u.");
        let pickle = parse(&bytes).unwrap();
        let [(_, list), (_, same)] = *pickle.entries(pickle.root()) else { panic!("{pickle:?}") };
        assert_eq!(list, same);
        let numbers = pickle.list(list).unwrap().iter().map(|&id| pickle.number(id).unwrap());
        assert_eq!(numbers.collect::<Vec<_>>(), [1.0, -2.0, 2.5, -1.0, 256.0]);
    }

    #[test]
    fn damage_is_an_error_with_its_offset() {
        for bytes in [
            &b""[..],
            b"\x80\x02",
            b"\x80\x02R.",
            b"\x80\x02e.",
            b"\x80\x02h\x05.",
            b"\x80\x02]K\x01s.",
            b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(parse(bytes).is_err(), "{bytes:?}");
        }
        assert_eq!(parse(b"\x80\x02N\xfe").unwrap_err().offset, 4);
    }
}
