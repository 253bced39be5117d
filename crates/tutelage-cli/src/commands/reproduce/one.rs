//! `tutelage reproduce --run NAME`: executes one run of a figure.

use anyhow::{Context, ensure};
use tutelage_reproduce::{Archive, Experiment, RunList, Selection, ThreadWorker, Worker, Workers};

use super::{child, run_jobs};
use crate::output::note;

/// Executes the run with this name, resuming an earlier attempt.
pub(super) fn run(
    name: &str,
    experiments: &[Experiment],
    selection: &Selection,
    archive: &Archive,
) -> anyhow::Result<()> {
    let mut runs = RunList::default();
    let run = find(name, &mut runs, experiments, selection)?;
    if archive.record(&runs[run])?.is_some() && (runs[run].timed || archive.has_data(&runs[run])) {
        note(&format!("{name} is finished"));
        return Ok(());
    }
    for &need in &runs[run].needs {
        ensure!(
            archive.has_data(&runs[need]),
            "{name} needs the annotations of {}, which is not in {}; execute it first, or copy its folder",
            runs[need].name,
            archive.runs().display()
        );
    }
    let worker = ThreadWorker(rayon::current_num_threads());
    let workers = Workers { shared: vec![&worker as &dyn Worker], exclusive: &child()? };
    run_jobs(&runs, &[run], archive, &workers)
}

/// Finds the run with this name, even if its seed is not one of the figure's.
fn find(
    name: &str,
    runs: &mut RunList,
    experiments: &[Experiment],
    selection: &Selection,
) -> anyhow::Result<usize> {
    let seeds = selection.seeds.clone().or_else(|| Some(vec![seed_of(name)?]));
    let selection = Selection { seeds, ..selection.clone() };
    for experiment in experiments {
        runs.plan(experiment, &selection)?;
    }
    runs.find(name).with_context(|| {
        let figures: Vec<&str> = experiments.iter().map(|figure| figure.name.as_str()).collect();
        format!(
            "unknown run `{name}` of {}; `tutelage reproduce FIGURE --plan` lists the names (for this profile and these experts)",
            figures.join(", ")
        )
    })
}

/// Returns the seed in the name of a run.
fn seed_of(name: &str) -> Option<u64> {
    name.split_once("-seed-")?.1.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_is_part_of_the_name() {
        assert_eq!(seed_of("ant-bd-5-mlp-64-64-seed-12-deff71-ad4f1ae6"), Some(12));
        assert_eq!(seed_of("ant-bd-5"), None);
    }
}
