//! `tutelage replay`.

use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;
use tutelage_envs::{Robot, replay};
use tutelage_files::npz::NpzWriter;

use crate::arguments::{Force, check_ending};
use crate::arrays::{read_list, read_rows};
use crate::output::{Output, Row};

/// Arguments of `tutelage replay`.
#[derive(clap::Args)]
pub(crate) struct Replay {
    /// hopper, walker2d, half-cheetah or ant
    task: Robot,
    /// Actions to take: a .npy array [T, actions], single or double precision
    #[arg(long, value_name = "A.npy")]
    actions: PathBuf,
    /// Angles of the actuated joints to start from, in radians: a .npy array [actions] [default: all zero]
    #[arg(long, value_name = "P.npy")]
    pose: Option<PathBuf>,
    /// The .npz to write, with arrays states [T+1, d], rewards [T], terminated [T] and truncated [T]
    #[arg(long, value_name = "T.npz")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

#[derive(Serialize)]
struct ReplayRow {
    task: &'static str,
    steps: usize,
    reward: f64,
    terminated_at: Option<usize>,
    file: String,
}

impl Row for ReplayRow {
    const HEADINGS: &'static [&'static str] =
        &["task", "steps", "sum of rewards", "first terminated at", "file"];

    fn cells(&self) -> Vec<String> {
        let terminated = self.terminated_at.map_or("never".into(), |step| step.to_string());
        vec![
            self.task.into(),
            self.steps.to_string(),
            format!("{:.3}", self.reward),
            terminated,
            self.file.clone(),
        ]
    }
}

impl Replay {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        check_ending(&self.out, &["npz"])?;
        self.force.check(&self.out)?;
        let actions = read_rows(&self.actions)?;
        let pose = self.pose.as_deref().map(read_list).transpose()?;
        let played = replay(self.task, &actions, pose.as_deref())?;
        let (states, steps) = (&played.states, [actions.len()]);
        let mut npz = NpzWriter::compressed();
        npz.add("states", &[states.len(), states.width()], states.as_slice())?;
        npz.add("rewards", &steps, &played.rewards)?;
        npz.add("terminated", &steps, &played.terminated)?;
        npz.add("truncated", &steps, &played.truncated)?;
        tutelage_files::replace(&self.out, &npz.finish()?)
            .with_context(|| format!("cannot write {}", self.out.display()))?;
        output.rows(&[ReplayRow {
            task: self.task.name(),
            steps: actions.len(),
            reward: played.rewards.iter().sum(),
            terminated_at: played.terminated.iter().position(|&ended| ended),
            file: self.out.display().to_string(),
        }])
    }
}
