//! `tutelage serve`: browse runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, ensure};
use tutelage::actor::DeployedPolicy;
use tutelage::{SpaceKind, Stream};
use tutelage_draw::render::Renderer;
use tutelage_lab::spec::RunSpec;
use tutelage_lab::{Learner, learner_of, load_expert, spec_of};
use tutelage_runs::terminal::stop_on_ctrl_c;
use tutelage_teach::{Films, RunBrowser, film};

use crate::output::Output;
use crate::page::{Flat, PageArgs, Robot};

/// Browse and compare the runs below a folder, on a page in the browser.
#[derive(clap::Args)]
pub(crate) struct Serve {
    /// Folder to search for runs
    #[arg(default_value = "runs")]
    folder: PathBuf,
    #[command(flatten)]
    page: PageArgs,
}

impl Serve {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        ensure!(self.folder.is_dir(), "{} is not a folder", self.folder.display());
        let run_browser = RunBrowser::new(&self.folder, Box::new(RunFilms));
        let (count, folder) = (run_browser.count(), self.folder.display());
        let what = format!("Open this URL in a browser to see the {count} runs below {folder}:");
        let stops = stop_on_ctrl_c()?;
        let _server = self.page.serve(run_browser.site(), &what, output)?;
        while stops.load(Ordering::SeqCst) == 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

/// Films the policies of runs of registered tasks.
struct RunFilms;

/// The maximum frames of a film, the same for robots, and the size of a robot's image.
const FRAMES: usize = 400;
const ROBOT_FRAMES: usize = 180;
const ROBOT_SIZE: (usize, usize) = (320, 240);

impl Films for RunFilms {
    fn film(&self, run: &Path, round: usize) -> Result<String, String> {
        filmed(run, round).map_err(|error| format!("{error:#}"))
    }
}

fn filmed(run: &Path, round: usize) -> anyhow::Result<String> {
    let spec = spec_of(run)?;
    let stream = Stream::new(spec.seed).fork("film", round as u64);
    let pace = f64::from(spec.task.pace()) / 100.0;
    let made = match spec.task.actions() {
        SpaceKind::Discrete => {
            let Learner { policy, deploy, .. } = learner_of::<u32>(run, &spec, Some(round))?;
            let stage = spec.task.stage().context("the task has no rendering")?;
            film(&mut Flat(stage), &mut DeployedPolicy::new(&policy, deploy), stream, FRAMES, pace)
        }
        SpaceKind::Continuous => {
            let Learner { policy, deploy, .. } = learner_of::<f32>(run, &spec, Some(round))?;
            let mut actor = DeployedPolicy::new(&policy, deploy);
            match spec.task.stage() {
                Some(stage) => film(&mut Flat(stage), &mut actor, stream, FRAMES, pace),
                None => film_robot(&spec, &mut actor, stream, pace)?,
            }
        }
    };
    made.map_err(anyhow::Error::msg)
}

fn film_robot(
    spec: &RunSpec,
    actor: &mut dyn tutelage::actor::Actor<f32, f32>,
    stream: Stream,
    pace: f64,
) -> anyhow::Result<Result<String, String>> {
    let expert = load_expert(&spec.expert, Some(spec.task))?;
    let env = expert.robot().env(expert.observation())?;
    let renderer = Renderer::new(ROBOT_SIZE.0, ROBOT_SIZE.1)?;
    let mut robot = Robot { env, body: |env| env.env().env(), renderer };
    Ok(film(&mut robot, actor, stream, ROBOT_FRAMES, pace))
}
