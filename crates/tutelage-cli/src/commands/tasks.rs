//! `tutelage tasks`: lists the tasks.

use tutelage::{SpaceKind, Spaces};
use tutelage_spec::Task;
use tutelage_spec::spec::ClassInput;

use crate::output::{Field, Output};

pub(crate) fn run(output: &Output) -> anyhow::Result<()> {
    output.fields(Task::all().map(fields).collect())
}

/// A task with its default settings.
fn fields(task: Task) -> Vec<Field> {
    let [class, small] =
        [ClassInput::Realizable, ClassInput::Nonrealizable].map(|class| class.of(task.defaults()));
    let (Spaces { states, actions }, horizon) = task.shape();
    let about = if task.alias().is_empty() { task.about() } else { task.alias() };
    let (kind, words) = match (task.actions(), actions) {
        (SpaceKind::Discrete, count) => ("index", format!("one of {count}")),
        (SpaceKind::Continuous, 1) => ("vector", "1 number".into()),
        (SpaceKind::Continuous, width) => ("vector", format!("{width} numbers")),
    };
    vec![
        Field::new("task", task.name()),
        Field::both("about", about, "description", about),
        Field::both("state_width", states, "state", states),
        // The width of vectors, or the number of indices.
        Field::both("actions", actions, "actions", words),
        Field::entry("action_kind", kind),
        Field::new("horizon", horizon),
        Field::new("class", class.to_string()),
        Field::new("rounds", task.rounds(&class)),
        Field::entry("nonrealizable", small.to_string()),
        Field::entry("rounds_nonrealizable", task.rounds(&small)),
    ]
}
