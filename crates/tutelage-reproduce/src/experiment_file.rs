//! The TOML file of a figure.

use std::collections::BTreeMap;

use serde::Deserialize;
use tutelage_compare::{BadCost, Cost};
use tutelage_spec::Task;
use tutelage_spec::spec::{SpecError, SpecInput, parse_toml, parse_value};

use crate::experiment::{
    CurveSpec, Experiment, ExperimentFault, FigureKind, PanelRow, PerturbFrom, PlottedValue,
};
use crate::parse_seeds;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentFile {
    title: String,
    #[serde(default)]
    paper: String,
    draw: FigureKind,
    /// The name of a cost, or the cost of an expert step.
    #[serde(default = "annotations")]
    over: toml::Value,
    #[serde(default)]
    tasks: Vec<String>,
    #[serde(default = "ten_seeds")]
    seeds: String,
    #[serde(default)]
    seeds_of: BTreeMap<String, String>,
    #[serde(default)]
    rows: Vec<RowFile>,
}

#[derive(Deserialize)]
struct RowFile {
    name: String,
    #[serde(default)]
    show: PlottedValue,
    #[serde(default)]
    tasks: Vec<String>,
    budget: Option<String>,
    algorithms: Vec<String>,
    /// All other keys: fields of the run specs.
    #[serde(flatten)]
    fields: toml::Table,
}

fn annotations() -> toml::Value {
    "annotations".into()
}

fn ten_seeds() -> String {
    "1-10".into()
}

/// Parses the TOML of a figure.
pub(crate) fn parse(name: &str, text: &str) -> Result<Experiment, ExperimentFault> {
    let form: ExperimentFile = parse_toml(text).map_err(ExperimentFault::Toml)?;
    let count = form.rows.iter().map(|row| row.algorithms.len()).sum();
    at_most(MOST_LISTED, "tasks", form.tasks.len())?;
    at_most(MOST_LISTED, "rows", form.rows.len())?;
    at_most(MOST_CURVES, "algorithms in all rows", count)?;
    at_most(MOST_CURVES, "curves in seeds_of", form.seeds_of.len())?;
    let rows: Vec<PanelRow> = form.rows.into_iter().map(row).collect::<Result<_, _>>()?;
    let seeds_of = form.seeds_of.into_iter().map(|(curve, text)| {
        let shown = shown(&curve, &rows).ok_or(ExperimentFault::SeedsOf(curve))?;
        Ok((shown, parse_seeds(&text)?))
    });
    let experiment = Experiment {
        name: name.into(),
        title: form.title,
        paper: form.paper,
        draw: form.draw,
        over: over(&form.over)?,
        tasks: tasks(&form.tasks)?,
        seeds: parse_seeds(&form.seeds)?,
        seeds_of: seeds_of.collect::<Result<_, ExperimentFault>>()?,
        rows,
    };
    at_most(MOST_RUNS, "runs", runs(&experiment))?;
    Ok(experiment)
}

/// Limits on tasks, rows, algorithms and runs. A short file could otherwise plan an excessive number of runs.
const MOST_LISTED: usize = 1000;
const MOST_CURVES: usize = 10_000;
const MOST_RUNS: usize = 100_000;

fn at_most(most: usize, what: &'static str, found: usize) -> Result<(), ExperimentFault> {
    if found <= most { Ok(()) } else { Err(ExperimentFault::TooMany { what, found, most }) }
}

fn tasks(names: &[String]) -> Result<Vec<Task>, ExperimentFault> {
    names.iter().map(|name| Ok(name.parse()?)).collect()
}

/// Counts the runs of a figure; runs that appear twice count twice.
fn runs(experiment: &Experiment) -> usize {
    let panels = |row: &PanelRow| match row.tasks.as_slice() {
        [] => experiment.tasks.len(),
        shown => experiment.tasks.iter().filter(|task| shown.contains(task)).count(),
    };
    let seeds = |curve: &CurveSpec| experiment.seeds_of(curve).len();
    let runs = |row: &PanelRow| panels(row).saturating_mul(row.curves.iter().map(seeds).sum());
    experiment.rows.iter().map(runs).fold(0, usize::saturating_add)
}

fn over(value: &toml::Value) -> Result<Cost, BadCost> {
    match value {
        toml::Value::String(text) => text.parse(),
        other => other.to_string().parse(),
    }
}

/// Parses a curve if a row shows it.
fn shown(curve: &str, rows: &[PanelRow]) -> Option<CurveSpec> {
    let curve: CurveSpec = curve.parse().ok()?;
    rows.iter().any(|row| row.curves.contains(&curve)).then_some(curve)
}

fn row(row: RowFile) -> Result<PanelRow, ExperimentFault> {
    let tasks = tasks(&row.tasks)?;
    let name = row.name.clone();
    row.check(tasks).map_err(|source| ExperimentFault::Row { row: name, source })
}

impl RowFile {
    fn check(self, tasks: Vec<Task>) -> Result<PanelRow, SpecError> {
        let mut fields = self.fields()?;
        let d0 = match (self.fields.get("d0"), fields.d0.take()) {
            (Some(toml::Value::String(text)), _) if text == "dagger" => PerturbFrom::Dagger,
            (_, Some(cover)) => PerturbFrom::Fixed(cover),
            (_, None) => PerturbFrom::Default,
        };
        let curves = self.algorithms.iter().map(|text| text.parse());
        Ok(PanelRow {
            name: self.name,
            tasks,
            show: self.show,
            d0,
            budget: self.budget.map(|text| parse_value("budget", &text)).transpose()?,
            fields,
            curves: curves.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the fields of the run specs. Rejects those that the figure itself sets.
    fn fields(&self) -> Result<SpecInput, SpecError> {
        for (field, reason) in [
            ("task", "`tasks` names the figure's tasks"),
            ("algorithm", "`algorithms` names the row's algorithms"),
            ("seed", "`seeds` names the figure's seeds"),
            ("data", "write `algorithms = [\"bagging-5 on dagger\"]`"),
        ] {
            if let Some(value) = self.fields.get(field) {
                let (value, reason) = (value.to_string(), reason.into());
                return Err(SpecError::Conflict { field, value, reason });
            }
        }
        let dagger = toml::Value::from("dagger");
        let fields = self.fields.clone().into_iter();
        let typed = fields.filter(|(field, value)| field != "d0" || *value != dagger);
        SpecInput::read::<toml::Value, _>(typed.collect())
    }
}
