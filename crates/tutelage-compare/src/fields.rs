//! The fields of a spec as names and values.

use std::path::Path;

use tutelage_runs::store::read_spec;

/// The fields of a spec (`task`, `seed`, `oracle.batch`, …) with their values as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecFields(Vec<(String, String)>);

/// The maximum number of lines read, because each field is compared with those of all other runs.
const MOST_LINES: usize = 1000;

impl SpecFields {
    /// Reads lines of the form `name = value` and `[table]`; ignores others.
    pub fn parse(spec: &str) -> Self {
        let (mut table, mut fields) = (String::new(), Vec::new());
        for line in spec.lines().take(MOST_LINES).map(str::trim) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                table = format!("{name}.");
            } else if let Some((name, value)) = line.split_once('=') {
                fields.push((format!("{table}{}", name.trim()), unquoted(value.trim())));
            }
        }
        Self(fields)
    }

    /// Returns the value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a field that is a whole number.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// Returns all names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Replaces the folders of other runs by their algorithms, because folders differ between seeds.
    pub(crate) fn name_sources(&mut self) {
        if let Some(data) = self.get("data") {
            let source = read_spec(Path::new(data)).ok().map(|spec| SpecFields::parse(&spec));
            let algorithm = source.and_then(|fields| fields.get("algorithm").map(str::to_owned));
            let task = self.get("task").unwrap_or_default();
            let algorithm = algorithm.unwrap_or_else(|| without_seed(data, task));
            self.set("data", algorithm);
        }
        if let Some(runs) = self.get("d0").and_then(|d0| d0.strip_prefix("dagger:")) {
            let count = runs.split(',').count();
            let text = format!("states of {count} run{}", if count == 1 { "" } else { "s" });
            self.set("d0", text);
        }
    }

    /// Sets the value of a field.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some(field) => field.1 = value,
            None => self.0.push((name.into(), value)),
        }
    }
}

/// Guesses the algorithm from a folder named `TASK-ALGORITHM-CLASS-seed-N`.
fn without_seed(folder: &str, task: &str) -> String {
    let name = Path::new(folder).file_name().unwrap_or_default().to_string_lossy();
    let name = name.split("-seed-").next().unwrap_or_default();
    let name = name.strip_prefix(&format!("{task}-")).unwrap_or(name);
    let end = ["-mlp-", "-linear"].iter().filter_map(|class| name.find(class)).min();
    name[..end.unwrap_or(name.len())].to_owned()
}

/// Removes quotes and escapes.
fn unquoted(value: &str) -> String {
    let quotes = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match quotes('"') {
        Some(text) => text.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => quotes('\'').unwrap_or(value).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_values_are_unescaped() {
        let own = "task = \"a \\\"cart\\\"\"\ndrive = \"Learner\"\nmembers = 5\nstream = \"ab\"\n[oracle]\nbatch = 200\n";
        let fields = SpecFields::parse(own);
        assert_eq!(fields.get("task"), Some("a \"cart\""));
        let names = ["task", "drive", "members", "stream", "oracle.batch"];
        assert_eq!(fields.names().collect::<Vec<_>>(), names);
        assert_eq!(SpecFields::parse("# nothing\n\nx").get("x"), None);
    }

    #[test]
    fn long_specs_are_cut() {
        let spec: String = (0..100_000).map(|i| format!("x{i} = 1\n")).collect();
        assert_eq!(SpecFields::parse(&spec).names().count(), MOST_LINES);
    }
}
