//! The reports say what the committed records say.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use tutelage_reproduce::{Archive, report};

/// What is committed, and no run folders: those of one machine would be missing on others.
fn committed(root: &Path) -> Archive {
    Archive::new(root.join("results/paper"), root.join("results/no-run-folders"))
}

/// Makes the tables of a page anew; they must be there already.
fn check(page: &str, table: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let archive = committed(&root);
    let text = fs::read_to_string(root.join(page)).unwrap();
    assert!(text.contains(&format!("<!-- reproduce: {table}")));
    let filled = report::fill(&text, &archive).unwrap();
    let changed = text.lines().zip(filled.lines()).find(|(old, new)| old != new);
    assert!(
        filled == text,
        "{page} is not what its records say; `tutelage reproduce --report {page}` makes it anew: {changed:?}"
    );
}

#[test]
fn every_table_of_the_report_is_what_the_committed_records_give() {
    check("docs/REPRODUCTION.md", "claims");
}

#[test]
fn every_table_of_the_study_is_what_the_committed_records_give() {
    check("docs/FEWEST.md", "ratios fewest");
}

#[test]
fn a_number_that_was_changed_by_hand_is_put_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let archive = committed(&root);
    let request = "before\n<!-- reproduce: costs cost -->\n| forged |\n<!-- end -->\nafter\n";
    let filled = report::fill(request, &archive).unwrap();
    assert!(!filled.contains("forged") && filled.contains("| Hopper | DAgger |"), "{filled}");
    assert!(filled.starts_with("before\n") && filled.ends_with("<!-- end -->\nafter\n"));
    assert_eq!(report::fill(&filled, &archive).unwrap(), filled, "once is enough");
}
