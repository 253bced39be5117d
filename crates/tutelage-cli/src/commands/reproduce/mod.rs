//! `tutelage reproduce`: the paper's figures.

mod one;
mod plan;
mod progress;
mod remote;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tutelage_compare::ComparisonSettings;
use tutelage_lab::Task;
use tutelage_reproduce::{
    Archive, Experiment, FigureKind, FigurePlan, FigureRuns, Logs, PanelRow, PlottedValue,
    ProcessWorker, Profile, RunList, ScheduleOutcome, Selection, ThreadWorker, Worker, Workers,
    compare, draw, execute, report, run_costs,
};

use self::plan::{list, print_plan, show_plan};
use self::progress::ProgressDisplay;
use self::remote::Engine;
use self::tables::CostRow;
use crate::arguments::{Algorithms, Seeds};
use crate::executor::Storage;
use crate::output::{Interrupted, Output, note};

/// Plan the runs that a figure needs, carry out what is missing, and draw it.
#[derive(clap::Args)]
pub(crate) struct Reproduce {
    /// The figure, a .toml file of one's own, or `all`
    #[arg(required_unless_present_any = ["list", "run", "report"])]
    figure: Option<String>,
    /// paper: the paper's settings; quick: each figure in miniature, all of them in about 20 minutes
    #[arg(long, default_value = "paper")]
    profile: Profile,
    /// Only the runs on these tasks; what is drawn is always all that is finished
    #[arg(long, value_delimiter = ',', value_name = "TASK,…")]
    tasks: Option<Vec<Task>>,
    /// Only the runs of these algorithms (quote names with parentheses)
    #[arg(long, value_name = "NAME,…")]
    algorithms: Option<Algorithms>,
    /// Only the runs with these seeds: 3, 1-10 or 1,2,5-7
    #[arg(long)]
    seeds: Option<Seeds>,
    /// Show every figure, how many of its runs are done, and how long the rest would take
    #[arg(long)]
    list: bool,
    /// Show the plan and its time, and stop
    #[arg(long, conflicts_with = "draw_only")]
    dry_run: bool,
    /// Print the missing runs as JSON lines, each after those that it needs, and stop
    #[arg(long, conflicts_with_all = ["draw_only", "dry_run", "table"])]
    plan: bool,
    /// Carry out one run of the figure (of any, where none is named) and draw nothing; `--plan` names the runs
    #[arg(long, value_name = "NAME", conflicts_with_all = ["draw_only", "dry_run", "plan", "table"])]
    run: Option<String>,
    /// Draw from the runs that are finished, without running any; the finite world's games, a matter of seconds, are played
    /// anew
    #[arg(long)]
    draw_only: bool,
    /// Print the figure as numbers, as `tutelage compare` does, DAgger being the baseline; or times and memory
    #[arg(long)]
    table: bool,
    /// Make the tables of a Markdown file anew from what is finished: those that its lines `<!-- reproduce: … -->` ask for
    #[arg(long, value_name = "FILE", conflicts_with_all = ["figure", "list", "run", "plan", "dry_run", "draw_only", "table"])]
    report: Option<PathBuf>,
    /// Who carries out the runs instead of this machine: `ray`, the cluster at hand, or `ray:ADDRESS` (with the Python package);
    /// timed runs stay here
    #[arg(long, value_name = "ENGINE[:ADDRESS]", conflicts_with_all = ["draw_only", "dry_run", "plan", "run"])]
    on: Option<Engine>,
    /// Whether all of its nodes see the folder of runs [default: whether they do]
    #[arg(long, value_enum, requires = "on")]
    storage: Option<Storage>,
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
        let selection = self.selection();
        if self.list {
            return list(&selection, &archive, output);
        }
        if let Some(file) = &self.report {
            return write_report(file, &archive);
        }
        let experiments = match self.figure.as_deref() {
            None | Some("all") => Experiment::all()?,
            Some(name) => vec![Experiment::named(name)?],
        };
        if let Some(name) = &self.run {
            return one::run(name, &experiments, &selection, &archive);
        }
        let mut runs = RunList::default();
        let wanted = lay_out(&mut runs, &experiments, |_| selection.clone())?;
        let whole = lay_out(&mut runs, &experiments, |figure| selection.whole(figure))?;
        if let [only] = &wanted[..] {
            ensure!(
                !only.runs().is_empty() || is_theory(only.experiment),
                "{} shows nothing of this selection; `tutelage reproduce {0} --dry-run` shows its runs",
                only.experiment.name
            );
        }
        if self.plan {
            return print_plan(&runs, &runs.outstanding(&wanted, &archive)?, &archive, output);
        }
        if !self.draw_only {
            let outstanding = runs.outstanding(&wanted, &archive)?;
            // Programs that want the figure's numbers get nothing else.
            if self.dry_run || !output.is_json() {
                show_plan(&runs, &wanted, &outstanding, &archive, output)?;
            }
            if self.dry_run {
                return Ok(());
            }
            match &self.on {
                None => run_all(&runs, &outstanding, &archive)?,
                Some(_) if outstanding.is_empty() => {}
                Some(engine) => {
                    let shows_states = wanted.iter().any(FigurePlan::shows_states);
                    let logs = if shows_states { Logs::All } else { Logs::Needed };
                    remote::run(engine, self.storage, logs, &runs, &outstanding, &archive)?;
                }
            }
        }
        draw_all(&whole, &runs, &archive)?;
        if self.table {
            for plan in &wanted {
                print_numbers(plan, &runs, &archive, output)?;
            }
        }
        Ok(())
    }

    fn selection(&self) -> Selection {
        Selection {
            profile: self.profile,
            tasks: self.tasks.clone(),
            algorithms: self.algorithms.clone().map(|algorithms| algorithms.0),
            seeds: self.seeds.clone().map(|seeds| seeds.0),
        }
    }

    fn archive(&self) -> Archive {
        let profile = self.profile.to_string();
        Archive::new(self.results.join(&profile), self.runs.join(&profile))
    }
}

fn write_report(file: &Path, archive: &Archive) -> anyhow::Result<()> {
    let shown = || file.display().to_string();
    let text =
        tutelage_files::read_text(file).with_context(|| format!("cannot read {}", shown()))?;
    let filled = report::fill(&text, archive).with_context(shown)?;
    archive.write(file, filled.as_bytes())?;
    note(&format!("wrote {}{}", shown(), if filled == text { " (nothing changed)" } else { "" }));
    Ok(())
}

/// A plan for every figure.
fn lay_out<'a>(
    runs: &mut RunList,
    experiments: &'a [Experiment],
    part: impl Fn(&Experiment) -> Selection,
) -> anyhow::Result<Vec<FigurePlan<'a>>> {
    experiments.iter().map(|figure| Ok(runs.plan(figure, &part(figure))?)).collect()
}

/// Carries out what is missing, a run on each thread; timed ones alone, in processes of their own.
fn run_all(runs: &RunList, outstanding: &[usize], archive: &Archive) -> anyhow::Result<()> {
    let workers = [ThreadWorker(1)].repeat(rayon::current_num_threads());
    let workers = Workers {
        shared: workers.iter().map(|worker| worker as &dyn Worker).collect(),
        exclusive: &child()?,
    };
    run_jobs(runs, outstanding, archive, &workers)
}

/// A process of its own for a run, with all threads of this one.
fn child() -> anyhow::Result<ProcessWorker> {
    let threads = rayon::current_num_threads();
    let (program, mut arguments) = crate::again().context("cannot find this program")?;
    arguments.extend(["work", "--threads", &threads.to_string()].map(Into::into));
    Ok(ProcessWorker { program, arguments, threads })
}

/// Carries out these runs, and tells of them.
fn run_jobs(
    runs: &RunList,
    outstanding: &[usize],
    archive: &Archive,
    workers: &Workers<'_, dyn Worker + '_>,
) -> anyhow::Result<()> {
    let display = ProgressDisplay::new(outstanding.len())?;
    let jobs = FigureRuns::new(runs, archive);
    let outcome = execute(&jobs, outstanding, workers, &display);
    display.end();
    match outcome? {
        ScheduleOutcome::Finished => Ok(()),
        ScheduleOutcome::Stopped => Err(Interrupted(
            "stopped; what is finished is kept, and the same command goes on from here".into(),
        )
        .into()),
    }
}

/// A figure in numbers, where it has any besides its CSV.
fn print_numbers(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
    output: &Output,
) -> anyhow::Result<()> {
    match plan.experiment.draw {
        FigureKind::Curves => {
            let shows_reward = |row: &PanelRow| row.show != PlottedValue::ImitationLoss;
            let settings =
                ComparisonSettings { cost: plan.experiment.over, ..ComparisonSettings::default() };
            let comparison = compare(plan, runs, archive, settings, shows_reward)?;
            output.say(&format!("\n{}", plan.experiment.title))?;
            super::compare::print(&comparison, output)
        }
        FigureKind::Cost => {
            let rows = run_costs(plan, runs, archive)?;
            output.say(&format!("\n{}", plan.experiment.title))?;
            output.rows(&rows.iter().map(CostRow::new).collect::<Vec<_>>())
        }
        FigureKind::States
        | FigureKind::TwoStates
        | FigureKind::Regret
        | FigureKind::Limitation => Ok(()),
    }
}

/// Whether a figure is of the finite world, which needs no runs.
fn is_theory(experiment: &Experiment) -> bool {
    matches!(experiment.draw, FigureKind::Regret | FigureKind::Limitation)
}

fn draw_all(plans: &[FigurePlan<'_>], runs: &RunList, archive: &Archive) -> anyhow::Result<()> {
    for plan in plans {
        let figure = &plan.experiment.name;
        match draw::draw(plan, runs, archive) {
            Ok(_) => {
                let path = archive.figure_path(figure, "png");
                note(&format!("wrote {} (and .svg, .csv)", path.display()));
            }
            Err(draw::DrawError::Nothing(name)) if plans.len() > 1 => {
                note(&format!("{figure}: {name} is not finished, not drawn"));
            }
            Err(error) => return Err(error).context(figure.clone()),
        }
    }
    Ok(())
}
