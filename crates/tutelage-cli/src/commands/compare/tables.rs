//! A comparison as tables.

use serde::Serialize;
use tutelage_compare::{
    Aggregate, Comparison, Cost, CostRatio, CurveRow, PairInPanel, PairOverPanels,
};
use tutelage_runs::stats::Interval;
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
        say(&curve_table(&rows));
    }
    let level = 100.0 * comparison.settings.level;
    let over =
        if cost == Cost::Annotations { "annotations".into() } else { format!("cost ({cost})") };
    say(&format!(
        "Rewards with {level:.0} % t intervals over seeds. to X %: {over} at which the mean curve reaches X % of the expert for good.\n"
    ));
    if comparison.panels.len() > 1 && !aggregates.is_empty() {
        say(&format!(
            "Over {} panels that have all curves: interquartile means, the expert being 1",
            aggregates[0].panels
        ));
        say(&aggregate_table(&aggregates));
    }
    if !pairs.in_panels.is_empty() {
        let tests = pairs.in_panels.iter().filter(|pair| pair.p.is_some()).count();
        let test = match comparison.settings.paired {
            true => "Student's t test of pairs by seed",
            false => "Welch's t test",
        };
        say(&format!("{test}, p corrected by Holm's method for {tests} comparisons"));
        say(&pair_table(&pairs.in_panels));
    }
    if comparison.panels.len() > 1 && !pairs.over_panels.is_empty() {
        let tests = pairs.over_panels.iter().filter(|pair| pair.p.is_some()).count();
        say(&format!(
            "Over panels, differences in units of the expert; Holm's correction for {tests} comparisons; cost: annotations in units of the other's, to 75 and 90 % of the expert and to where the other ends, where both get there (in N panels)"
        ));
        say(&over_table(&pairs.over_panels));
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

fn curve_table(rows: &[&CurveRow]) -> String {
    let drives = rows.iter().any(|row| row.expert_steps.is_some_and(|steps| steps > 0.0));
    let mut headings =
        vec!["", "seeds", "last five rounds", "average", "loss", "to 50 %", "75 %", "90 %", "95 %"];
    if drives {
        headings.push("expert steps");
    }
    let cells = |row: &&CurveRow| {
        let loss = row.imitation_loss.map_or("–".into(), |loss| format!("{:.3}", loss.estimate));
        let reach =
            row.to_reach.map(|to| to.map_or("–".into(), |to| format!("{:.0}", to.estimate)));
        let steps = row.expert_steps.map_or("–".into(), |steps| format!("{steps:.0}"));
        let fixed = [
            row.curve.clone(),
            row.seeds.to_string(),
            reward(row.last_five),
            reward(row.average),
            loss,
        ];
        fixed.into_iter().chain(reach).chain(drives.then_some(steps)).collect()
    };
    table(&headings, &rows.iter().map(cells).collect::<Vec<_>>())
}

fn aggregate_table(rows: &[Aggregate]) -> String {
    let cells = |row: &Aggregate| {
        vec![row.curve.clone(), row.runs.to_string(), share(row.last_five), share(row.average)]
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    table(&["", "runs", "last five rounds", "average"], &rows)
}

fn pair_table(rows: &[PairInPanel]) -> String {
    let cells = |row: &PairInPanel| {
        vec![
            row.panel.clone(),
            format!("{} – {}", row.curve, row.against),
            row.score.into(),
            reward(row.difference),
            share(row.improvement),
            p_value(row.p),
            p_value(row.p_holm),
        ]
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    table(&["panel", "", "score", "difference", "P(above)", "p", "p (Holm)"], &rows)
}

fn over_table(rows: &[PairOverPanels]) -> String {
    let cells = |row: &PairOverPanels| {
        let ratio = |cost: Option<CostRatio>| match cost {
            None => "–".into(),
            Some(CostRatio { panels, ratio }) if panels == row.panels => share(ratio),
            Some(CostRatio { panels, ratio }) => format!("{} in {panels}", share(ratio)),
        };
        vec![
            format!("{} – {}", row.curve, row.against),
            row.panels.to_string(),
            row.score.into(),
            share(row.difference),
            share(row.improvement),
            p_value(row.p),
            p_value(row.p_holm),
            ratio(row.cost_ratio[1]),
            ratio(row.cost_ratio[2]),
            ratio(row.cost_of_its_level),
        ]
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    let headings = [
        "",
        "panels",
        "score",
        "difference",
        "P(above)",
        "p",
        "p (Holm)",
        "cost of 75 %",
        "of 90 %",
        "of its level",
    ];
    table(&headings, &rows)
}

fn reward(interval: Interval) -> String {
    let ends = [interval.low, interval.high].into_iter().filter(|end| end.is_finite());
    written(interval, digits(ends.map(f64::abs).fold(interval.estimate.abs(), f64::max)))
}

fn share(interval: Interval) -> String {
    written(interval, 2)
}

/// An estimate with its interval; ends that nobody knows are left open.
fn written(Interval { estimate, low, high }: Interval, digits: usize) -> String {
    let end = |end: f64| if end.is_finite() { format!("{end:.digits$}") } else { "…".into() };
    match low.is_finite() || high.is_finite() {
        true => format!("{estimate:.digits$} [{}, {}]", end(low), end(high)),
        false => format!("{estimate:.digits$}"),
    }
}

fn p_value(p: Option<f64>) -> String {
    match p {
        None => "–".into(),
        Some(p) if p < 0.001 => "<0.001".into(),
        Some(p) => format!("{p:.3}"),
    }
}
