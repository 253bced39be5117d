//! `tutelage compare`: compares runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use tutelage_compare::{CompareError, ComparedRun, Comparison, ComparisonSettings, Cost, find};

use crate::arguments::Force;
use crate::output::{Output, note};

/// Compare runs: learning curves over seeds, tables, tests and figures
///
/// Runs are sorted into panels by task and class, and into curves by all other fields except the seed.
#[derive(clap::Args)]
pub(crate) struct Compare {
    /// Run folders, records of runs (results/…), or folders that contain any of these
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Compare all curves with this one, e.g. `dagger` [default: compare all with all]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// The x axis of learning curves
    #[arg(long, value_enum, default_value = "annotations", value_name = "COST")]
    over: Over,
    /// Use annotations plus C per step that the expert drove as the x axis
    #[arg(
        long,
        alias = "step-cost",
        value_name = "C",
        conflicts_with = "over",
        allow_negative_numbers = true
    )]
    expert_step_cost: Option<f64>,
    /// The confidence level of intervals, between 0 and 1
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// Pair runs of the same seed in tests
    #[arg(long)]
    paired: bool,
    /// The spec fields by which runs are sorted into panels
    #[arg(long, value_delimiter = ',', default_value = "task,class", value_name = "FIELDS")]
    panels: Vec<String>,
    /// Include unfinished runs
    #[arg(long)]
    unfinished: bool,
    /// Filter runs by a spec field, e.g. `algorithm=bd-5` (repeatable)
    #[arg(long, alias = "only", value_name = "FIELD=VALUE", value_parser = field_and_value)]
    filter: Vec<(String, String)>,
    /// Write figures (.svg, .png, .csv) and tables (.csv) to this folder
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

/// The x axis of learning curves.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Over {
    /// The number of annotations
    Annotations,
    /// The number of steps that the expert drove
    ExpertSteps,
}

impl Compare {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let cost = match (self.expert_step_cost, self.over) {
            (Some(weight), _) => {
                let is_weight = weight.is_finite() && weight >= 0.0;
                ensure!(is_weight, "--expert-step-cost is {weight}; expected a number ≥ 0");
                Cost::Weighted(weight)
            }
            (None, Over::Annotations) => Cost::Annotations,
            (None, Over::ExpertSteps) => Cost::ExpertSteps,
        };
        let is_level = self.level > 0.0 && self.level < 1.0;
        ensure!(is_level, "--level is {}; expected a number between 0 and 1", self.level);
        if let Some(out) = &self.out {
            Comparison::files(out).iter().try_for_each(|file| self.force.check(file))?;
        }
        let mut runs = Vec::new();
        for dir in &self.dirs {
            runs.extend(find(dir)?);
        }
        check_fields(&runs, &self.panels, &self.filter)?;
        runs.retain(|run| matches(run, &self.filter));
        let settings = ComparisonSettings {
            cost,
            level: self.level,
            baseline: self.baseline,
            paired: self.paired,
            panels: self.panels,
            unfinished: self.unfinished,
        };
        let comparison = match Comparison::new(runs, settings) {
            Err(error @ CompareError::Nothing(_)) if !self.unfinished => {
                return Err(error).context("`--unfinished` includes unfinished runs");
            }
            comparison => comparison?,
        };
        print(&comparison, output)?;
        self.out.map_or(Ok(()), |out| save(&comparison, &out))
    }
}

fn field_and_value(text: &str) -> Result<(String, String), String> {
    let (field, value) = text.split_once('=').ok_or("expected FIELD=VALUE, e.g. algorithm=bd-5")?;
    Ok((field.trim().into(), value.trim().into()))
}

/// Checks that some run has each field of `--panels` and each value of `--filter`.
fn check_fields(
    runs: &[ComparedRun],
    panels: &[String],
    filter: &[(String, String)],
) -> anyhow::Result<()> {
    let has = |field: &str| runs.iter().any(|run| run.fields.get(field).is_some());
    // Specs of custom programs have no class, and the default panels must work for them.
    let named = panels.iter().filter(|field| !["task", "class"].contains(&field.as_str()));
    if let Some(field) = named.into_iter().find(|field| !has(field)) {
        bail!("--panels: no run has a field \"{field}\"; `tutelage show` lists a run's fields");
    }
    for (field, value) in filter {
        ensure!(has(field), "--filter: no run has a field \"{field}\"");
        let mut values: Vec<&str> = runs.iter().filter_map(|run| run.fields.get(field)).collect();
        values.sort_unstable();
        values.dedup();
        let known = values.contains(&value.as_str());
        ensure!(known, "--filter: no run has {field} = {value}; the values are {}", list(&values));
    }
    Ok(())
}

/// Lists the first 20 values.
fn list(values: &[&str]) -> String {
    const SHOWN: usize = 20;
    let more = values.len().saturating_sub(SHOWN);
    let shown = values[..values.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Returns whether a run has one of the requested values of each field in the filter.
fn matches(run: &ComparedRun, filter: &[(String, String)]) -> bool {
    filter.iter().all(|(field, _)| {
        let mut values = filter.iter().filter(|(other, _)| other == field);
        values.any(|(_, value)| run.fields.get(field) == Some(value.as_str()))
    })
}

/// Prints a comparison: tables, or JSON lines with the name of their table. Notes go to standard error.
pub(super) fn print(comparison: &Comparison, output: &Output) -> anyhow::Result<()> {
    comparison.notes.iter().for_each(|line| note(&format!("note: {line}")));
    if !output.is_json() {
        return output.verbatim(&comparison.to_text());
    }
    let pairs = comparison.pairs();
    json(output, "curve", &comparison.curves())?;
    json(output, "aggregate", &comparison.aggregates())?;
    json(output, "pair", &pairs.in_panels)?;
    json(output, "pair over panels", &pairs.over_panels)
}

/// A row with the name of its table.
#[derive(Serialize)]
struct TableRow<'a, R> {
    table: &'static str,
    #[serde(flatten)]
    row: &'a R,
}

fn json<R: Serialize>(output: &Output, table: &'static str, rows: &[R]) -> anyhow::Result<()> {
    rows.iter().try_for_each(|row| output.json(&TableRow { table, row }))
}

/// Writes the figures and tables of a comparison.
pub(super) fn save(comparison: &Comparison, folder: &Path) -> anyhow::Result<()> {
    let written = comparison.save(folder)?;
    note(&format!("wrote {} to {}", written.join(", "), folder.display()));
    Ok(())
}
