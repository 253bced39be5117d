//! `tutelage serve`: browse runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::ensure;
use tutelage::actor::DeployedPolicy;
use tutelage::{Stream, dispatch};
use tutelage_runs::terminal::stop_on_ctrl_c;
use tutelage_spec::{Learner, learner_of, spec_of, stage};
use tutelage_teach::{RunBrowser, film};

use crate::output::Output;
use crate::page::PageArgs;

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
        let films = |run: &Path, round| filmed(run, round).map_err(|error| format!("{error:#}"));
        let run_browser = RunBrowser::new(&self.folder, Box::new(films));
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

/// The maximum frames of a film, and of a film of a robot.
const FRAMES: usize = 400;
const ROBOT_FRAMES: usize = 180;

/// A film of a run of a registered task.
fn filmed(run: &Path, round: usize) -> anyhow::Result<String> {
    let spec = spec_of(run)?;
    let stream = Stream::new(spec.seed).fork("film", round as u64);
    let pace = f64::from(spec.task.pace()) / 100.0;
    let frames = if spec.task.robot().is_some() { ROBOT_FRAMES } else { FRAMES };
    let made = dispatch!(spec.task.actions(), A => {
        let Learner { policy, deploy, .. } = learner_of::<A>(run, &spec, Some(round))?;
        let mut actor = DeployedPolicy::new(&policy, deploy);
        film(&mut *stage::<A>(&spec, run)?, &mut actor, stream, frames, pace)
    });
    made.map_err(anyhow::Error::msg)
}
