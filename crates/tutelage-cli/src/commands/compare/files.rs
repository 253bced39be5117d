//! A comparison as files: figures and tables.

use std::path::Path;

use anyhow::Context;
use tutelage_compare::{Comparison, CurveRow, LEVELS, figure};
use tutelage_figures::Figure;
use tutelage_runs::stats::Interval;
use tutelage_runs::store::{Disk, OsDisk};

use crate::arguments::Force;

/// The files that [`save`] writes.
const FILES: [&str; 3] = ["curves.csv", "table.csv", "pairs.csv"];

/// Whether a folder holds no earlier comparison, unless replacing it was asked for.
pub(super) fn check_free(folder: &Path, force: Force) -> anyhow::Result<()> {
    FILES.iter().try_for_each(|file| force.check(&folder.join(file)))
}

/// Writes everything, each file whole or not at all; returns their names.
pub(super) fn save(comparison: &Comparison, folder: &Path) -> anyhow::Result<Vec<String>> {
    OsDisk.create_dir(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut written = Vec::new();
    let put = |name: &str, bytes: &[u8]| -> anyhow::Result<()> {
        let path = folder.join(name);
        OsDisk.replace(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    };
    let mut draw = |name: &str, figure: &Figure| -> anyhow::Result<()> {
        put(&format!("{name}.svg"), figure.svg().as_bytes())?;
        put(&format!("{name}.png"), &figure.png()?)?;
        put(&format!("{name}.csv"), figure.csv().as_bytes())?;
        written.push(format!("{name}.svg, .png, .csv"));
        Ok(())
    };
    draw("curves", &figure::curves(comparison))?;
    if let Some(losses) = figure::losses(comparison) {
        draw("losses", &losses)?;
    }
    if let Some(summary) = figure::summary(comparison) {
        draw("summary", &summary)?;
    }
    put("table.csv", table(&comparison.curves()).as_bytes())?;
    put("pairs.csv", pairs(comparison).as_bytes())?;
    written.push("table.csv, pairs.csv".into());
    Ok(written)
}

/// A row of cells (RFC 4180).
fn row(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

fn headings(name: &str) -> [String; 3] {
    [name.to_owned(), format!("{name}_low"), format!("{name}_high")]
}

/// An interval as three cells, unbounded ends left empty.
fn numbers(interval: Option<Interval>) -> [String; 3] {
    let cell = |value: f64| if value.is_finite() { value.to_string() } else { String::new() };
    interval.map_or_else(Default::default, |i| [i.estimate, i.low, i.high].map(cell))
}

fn table(rows: &[CurveRow]) -> String {
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let levels = LEVELS.map(|level| format!("to_{:.0}_percent", 100.0 * level));
    let names = ["last_five", "average", "imitation_loss"];
    let intervals = names.into_iter().chain(levels.iter().map(String::as_str)).flat_map(headings);
    let fixed = ["panel", "curve", "seeds", "expert", "annotations", "expert_steps"];
    let heading: Vec<String> = fixed.into_iter().map(str::to_owned).chain(intervals).collect();
    let cells = |line: &CurveRow| -> Vec<String> {
        let fixed = [
            line.panel.clone(),
            line.curve.clone(),
            line.seeds.to_string(),
            optional(line.expert),
            line.annotations.to_string(),
            optional(line.expert_steps),
        ];
        let intervals = [Some(line.last_five), Some(line.average), line.imitation_loss];
        let intervals = intervals.into_iter().chain(line.to_reach).flat_map(numbers);
        fixed.into_iter().chain(intervals).collect()
    };
    [row(&heading)].into_iter().chain(rows.iter().map(|line| row(&cells(line)))).collect()
}

/// Comparisons in panels, then over panels, where differences are in units of the expert's reward.
fn pairs(comparison: &Comparison) -> String {
    let pairs = comparison.pairs();
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let intervals = ["difference", "improvement"].into_iter().flat_map(headings);
    let fixed = ["panel", "curve", "against", "score"].into_iter().map(str::to_owned);
    let tests = ["p", "p_holm"].into_iter().map(str::to_owned);
    let heading: Vec<String> = fixed.chain(intervals).chain(tests).collect();
    let mut csv = row(&heading);
    for pair in &pairs.in_panels {
        let names = [&pair.panel, &pair.curve, &pair.against].map(Clone::clone);
        let intervals = [pair.difference, pair.improvement].map(Some).into_iter().flat_map(numbers);
        let tests = [pair.p, pair.p_holm].map(optional);
        let cells = names.into_iter().chain([pair.score.into()]).chain(intervals).chain(tests);
        csv += &row(&cells.collect::<Vec<_>>());
    }
    for pair in &pairs.over_panels {
        let names = [format!("all {}", pair.panels), pair.curve.clone(), pair.against.clone()];
        let intervals = [pair.difference, pair.improvement].map(Some).into_iter().flat_map(numbers);
        let tests = [pair.p, pair.p_holm].map(optional);
        let cells = names.into_iter().chain([pair.score.into()]).chain(intervals).chain(tests);
        csv += &row(&cells.collect::<Vec<_>>());
    }
    csv
}
