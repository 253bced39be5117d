//! A comparison as files: figures and tables.

use std::path::Path;

use anyhow::Context;
use tutelage_compare::stats::Interval;
use tutelage_compare::{Comparison, CurveRow, LEVELS, figure};
use tutelage_draw::plot::Figure;
use tutelage_runs::store::{Disk, OsDisk};

use crate::arguments::Force;

/// The figures and the tables that [`save`] writes.
const FIGURES: [&str; 3] = ["curves", "losses", "summary"];
const TABLES: [&str; 3] = ["table.csv", "pairs.csv", "ratios.csv"];

/// Whether a folder holds nothing that would be replaced, unless replacing it was asked for.
pub(super) fn check_free(folder: &Path, force: Force) -> anyhow::Result<()> {
    let endings = ["svg", "png", "csv"];
    let figures = FIGURES.iter().flat_map(|name| endings.map(|ending| format!("{name}.{ending}")));
    let mut files = figures.chain(TABLES.map(str::to_owned));
    files.try_for_each(|file| force.check(&folder.join(file)))
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
    let figures =
        [Some(figure::curves(comparison)), figure::losses(comparison), figure::summary(comparison)];
    for (name, figure) in FIGURES.iter().zip(&figures) {
        if let Some(figure) = figure {
            draw(name, figure)?;
        }
    }
    let tables = [table(&comparison.curves()), pairs(comparison), ratios(comparison)];
    for (name, text) in TABLES.iter().zip(tables) {
        put(name, text.as_bytes())?;
    }
    written.push(TABLES.join(", "));
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

/// What one curve costs in units of another's, over panels: to a share of the expert's reward, and to where the other ends.
fn ratios(comparison: &Comparison) -> String {
    let fixed = ["curve", "against", "to", "panels_of_both", "only_curve", "only_against"]
        .into_iter()
        .map(str::to_owned);
    let heading: Vec<String> = fixed.chain(headings("ratio")).collect();
    let mut csv = row(&heading);
    let pairs = comparison.pairs().over_panels;
    // Ratios are of curves; every pair of them stands once for each score.
    for pair in pairs.iter().filter(|pair| pair.score == pairs[0].score) {
        let goals = LEVELS.map(|level| level.to_string()).into_iter().chain(["its level".into()]);
        for (goal, ratio) in goals.zip(pair.cost_ratio.iter().chain([&pair.cost_of_its_level])) {
            let [alone, only_other] = ratio.alone;
            let counts = [ratio.panels, alone, only_other].map(|count| count.to_string());
            let names = [pair.curve.clone(), pair.against.clone(), goal];
            let cells = names.into_iter().chain(counts).chain(numbers(ratio.ratio));
            csv += &row(&cells.collect::<Vec<_>>());
        }
    }
    csv
}
