//! `tutelage reproduce`: the paper's figures.

mod one;
mod plan;
mod remote;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tutelage_compare::ComparisonSettings;
use tutelage_reproduce::{
    Archive, Experiment, FigureKind, FigurePlan, FigureRuns, PanelRow, PlottedValue, ProcessWorker,
    Profile, ReproduceError, RunList, Selection, ThreadWorker, Worker, Workers, compare, draw,
    report, run_costs,
};
use tutelage_spec::Task;

use self::plan::{list, print_plan, show_plan};
use self::remote::ExecutorName;
use self::tables::CostRow;
use crate::arguments::{Algorithms, Seeds};
use crate::executor::Storage;
use crate::job_display::JobDisplay;
use crate::output::{Output, note};

/// Plan the runs of a figure, execute those without a record, and draw the figure
#[derive(clap::Args)]
pub(crate) struct Reproduce {
    /// A figure of the paper, a .toml file with a custom figure, or `all`
    #[arg(required_unless_present_any = ["list", "run", "report"])]
    figure: Option<String>,
    /// paper: the paper's settings; quick: small versions of all figures, about 20 minutes in total
    #[arg(long, default_value = "paper")]
    profile: Profile,
    /// Execute only runs on these tasks; the figure always shows all finished runs
    #[arg(long, value_delimiter = ',', value_name = "TASK,…")]
    tasks: Option<Vec<Task>>,
    /// Execute only runs of these algorithms (quote names with parentheses)
    #[arg(long, value_name = "NAME,…")]
    algorithms: Option<Algorithms>,
    /// Execute only runs with these seeds: 3, 1-10 or 1,2,5-7
    #[arg(long)]
    seeds: Option<Seeds>,
    /// List all figures with their finished runs and the estimated time of the others
    #[arg(long)]
    list: bool,
    /// Show the plan and the estimated time, and stop
    #[arg(long, conflicts_with = "draw_only")]
    dry_run: bool,
    /// Print the runs to execute as JSON lines, each after those that it needs, and stop
    #[arg(long, conflicts_with_all = ["draw_only", "dry_run", "table"])]
    plan: bool,
    /// Execute one run of the figure (default: of any figure) without drawing; `--plan` lists the names
    #[arg(long, value_name = "NAME", conflicts_with_all = ["draw_only", "dry_run", "plan", "table"])]
    run: Option<String>,
    /// Draw the finished runs without executing any (the games of theory figures take seconds and are played again)
    #[arg(long)]
    draw_only: bool,
    /// Print the numbers of the figure, as `tutelage compare` does with DAgger as the baseline, or times and memory
    #[arg(long)]
    table: bool,
    /// Update the tables of a Markdown file, which its lines `<!-- reproduce: … -->` request
    #[arg(long, value_name = "FILE", conflicts_with_all = ["figure", "list", "run", "plan", "dry_run", "draw_only", "table"])]
    report: Option<PathBuf>,
    /// Execute runs on other machines: `ray`, the default cluster, or `ray:ADDRESS` (requires the Python package); timed runs
    /// stay on this machine
    #[arg(long, alias = "on", value_name = "NAME[:ADDRESS]", conflicts_with_all = ["draw_only", "dry_run", "plan", "run"])]
    executor: Option<ExecutorName>,
    /// Whether all nodes share the folder of runs [default: detected]
    #[arg(long, value_enum, requires = "executor")]
    storage: Option<Storage>,
    /// The folder of records and figures; each profile has a subfolder
    #[arg(long, default_value = "results", value_name = "DIR")]
    results: PathBuf,
    /// The folder of run directories; each profile has a subfolder
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
        let wanted = plan_all(&mut runs, &experiments, |_| selection.clone())?;
        let whole = plan_all(&mut runs, &experiments, |figure| selection.whole(figure))?;
        if let [only] = &wanted[..] {
            ensure!(
                !only.runs().is_empty() || is_theory(only.experiment),
                "{} has no runs of this selection; `tutelage reproduce {0} --dry-run` shows its runs",
                only.experiment.name
            );
        }
        if self.plan {
            return print_plan(&runs, &runs.outstanding(&wanted, &archive)?, &archive, output);
        }
        if !self.draw_only {
            let outstanding = runs.outstanding(&wanted, &archive)?;
            // With --json, standard output contains only the requested numbers.
            if self.dry_run || !output.is_json() {
                show_plan(&runs, &wanted, &outstanding, &archive, output)?;
            }
            if self.dry_run {
                return Ok(());
            }
            match &self.executor {
                None => run_all(&runs, &outstanding, &archive)?,
                Some(_) if outstanding.is_empty() => {}
                Some(executor) => {
                    let all_logs = wanted.iter().any(FigurePlan::shows_states);
                    remote::run(executor, self.storage, all_logs, &runs, &outstanding, &archive)?;
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

/// Plans all figures.
fn plan_all<'a>(
    runs: &mut RunList,
    experiments: &'a [Experiment],
    part: impl Fn(&Experiment) -> Selection,
) -> anyhow::Result<Vec<FigurePlan<'a>>> {
    experiments.iter().map(|figure| Ok(runs.plan(figure, &part(figure))?)).collect()
}

/// Executes runs, one per thread. Timed runs are executed alone, in child processes.
fn run_all(runs: &RunList, outstanding: &[usize], archive: &Archive) -> anyhow::Result<()> {
    let workers = [ThreadWorker(1)].repeat(rayon::current_num_threads());
    let workers = Workers {
        shared: workers.iter().map(|worker| worker as &dyn Worker).collect(),
        exclusive: &child()?,
    };
    run_jobs(runs, outstanding, archive, &workers)
}

/// A child process with as many threads as this one.
fn child() -> anyhow::Result<ProcessWorker> {
    let threads = rayon::current_num_threads();
    let (program, mut arguments) = crate::again().context("cannot find this program")?;
    arguments.extend(["work", "--threads", &threads.to_string()].map(Into::into));
    Ok(ProcessWorker { program, arguments, threads })
}

/// Executes runs and displays their progress.
fn run_jobs(
    runs: &RunList,
    outstanding: &[usize],
    archive: &Archive,
    workers: &Workers<'_, dyn Worker + '_>,
) -> anyhow::Result<()> {
    let display = JobDisplay::new(outstanding.len())?;
    display.execute(&FigureRuns::new(runs, archive), outstanding, workers)
}

/// Prints the numbers of a figure of runs.
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

/// Returns whether a figure shows games on finite MDPs, which need no runs.
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
            Err(ReproduceError::Nothing(name)) if plans.len() > 1 => {
                note(&format!("{figure} is not drawn: {name} is not finished"));
            }
            Err(error) => return Err(error).context(figure.clone()),
        }
    }
    Ok(())
}
