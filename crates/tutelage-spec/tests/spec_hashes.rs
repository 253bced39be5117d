//! The text and the hash of a complete spec never change, since results and run directories are found by them.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use tutelage_spec::spec::RunSpec;

/// Specs that together set every field, one per line; `;` separates the fields.
const SPECS: &str = include_str!("golden/specs.txt");

/// `TUTELAGE_GOLDEN=write` records the texts again.
#[test]
fn texts_and_hashes_of_specs_are_the_recorded_ones() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/spec-texts.txt");
    let mut text = String::new();
    for line in SPECS.lines() {
        let spec = RunSpec::parse(&line.replace(';', "\n")).unwrap();
        let complete = spec.to_toml();
        assert_eq!(RunSpec::parse(&complete).unwrap(), spec, "{line}");
        text += &format!("# {line}\n# hash {}\n{complete}\n", spec.hash());
    }
    if std::env::var_os("TUTELAGE_GOLDEN").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    for (line, recorded) in text.lines().zip(std::fs::read_to_string(&file).unwrap().lines()) {
        assert_eq!(line, recorded);
    }
    assert_eq!(text, std::fs::read_to_string(&file).unwrap());
}
