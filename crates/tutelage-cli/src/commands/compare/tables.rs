//! A comparison as tables.

use serde::Serialize;
use tutelage_compare::tables::{self, TextTable};
use tutelage_compare::{Comparison, Cost, CurveRow};
use tutelage_runs::terminal::digits;

use crate::output::{Output, note, table};

/// Prints everything: tables for people, JSON lines that name their table for programs.
pub(super) fn print(comparison: &Comparison, output: &Output) -> anyhow::Result<()> {
    comparison.notes.iter().for_each(|line| note(&format!("note: {line}")));
    let (curves, aggregates, pairs) =
        (comparison.curves(), comparison.aggregates(), comparison.pairs());
    if output.is_json() {
        json(output, "curve", &curves)?;
        json(output, "aggregate", &aggregates)?;
        json(output, "pair", &pairs.in_panels)?;
        return json(output, "pair over panels", &pairs.over_panels);
    }
    output.verbatim(&in_words(comparison))
}

/// Everything as tables for people.
pub(super) fn in_words(comparison: &Comparison) -> String {
    let (curves, aggregates, pairs) =
        (comparison.curves(), comparison.aggregates(), comparison.pairs());
    let mut text = String::new();
    let mut say = |line: &str| text += &format!("{line}\n");
    let cost = comparison.settings.cost;
    for panel in &comparison.panels {
        let expert = panel
            .expert
            .map_or(String::new(), |expert| format!(", expert {expert:.*}", digits(expert)));
        say(&format!("{}{expert}", panel.title));
        let rows: Vec<&CurveRow> = curves.iter().filter(|row| row.panel == panel.title).collect();
        say(&block(&tables::curves(&rows)));
    }
    let level = 100.0 * comparison.settings.level;
    let over =
        if cost == Cost::Annotations { "annotations".into() } else { format!("cost ({cost})") };
    say(&format!(
        "Rewards with {level:.0} % t intervals over seeds. to X %: {over} at which the mean curve reaches X % of the expert for good.\n"
    ));
    if comparison.panels.len() > 1 && !aggregates.is_empty() {
        let panels = match aggregates[0].panels {
            1 => "In the 1 panel that has all curves".into(),
            panels => format!("Over the {panels} panels that have all curves"),
        };
        say(&format!("{panels}: interquartile means, the expert being 1"));
        say(&block(&tables::aggregates(&aggregates)));
    }
    let tests = pairs.in_panels.iter().filter(|pair| pair.p.is_some()).count();
    if tests > 0 {
        let test = match comparison.settings.paired {
            true => "Student's t test of pairs by seed",
            false => "Welch's t test",
        };
        say(&format!("{test}, p corrected by Holm's method for {tests} comparisons"));
        say(&block(&tables::pairs(&pairs.in_panels)));
    }
    if comparison.panels.len() > 1 && !pairs.over_panels.is_empty() {
        let tests = pairs.over_panels.iter().filter(|pair| pair.p.is_some()).count();
        let holm = format!("; Holm's correction for {tests} comparisons");
        let holm = if tests > 0 { &holm } else { "" };
        say(&format!("Over panels, differences in units of the expert{holm}"));
        say(&block(&tables::over_panels(&pairs.over_panels)));
        say(&tables::ABOUT_COST_RATIOS.replace('*', ""));
        say(&block(&tables::cost_ratios(&pairs.over_panels)));
    }
    text
}

/// A row that says which table it is of.
#[derive(Serialize)]
struct Tagged<'a, R> {
    table: &'static str,
    #[serde(flatten)]
    row: &'a R,
}

fn json<R: Serialize>(output: &Output, table: &'static str, rows: &[R]) -> anyhow::Result<()> {
    rows.iter().try_for_each(|row| output.json(&Tagged { table, row }))
}

fn block(TextTable { headings, rows }: &TextTable) -> String {
    table(headings, rows)
}
