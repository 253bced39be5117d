//! How curves are drawn, and in which order they stand.

use tutelage::{AlgorithmName, FAMILIES, Look, Stroke};
use tutelage_draw::plot::{Colour, Style};

/// How an algorithm of the families is drawn.
pub fn curve_style(algorithm: &AlgorithmName) -> (Colour, Style) {
    let Look { rgb: [red, green, blue], stroke } = algorithm.look();
    let style = match stroke {
        Stroke::Solid => Style::Solid,
        Stroke::Dashed => Style::Dashed,
        Stroke::Dotted => Style::Dotted,
        Stroke::DashDotted => Style::DashDotted,
        Stroke::Marked => Style::Marked,
    };
    (Colour::new(red, green, blue), style)
}

/// Families as they are listed, then members, then numbers; unknown algorithms come last.
pub(crate) fn rank(algorithm: Option<&AlgorithmName>) -> (usize, usize, Vec<u64>) {
    let Some(named) = algorithm else { return (FAMILIES.len(), 0, vec![]) };
    let family = FAMILIES.iter().position(|family| family.key == named.family().key);
    // Numbers are never negative, so that their bits are ordered as they are.
    let numbers = named.numbers().iter().map(|number| number.to_bits()).collect();
    (family.unwrap_or(FAMILIES.len()), named.members(), numbers)
}
