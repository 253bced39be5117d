//! The defaults of every small world suffice to learn it.

#![allow(clippy::unwrap_used)]

use tutelage_runs::Silent;
use tutelage_spec::spec::RunSpec;
use tutelage_spec::{Task, learn_in};

/// Checks that the default spec of a task reaches 95 % of the expert's reward.
fn is_learned(task: &str) {
    let dir = tempfile::tempdir().unwrap();
    let spec = RunSpec::parse(&format!("task = '{task}'")).unwrap();
    let report = learn_in(dir.path(), &spec, &mut Silent).unwrap();
    let expert = report.history.expert().unwrap().mean_reward();
    let learned = report.history.results().last().unwrap().deployed.mean_reward();
    assert!(expert > 0.0, "a share of {expert} means nothing");
    assert!(learned >= 0.95 * expert, "{task}: {learned} of the expert's {expert}");
}

macro_rules! worlds {
    ($($test:ident: $task:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            is_learned($task);
        })*

        #[test]
        fn all_worlds_are_tested() {
            let worlds: Vec<&str> =
                Task::all().filter(|task| task.robot().is_none()).map(Task::name).collect();
            assert_eq!(worlds, [$($task),*]);
        }
    };
}

worlds! {
    cart_pole_is_learned: "cart-pole",
    pendulum_is_learned: "pendulum",
    drive_is_learned: "drive",
    drive_with_five_keys_is_learned: "drive-5",
    grid_is_learned: "grid",
}
