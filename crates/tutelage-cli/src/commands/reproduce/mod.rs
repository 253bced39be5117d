//! `tutelage reproduce`: the paper's figures.

mod launch;
mod narrator;
mod tables;

pub use launch::end_with_parent;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tutelage::Named;
use tutelage_lab::Task;
use tutelage_lab::spec::RunSpec;
use tutelage_reproduce::{
    Archive, Conducted, Draw, Estimator, Experiment, Plan, Profile, Selection, conduct, costs,
    draw, summarise,
};

use self::launch::launch;
use self::narrator::Narrator;
use self::tables::{CostRow, CurveRow, FigureRow, KindRow};
use crate::arguments::Seeds;
use crate::output::{Output, note};
use tutelage_runs::terminal::rough;

/// Plan the runs that a figure needs, carry out what is missing, and draw it.
#[derive(clap::Args)]
pub(crate) struct Reproduce {
    /// The figure, a .toml file of one's own, or `all`
    #[arg(required_unless_present = "list")]
    figure: Option<String>,
    /// paper: the paper's settings; quick: each figure in miniature, all of them in about 20 minutes
    #[arg(long, default_value = "paper")]
    profile: Profile,
    /// Only the runs on these tasks; what is drawn is always all that is finished
    #[arg(long, value_delimiter = ',', value_name = "TASK,…")]
    tasks: Option<Vec<Task>>,
    /// Only the runs of these algorithms (quote names with parentheses)
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    algorithms: Option<Vec<Named>>,
    /// Only the runs with these seeds: 3, 1-10 or 1,2,5-7
    #[arg(long)]
    seeds: Option<Seeds>,
    /// Show every figure, how many of its runs are done, and how long the rest would take
    #[arg(long)]
    list: bool,
    /// Show the plan and its time, and stop
    #[arg(long, conflicts_with = "draw_only")]
    dry_run: bool,
    /// Draw from the runs that are finished, without running any; the finite world's games, a matter of seconds, are played
    /// anew
    #[arg(long)]
    draw_only: bool,
    /// Print the figure as numbers: last and average reward with 80 % intervals, annotations to 90 % of the expert,
    /// probability of beating DAgger; or times and memory
    #[arg(long)]
    table: bool,
    /// Where records and figures are kept; each profile has its own folder in it
    #[arg(long, default_value = "results", value_name = "DIR")]
    results: PathBuf,
    /// Where run directories are kept; each profile has its own folder in it
    #[arg(long, default_value = "runs", value_name = "DIR")]
    runs: PathBuf,
}

impl Reproduce {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let archive = self.archive();
        let selection = Selection {
            profile: self.profile,
            tasks: self.tasks.clone(),
            algorithms: self.algorithms.clone(),
            seeds: self.seeds.clone().map(|seeds| seeds.0),
        };
        if self.list {
            return list(&selection, &archive, output);
        }
        let experiments = match self.figure.as_deref() {
            None | Some("all") => Experiment::all()?,
            Some(name) => vec![Experiment::named(name)?],
        };
        let mut plan = Plan::default();
        let mut wanted = Vec::new();
        for experiment in &experiments {
            let runs = plan.add(experiment, &selection)?;
            anyhow::ensure!(
                experiments.len() > 1 || !runs.is_empty() || is_theory(experiment),
                "{} shows nothing of this selection; `tutelage reproduce {0} --dry-run` shows its runs",
                experiment.name
            );
            wanted.extend(runs);
        }
        if !self.draw_only {
            let outstanding = plan.outstanding(&wanted, &archive)?;
            // Programs that want the figure's numbers get nothing else.
            if self.dry_run || !output.is_json() {
                show_plan(&plan, &wanted, &outstanding, &archive, output)?;
            }
            if self.dry_run {
                return Ok(());
            }
            self.carry_out(&plan, &outstanding, &archive)?;
        }
        draw_all(&experiments, &selection, &mut plan, &archive)?;
        if self.table {
            for experiment in &experiments {
                print_numbers(experiment, &selection, &mut plan, &archive, output)?;
            }
        }
        Ok(())
    }

    fn archive(&self) -> Archive {
        let profile = self.profile.to_string();
        Archive::new(self.results.join(&profile), self.runs.join(&profile))
    }

    fn carry_out(
        &self,
        plan: &Plan,
        outstanding: &[usize],
        archive: &Archive,
    ) -> anyhow::Result<()> {
        let threads = rayon::current_num_threads();
        let narrator = Narrator::new(outstanding.len())?;
        let launch = |spec: &RunSpec, dir: &Path, goes_on: &mut dyn FnMut(usize) -> bool| {
            launch(spec, dir, goes_on).map_err(|error| format!("{error:#}"))
        };
        let conducted = conduct(plan, outstanding, archive, threads, &launch, &narrator);
        narrator.end();
        match conducted? {
            Conducted::Finished => Ok(()),
            Conducted::Stopped => anyhow::bail!(
                "stopped; what is finished is kept, and the same command goes on from here"
            ),
        }
    }
}

/// A figure in numbers, where it has any besides its CSV.
fn print_numbers(
    experiment: &Experiment,
    selection: &Selection,
    plan: &mut Plan,
    archive: &Archive,
    output: &Output,
) -> anyhow::Result<()> {
    match experiment.draw {
        Draw::Curves => {
            let rows = summarise(experiment, selection, plan, archive)?;
            output.say(&format!("\n{}", experiment.title))?;
            output.rows(&rows.iter().map(CurveRow::new).collect::<Vec<_>>())
        }
        Draw::Cost => {
            let rows = costs(experiment, selection, plan, archive)?;
            output.say(&format!("\n{}", experiment.title))?;
            output.rows(&rows.iter().map(CostRow::new).collect::<Vec<_>>())
        }
        Draw::States | Draw::TwoStates | Draw::Regret | Draw::Limitation => Ok(()),
    }
}

/// Whether a figure is of the finite world, which needs no runs.
fn is_theory(experiment: &Experiment) -> bool {
    matches!(experiment.draw, Draw::Regret | Draw::Limitation)
}

/// Every figure and how far it is.
fn list(selection: &Selection, archive: &Archive, output: &Output) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for experiment in Experiment::all()? {
        let mut plan = Plan::default();
        let wanted = plan.add(&experiment, selection)?;
        let outstanding = plan.outstanding(&wanted, archive)?;
        let missing = |run: &&usize| outstanding.contains(run);
        let left = wanted.iter().filter(missing).count();
        let (mut runs, mut done) = (wanted.len(), wanted.len() - left);
        let estimator = Estimator::new(&plan, archive);
        let mut seconds = estimator.seconds(&plan, &outstanding, rayon::current_num_threads());
        if is_theory(&experiment) {
            // Games in the finite world are played anew whenever they are drawn.
            runs = 1;
            done = usize::from(archive.figure_path(&experiment.name, "csv").is_file());
            seconds = if done == 1 { 0.0 } else { 10.0 };
        }
        let Experiment { name: figure, paper, .. } = experiment;
        rows.push(FigureRow { figure, runs, done, estimate_seconds: seconds.round(), paper });
    }
    output.rows(&rows)
}

/// What there is to do, by kind of run.
fn show_plan(
    plan: &Plan,
    wanted: &[usize],
    outstanding: &[usize],
    archive: &Archive,
    output: &Output,
) -> anyhow::Result<()> {
    let estimator = Estimator::new(plan, archive);
    let mut rows: Vec<KindRow> = Vec::new();
    for &run in outstanding {
        let run = &plan.runs[run];
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
    let seconds = estimator.seconds(plan, outstanding, threads);
    output.say(&format!(
        "\n{} runs to do for {} shown; about {} on {threads} thread{}.",
        outstanding.len(),
        wanted.len(),
        rough(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        if threads == 1 { "" } else { "s" }
    ))
}

fn draw_all(
    experiments: &[Experiment],
    selection: &Selection,
    plan: &mut Plan,
    archive: &Archive,
) -> anyhow::Result<()> {
    for experiment in experiments {
        let several = experiments.len() > 1;
        match draw::draw(experiment, selection, plan, archive) {
            Ok(_) => {
                let path = archive.figure_path(&experiment.name, "png");
                note(&format!("wrote {} (and .svg, .csv)", path.display()));
            }
            Err(draw::DrawError::Nothing(name)) if several => {
                note(&format!("{}: {name} is not finished, not drawn", experiment.name));
            }
            Err(error) => return Err(error).context(experiment.name.clone()),
        }
    }
    Ok(())
}
