//! Reads Python pickles without running anything.
//!
//! A pickle is a program for a stack machine whose only dangerous instructions import a name and
//! call it. Here a name stays a name and a call becomes an [`Node::Object`] that says what would
//! have been called: data comes out, code never runs.

use std::collections::HashMap;

use tutelage_files::MemoryBudget;

/// How long the name of a module or of something in it may be.
const LONGEST_NAME: usize = 100;

/// What an instruction may leave on the stack, in a list or among the marks, and what an entry of
/// the memo takes.
const PLACE: usize = 16;
const MEMO: usize = 32;

/// Where a value is stored.
pub(crate) type Id = usize;

/// A value. Values refer to each other by place, since a pickle may share them or make them contain
/// themselves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// A tuple, list or set.
    Sequence(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// `module.name`, not imported.
    Global(String),
    /// What a call of `class` with `arguments` would have made.
    Object {
        class: Id,
        arguments: Id,
        state: Option<Id>,
        items: Vec<(Id, Id)>,
    },
    /// A reference to something kept outside the pickle.
    Persistent(Id),
}

/// A pickle as data.
#[derive(Debug)]
pub(crate) struct Pickle {
    nodes: Vec<Node>,
    root: Id,
}

/// Why bytes are no pickle that we can read.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("byte {offset} of the pickle: {why}")]
pub(crate) struct PickleError {
    offset: usize,
    why: String,
}

impl Pickle {
    /// Reads a pickle of protocol 2 to 5. A single byte may make a value, so all that it makes is
    /// within a budget.
    pub(crate) fn parse(bytes: &[u8], budget: &mut MemoryBudget) -> Result<Self, PickleError> {
        let mut machine = Machine::new(bytes, budget);
        let root = machine.run().map_err(|why| PickleError { offset: machine.at, why })?;
        Ok(Self { nodes: machine.nodes, root })
    }

    pub(crate) fn root(&self) -> Id {
        self.root
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        match self.node(id) {
            Node::Text(text) | Node::Global(text) => Some(text),
            _ => None,
        }
    }

    /// A number, whatever its type.
    pub(crate) fn number(&self, id: Id) -> Option<f64> {
        match self.node(id) {
            Node::Int(x) => Some(*x as f64),
            Node::Float(x) => Some(*x),
            Node::Bool(x) => Some(f64::from(u8::from(*x))),
            _ => None,
        }
    }

    pub(crate) fn sequence(&self, id: Id) -> Option<&[Id]> {
        match self.node(id) {
            Node::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// A sequence of sizes, such as a shape.
    pub(crate) fn sizes(&self, id: Id) -> Option<Vec<usize>> {
        let size = |&id: &Id| match self.node(id) {
            Node::Int(x) => usize::try_from(*x).ok(),
            _ => None,
        };
        self.sequence(id)?.iter().map(size).collect()
    }

    /// The class (or function) and the arguments of an object.
    pub(crate) fn call(&self, id: Id) -> Option<(&str, &[Id])> {
        match self.node(id) {
            Node::Object { class, arguments, .. } => {
                Some((self.text(*class)?, self.sequence(*arguments)?))
            }
            _ => None,
        }
    }

    pub(crate) fn state(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Object { state, .. } => *state,
            _ => None,
        }
    }

    /// The entries of a dictionary, or of an object that is one.
    pub(crate) fn entries(&self, id: Id) -> &[(Id, Id)] {
        match self.node(id) {
            Node::Dict(entries) | Node::Object { items: entries, .. } => entries,
            _ => &[],
        }
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
    /// Heights of the stack that marks stand at.
    marks: Vec<usize>,
    memo: HashMap<u32, Id>,
}

type Step<T> = Result<T, String>;

impl<'a> Machine<'a> {
    fn new(bytes: &'a [u8], budget: &'a mut MemoryBudget) -> Self {
        let (nodes, stack, marks, memo) = Default::default();
        Self { bytes, at: 0, budget, nodes, stack, marks, memo }
    }

    /// Runs to the end; the value on top of the stack is the result.
    fn run(&mut self) -> Step<Id> {
        loop {
            match self.byte()? {
                b'.' => return self.pop(),
                opcode => self.step(opcode)?,
            }
        }
    }

    fn step(&mut self, opcode: u8) -> Step<()> {
        self.spend(PLACE)?;
        match opcode {
            0x80 => self.protocol()?,
            0x95 => drop(self.take(8)?), // frame
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.since_mark()?),
            b'2' => self.stack.push(self.top()?),
            b'N' => self.push(Node::None)?,
            0x88 => self.push(Node::Bool(true))?,
            0x89 => self.push(Node::Bool(false))?,
            b'K' | b'M' | b'J' | 0x8a | 0x8b => self.integer(opcode)?,
            b'G' => {
                let bits = u64::from_be_bytes(self.array()?);
                self.push(Node::Float(f64::from_bits(bits)))?;
            }
            b'X' | 0x8c | 0x8d => {
                let bytes = self.counted(opcode)?;
                let text = String::from_utf8(bytes).map_err(|_| "text that is not UTF-8")?;
                self.push(Node::Text(text))?;
            }
            b'B' | b'C' | 0x8e | 0x96 | b'T' | b'U' => {
                let bytes = self.counted(opcode)?;
                self.push(Node::Bytes(bytes))?;
            }
            b')' | b']' | 0x8f => self.push(Node::Sequence(Vec::new()))?,
            b't' | 0x91 => {
                let items = self.since_mark()?;
                self.push(Node::Sequence(items))?;
            }
            0x85..=0x87 => {
                let items = self.pop_some(usize::from(opcode - 0x84))?;
                self.push(Node::Sequence(items))?;
            }
            b'a' => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            b'e' | 0x90 => {
                let items = self.since_mark()?;
                self.append(items)?;
            }
            b'}' => self.push(Node::Dict(Vec::new()))?,
            b's' => {
                let pair = self.pop_some(2)?;
                self.set_items(&pair)?;
            }
            b'u' => {
                let pairs = self.since_mark()?;
                self.set_items(&pairs)?;
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.push(Node::Global(format!("{module}.{name}")))?;
            }
            0x93 => {
                let [module, name] = self.pop_array()?;
                // A name is said once and used again and again, so that a long one would fill the
                // memory.
                let text = |id: Id| match &self.nodes[id] {
                    Node::Text(text) if text.len() <= LONGEST_NAME => Ok(text.clone()),
                    Node::Text(_) => Err("a name longer than any"),
                    _ => Err("a name that is no text"),
                };
                let global = format!("{}.{}", text(module)?, text(name)?);
                self.spend(global.len())?;
                self.push(Node::Global(global))?;
            }
            b'R' | 0x81 => {
                let [class, arguments] = self.pop_array()?;
                self.push(Node::Object { class, arguments, state: None, items: Vec::new() })?;
            }
            0x92 => {
                let [class, arguments, _keywords] = self.pop_array()?;
                self.push(Node::Object { class, arguments, state: None, items: Vec::new() })?;
            }
            b'b' => self.build()?,
            b'Q' => {
                let id = self.pop()?;
                self.push(Node::Persistent(id))?;
            }
            b'q' | b'r' | 0x94 | b'h' | b'j' => self.memo(opcode)?,
            other => return Err(format!("unknown instruction {other:#04x}")),
        }
        Ok(())
    }

    fn protocol(&mut self) -> Step<()> {
        match self.byte()? {
            2..=5 => Ok(()),
            other => Err(format!("protocol {other}; 2 to 5 are supported")),
        }
    }

    fn integer(&mut self, opcode: u8) -> Step<()> {
        let value = match opcode {
            b'K' => i64::from(self.byte()?),
            b'M' => i64::from(u16::from_le_bytes(self.array()?)),
            b'J' => i64::from(i32::from_le_bytes(self.array()?)),
            _ => {
                let count = match opcode {
                    0x8a => usize::from(self.byte()?),
                    _ => u32::from_le_bytes(self.array()?) as usize,
                };
                long(self.take(count)?)
            }
        };
        self.push(Node::Int(value))
    }

    /// Bytes after their count, whose width the instruction says.
    fn counted(&mut self, opcode: u8) -> Step<Vec<u8>> {
        let count = match opcode {
            b'C' | b'U' | 0x8c => u64::from(self.byte()?),
            b'X' | b'B' | b'T' => u64::from(u32::from_le_bytes(self.array()?)),
            _ => u64::from_le_bytes(self.array()?),
        };
        let count = usize::try_from(count).map_err(|_| "a count beyond all memory")?;
        self.spend(count)?;
        Ok(self.take(count)?.to_vec())
    }

    /// The state of the object below; a second one replaces it.
    fn build(&mut self) -> Step<()> {
        let given = self.pop()?;
        let top = self.top()?;
        match &mut self.nodes[top] {
            Node::Object { state, .. } => {
                *state = Some(given);
                Ok(())
            }
            _ => Err("a state for what is no object".into()),
        }
    }

    fn append(&mut self, more: Vec<Id>) -> Step<()> {
        let top = self.top()?;
        match &mut self.nodes[top] {
            Node::Sequence(items) => items.extend(more),
            Node::Object { .. } => {} // a subclass of list: its items are of no interest
            _ => return Err("items for what is no list".into()),
        }
        Ok(())
    }

    fn set_items(&mut self, pairs: &[Id]) -> Step<()> {
        let top = self.top()?;
        match &mut self.nodes[top] {
            Node::Dict(entries) | Node::Object { items: entries, .. } => {
                entries.extend(pairs.as_chunks::<2>().0.iter().map(|&[key, value]| (key, value)));
                Ok(())
            }
            _ => Err("entries for what is no dictionary".into()),
        }
    }

    fn memo(&mut self, opcode: u8) -> Step<()> {
        let index = match opcode {
            b'q' | b'h' => u32::from(self.byte()?),
            b'r' | b'j' => u32::from_le_bytes(self.array()?),
            _ => self.memo.len() as u32,
        };
        if matches!(opcode, b'h' | b'j') {
            let id = self.memo.get(&index).ok_or("a reference to nothing")?;
            self.stack.push(*id);
        } else {
            let top = self.top()?;
            self.spend(MEMO)?;
            self.memo.insert(index, top);
        }
        Ok(())
    }

    fn push(&mut self, node: Node) -> Step<()> {
        self.spend(size_of::<Node>())?;
        self.nodes.push(node);
        self.stack.push(self.nodes.len() - 1);
        Ok(())
    }

    fn spend(&mut self, bytes: usize) -> Step<()> {
        self.budget.spend(bytes).map_err(|exceeded| exceeded.to_string())
    }

    fn top(&self) -> Step<Id> {
        self.stack.last().copied().ok_or_else(|| "an empty stack".into())
    }

    fn pop(&mut self) -> Step<Id> {
        self.stack.pop().ok_or_else(|| "an empty stack".into())
    }

    fn pop_some(&mut self, count: usize) -> Step<Vec<Id>> {
        let from = self.stack.len().checked_sub(count).ok_or("an empty stack")?;
        Ok(self.stack.split_off(from))
    }

    fn pop_array<const N: usize>(&mut self) -> Step<[Id; N]> {
        self.pop_some(N)?.try_into().map_err(|_| "an empty stack".into())
    }

    fn since_mark(&mut self) -> Step<Vec<Id>> {
        let mark = self.marks.pop().ok_or("no mark")?;
        if mark > self.stack.len() {
            return Err("an empty stack".into());
        }
        Ok(self.stack.split_off(mark))
    }

    fn take(&mut self, count: usize) -> Step<&[u8]> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or("the pickle ends too early")?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Step<[u8; N]> {
        self.take(N)?.try_into().map_err(|_| "the pickle ends too early".into())
    }

    fn byte(&mut self) -> Step<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn line(&mut self) -> Step<String> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').ok_or("a line without end")?;
        let line = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.at += length + 1;
        Ok(line)
    }
}

/// A little-endian two's complement integer; those wider than 64 bits (a generator's state, say)
/// are cut, as nobody asks for them.
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
    fn a_call_is_recorded_and_not_made() {
        // os.system("true"), in protocol 2.
        let pickle = parse(b"\x80\x02cos\nsystem\nX\x04\0\0\0true\x85R.").unwrap();
        let (function, arguments) = pickle.call(pickle.root()).unwrap();
        assert_eq!((function, pickle.text(arguments[0])), ("os.system", Some("true")));
    }

    #[test]
    fn containers_numbers_and_shared_values() {
        // {"a": [1, -2, 2.5], "b": the same list}
        let mut bytes = b"\x80\x04}(\x8c\x01a]\x94(K\x01J\xfe\xff\xff\xffG".to_vec();
        bytes.extend(2.5f64.to_be_bytes());
        bytes.extend(b"e\x8c\x01bh\0u.");
        let pickle = parse(&bytes).unwrap();
        let entries = pickle.entries(pickle.root());
        assert_eq!(entries[0].1, entries[1].1);
        let numbers: Vec<f64> = pickle
            .sequence(entries[0].1)
            .unwrap()
            .iter()
            .map(|&id| pickle.number(id).unwrap())
            .collect();
        assert_eq!(numbers, [1.0, -2.0, 2.5]);
        assert_eq!(long(&[0xff]), -1);
        assert_eq!(long(&[0, 1]), 256);
    }

    #[test]
    fn damage_is_an_error_with_its_place() {
        for bytes in [
            &b""[..],
            b"\x80\x02",
            b"\x80\x02R.",
            b"\x80\x02e.",
            b"\x80\x02h\x05.",
            b"\x80\x09.",
            b"\x80\x02\xfe",
            b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(parse(bytes).is_err(), "{bytes:?}");
        }
        let error = parse(b"\x80\x02N\xfe").unwrap_err();
        assert_eq!(error.to_string(), "byte 4 of the pickle: unknown instruction 0xfe");
    }
}
