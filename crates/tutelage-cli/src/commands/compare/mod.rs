//! `tutelage compare`: runs side by side.

mod files;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use tutelage_compare::{ComparedRun, Comparison, ComparisonSettings, Cost, find};

use crate::arguments::Force;
use crate::output::{Output, note};

/// Compare runs: learning curves over seeds, a table, tests and figures.
///
/// Runs are sorted into panels by task and class, and into curves by everything else but their seed.
#[derive(clap::Args)]
pub(crate) struct Compare {
    /// ComparedRun folders, whatever made them; folders that hold some; or records of runs (results/…)
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The curve that others are compared with, as in `dagger` [default: all with all]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// What curves are drawn over
    #[arg(long, value_enum, default_value = "annotations", value_name = "COST")]
    over: Over,
    /// Draw curves over annotations plus this much for every step that the expert drove
    #[arg(long, value_name = "C", conflicts_with = "over", allow_negative_numbers = true)]
    step_cost: Option<f64>,
    /// How often intervals should hold, between 0 and 1
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// Runs of the same seed belong together: test their differences
    #[arg(long)]
    paired: bool,
    /// The fields of a spec that make a panel
    #[arg(long, value_delimiter = ',', default_value = "task,class", value_name = "FIELDS")]
    panels: Vec<String>,
    /// Count runs that have not all of their rounds yet
    #[arg(long)]
    unfinished: bool,
    /// Only runs whose spec says so, as in `algorithm=bd-5`; several times: values of one field, or further fields
    #[arg(long, value_name = "FIELD=VALUE", value_parser = field_and_value)]
    only: Vec<(String, String)>,
    /// Write figures (.svg, .png, .csv) and tables (.csv) to this folder
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

/// What curves are drawn over.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Over {
    /// How many questions the expert has answered
    Annotations,
    /// How many steps the expert has driven
    ExpertSteps,
}

impl Compare {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let cost = match (self.step_cost, self.over) {
            (Some(weight), _) => {
                let is_weight = weight.is_finite() && weight >= 0.0;
                ensure!(is_weight, "--step-cost is {weight}; allowed is a number from 0 on");
                Cost::Weighted(weight)
            }
            (None, Over::Annotations) => Cost::Annotations,
            (None, Over::ExpertSteps) => Cost::ExpertSteps,
        };
        ensure!(
            self.level > 0.0 && self.level < 1.0,
            "--level is {}; allowed is a number above 0 and below 1",
            self.level
        );
        if let Some(out) = &self.out {
            files::check_free(out, self.force)?;
        }
        let mut runs = Vec::new();
        for dir in &self.dirs {
            runs.extend(find(dir)?);
        }
        check_fields(&runs, &self.panels, &self.only)?;
        runs.retain(|run| is_among(run, &self.only));
        let settings = ComparisonSettings {
            cost,
            level: self.level,
            baseline: self.baseline,
            paired: self.paired,
            panels: self.panels,
            unfinished: self.unfinished,
        };
        let comparison = Comparison::new(runs, settings)?;
        tables::print(&comparison, output)?;
        match &self.out {
            Some(out) => save(&comparison, out),
            None => Ok(()),
        }
    }
}

fn field_and_value(text: &str) -> Result<(String, String), String> {
    let (field, value) = text.split_once('=').ok_or("write FIELD=VALUE, as in algorithm=bd-5")?;
    Ok((field.trim().into(), value.trim().into()))
}

/// Whether the runs have what they are sorted and chosen by.
fn check_fields(
    runs: &[ComparedRun],
    panels: &[String],
    only: &[(String, String)],
) -> anyhow::Result<()> {
    let has = |field: &str| runs.iter().any(|run| run.fields.get(field).is_some());
    // Programs of one's own have no class, and need not say that they mean to do without.
    let named = panels.iter().filter(|field| !["task", "class"].contains(&field.as_str()));
    if let Some(field) = named.into_iter().find(|field| !has(field)) {
        bail!("--panels: no run has a field \"{field}\"; `tutelage show` lists a run's fields");
    }
    for (field, value) in only {
        ensure!(has(field), "--only: no run has a field \"{field}\"");
        let mut values: Vec<&str> = runs.iter().filter_map(|run| run.fields.get(field)).collect();
        values.sort_unstable();
        values.dedup();
        let known = values.contains(&value.as_str());
        ensure!(known, "--only: no run has {field} = {value}; there are {}", some(&values));
    }
    Ok(())
}

/// The first few of many.
fn some(values: &[&str]) -> String {
    const SHOWN: usize = 20;
    let more = values.len().saturating_sub(SHOWN);
    let shown = values[..values.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Whether a run has one of the values asked for of each field that is asked about.
fn is_among(run: &ComparedRun, only: &[(String, String)]) -> bool {
    only.iter().all(|(field, _)| {
        let mut values = only.iter().filter(|(other, _)| other == field);
        values.any(|(_, value)| run.fields.get(field) == Some(value.as_str()))
    })
}

/// A comparison's tables as people read them.
pub(crate) fn in_words(comparison: &Comparison) -> String {
    tables::in_words(comparison)
}

/// Writes a comparison's figures and tables; returns the names of the files.
pub(crate) fn write(comparison: &Comparison, folder: &Path) -> anyhow::Result<Vec<String>> {
    files::save(comparison, folder)
}

/// Prints a comparison's tables; what is worth knowing goes to standard error.
pub(super) fn print(comparison: &Comparison, output: &Output) -> anyhow::Result<()> {
    tables::print(comparison, output)
}

/// Writes a comparison's figures and tables.
pub(super) fn save(comparison: &Comparison, folder: &Path) -> anyhow::Result<()> {
    let written = files::save(comparison, folder)?;
    note(&format!("wrote {} to {}", written.join(", "), folder.display()));
    Ok(())
}
