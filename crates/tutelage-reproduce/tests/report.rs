//! The tables in the documents agree with the committed records.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use tutelage_reproduce::{Archive, report};

/// The committed records, without run folders.
fn committed(root: &Path) -> Archive {
    Archive::new(root.join("results/paper"), root.join("results/no-run-folders"))
}

/// Fills the tables of a page; nothing may change.
fn check(page: &str, table: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let archive = committed(&root);
    let text = fs::read_to_string(root.join(page)).unwrap();
    assert!(text.contains(&format!("<!-- reproduce: {table}")));
    let filled = report::fill(&text, &archive).unwrap();
    let changed = text.lines().zip(filled.lines()).find(|(old, new)| old != new);
    assert!(
        filled == text,
        "{page} differs from its records; `tutelage reproduce --report {page}` updates it: {changed:?}"
    );
}

#[test]
fn the_tables_of_reproduction_md_are_current() {
    check("docs/REPRODUCTION.md", "claims");
}

#[test]
fn the_tables_of_fewest_md_are_current() {
    check("docs/FEWEST.md", "ratios fewest");
}

#[test]
fn edited_numbers_are_corrected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let archive = committed(&root);
    let request = "before\n<!-- reproduce: costs cost -->\n| forged |\n<!-- end -->\nafter\n";
    let filled = report::fill(request, &archive).unwrap();
    assert!(!filled.contains("forged") && filled.contains("| Hopper | DAgger |"), "{filled}");
    assert!(filled.starts_with("before\n") && filled.ends_with("<!-- end -->\nafter\n"));
    assert_eq!(report::fill(&filled, &archive).unwrap(), filled, "filling is idempotent");
}
