//! The runs to execute, and their estimated time.

use tutelage_reproduce::{Archive, Estimator, Experiment, FigurePlan, Profile, RunList, Selection};
use tutelage_runs::terminal::rough;

use super::tables::{FigureRow, KindRow, RunRow};
use crate::output::Output;

/// Lists all figures and the number of their finished runs.
pub(super) fn list(
    selection: &Selection,
    archive: &Archive,
    output: &Output,
) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for experiment in Experiment::all()? {
        let mut list = RunList::default();
        let plan = list.plan(&experiment, selection)?;
        let shown = plan.runs().len();
        let left = list.unfinished(&plan, archive)?.len();
        let outstanding = list.outstanding(&[plan], archive)?;
        let estimator = Estimator::new(&list, archive);
        let seconds = estimator.seconds(&list, &outstanding, rayon::current_num_threads());
        let (runs, done) = match super::is_theory(&experiment) {
            // Its games take seconds and are played whenever it is drawn.
            true => (1, 1),
            false => (shown, shown - left),
        };
        let Experiment { name: figure, paper, .. } = experiment;
        rows.push(FigureRow { figure, runs, done, estimate_seconds: seconds.round().abs(), paper });
    }
    output.rows(&rows)
}

/// Shows the runs to execute, by kind.
pub(super) fn show_plan(
    list: &RunList,
    wanted: &[FigurePlan<'_>],
    outstanding: &[usize],
    archive: &Archive,
    output: &Output,
) -> anyhow::Result<()> {
    if wanted.iter().any(|plan| plan.profile == Profile::Quick) {
        output.say(&format!("{}\n", Profile::QUICK_DESCRIPTION))?;
    }
    let estimator = Estimator::new(list, archive);
    let mut rows: Vec<KindRow> = Vec::new();
    for &run in outstanding {
        let run = &list[run];
        let (task, class) = (run.spec.task.to_string(), run.spec.class.to_string());
        let timed = if run.timed { ", timed" } else { "" };
        let algorithm = format!("{}{timed}", run.spec.algorithm);
        let seconds = estimator.core_seconds(run);
        let same = |row: &&mut KindRow| {
            (&row.task, &row.class, &row.algorithm) == (&task, &class, &algorithm)
        };
        match rows.iter_mut().find(same) {
            Some(row) => {
                row.runs += 1;
                row.estimate_seconds += seconds;
            }
            None => {
                rows.push(KindRow { task, class, algorithm, runs: 1, estimate_seconds: seconds })
            }
        }
    }
    if outstanding.is_empty() {
        return output.say("All runs are finished.");
    }
    output.rows(&rows)?;
    let threads = rayon::current_num_threads();
    let seconds = estimator.seconds(list, outstanding, threads);
    let shown: usize = wanted.iter().map(|plan| plan.runs().len()).sum();
    output.say(&format!(
        "\n{} runs to do of {shown} in the figure; about {} on {threads} thread{} of an idle machine.",
        outstanding.len(),
        rough(seconds),
        if threads == 1 { "" } else { "s" }
    ))
}

/// Prints the runs to execute as JSON lines, each after those that it needs.
pub(super) fn print_plan(
    list: &RunList,
    outstanding: &[usize],
    archive: &Archive,
    output: &Output,
) -> anyhow::Result<()> {
    let estimator = Estimator::new(list, archive);
    for &run in outstanding {
        let row = RunRow::new(list, run, outstanding, estimator.core_seconds(&list[run]));
        output.verbatim(&(serde_json::to_string(&row)? + "\n"))?;
    }
    Ok(())
}
