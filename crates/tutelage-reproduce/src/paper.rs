//! The paper's names, colours and numbers.

use tutelage_envs::Task;
use tutelage_figures::{Color, Style};
use tutelage_lab::spec::AlgorithmName;

use crate::{Profile, Series};

/// A task as the paper writes it.
pub fn task_name(task: Task) -> &'static str {
    match task {
        Task::Ant => "Ant",
        Task::HalfCheetah => "HalfCheetah",
        Task::Hopper => "Hopper",
        Task::Walker2d => "Walker2D",
    }
}

/// An algorithm as the paper writes it.
pub fn algorithm_name(algorithm: &AlgorithmName) -> String {
    match algorithm {
        AlgorithmName::BehaviorCloning => "BC".into(),
        AlgorithmName::Dagger => "DAgger".into(),
        AlgorithmName::BootstrapDagger { members } => format!("BD-{members}"),
        AlgorithmName::Mp { members, x } => format!("MP-{members}({x})"),
        AlgorithmName::MftplP { lambda, .. } => format!("MFTPL-P({lambda})"),
        AlgorithmName::Bagging { .. } => "Bagging".into(),
        AlgorithmName::Supervised => "SL".into(),
    }
}

/// A curve's name.
pub(crate) fn series_name(series: &Series) -> String {
    let name = algorithm_name(&series.algorithm);
    match &series.data {
        None => name,
        Some(data) => format!("{name} on {}'s data", algorithm_name(data)),
    }
}

/// The paper's colours where its text names them (DAgger red, BD-5 green, BD-25 blue-green, MP-25(15) magenta, bagging
/// pink, supervised learning lime), and strokes that tell curves apart without colour.
pub(crate) fn look(series: &Series) -> (Color, Style) {
    match series.algorithm {
        AlgorithmName::BehaviorCloning => (Color::new(31, 79, 180), Style::Dotted),
        AlgorithmName::Dagger => (Color::new(214, 39, 40), Style::Dashed),
        AlgorithmName::BootstrapDagger { members: 1 } => (Color::new(240, 150, 20), Style::Dashed),
        AlgorithmName::BootstrapDagger { members } if members < 25 => {
            (Color::new(30, 140, 40), Style::Solid)
        }
        AlgorithmName::BootstrapDagger { .. } => (Color::new(0, 150, 150), Style::Marked),
        AlgorithmName::Mp { x, .. } => sweep(x),
        AlgorithmName::MftplP { .. } => (Color::new(120, 60, 160), Style::Dashed),
        AlgorithmName::Bagging { .. } => (Color::new(240, 130, 170), Style::Dotted),
        AlgorithmName::Supervised => (Color::new(140, 200, 30), Style::Marked),
    }
}

/// The sizes of the perturbation from light to dark, X = 15 in the paper's magenta.
fn sweep(x: usize) -> (Color, Style) {
    match x {
        0 => (Color::new(185, 150, 110), Style::Marked),
        1..=10 => (Color::new(250, 170, 60), Style::Solid),
        11..=20 => (Color::new(200, 30, 180), Style::DashDotted),
        21..=40 => (Color::new(100, 90, 220), Style::Dotted),
        41..=80 => (Color::new(20, 120, 160), Style::Marked),
        _ => (Color::new(20, 60, 50), Style::Dashed),
    }
}

/// Seconds that a whole run with the paper's settings took its authors (an i9 and an RTX 2080 Ti), where they say so.
pub fn authors_seconds(profile: Profile, task: Task, algorithm: &AlgorithmName) -> Option<f64> {
    let [dagger, bd_5, bd_25] = match task {
        Task::Hopper => [498.0, 937.0, 2508.0],
        Task::Ant => [570.0, 1136.0, 2652.0],
        Task::HalfCheetah => [2741.0, 5136.0, 14087.0],
        Task::Walker2d => [2611.0, 4487.0, 12920.0],
    };
    match (profile, algorithm) {
        (Profile::Paper, AlgorithmName::Dagger) => Some(dagger),
        (Profile::Paper, AlgorithmName::BootstrapDagger { members: 5 }) => Some(bd_5),
        (Profile::Paper, AlgorithmName::BootstrapDagger { members: 25 }) => Some(bd_25),
        _ => None,
    }
}

/// MB on the GPU that the authors report for such runs, the least for one network and the most for 25.
pub(crate) fn authors_memory(profile: Profile) -> Option<(f64, f64)> {
    (profile == Profile::Paper).then_some((1412.0, 1440.0))
}
