//! Tables in Markdown.

use tutelage_compare::tables::TextTable;

/// Formats a table; the first column is left-aligned, all others are right-aligned.
pub(super) fn markdown(TextTable { headings, rows }: TextTable) -> String {
    lines(&headings.into_iter().map(str::to_owned).collect::<Vec<_>>(), &rows)
}

pub(super) fn lines(headings: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = |i: usize| if i == 0 { "---".to_owned() } else { "---:".to_owned() };
    let rule: Vec<String> = (0..headings.len()).map(rule).collect();
    let rows = rows.iter().map(|row| line(row));
    [line(headings), line(&rule)].into_iter().chain(rows).collect()
}
