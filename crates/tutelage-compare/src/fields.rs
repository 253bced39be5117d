//! A spec as names and values, whoever wrote it.

/// The fields of a spec: `task`, `seed`, `oracle.batch`, …, each with its value as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads lines of `name = value` and `[table]`, as all specs are written; other lines say nothing.
    ///
    /// ```
    /// let fields = tutelage_compare::Fields::parse("task = \"ant\"\n[oracle]\nbatch = 200\n");
    /// assert_eq!((fields.get("task"), fields.get("oracle.batch")), (Some("ant"), Some("200")));
    /// ```
    pub fn parse(spec: &str) -> Self {
        let (mut table, mut fields) = (String::new(), Vec::new());
        for line in spec.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                table = format!("{name}.");
            } else if let Some((name, value)) = line.split_once('=') {
                fields.push((format!("{table}{}", name.trim()), unquoted(value.trim())));
            }
        }
        Self(fields)
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The same with another value.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some(field) => field.1 = value,
            None => self.0.push((name.into(), value)),
        }
    }
}

/// A text without its quotes and escapes.
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
    fn specs_of_the_lab_and_of_programs_are_read_alike() {
        let own = "task = \"a \\\"cart\\\"\"\ndrive = \"Learner\"\nmembers = 5\nstream = \"ab\"\n";
        let fields = Fields::parse(own);
        assert_eq!(fields.get("task"), Some("a \"cart\""));
        assert_eq!(fields.names().collect::<Vec<_>>(), ["task", "drive", "members", "stream"]);
        assert_eq!(Fields::parse("# nothing\n\nx").get("x"), None);
    }
}
