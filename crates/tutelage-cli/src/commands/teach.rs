//! `tutelage teach`: teach a task by hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::ensure;
use tutelage::AlgorithmName;
use tutelage::choice::{Drive, Gate};
use tutelage::{SpaceKind, dispatch};
use tutelage_oracles::mlp::OutputHead;
use tutelage_runs::Ending;
use tutelage_runs::store::RunDir;
use tutelage_spec::spec::{RunSpec, SpecInput, TextValue};
use tutelage_spec::{PERSON, Task, learn_taught, spec_of};
use tutelage_teach::{About, Classroom, Person, PersonConfig, TeacherStats, read_notes};

use super::learn::folder;
use super::spec_args::{SpecArgs, with_flag};
use crate::arguments::algorithm_help;
use crate::live_reporter::{LiveReporter, Unread};
use crate::output::Output;
use crate::page::{PageArgs, controls};

/// Teach a task by hand, on a page in the browser.
#[derive(clap::Args)]
pub(crate) struct Teach {
    /// Task to teach, or folder of a run to resume
    target: String,
    #[arg(long, short, value_name = "ALGORITHM", value_parser = AlgorithmName::read, help = algorithm_help(
        "bd-E, take-over-E, …; `tutelage algorithms` lists all",
    ))]
    algorithm: Option<AlgorithmName>,
    #[command(flatten)]
    spec: SpecArgs,
    /// Folder of the run; an interrupted run with the same spec is resumed [default: runs/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    page: PageArgs,
    /// Repeat one in N questions to measure consistency (0 = never)
    #[arg(long, alias = "again", default_value_t = 20, value_name = "N")]
    repeat_every: usize,
    /// Seconds to undo the last answer of a round before training starts
    #[arg(long, alias = "grace", default_value_t = 4.0, value_name = "SECONDS", value_parser = seconds)]
    undo_seconds: f64,
}

/// The default number of questions per round: few, so that the effect of the answers is visible soon.
const QUESTIONS: usize = 20;

fn seconds(text: &str) -> Result<f64, String> {
    let fits = |seconds: &f64| (0.0..=3600.0).contains(seconds);
    text.parse().ok().filter(fits).ok_or("expected a number from 0 to 3600".into())
}

impl Teach {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let (dir, spec) = self.place()?;
        ensure!(
            spec.task.robot().is_none(),
            "{} cannot be taught by hand: an action is the torques at {} joints, fifty times a second",
            spec.task,
            spec.task.shape().0.actions
        );
        dispatch!(spec.task.actions(), A => self.teach::<A>(&dir, &spec, output))
    }

    /// The folder and the spec of the run.
    fn place(&self) -> anyhow::Result<(PathBuf, RunSpec)> {
        let dir = Path::new(&self.target);
        if dir.is_dir() && self.target.parse::<Task>().is_err() {
            let spec = spec_of(dir)?;
            ensure!(
                spec.expert == PERSON,
                "{} is taught by the expert \"{}\"; resume it with: tutelage resume {}",
                dir.display(),
                spec.expert,
                dir.display()
            );
            return Ok((dir.into(), spec));
        }
        let input = self.spec.input(Some(self.target.parse()?))?;
        ensure!(input.expert.is_none(), "--expert cannot be used with `teach`: you are the expert");
        let input = SpecInput {
            expert: Some(PERSON.into()),
            algorithm: self.algorithm.or(input.algorithm),
            states_per_round: input.states_per_round.or(Some(QUESTIONS)),
            ..input
        };
        let spec = input.complete().map_err(|error| with_flag(error, &self.spec.flags))?;
        let spec = spec.with_absolute_paths();
        Ok((folder(self.out.clone(), &spec), spec))
    }

    fn teach<A: OutputHead>(
        self,
        dir: &Path,
        spec: &RunSpec,
        output: &Output,
    ) -> anyhow::Result<()> {
        let room = Classroom::new(about(dir, spec));
        let mut progress = LiveReporter::new(spec, dir, output, Unread::GoOn)?;
        let stops = progress.stops();
        let what = format!("Open this URL in a browser to teach {}:", spec.task);
        let server = self.page.serve(room.site(), &what, output)?;
        let task = spec.task;
        let mut observer = room.observer(&mut progress, dir);
        let person = |_: &RunDir<f32, A>| -> anyhow::Result<Person<A>> {
            let job = spec.config::<f32, A>(tutelage::Inputs::none());
            let interrupted = Arc::clone(&stops);
            let config = PersonConfig {
                stage: Box::new(move || task.stage()),
                schedule: job.schedule,
                algorithm: job.algorithm,
                repeat_every: self.repeat_every,
                undo_time: Duration::from_secs_f64(self.undo_seconds),
                wants_stop: Box::new(move || interrupted.load(Ordering::SeqCst) > 0),
            };
            Ok(Person::new(&room, config, dir)?)
        };
        let ended = learn_taught(dir, spec, room.training(), &mut observer, person);
        progress.end();
        room.end(match &ended {
            Ok((ending, _)) => Ok(*ending),
            Err(error) => Err(format!("{error:#}")),
        });
        let (ending, history) = ended?;
        let words =
            TeacherStats::of(&read_notes(dir)).describe(task.actions() == SpaceKind::Discrete);
        if ending == Ending::Stopped {
            drop(server);
            anyhow::bail!(
                "stopped after {} answers, all saved; resume with: tutelage teach {}\n{words}",
                history.annotations(),
                dir.display()
            );
        }
        output.say(&format!("\n{words}\nPress Ctrl-C to close the page. Next:\n       tutelage evaluate {0}\n       tutelage watch {0} --out run.gif", dir.display()))?;
        while stops.load(Ordering::SeqCst) == 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

fn about(dir: &Path, spec: &RunSpec) -> About {
    let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    About {
        task: spec.task.name().into(),
        aim: spec.task.about().into(),
        algorithm: spec.algorithm.to_string(),
        rounds: spec.rounds,
        folder: dir.display().to_string(),
        controls: controls(spec.task),
        state_names: text(spec.task.value_names().states),
        pace: f64::from(spec.task.pace()) / 100.0,
        takes_over: spec.algorithm().drive == Drive::Gated(Gate::Human),
    }
}
