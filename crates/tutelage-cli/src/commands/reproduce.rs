//! `tutelage reproduce`: the paper's figures.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use indicatif::ProgressBar;
use serde::Serialize;
use tutelage_envs::Task;
use tutelage_lab::spec::{AlgorithmName, RunSpec};
use tutelage_lab::stats::Interval;
use tutelage_reproduce::{
    Archive, Conducted, Cost, Draw, Estimator, Experiment, Plan, Profile, Record, Run, Selection,
    Summary, Watcher, conduct, costs, draw, summarise,
};

use crate::arguments::Seeds;
use crate::output::{Output, Row, note};
use crate::progress::{live_line, rough, stop_on_ctrl_c};

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
    algorithms: Option<Vec<AlgorithmName>>,
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

#[derive(Serialize)]
struct FigureRow {
    figure: String,
    runs: usize,
    done: usize,
    estimate_seconds: f64,
    #[serde(skip)]
    paper: String,
}

impl Row for FigureRow {
    const HEADINGS: &'static [&'static str] = &["figure", "runs", "done", "to do", "in the paper"];

    fn cells(&self) -> Vec<String> {
        let left = match self.done == self.runs {
            true => "–".into(),
            false => rough(Duration::from_secs_f64(self.estimate_seconds)),
        };
        let (runs, done) = (self.runs.to_string(), self.done.to_string());
        vec![self.figure.clone(), runs, done, left, self.paper.clone()]
    }
}

#[derive(Serialize)]
struct KindRow {
    task: String,
    class: String,
    algorithm: String,
    runs: usize,
    estimate_seconds: f64,
}

impl Row for KindRow {
    const HEADINGS: &'static [&'static str] =
        &["task", "class", "algorithm", "runs", "core-seconds"];

    fn cells(&self) -> Vec<String> {
        let (task, class) = (self.task.clone(), self.class.clone());
        let seconds = format!("{:.0}", self.estimate_seconds);
        vec![task, class, self.algorithm.clone(), self.runs.to_string(), seconds]
    }
}

#[derive(Serialize)]
struct CurveRow {
    task: String,
    setting: String,
    curve: String,
    runs: usize,
    expert: Option<f64>,
    last: [f64; 3],
    average: [f64; 3],
    annotations_to_90: Option<usize>,
    beats_dagger: Option<[f64; 3]>,
}

impl CurveRow {
    fn new(summary: &Summary) -> Self {
        let numbers = |interval: Interval| [interval.estimate, interval.low, interval.high];
        Self {
            task: summary.task.to_string(),
            setting: summary.row.clone(),
            curve: summary.curve.clone(),
            runs: summary.runs,
            expert: summary.expert,
            last: numbers(summary.last),
            average: numbers(summary.average),
            annotations_to_90: summary.annotations_to_90,
            beats_dagger: summary.beats_dagger.map(numbers),
        }
    }
}

impl Row for CurveRow {
    const HEADINGS: &'static [&'static str] = &[
        "task",
        "setting",
        "curve",
        "runs",
        "last reward",
        "average over rounds",
        "to 90 %",
        "P(beats DAgger)",
    ];

    fn cells(&self) -> Vec<String> {
        let interval = |[estimate, low, high]: [f64; 3], digits: usize| {
            format!("{estimate:.digits$} [{low:.digits$}, {high:.digits$}]")
        };
        vec![
            self.task.clone(),
            self.setting.clone(),
            self.curve.clone(),
            self.runs.to_string(),
            interval(self.last, 0),
            interval(self.average, 0),
            self.annotations_to_90.map_or("–".into(), |n| n.to_string()),
            self.beats_dagger.map_or("–".into(), |numbers| interval(numbers, 2)),
        ]
    }
}

#[derive(Serialize)]
struct CostRow {
    task: String,
    algorithm: String,
    threads: usize,
    seconds: f64,
    authors_seconds: Option<f64>,
    memory_mb: Option<f64>,
}

impl CostRow {
    fn new(cost: &Cost) -> Self {
        Self {
            task: cost.task.to_string(),
            algorithm: cost.algorithm.to_string(),
            threads: cost.threads,
            seconds: cost.seconds,
            authors_seconds: cost.authors_seconds,
            memory_mb: cost.memory.map(|bytes| bytes as f64 / 1e6),
        }
    }
}

impl Row for CostRow {
    const HEADINGS: &'static [&'static str] =
        &["task", "algorithm", "threads", "seconds", "the authors' seconds", "times faster", "MB"];

    fn cells(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.0}"));
        let faster = self.authors_seconds.map(|theirs| theirs / self.seconds);
        vec![
            self.task.clone(),
            self.algorithm.clone(),
            self.threads.to_string(),
            number(Some(self.seconds)),
            number(self.authors_seconds),
            number(faster),
            number(self.memory_mb),
        ]
    }
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
        let runs = outstanding.len();
        let (stops, bar) = (stop_on_ctrl_c()?, live_line(runs, "runs"));
        let narrator = Narrator { stops, runs, bar, running: Mutex::default() };
        let launch = |spec: &RunSpec, dir: &Path| launch(spec, dir).map_err(|e| format!("{e:#}"));
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
        rough(Duration::from_secs_f64(seconds)),
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

/// Carries out a run in a process of its own, with all threads of this one.
fn launch(spec: &RunSpec, dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir)?;
    let file = dir.join("asked.toml");
    std::fs::write(&file, spec.to_toml())?;
    let program = std::env::current_exe().context("cannot find this program")?;
    let threads = rayon::current_num_threads().to_string();
    let result = Command::new(program)
        .args(["learn", "--json", "--threads", &threads, "--config"])
        .arg(&file)
        .arg("--out")
        .arg(dir)
        .output()
        .context("cannot start a process for the run")?;
    let said = String::from_utf8_lossy(&result.stderr);
    anyhow::ensure!(result.status.success(), "{}", said.lines().last().unwrap_or("it failed"));
    Ok(())
}

/// Tells a person how it goes.
struct Narrator {
    stops: Arc<AtomicUsize>,
    runs: usize,
    /// The live line, where standard error is a terminal.
    bar: Option<ProgressBar>,
    /// What is under way: its name, the rounds that are over, and all its rounds.
    running: Mutex<Vec<(String, usize, usize)>>,
}

impl Narrator {
    /// Changes what is under way, and shows it.
    fn update(&self, change: impl FnOnce(&mut Vec<(String, usize, usize)>)) {
        let Some(bar) = &self.bar else { return };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        let runs = running.iter().map(|(name, round, rounds)| format!("{name} {round}/{rounds}"));
        bar.set_message(runs.collect::<Vec<_>>().join(", "));
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => note(text),
        }
    }

    /// Takes the live line away.
    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watcher for Narrator {
    fn began(&self, run: &Run) {
        self.update(|running| running.push((run.name.clone(), 0, run.spec.rounds)));
    }

    fn round(&self, run: &Run, round: usize) {
        self.update(|running| {
            running.iter_mut().filter(|other| other.0 == run.name).for_each(|it| it.1 = round);
        });
    }

    fn finished(&self, run: &Run, record: &Record, left: usize, seconds: f64) {
        let reward = record.reward.last().copied().unwrap_or(f64::NAN);
        let share = record.expert_reward.map_or(String::new(), |expert| {
            format!(" ({:.0} % of the expert)", 100.0 * reward / expert)
        });
        self.update(|running| running.retain(|other| other.0 != run.name));
        if let Some(bar) = &self.bar {
            bar.set_position((self.runs - left) as u64);
        }
        self.line(&format!(
            "{:>4}/{}  {}  reward {reward:.0}{share}  {:.0} s  about {} left",
            self.runs - left,
            self.runs,
            run.name,
            record.seconds(),
            rough(Duration::from_secs_f64(seconds)),
        ));
    }

    fn wants_stop(&self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}
