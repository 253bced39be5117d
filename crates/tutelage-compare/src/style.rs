//! How curves are drawn, and in which order they are listed.

use tutelage::AlgorithmName;
use tutelage::algorithm::FAMILIES;
use tutelage_draw::plot::{Color, Style};

/// The color and stroke of an algorithm's curve. Colors are the paper's if it names them; strokes distinguish curves
/// without color.
pub fn curve_style(algorithm: &AlgorithmName) -> (Color, Style) {
    use Style::{DashDotted, Dashed, Dotted, Marked, Solid};
    let ([red, green, blue], style) = match (algorithm.family().key, algorithm.members()) {
        ("bc", _) => ([31, 79, 180], Dotted),
        ("dagger", _) => ([214, 39, 40], Dashed),
        ("bd", 1) => ([240, 150, 20], Dashed),
        ("bd", 2..25) => ([30, 140, 40], Solid),
        ("bd", _) => ([0, 150, 150], Marked),
        ("mp", _) => perturbed_style(algorithm.numbers()[0] as usize),
        ("mftpl-p", _) => ([120, 60, 160], Dashed),
        ("growing-mp", _) => ([150, 20, 110], Marked),
        ("shuffled-mp", _) => ([90, 60, 200], Marked),
        ("dagger-constant", _) => ([170, 90, 60], Solid),
        ("dagger-decay", _) => ([205, 110, 70], DashDotted),
        ("dagger-linear", _) => ([130, 70, 50], Dotted),
        ("bd-decay", _) => ([110, 160, 70], DashDotted),
        ("dart", _) => ([70, 130, 220], DashDotted),
        ("ensemble-dagger", _) => ([90, 110, 40], DashDotted),
        ("hg-dagger", _) => ([180, 150, 0], Solid),
        ("handover-dagger", _) => ([235, 140, 0], Solid),
        ("handover-bd", ..25) => ([20, 20, 20], Solid),
        ("handover-bd", _) => ([115, 65, 25], Marked),
        ("handover-mp", _) => ([90, 40, 120], Marked),
        ("windows-bd", _) => windows_style(algorithm.numbers()),
        ("take-over", _) => ([150, 120, 0], Marked),
        ("active-bd", _) => ([0, 110, 80], Dotted),
        ("bagging", _) => ([240, 130, 170], Dotted),
        ("supervised", _) => ([140, 200, 30], Marked),
        _ => ([90, 90, 90], Solid),
    };
    (Color::new(red, green, blue), style)
}

/// Small perturbations are light, large ones dark; X = 15 has the paper's magenta.
fn perturbed_style(x: usize) -> ([u8; 3], Style) {
    match x {
        0 => ([185, 150, 110], Style::Marked),
        1..=10 => ([250, 170, 60], Style::Solid),
        11..=20 => ([200, 30, 180], Style::DashDotted),
        21..=40 => ([100, 90, 220], Style::Dotted),
        41..=80 => ([20, 120, 160], Style::Marked),
        _ => ([20, 60, 50], Style::Solid),
    }
}

/// Custom windows, by what distinguishes them: whole episodes, where windows begin, no growth, who drives first.
fn windows_style(numbers: &[f64]) -> ([u8; 3], Style) {
    match *numbers {
        [_, 1.0, ..] => ([86, 180, 233], Style::Dashed),
        [0.0, ..] => ([213, 94, 0], Style::Dashed),
        [1.0, ..] => ([0, 114, 178], Style::DashDotted),
        [_, _, 0.0, ..] => ([204, 80, 160], Style::Dotted),
        [.., 0.0] => ([140, 130, 20], Style::Marked),
        _ => ([60, 60, 60], Style::Dotted),
    }
}

/// Order of listing: by family, then members, then numbers; unknown algorithms come last.
pub(crate) fn rank(algorithm: Option<&AlgorithmName>) -> (usize, usize, Vec<u64>) {
    let Some(named) = algorithm else { return (FAMILIES.len(), 0, vec![]) };
    let family = FAMILIES.iter().position(|family| family.key == named.family().key);
    // The bits of non-negative numbers are ordered like the numbers.
    let numbers = named.numbers().iter().map(|number| number.to_bits()).collect();
    (family.unwrap_or(FAMILIES.len()), named.members(), numbers)
}
