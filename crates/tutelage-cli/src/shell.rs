//! Commands as they are typed: every piece of advice that the program prints goes through here.

use std::path::Path;

/// A command line that does what it says when it is typed, whatever the folders are called.
pub(crate) fn command(words: &[&dyn AsRef<Path>]) -> String {
    let words = words.iter().map(|word| quoted(&word.as_ref().display().to_string()));
    words.collect::<Vec<_>>().join(" ")
}

/// A word, in quotes where the shell would take it apart.
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
    fn what_a_shell_would_take_apart_is_quoted() {
        let typed = command(&[&"tutelage", &"show", &"runs/x-1.5"]);
        assert_eq!(typed, "tutelage show runs/x-1.5");
        assert_eq!(command(&[&"my runs", &"it's (1)", &""]), "'my runs' 'it'\\''s (1)' ''");
    }
}
