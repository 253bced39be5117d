//! Results on standard output: a table for people, JSON lines for programs.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use tutelage_compare::tables::TextTable;

/// How results are printed.
pub(crate) struct Output {
    json: bool,
}

/// A row of a table, and the JSON object that says the same.
pub(crate) trait Row: Serialize {
    /// The column headings.
    const HEADINGS: &'static [&'static str];

    /// The cells, one per heading.
    fn cells(&self) -> Vec<String>;
}

/// A reward in a table: some tasks' episodes earn thousands, others' less than one.
pub(crate) fn reward(value: f64) -> String {
    let digits = if value.abs() < 10.0 { 2 } else { 1 };
    format!("{value:.digits$}")
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether results go out as JSON lines.
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

    /// Prints an object as a JSON line; says nothing where people read.
    pub(crate) fn json(&self, object: &impl Serialize) -> anyhow::Result<()> {
        if self.json {
            writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(object)?)?;
        }
        Ok(())
    }

    /// Prints a text that is the same for people and programs.
    pub(crate) fn verbatim(&self, text: &str) -> anyhow::Result<()> {
        Ok(write!(std::io::stdout().lock(), "{text}")?)
    }

    /// Prints a line for people; says nothing where programs read.
    pub(crate) fn say(&self, line: &str) -> anyhow::Result<()> {
        if !self.json {
            writeln!(std::io::stdout().lock(), "{line}")?;
        }
        Ok(())
    }
}

impl Output {
    /// Prints a line for people that is no result; says nothing where programs read, or `--quiet` was given.
    pub(crate) fn remark(&self, line: &str) -> anyhow::Result<()> {
        if is_quiet() { Ok(()) } else { self.say(line) }
    }
}

/// Whether `--quiet` was given: a property of the process, like standard error itself.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on only errors go to standard error.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether only errors go to standard error.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// A line on standard error, unless `--quiet` was given. That nobody reads it is no reason to stop.
pub(crate) fn note(line: &str) {
    if !is_quiet() {
        complain(line);
    }
}

/// A line on standard error, whatever was given.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Work that was interrupted, and how to go on with it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub(crate) String);

/// Whether results could not be printed because their reader has gone away, as `head` does.
pub(crate) fn reader_is_gone(error: &anyhow::Error) -> bool {
    let closed = |io: &std::io::Error| io.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(closed))
}

/// Cells in aligned columns: text to the left, numbers to the right.
pub(crate) fn table(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    TextTable::new(headings, rows).to_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_have_the_digits_that_tell_policies_apart() {
        assert_eq!([0.852, -3.456, 2412.34].map(reward), ["0.85", "-3.46", "2412.3"]);
    }
}
