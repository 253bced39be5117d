//! The runs behind figures: each once, with what it needs first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tutelage::Named;
use tutelage_lab::spec::{Class, CoverSpec, Draft, RunSpec, SpecError};
use tutelage_lab::{CastError, Task, fingerprint, load_expert};

use crate::{Archive, ArchiveError, Draw, Experiment, PerturbFrom, Profile, Row, Series};

/// A run to be had once, whatever figures show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its name: spec, expert and the solver of its least squares as a word that no other run has.
    pub name: String,
    /// Its spec, in which other runs go by their names.
    pub spec: RunSpec,
    /// The fingerprint of the expert's weights.
    pub expert: String,
    /// The runs whose data it builds on.
    pub needs: Vec<usize>,
    /// Whether it runs alone, in a process of its own, on all threads, for the sake of its time and memory.
    pub timed: bool,
}

/// What part of a figure is wanted; what is not said is wanted whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The paper's settings or less.
    pub profile: Profile,
    /// The tasks.
    pub tasks: Option<Vec<Task>>,
    /// The algorithms.
    pub algorithms: Option<Vec<Named>>,
    /// The seeds.
    pub seeds: Option<Vec<u64>>,
}

/// The runs of any number of figures. A run comes after those that it needs.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The runs.
    pub runs: Vec<Run>,
    /// Runs whose states are drawn, so that a record of them is not enough.
    pub drawn_states: Vec<usize>,
    by_name: HashMap<String, usize>,
    experts: HashMap<Task, String>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A figure asks for a run that cannot be.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An expert is missing.
    #[error(transparent)]
    Expert(#[from] CastError),
}

impl Selection {
    /// The tasks of this figure that are wanted.
    pub fn tasks(&self, experiment: &Experiment) -> Vec<Task> {
        let wanted = |task: &Task| self.tasks.as_ref().is_none_or(|tasks| tasks.contains(task));
        experiment.tasks.iter().copied().filter(wanted).collect()
    }

    /// The seeds of this figure that are wanted.
    pub fn seeds(&self, experiment: &Experiment) -> Vec<u64> {
        self.seeds.clone().unwrap_or_else(|| self.profile.seeds(&experiment.seeds))
    }

    /// All of a figure, for a figure is always drawn from everything that is finished; with the seeds that were asked for
    /// beside its own.
    pub(crate) fn whole(&self, experiment: &Experiment) -> Self {
        let mut seeds = self.profile.seeds(&experiment.seeds);
        seeds.extend(self.seeds.iter().flatten());
        seeds.sort_unstable();
        seeds.dedup();
        Self { profile: self.profile, seeds: Some(seeds), ..Self::default() }
    }

    /// The curves of this row that are wanted.
    pub fn series<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a Series> {
        row.series.iter().filter(|series| {
            self.algorithms.as_ref().is_none_or(|wanted| wanted.contains(&series.algorithm))
        })
    }
}

impl Plan {
    /// Adds the runs of a figure; says which they are.
    pub fn add(
        &mut self,
        experiment: &Experiment,
        selection: &Selection,
    ) -> Result<Vec<usize>, PlanError> {
        let mut shown = Vec::new();
        for task in selection.tasks(experiment) {
            for row in &experiment.rows {
                for series in selection.series(row) {
                    for seed in selection.seeds(experiment) {
                        let setting = Setting { task, row, profile: selection.profile };
                        let run = self.run(setting, series, seed)?;
                        shown.push(match experiment.draw {
                            Draw::Cost => self.timed(run),
                            _ => run,
                        });
                    }
                }
            }
        }
        if matches!(experiment.draw, Draw::States | Draw::TwoStates) {
            self.drawn_states.extend(&shown);
        }
        shown.sort_unstable();
        shown.dedup();
        Ok(shown)
    }

    /// The run behind one curve and seed, and before it those that it needs.
    pub(crate) fn run(
        &mut self,
        setting: Setting<'_>,
        series: &Series,
        seed: u64,
    ) -> Result<usize, PlanError> {
        let Setting { task, row, profile } = setting;
        let mut needs = Vec::new();
        if let Some(algorithm) = series.data {
            needs.push(self.run(setting, &Series { algorithm, data: None }, seed)?);
        }
        let mut d0 = None;
        if series.algorithm.perturbs() {
            d0 = Some(match &row.d0 {
                PerturbFrom::Fixed(cover) => cover.to_string(),
                PerturbFrom::Dagger => {
                    let dagger = Series { algorithm: dagger()?, data: None };
                    for seed in profile.seeds(&COVER_SEEDS) {
                        needs.push(self.run(setting, &dagger, seed)?);
                    }
                    CoverSpec::Runs(self.names(&needs)).to_string()
                }
            });
        }
        let class = Class::parse(&row.class, task)?;
        let networks = class != Class::Linear;
        let data = series.data.map(|_| self.runs[needs[0]].name.clone());
        let draft = Draft {
            task: Some(task.to_string()),
            algorithm: Some(series.algorithm.to_string()),
            class: Some(class.to_string()),
            seed: i64::try_from(seed).ok(),
            sampling: row.sampling.clone(),
            expert_acts: row.expert_acts.clone().filter(|_| series.algorithm.expert_drives()),
            d0,
            data,
            ..Draft::default()
        };
        let budget = row.budget.filter(|_| networks);
        let spec = draft.or(profile.draft(budget, networks)).check()?;
        let expert = self.expert(task)?;
        let name = name(&spec, &expert);
        Ok(self.insert(Run { name, spec, expert, needs, timed: false }))
    }

    fn timed(&mut self, run: usize) -> usize {
        self.insert(self.runs[run].on_the_clock())
    }

    fn insert(&mut self, run: Run) -> usize {
        let next = self.runs.len();
        let index = *self.by_name.entry(run.name.clone()).or_insert(next);
        if index == next {
            self.runs.push(run);
        }
        index
    }

    fn names(&self, runs: &[usize]) -> Vec<PathBuf> {
        runs.iter().map(|&run| PathBuf::from(&self.runs[run].name)).collect()
    }

    fn expert(&mut self, task: Task) -> Result<String, PlanError> {
        if let Some(expert) = self.experts.get(&task) {
            return Ok(expert.clone());
        }
        let expert = match task.robot() {
            Some(_) => {
                let given = fingerprint(&load_expert(task.name(), Some(task))?);
                format!("{:08x}", given.checksum)
            }
            None => "rule".into(),
        };
        self.experts.insert(task, expert.clone());
        Ok(expert)
    }

    /// What must still be run for these runs to be finished, in an order in which it can be.
    pub fn outstanding(
        &self,
        wanted: &[usize],
        archive: &Archive,
    ) -> Result<Vec<usize>, ArchiveError> {
        let mut outstanding = vec![false; self.runs.len()];
        for &run in wanted {
            let drawn = self.drawn_states.contains(&run);
            if archive.record(&self.runs[run])?.is_none()
                || drawn && archive.data(&self.runs[run]).is_none()
            {
                self.require(run, archive, &mut outstanding);
            }
        }
        let twice = |&run: &usize| self.runs_on_the_clock_as_well(run, &outstanding);
        let all = (0..self.runs.len()).filter(|&run| outstanding[run]);
        Ok(all.filter(|run| !twice(run)).collect())
    }

    /// Whether a run is to be timed anyway, and no other run waits for what it collects before that.
    fn runs_on_the_clock_as_well(&self, run: usize, outstanding: &[bool]) -> bool {
        let timed = self.by_name.get(&self.runs[run].on_the_clock().name);
        let others = self.runs.iter().zip(outstanding).filter(|(_, outstanding)| **outstanding);
        timed.is_some_and(|&timed| outstanding[timed])
            && !others.into_iter().any(|(other, _)| other.needs.contains(&run))
    }

    /// Marks a run, and the runs whose data it needs and nobody has.
    fn require(&self, run: usize, archive: &Archive, outstanding: &mut [bool]) {
        if std::mem::replace(&mut outstanding[run], true) {
            return;
        }
        for &need in &self.runs[run].needs {
            if !archive.has_data(&self.runs[need]) {
                self.require(need, archive, outstanding);
            }
        }
    }
}

/// The paper's d₀ is made of ten runs, whatever seeds a figure shows.
const COVER_SEEDS: [u64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/// What the runs of a panel have in common.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) task: Task,
    pub(crate) row: &'a Row,
    pub(crate) profile: Profile,
}

fn dagger() -> Result<Named, SpecError> {
    Ok("dagger".parse::<Named>()?)
}

/// Spec, expert and, for affine policies, the solver, as a word.
fn name(spec: &RunSpec, expert: &str) -> String {
    let name = format!("{}-{expert}", spec.folder());
    spec.solver().map_or(name.clone(), |solver| format!("{name}-{solver}"))
}

impl Run {
    /// The same run once more, alone and on the clock.
    pub(crate) fn on_the_clock(&self) -> Self {
        Self { name: format!("timed-{}", self.name), timed: true, ..self.clone() }
    }

    /// The spec with the runs that it names where they are.
    pub fn located(&self, runs: &Path) -> RunSpec {
        let d0 = self.spec.d0.clone().map(|cover| match cover {
            CoverSpec::Runs(names) => {
                CoverSpec::Runs(names.iter().map(|name| runs.join(name)).collect())
            }
            fixed => fixed,
        });
        RunSpec {
            d0,
            data: self.spec.data.as_ref().map(|name| runs.join(name)),
            ..self.spec.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::{ExpertActs, Sampling};
    use tutelage_runs::store::AnyHistory;

    fn nothing() -> AnyHistory {
        AnyHistory::Vectors(Default::default())
    }

    fn hopper() -> Task {
        "hopper".parse().unwrap()
    }

    fn plan(name: &str, selection: &Selection) -> (Plan, Vec<usize>) {
        let mut plan = Plan::default();
        let shown = plan.add(&Experiment::named(name).unwrap(), selection).unwrap();
        (plan, shown)
    }

    #[test]
    fn runs_come_after_what_they_need_and_figures_share_them() {
        let quick = Selection { profile: Profile::Quick, ..Selection::default() };
        let (mut plan, main) = plan("main", &quick);
        assert_eq!(main.len(), 4 * 2 * 6 * 2);
        assert!(plan.runs.iter().enumerate().all(|(i, run)| run.needs.iter().all(|&n| n < i)));
        let before = plan.runs.len();
        let ablation = plan.add(&Experiment::named("ablation").unwrap(), &quick).unwrap();
        assert_eq!(ablation.len(), 2 * 4 * 2);
        assert_eq!(plan.runs.len() - before, 2 * 2 * 2); // bagging and supervised alone are new
    }

    #[test]
    fn d0_is_made_of_ten_runs_whatever_seeds_are_shown() {
        let one = Selection {
            tasks: Some(vec![hopper()]),
            algorithms: Some(vec!["mp-25(15)".parse().unwrap()]),
            seeds: Some(vec![3]),
            ..Selection::default()
        };
        let (plan, shown) = plan("main", &one);
        assert_eq!(shown.len(), 2);
        assert!(shown.iter().all(|&run| plan.runs[run].needs.len() == 10));
        assert_eq!(plan.runs.len(), 2 * 11);
    }

    #[test]
    fn a_row_sets_how_states_are_taken_and_how_a_driving_expert_acts() {
        let quick = Selection { profile: Profile::Quick, ..Selection::default() };
        let (plan, shown) = plan("settings", &quick);
        let of = |acts: ExpertActs, sampling: Sampling| -> Vec<String> {
            let specs = shown.iter().map(|&run| &plan.runs[run].spec);
            let mut names: Vec<String> = specs
                .filter(|spec| spec.expert_acts == acts && spec.sampling == sampling)
                .map(|spec| spec.algorithm.to_string())
                .collect();
            names.dedup();
            names
        };
        assert_eq!(of(ExpertActs::Mean, Sampling::Stride(20)), ["bc"]); // in the others no expert drives
        assert_eq!(of(ExpertActs::Sampled, Sampling::Independent), ["bc", "dagger", "bd-5"]);
    }

    #[test]
    fn located_specs_name_folders_and_the_name_does_not_depend_on_where_they_are() {
        let quick = Selection {
            profile: Profile::Quick,
            tasks: Some(vec![hopper()]),
            ..Selection::default()
        };
        let (plan, shown) = plan("ablation", &quick);
        let bagging = &plan.runs[shown[4]];
        assert_eq!(bagging.spec.algorithm.to_string(), "bagging-5");
        let located = bagging.located(Path::new("somewhere"));
        assert_eq!(located.data.unwrap().parent(), Some(Path::new("somewhere")));
        assert!(bagging.name.starts_with("hopper-bagging-5-mlp-64-64-seed-1-"), "{}", bagging.name);
    }

    #[test]
    fn affine_policies_of_another_solver_go_by_another_name() {
        let one = Selection { tasks: Some(vec![hopper()]), ..Selection::default() };
        let (plan, shown) = plan("linear", &one);
        let runs = || shown.iter().map(|&run| &plan.runs[run]);
        assert!(
            runs().all(|run| run.name.ends_with("-675f6cb7-qr-jacobi")),
            "{}",
            plan.runs[0].name
        );
    }

    #[test]
    fn a_run_on_the_clock_counts_for_every_figure() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
        let selection = Selection {
            profile: Profile::Quick,
            tasks: Some(vec![hopper()]),
            algorithms: Some(vec!["bc".parse().unwrap()]),
            seeds: Some(vec![1]),
        };
        let (mut plan, timed) = plan("cost", &selection);
        let [timed] = timed[..] else { panic!("{timed:?}") };
        let main = plan.add(&Experiment::named("main").unwrap(), &selection).unwrap();
        let both: Vec<usize> = main.iter().copied().chain([timed]).collect();
        assert!(!plan.outstanding(&both, &archive).unwrap().contains(&main[0]), "once will do");
        let record = crate::Record::new(&plan.runs[timed], &nothing(), &[], 2);
        archive.save(&plan.runs[timed], &record).unwrap();
        assert_eq!(archive.record(&plan.runs[main[0]]).unwrap(), Some(record));
        assert_eq!(plan.outstanding(&main, &archive).unwrap(), main[1..]);
    }

    #[test]
    fn what_has_a_record_is_not_run_again_unless_its_data_is_needed() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
        let quick = Selection {
            profile: Profile::Quick,
            tasks: Some(vec![hopper()]),
            ..Selection::default()
        };
        let (plan, shown) = plan("ablation", &quick);
        assert_eq!(plan.outstanding(&shown, &archive).unwrap().len(), 8);
        for &run in &shown {
            let run = &plan.runs[run];
            let record = crate::Record::new(run, &nothing(), &[], 1);
            archive.save(run, &record).unwrap();
            assert_eq!(archive.record(run).unwrap(), Some(record));
        }
        assert!(plan.outstanding(&shown, &archive).unwrap().is_empty());
        let bagging = &plan.runs[shown[4]];
        std::fs::remove_file(archive.record_path(bagging)).unwrap();
        // Bagging must run, and DAgger before it: its record is there, its annotations are not.
        let outstanding = plan.outstanding(&shown, &archive).unwrap();
        assert_eq!(outstanding, [bagging.needs[0], shown[4]]);
    }
}
