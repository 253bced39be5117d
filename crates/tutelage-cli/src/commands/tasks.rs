//! `tutelage tasks`: lists the tasks.

use serde::Serialize;
use tutelage::SpaceKind;
use tutelage::Spaces;
use tutelage_spec::Task;
use tutelage_spec::spec::ClassInput;

use crate::output::{Output, Row};

pub(crate) fn run(output: &Output) -> anyhow::Result<()> {
    output.rows(&Task::all().map(Line::new).collect::<Vec<_>>())
}

/// A task with its default settings.
#[derive(Serialize)]
struct Line {
    task: &'static str,
    about: String,
    state_width: usize,
    /// The width of vector actions, or the number of discrete ones.
    actions: usize,
    action_kind: &'static str,
    horizon: usize,
    class: String,
    rounds: usize,
    nonrealizable: String,
    rounds_nonrealizable: usize,
}

impl Line {
    fn new(task: Task) -> Self {
        let [class, small] = [ClassInput::Realizable, ClassInput::Nonrealizable]
            .map(|class| class.of(task.defaults()));
        let (Spaces { states, actions }, horizon) = task.shape();
        Self {
            task: task.name(),
            about: if task.alias().is_empty() { task.about() } else { task.alias() }.into(),
            state_width: states,
            actions,
            action_kind: match task.actions() {
                SpaceKind::Continuous => "vector",
                SpaceKind::Discrete => "index",
            },
            horizon,
            rounds: task.rounds(&class),
            rounds_nonrealizable: task.rounds(&small),
            class: class.to_string(),
            nonrealizable: small.to_string(),
        }
    }
}

impl Row for Line {
    const HEADINGS: &'static [&'static str] =
        &["task", "description", "state", "actions", "horizon", "class", "rounds"];

    fn cells(&self) -> Vec<String> {
        let actions = match self.action_kind {
            "index" => format!("one of {}", self.actions),
            _ if self.actions == 1 => "1 number".into(),
            _ => format!("{} numbers", self.actions),
        };
        vec![
            self.task.into(),
            self.about.clone(),
            self.state_width.to_string(),
            actions,
            self.horizon.to_string(),
            self.class.clone(),
            self.rounds.to_string(),
        ]
    }
}
