//! Running time and memory.

use tutelage_figures::{Color, Curve, Figure, Panel, Scale, Style};

use super::DrawError;
use crate::paper::{algorithm_name, authors_seconds, task_name};
use crate::{Archive, Experiment, Plan, Record, Selection};

pub(super) fn figure(
    experiment: &Experiment,
    selection: &Selection,
    plan: &mut Plan,
    archive: &Archive,
) -> Result<Figure, DrawError> {
    let shown = plan.add(experiment, selection)?;
    let mut records: Vec<(usize, Record)> = Vec::new();
    for run in shown {
        records.extend(archive.record(&plan.runs[run])?.map(|record| (run, record)));
    }
    if records.is_empty() {
        return Err(DrawError::Nothing(experiment.name.clone()));
    }
    let tasks = selection.tasks(experiment);
    let algorithms: Vec<_> = experiment
        .rows
        .iter()
        .flat_map(|row| selection.series(row))
        .map(|series| series.algorithm)
        .collect();
    let names: Vec<String> = algorithms.iter().map(algorithm_name).collect();
    let cores = records.iter().map(|(_, record)| record.threads).max().unwrap_or(1);
    let (least, most) = AUTHORS_MEMORY_MB;
    let mut time = Vec::new();
    let mut memory = Vec::new();
    for &task in &tasks {
        let points = |value: &dyn Fn(&Record) -> Option<f64>| -> Vec<(f64, f64)> {
            let of = |(place, algorithm)| {
                let (_, record) = records.iter().find(|(run, _)| {
                    let spec = &plan.runs[*run].spec;
                    spec.task == task && spec.algorithm == algorithm
                })?;
                Some((place as f64, value(record)?))
            };
            algorithms.iter().copied().enumerate().filter_map(of).collect()
        };
        let published = algorithms.iter().enumerate().filter_map(|(place, algorithm)| {
            Some((place as f64, authors_seconds(task, algorithm)?))
        });
        time.push(
            Panel::new(format!("{}: time", task_name(task)))
                .names(names.clone())
                .y("seconds for a whole run", Scale::Log)
                .curve(ours(points(&|record| Some(record.seconds())), cores))
                .curve(authors(published.collect())),
        );
        let megabytes = points(&|record| record.memory.map(|bytes| bytes as f64 / 1e6));
        memory.push(
            Panel::new(format!("{}: memory", task_name(task)))
                .names(names.clone())
                .y("peak memory, MB", Scale::Log)
                .curve(ours(megabytes, cores))
                .curve(authors(vec![(0.0, least), ((names.len() - 1) as f64, most)])),
        );
    }
    let mut figure = Figure::new(&experiment.title).columns(tasks.len());
    figure.panels = time.into_iter().chain(memory).collect();
    Ok(figure)
}

/// The authors report so many MB on the GPU, the least for one network and the most for 25.
const AUTHORS_MEMORY_MB: (f64, f64) = (1412.0, 1440.0);

fn authors(points: Vec<(f64, f64)>) -> Curve {
    Curve::new("authors, i9 and RTX 2080 Ti", points).color(Color::GREY).style(Style::Marked)
}

fn ours(points: Vec<(f64, f64)>, cores: usize) -> Curve {
    let cores = if cores == 1 { "1 CPU core".into() } else { format!("{cores} CPU cores") };
    Curve::new(format!("tutelage, {cores}"), points).color(Color::palette(0)).style(Style::Marked)
}
