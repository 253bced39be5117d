//! `tutelage tasks`: what there is to learn.

use serde::Serialize;
use tutelage_envs::{HORIZON, Task};
use tutelage_lab::spec::Class;

use crate::output::{Output, Row};

pub(crate) fn run(output: &Output) -> anyhow::Result<()> {
    output.rows(&Task::ALL.map(Line::new))
}

/// A task with the paper's settings.
#[derive(Serialize)]
struct Line {
    task: &'static str,
    bullet_id: &'static str,
    state_width: usize,
    action_width: usize,
    horizon: usize,
    rounds_realizable: usize,
    nonrealizable: String,
    rounds_nonrealizable: usize,
}

impl Line {
    fn new(task: Task) -> Self {
        let small = Class::nonrealizable(task);
        Self {
            task: task.name(),
            bullet_id: task.bullet_id(),
            state_width: task.state_width(),
            action_width: task.action_width(),
            horizon: HORIZON,
            rounds_realizable: Class::realizable().rounds(task),
            rounds_nonrealizable: small.rounds(task),
            nonrealizable: small.to_string(),
        }
    }
}

impl Row for Line {
    const HEADINGS: &'static [&'static str] = &[
        "task",
        "Bullet id",
        "state",
        "action",
        "horizon",
        "rounds",
        "nonrealizable class",
        "its rounds",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.task.into(),
            self.bullet_id.into(),
            self.state_width.to_string(),
            self.action_width.to_string(),
            self.horizon.to_string(),
            self.rounds_realizable.to_string(),
            self.nonrealizable.clone(),
            self.rounds_nonrealizable.to_string(),
        ]
    }
}
