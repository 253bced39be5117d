//! Running time and memory.

use tutelage_envs::Task;
use tutelage_figures::{Color, Curve, Figure, Panel, Scale, Style};
use tutelage_lab::spec::AlgorithmName;

use super::DrawError;
use crate::cost::{Cost, costs};
use crate::paper::{algorithm_name, authors_seconds, task_name};
use crate::{Archive, Experiment, Plan, Profile, Selection};

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
    let rows = [time(&tasks, &algorithms, &costs), memory(&tasks, &algorithms, &costs)];
    figure.panels.extend(rows.into_iter().flatten().map(|(panel, published)| {
        match selection.profile {
            Profile::Paper => panel.curve(authors(published)),
            Profile::Quick => panel, // the authors timed the paper's runs
        }
    }));
    Ok(figure)
}

/// A panel and what the authors report.
type Compared = (Panel, Vec<(f64, f64)>);

fn time(tasks: &[Task], algorithms: &[AlgorithmName], costs: &[Cost]) -> Vec<Compared> {
    let compared = |&task: &Task| {
        let published = algorithms.iter().enumerate();
        let published = published.filter_map(|(place, algorithm)| {
            Some((place as f64, authors_seconds(task, algorithm)?))
        });
        let panel = panel(format!("{}: time", task_name(task)), algorithms)
            .y("seconds for a whole run", Scale::Log)
            .curve(ours(task, algorithms, costs, |cost| Some(cost.seconds)));
        (panel, published.collect())
    };
    tasks.iter().map(compared).collect()
}

fn memory(tasks: &[Task], algorithms: &[AlgorithmName], costs: &[Cost]) -> Vec<Compared> {
    let (least, most) = AUTHORS_MEMORY_MB;
    let last = algorithms.len().saturating_sub(1) as f64;
    let compared = |&task: &Task| {
        let panel = panel(format!("{}: memory", task_name(task)), algorithms)
            .y("peak memory, MB", Scale::Log)
            .curve(ours(task, algorithms, costs, |cost| Some(cost.memory? as f64 / 1e6)));
        (panel, vec![(0.0, least), (last, most)])
    };
    tasks.iter().map(compared).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn only_the_papers_runs_stand_beside_the_authors() {
        let experiment = Experiment::named("cost").unwrap();
        for (profile, curves) in [(Profile::Paper, 2), (Profile::Quick, 1)] {
            let dir = tempfile::tempdir().unwrap();
            let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
            let selection =
                Selection { profile, tasks: Some(vec![Task::Hopper]), ..Selection::default() };
            let mut plan = Plan::default();
            for run in plan.add(&experiment, &selection).unwrap() {
                let run = &plan.runs[run];
                archive.save(run, &Record::new(run, &Default::default(), &[], 2)).unwrap();
            }
            let figure = figure(&experiment, &selection, &mut plan, &archive).unwrap();
            assert_eq!(figure.panels.len(), 2);
            assert!(figure.panels.iter().all(|panel| panel.curves.len() == curves), "{profile}");
            let costs = costs(&experiment, &selection, &mut plan, &archive).unwrap();
            let compared = costs.iter().any(|cost| cost.authors_seconds.is_some());
            assert_eq!(compared, profile == Profile::Paper);
        }
    }
}
