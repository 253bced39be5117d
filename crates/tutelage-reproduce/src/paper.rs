//! The paper's names and numbers.

use tutelage::AlgorithmName;
use tutelage_spec::Task;
use tutelage_spec::spec::TrainingBudget;
use tutelage_tasks::bullet::Robot;

use crate::{CurveSpec, Profile};

/// Returns the paper's name of a task.
pub fn task_name(task: Task) -> &'static str {
    match task.robot() {
        Some(Robot::Ant) => "Ant",
        Some(Robot::HalfCheetah) => "HalfCheetah",
        Some(Robot::Hopper) => "Hopper",
        Some(Robot::Walker2d) => "Walker2D",
        None => task.name(),
    }
}

/// Returns the display name of a curve.
pub(crate) fn curve_name(curve: &CurveSpec) -> String {
    let mut name = curve.algorithm.label();
    if let Some(data) = &curve.data {
        name += &format!(" on {}'s data", data.label());
    }
    match curve.budget {
        None => name,
        Some(TrainingBudget::Epochs(count)) => format!("{name} ({count} epochs)"),
        Some(TrainingBudget::Iterations(count)) => format!("{name} ({count} iterations)"),
    }
}

/// Returns the seconds that the authors report for a run with the paper's settings (i9 and RTX 2080 Ti).
pub fn authors_seconds(profile: Profile, task: Task, algorithm: &AlgorithmName) -> Option<f64> {
    let seconds = match task.robot()? {
        Robot::Hopper => [442.0, 498.0, 464.0, 937.0, 2508.0, 2089.0],
        Robot::Ant => [552.0, 570.0, 582.0, 1136.0, 2652.0, 2338.0],
        Robot::HalfCheetah => [2775.0, 2741.0, 2725.0, 5136.0, 14087.0, 14211.0],
        Robot::Walker2d => [2576.0, 2611.0, 2533.0, 4487.0, 12920.0, 12344.0],
    };
    Some(seconds[authors_column(profile, algorithm)?])
}

/// Returns the GPU memory in MB that the authors report for such a run.
pub(crate) fn authors_memory(profile: Profile, algorithm: &AlgorithmName) -> Option<f64> {
    let memory = [1412.0, 1412.0, 1412.0, 1414.0, 1440.0, 1440.0];
    Some(memory[authors_column(profile, algorithm)?])
}

/// The authors report BC, DAgger, BD-1, BD-5, BD-25 and MP-25(15).
fn authors_column(profile: Profile, algorithm: &AlgorithmName) -> Option<usize> {
    let key = (algorithm.family().key, algorithm.members(), algorithm.numbers());
    let column = match key {
        ("bc", _, _) => 0,
        ("dagger", _, _) => 1,
        ("bd", 1, _) => 2,
        ("bd", 5, _) => 3,
        ("bd", 25, _) => 4,
        ("mp", 25, [15.0]) => 5,
        _ => return None,
    };
    (profile == Profile::Paper).then_some(column)
}
