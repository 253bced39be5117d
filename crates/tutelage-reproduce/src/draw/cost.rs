//! Figures of running time and memory.

use tutelage::AlgorithmName;
use tutelage_draw::plot::{Color, Curve, Figure, Panel, Scale, Style};
use tutelage_spec::Task;

use crate::paper::{authors_memory, authors_seconds, task_name};
use crate::run_cost::{RunCost, run_costs};
use crate::{Archive, FigurePlan, Profile, ReproduceError, RunList};

pub(super) fn figure(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Figure, ReproduceError> {
    let costs = run_costs(plan, runs, archive)?;
    let begun = |task: &Task| costs.iter().any(|cost| cost.task == *task);
    let tasks: Vec<Task> = plan.tasks().into_iter().filter(begun).collect();
    let Some(&first) = tasks.first() else {
        return Err(ReproduceError::Nothing(plan.experiment.name.clone()));
    };
    let of_one_task = plan.panels.iter().filter(|panel| panel.task == first);
    let algorithms: Vec<AlgorithmName> =
        of_one_task.flat_map(|panel| &panel.curves).map(|curve| curve.spec.algorithm).collect();
    let panels = CostPanels { profile: plan.profile, algorithms, costs };
    let mut figure = Figure::new(&plan.experiment.title).columns(2);
    figure.panels.extend(tasks.iter().flat_map(|&task| [panels.time(task), panels.memory(task)]));
    Ok(figure)
}

/// The data of all panels.
struct CostPanels {
    profile: Profile,
    algorithms: Vec<AlgorithmName>,
    costs: Vec<RunCost>,
}

impl CostPanels {
    fn time(&self, task: Task) -> Panel {
        let authors = |algorithm: &_| authors_seconds(self.profile, task, algorithm);
        let panel = Panel::new(format!("{}: time", task_name(task)));
        let panel = panel.y("seconds for a whole run", Scale::Log);
        self.fill(panel, task, |cost| Some(cost.seconds), authors)
    }

    fn memory(&self, task: Task) -> Panel {
        let authors = |algorithm: &_| authors_memory(self.profile, algorithm);
        let panel = Panel::new(format!("{}: memory", task_name(task))).note(KINDS_OF_MEMORY);
        let panel = panel.y("peak memory, MB", Scale::Log);
        self.fill(panel, task, |cost| Some(cost.memory? as f64 / 1e6), authors)
    }

    /// Adds our values and the authors', with one position per algorithm.
    fn fill(
        &self,
        panel: Panel,
        task: Task,
        ours: impl Fn(&RunCost) -> Option<f64>,
        authors: impl Fn(&AlgorithmName) -> Option<f64>,
    ) -> Panel {
        let points = |value: &dyn Fn(&AlgorithmName) -> Option<f64>| -> Vec<(f64, f64)> {
            let places = self.algorithms.iter().enumerate();
            places.filter_map(|(place, name)| Some((place as f64, value(name)?))).collect()
        };
        let ours = points(&|algorithm| {
            let mut same = self.costs.iter().filter(|cost| cost.task == task);
            ours(same.find(|cost| cost.algorithm == *algorithm)?)
        });
        let threads = self.costs.iter().map(|cost| cost.threads).max().unwrap_or(1);
        let cores = if threads == 1 { "1 CPU core".into() } else { format!("{threads} CPU cores") };
        let x_names: Vec<String> = self.algorithms.iter().map(AlgorithmName::label).collect();
        let x_range = Some((-0.5, x_names.len() as f64 - 0.5));
        let panel = Panel { x_names, x_range, ..panel };
        let dots =
            |name: String, points, color| Curve::new(name, points).color(color).style(Style::Dots);
        let panel = panel.curve(dots(format!("tutelage, {cores}"), ours, Color::palette(0)));
        match points(&authors) {
            none if none.is_empty() => panel,
            published => {
                panel.curve(dots("authors, i9 and RTX 2080 Ti".into(), published, Color::GRAY))
            }
        }
    }
}

const KINDS_OF_MEMORY: &str = "tutelage: of the process, without a GPU\nauthors: only of the GPU";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Experiment, Selection};

    #[test]
    fn only_paper_runs_are_compared_with_the_authors() {
        let experiment = Experiment::named("cost").unwrap();
        for (profile, curves) in [(Profile::Paper, 2), (Profile::Quick, 1)] {
            let dir = tempfile::tempdir().unwrap();
            let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
            let selection = Selection {
                profile,
                tasks: Some(vec!["hopper".parse().unwrap()]),
                ..Selection::default()
            };
            let mut runs = RunList::default();
            let plan = runs.plan(&experiment, &selection).unwrap();
            for run in plan.runs() {
                let run = &runs[run];
                let nothing = tutelage_runs::store::AnyHistory::Vectors(Default::default());
                archive.save(run, &run.record(&nothing, &[], 2)).unwrap();
            }
            let figure = figure(&plan, &runs, &archive).unwrap();
            assert_eq!(figure.panels.len(), 2);
            assert!(figure.panels.iter().all(|panel| panel.curves.len() == curves), "{profile}");
            let costs = run_costs(&plan, &runs, &archive).unwrap();
            let compared = costs.iter().any(|cost| cost.authors_seconds.is_some());
            assert_eq!(compared, profile == Profile::Paper);
        }
    }
}
