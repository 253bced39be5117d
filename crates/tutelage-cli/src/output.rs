//! Results on standard output: tables for people, JSON lines for programs.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Serialize, Serializer};
use serde_json::Value;
use tutelage_compare::tables::TextTable;

/// How results are printed.
pub(crate) struct Output {
    json: bool,
}

/// A row of a table, and a JSON object.
pub(crate) trait Row: Serialize {
    /// The column headings.
    const HEADINGS: &'static [&'static str];

    /// The cells, one per heading.
    fn cells(&self) -> Vec<String>;
}

/// A value of a row: an entry of a JSON object, a cell of a table under its heading, or both.
pub(crate) struct Field {
    entry: Option<(&'static str, Value)>,
    cell: Option<(&'static str, String)>,
}

impl Field {
    /// A value that only programs see.
    pub(crate) fn entry(key: &'static str, value: impl Into<Value>) -> Self {
        Self { entry: Some((key, value.into())), cell: None }
    }

    /// A cell that only people see.
    pub(crate) fn cell(heading: &'static str, cell: impl Display) -> Self {
        Self { entry: None, cell: Some((heading, cell.to_string())) }
    }

    /// A value, and its cell.
    pub(crate) fn both(
        key: &'static str,
        value: impl Into<Value>,
        heading: &'static str,
        cell: impl Display,
    ) -> Self {
        Self { entry: Some((key, value.into())), ..Self::cell(heading, cell) }
    }

    /// A value whose key is the heading and whose text is the cell.
    pub(crate) fn new(key: &'static str, value: impl Into<Value> + Display + Clone) -> Self {
        Self::both(key, value.clone(), key, value)
    }
}

/// A row of a table: an object for programs, cells for people.
pub(crate) type Record = (Value, Vec<String>);

/// Formats a reward. Rewards range from less than one to thousands, depending on the task.
pub(crate) fn reward(value: f64) -> String {
    let digits = if value.abs() < 10.0 { 2 } else { 1 };
    format!("{value:.digits$}")
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether results are JSON lines.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints rows as one table, or one JSON object each.
    pub(crate) fn rows<R: Row>(&self, rows: &[R]) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            for row in rows {
                writeln!(out, "{}", serde_json::to_string(row)?)?;
            }
        } else {
            write!(out, "{}", table(R::HEADINGS, rows.iter().map(Row::cells).collect()))?;
        }
        Ok(())
    }

    /// Prints rows of the same fields as one table, or as one JSON object each.
    pub(crate) fn fields(&self, rows: Vec<Vec<Field>>) -> anyhow::Result<()> {
        if self.json {
            let mut out = std::io::stdout().lock();
            for row in rows {
                let entries = row.into_iter().filter_map(|field| field.entry);
                serde_json::Serializer::new(&mut out).collect_map(entries)?;
                writeln!(out)?;
            }
            return Ok(());
        }
        let mut headings = vec![];
        let mut cells: Vec<Vec<String>> = vec![];
        for row in rows {
            let row = row.into_iter().filter_map(|field| field.cell);
            let (names, texts) = row.unzip();
            headings = names;
            cells.push(texts);
        }
        self.verbatim(&table(&headings, cells))
    }

    /// Prints rows as one table under these headings, or as one JSON object each.
    pub(crate) fn records(&self, headings: &[&str], rows: Vec<Record>) -> anyhow::Result<()> {
        let (objects, cells): (Vec<Value>, Vec<Vec<String>>) = rows.into_iter().unzip();
        match self.json {
            true => objects.iter().try_for_each(|object| self.json(object)),
            false => self.verbatim(&table(headings, cells)),
        }
    }

    /// Prints an object as a JSON line; nothing without `--json`.
    pub(crate) fn json(&self, object: &impl Serialize) -> anyhow::Result<()> {
        if self.json {
            writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(object)?)?;
        }
        Ok(())
    }

    /// Prints a text, with or without `--json`.
    pub(crate) fn verbatim(&self, text: &str) -> anyhow::Result<()> {
        Ok(write!(std::io::stdout().lock(), "{text}")?)
    }

    /// Prints a line for people; nothing with `--json`.
    pub(crate) fn say(&self, line: &str) -> anyhow::Result<()> {
        if !self.json {
            writeln!(std::io::stdout().lock(), "{line}")?;
        }
        Ok(())
    }

    /// Prints a line that is not a result; nothing with `--json` or `--quiet`.
    pub(crate) fn remark(&self, line: &str) -> anyhow::Result<()> {
        if is_quiet() { Ok(()) } else { self.say(line) }
    }
}

/// Whether `--quiet` was given. It is global like standard error.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Prints only errors to standard error from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether `--quiet` was given.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints a line to standard error, unless `--quiet` was given. Ignores failures.
pub(crate) fn note(line: &str) {
    if !is_quiet() {
        complain(line);
    }
}

/// Prints an error to standard error. Ignores failures.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Interrupted work, and how to resume it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub(crate) String);

/// Wrong usage of the command.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(String);

/// An error about wrong usage, with exit code 2.
pub(crate) fn usage(text: impl Into<String>) -> anyhow::Error {
    Usage(text.into()).into()
}

/// Like [`anyhow::ensure`], with exit code 2.
macro_rules! ensure_usage {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err($crate::output::usage(format!($($text)+)));
        }
    };
}
pub(crate) use ensure_usage;

/// Whether results could not be printed because the reader closed the pipe, as `head` does.
pub(crate) fn reader_is_gone(error: &anyhow::Error) -> bool {
    let closed = |io: &std::io::Error| io.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(closed))
}

/// Formats cells in aligned columns: text to the left, numbers to the right.
pub(crate) fn table(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    TextTable::new(headings, rows).to_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_have_enough_digits() {
        assert_eq!([0.852, -3.456, 2412.34].map(reward), ["0.85", "-3.46", "2412.3"]);
    }
}
