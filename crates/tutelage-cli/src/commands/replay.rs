//! `tutelage replay`: simulates a robot with given actions.

use std::path::PathBuf;

use anyhow::Context;
use tutelage_files::npz::NpzWriter;
use tutelage_tasks::bullet::{Robot, replay};

use crate::arguments::{Force, check_ending, robot};
use crate::arrays::{read_list, read_rows};
use crate::output::{Field, Output};

/// Simulate a robot with given actions, and write states, rewards and flags.
#[derive(clap::Args)]
pub(crate) struct Replay {
    /// The robot: hopper, walker2d, half-cheetah or ant
    #[arg(value_parser = robot)]
    task: Robot,
    /// The actions: a .npy array [T, actions] of floats
    #[arg(long, value_name = "FILE")]
    actions: PathBuf,
    /// Initial angles of the actuated joints in radians: a .npy array [actions] [default: zeros]
    #[arg(long, value_name = "FILE")]
    pose: Option<PathBuf>,
    /// Output .npz file with arrays states [T+1, d], rewards [T], terminated [T], truncated [T]
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
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
        let reward: f64 = played.rewards.iter().sum();
        let ended = played.terminated.iter().position(|&ended| ended);
        let words = ended.map_or("never".into(), |step| step.to_string());
        output.fields(vec![vec![
            Field::new("task", self.task.name()),
            Field::new("steps", actions.len()),
            Field::both("reward", reward, "reward", format!("{reward:.3}")),
            Field::both("terminated_at", ended, "terminated at", words),
            Field::new("file", self.out.display().to_string()),
        ]])
    }
}
