//! Quotes the command lines that the program suggests.

use std::path::Path;

/// A command line for the shell.
pub(crate) fn command(words: &[&dyn AsRef<Path>]) -> String {
    let words = words.iter().map(|word| quoted(&word.as_ref().display().to_string()));
    words.collect::<Vec<_>>().join(" ")
}

/// Quotes a word if the shell would interpret it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:+,%@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_quoted() {
        let typed = command(&[&"tutelage", &"show", &"runs/x-1.5"]);
        assert_eq!(typed, "tutelage show runs/x-1.5");
        assert_eq!(command(&[&"my runs", &"it's (1)", &""]), "'my runs' 'it'\\''s (1)' ''");
    }
}
