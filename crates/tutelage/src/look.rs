//! How algorithms look in figures.

use crate::AlgorithmName;

/// How an algorithm's curve is drawn: a colour, and a stroke that tells curves apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// The stroke.
    pub stroke: Stroke,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Without gaps.
    Solid,
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
    /// In dashes and dots.
    DashDotted,
    /// Without gaps, its points marked.
    Marked,
}

pub(crate) const fn look(rgb: [u8; 3], stroke: Stroke) -> Look {
    Look { rgb, stroke }
}

/// Bootstrap-DAgger by the number of members: the paper's green for 5, blue-green for 25.
pub(crate) fn bootstrap_look(named: &AlgorithmName) -> Look {
    match named.members() {
        1 => look([240, 150, 20], Stroke::Dashed),
        2..25 => look([30, 140, 40], Stroke::Solid),
        _ => look([0, 150, 150], Stroke::Marked),
    }
}

/// The sizes of the perturbation from light to dark, X = 15 in the paper's magenta.
pub(crate) fn perturbed_look(named: &AlgorithmName) -> Look {
    match named.numbers()[0] as usize {
        0 => look([185, 150, 110], Stroke::Marked),
        1..=10 => look([250, 170, 60], Stroke::Solid),
        11..=20 => look([200, 30, 180], Stroke::DashDotted),
        21..=40 => look([100, 90, 220], Stroke::Dotted),
        41..=80 => look([20, 120, 160], Stroke::Marked),
        _ => look([20, 60, 50], Stroke::Solid),
    }
}

/// Windows of one's own making, by what is unusual about them: where they begin, whether they are whole episodes, whether they
/// grow, who drives first.
pub(crate) fn windows_look(named: &AlgorithmName) -> Look {
    match *named.numbers() {
        [_, 1.0, ..] => look([86, 180, 233], Stroke::Dashed),
        [0.0, ..] => look([213, 94, 0], Stroke::Dashed),
        [1.0, ..] => look([0, 114, 178], Stroke::DashDotted),
        [_, _, 0.0, ..] => look([204, 80, 160], Stroke::Dotted),
        [.., 0.0] => look([140, 130, 20], Stroke::Marked),
        _ => look([60, 60, 60], Stroke::Dotted),
    }
}
