//! The runs of figures: each once, after those that it needs.

use std::collections::{HashMap, HashSet};
use std::ops::Index;
use std::path::{Path, PathBuf};

use tutelage_spec::spec::{Class, CoverSpec, RunSpec, SpecInput, parse_value};
use tutelage_spec::{LabError, Task, fingerprint, load_expert};

use crate::figure_plan::{CurvePlan, FigurePlan, PanelPlan};
use crate::{
    Archive, ArchiveError, CurveSpec, Experiment, FigureKind, PanelRow, PerturbFrom, Profile,
    Selection,
};

/// A run of one or several figures.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRun {
    /// The unique name: made of the spec, the expert and, for affine policies, the least-squares solver.
    pub name: String,
    /// The spec. It refers to other runs by name.
    pub spec: RunSpec,
    /// The fingerprint of the expert's weights.
    pub expert: String,
    /// The runs whose data it reads, as indices into the [`RunList`].
    pub needs: Vec<usize>,
    /// Whether its time and memory are measured: it runs alone, in a child process, on all threads.
    pub timed: bool,
}

/// The runs of any number of figures, each once. A run comes after the runs that it needs.
#[derive(Clone, Debug, Default)]
pub struct RunList {
    runs: Vec<PlannedRun>,
    by_name: HashMap<String, usize>,
    experts: HashMap<String, String>,
}

/// Why a figure cannot be planned.
#[derive(Debug, thiserror::Error)]
#[error("cannot plan row \"{row}\" of {figure}")]
pub struct PlanError {
    /// The figure.
    pub figure: String,
    /// The row.
    pub row: String,
    /// The reason.
    pub source: LabError,
}

impl Index<usize> for RunList {
    type Output = PlannedRun;

    fn index(&self, run: usize) -> &PlannedRun {
        &self.runs[run]
    }
}

impl RunList {
    /// Returns all runs.
    pub fn runs(&self) -> &[PlannedRun] {
        &self.runs
    }

    /// Returns the index of the run with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Plans a figure and adds its runs.
    pub fn plan<'a>(
        &mut self,
        experiment: &'a Experiment,
        selection: &Selection,
    ) -> Result<FigurePlan<'a>, PlanError> {
        let profile = selection.profile;
        let mut panels = Vec::new();
        for row in &experiment.rows {
            for task in selection.tasks(experiment, row) {
                let panel = PanelRuns { task, row, profile };
                let mut curves = Vec::new();
                for &curve in selection.curves(row) {
                    let seeds = selection.seeds_of(experiment, &curve).into_iter();
                    let runs = seeds.map(|seed| self.run(panel, curve, seed));
                    let runs: Result<Vec<usize>, LabError> = runs.collect();
                    let mut runs = runs.map_err(|source| PlanError {
                        figure: experiment.name.clone(),
                        row: row.name.clone(),
                        source,
                    })?;
                    if experiment.draw == FigureKind::Cost {
                        runs.iter_mut().for_each(|run| *run = self.insert(self.runs[*run].timed()));
                    }
                    curves.push(CurvePlan { spec: curve, runs });
                }
                panels.push(PanelPlan { task, row, curves });
            }
        }
        Ok(FigurePlan { experiment, profile, seeds: selection.seeds(experiment), panels })
    }

    /// Adds the run of one curve and seed, after the runs that it needs.
    fn run(
        &mut self,
        panel: PanelRuns<'_>,
        curve: CurveSpec,
        seed: u64,
    ) -> Result<usize, LabError> {
        let mut needs = Vec::new();
        let mut data = None;
        if let Some(algorithm) = curve.data {
            let run = self.run(panel, CurveSpec { algorithm, data: None, ..curve }, seed)?;
            needs.push(run);
            data = Some(PathBuf::from(&self.runs[run].name));
        }
        let mut d0 = None;
        match &panel.row.d0 {
            _ if !curve.algorithm.perturbs() => {}
            PerturbFrom::Default => {}
            PerturbFrom::Fixed(cover) => d0 = Some(cover.clone()),
            PerturbFrom::Dagger => {
                let algorithm = parse_value("algorithm", "dagger")?;
                let dagger = CurveSpec { algorithm, data: None, ..curve };
                let seeds = panel.profile.seeds(&COVER_SEEDS).into_iter();
                let runs = seeds.map(|seed| self.run(panel, dagger, seed));
                let runs: Vec<usize> = runs.collect::<Result<_, _>>()?;
                let names = runs.iter().map(|&run| PathBuf::from(&self.runs[run].name));
                d0 = Some(CoverSpec::Runs(names.collect()));
                needs.extend(runs);
            }
        }
        let spec = panel.spec(curve, seed, d0, data)?;
        let expert = self.expert(&spec)?;
        let name = name(&spec, &expert);
        Ok(self.insert(PlannedRun { name, spec, expert, needs, timed: false }))
    }

    fn insert(&mut self, run: PlannedRun) -> usize {
        let next = self.runs.len();
        let index = *self.by_name.entry(run.name.clone()).or_insert(next);
        if index == next {
            self.runs.push(run);
        }
        index
    }

    /// Returns the fingerprint of a run's expert. Each expert is loaded once.
    fn expert(&mut self, spec: &RunSpec) -> Result<String, LabError> {
        if spec.task.robot().is_none() {
            return Ok("rule".into());
        }
        if let Some(expert) = self.experts.get(&spec.expert) {
            return Ok(expert.clone());
        }
        let expert = fingerprint(&load_expert(&spec.expert, Some(spec.task))?);
        let expert = format!("{:08x}", expert.checksum);
        self.experts.insert(spec.expert.clone(), expert.clone());
        Ok(expert)
    }

    /// Returns the runs of a figure without a record. A figure of states also needs their map or their data.
    pub fn unfinished(
        &self,
        plan: &FigurePlan<'_>,
        archive: &Archive,
    ) -> Result<Vec<usize>, ArchiveError> {
        let lacks_data = plan.shows_states() && !archive.has_map(plan, self);
        let mut unfinished = Vec::new();
        for run in plan.runs() {
            let no_record = archive.record(&self.runs[run])?.is_none();
            if no_record || lacks_data && archive.data(&self.runs[run]).is_none() {
                unfinished.push(run);
            }
        }
        Ok(unfinished)
    }

    /// Returns all runs to execute for these figures, in an order that respects their dependencies.
    pub fn outstanding(
        &self,
        plans: &[FigurePlan<'_>],
        archive: &Archive,
    ) -> Result<Vec<usize>, ArchiveError> {
        let mut outstanding = vec![false; self.runs.len()];
        for plan in plans {
            for run in self.unfinished(plan, archive)? {
                self.require(run, archive, &mut outstanding);
            }
        }
        let all: Vec<usize> = (0..self.runs.len()).filter(|&run| outstanding[run]).collect();
        let awaited: HashSet<usize> =
            all.iter().flat_map(|&run| self.runs[run].needs.iter().copied()).collect();
        // A run that will also be timed is executed once, unless another run needs its data earlier.
        let twice = |run: &usize| {
            let timed = self.find(&self.runs[*run].timed().name);
            timed.is_some_and(|timed| outstanding[timed]) && !awaited.contains(run)
        };
        Ok(all.into_iter().filter(|run| !twice(run)).collect())
    }

    /// Marks a run and all runs whose missing data it needs.
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

/// The paper's d₀ consists of ten runs, regardless of the seeds of the figure.
const COVER_SEEDS: [u64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/// What the runs of a panel share.
#[derive(Clone, Copy)]
struct PanelRuns<'a> {
    task: Task,
    row: &'a PanelRow,
    profile: Profile,
}

impl PanelRuns<'_> {
    /// Returns the spec of a run: fields of the row first, then of the profile, then defaults.
    fn spec(
        self,
        curve: CurveSpec,
        seed: u64,
        d0: Option<CoverSpec>,
        data: Option<PathBuf>,
    ) -> Result<RunSpec, LabError> {
        let Self { task, row, profile } = self;
        let fields = row.fields.clone();
        let class = fields.class.clone().map(|class| class.of(task.defaults()));
        let networks = class != Some(Class::Linear);
        let drives = curve.algorithm.expert_drives();
        let input = SpecInput {
            task: Some(task),
            algorithm: Some(curve.algorithm),
            seed: Some(seed),
            expert_acts: fields.expert_acts.filter(|_| drives),
            d0,
            data,
            ..fields
        };
        let budget = curve.budget.or(row.budget).filter(|_| networks);
        Ok(input.or(profile.input(budget, networks)).complete()?)
    }
}

/// Returns the unique name of a run.
fn name(spec: &RunSpec, expert: &str) -> String {
    let solver = spec.solver().map_or(String::new(), |solver| format!("-{solver}"));
    format!("{}-{expert}{solver}", spec.folder())
}

impl PlannedRun {
    /// The same run with its time and memory measured.
    pub(crate) fn timed(&self) -> Self {
        Self { name: format!("timed-{}", self.name), timed: true, ..self.clone() }
    }

    /// Returns the spec with the paths of the runs that it refers to.
    pub fn with_absolute_paths(&self, runs: &Path) -> RunSpec {
        let mut spec = self.spec.clone();
        if let Some(CoverSpec::Runs(names)) = &mut spec.d0 {
            names.iter_mut().for_each(|name| *name = runs.join(&name));
        }
        if let Some(name) = &mut spec.data {
            *name = runs.join(&name);
        }
        spec
    }
}
