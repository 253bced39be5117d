//! Running time and memory.

use tutelage_envs::Task;
use tutelage_figures::{Color, Curve, Figure, Panel, Scale, Style};
use tutelage_lab::spec::AlgorithmName;

use super::DrawError;
use crate::cost::{Cost, costs};
use crate::paper::{algorithm_name, authors_seconds, task_name};
use crate::{Archive, Experiment, Plan, Selection};

pub(super) fn figure(
    experiment: &Experiment,
    selection: &Selection,
    plan: &mut Plan,
    archive: &Archive,
) -> Result<Figure, DrawError> {
    let costs = costs(experiment, selection, plan, archive)?;
    let algorithms: Vec<AlgorithmName> = experiment
        .rows
        .iter()
        .flat_map(|row| selection.series(row))
        .map(|series| series.algorithm)
        .collect();
    let begun = |task: &Task| costs.iter().any(|cost| cost.task == *task);
    let tasks: Vec<Task> = selection.tasks(experiment).into_iter().filter(begun).collect();
    if tasks.is_empty() {
        return Err(DrawError::Nothing(experiment.name.clone()));
    }
    let mut figure = Figure::new(&experiment.title).columns(tasks.len());
    for panel in [time, memory] {
        figure.panels.extend(tasks.iter().map(|&task| panel(task, &algorithms, &costs)));
    }
    Ok(figure)
}

fn time(task: Task, algorithms: &[AlgorithmName], costs: &[Cost]) -> Panel {
    let published = algorithms.iter().enumerate();
    let published = published
        .filter_map(|(place, algorithm)| Some((place as f64, authors_seconds(task, algorithm)?)));
    panel(format!("{}: time", task_name(task)), algorithms)
        .y("seconds for a whole run", Scale::Log)
        .curve(ours(task, algorithms, costs, |cost| Some(cost.seconds)))
        .curve(authors(published.collect()))
}

fn memory(task: Task, algorithms: &[AlgorithmName], costs: &[Cost]) -> Panel {
    let (least, most) = AUTHORS_MEMORY_MB;
    let last = algorithms.len().saturating_sub(1) as f64;
    panel(format!("{}: memory", task_name(task)), algorithms)
        .y("peak memory, MB", Scale::Log)
        .curve(ours(task, algorithms, costs, |cost| Some(cost.memory? as f64 / 1e6)))
        .curve(authors(vec![(0.0, least), (last, most)]))
}

/// The authors report so many MB on the GPU, the least for one network and the most for 25.
const AUTHORS_MEMORY_MB: (f64, f64) = (1412.0, 1440.0);

/// A place on the axis for each algorithm.
fn panel(title: String, algorithms: &[AlgorithmName]) -> Panel {
    Panel::new(title).names(algorithms.iter().map(algorithm_name).collect())
}

fn ours(
    task: Task,
    algorithms: &[AlgorithmName],
    costs: &[Cost],
    value: impl Fn(&Cost) -> Option<f64>,
) -> Curve {
    let of = |(place, algorithm): (usize, &AlgorithmName)| {
        let mut same = costs.iter().filter(|cost| cost.task == task);
        Some((place as f64, value(same.find(|cost| cost.algorithm == *algorithm)?)?))
    };
    let threads = costs.iter().map(|cost| cost.threads).max().unwrap_or(1);
    let cores = if threads == 1 { "1 CPU core".into() } else { format!("{threads} CPU cores") };
    let points = algorithms.iter().enumerate().filter_map(of).collect();
    Curve::new(format!("tutelage, {cores}"), points).color(Color::palette(0)).style(Style::Marked)
}

fn authors(points: Vec<(f64, f64)>) -> Curve {
    Curve::new("authors, i9 and RTX 2080 Ti", points).color(Color::GREY).style(Style::Marked)
}
