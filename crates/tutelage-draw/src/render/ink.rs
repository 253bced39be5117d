//! The colors of flat pictures.

use crate::Color;

/// A color by its role. A page may use its own shade for each name, so that pictures follow its theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    /// The background.
    Paper,
    /// Large areas: floors, fields.
    Field,
    /// Thin lines: grids, trails.
    Faint,
    /// Supports: axles, rails.
    Gray,
    /// Roads and walls.
    Slate,
    /// Outlines and the darkest parts.
    Dark,
    /// The body that acts.
    Blue,
    /// Its most important part.
    Orange,
    /// Goals.
    Green,
    /// Warnings and limits.
    Red,
    /// Highlights on dark areas.
    Yellow,
}

impl Ink {
    /// All inks.
    pub const ALL: [Self; 11] = [
        Self::Paper,
        Self::Field,
        Self::Faint,
        Self::Gray,
        Self::Slate,
        Self::Dark,
        Self::Blue,
        Self::Orange,
        Self::Green,
        Self::Red,
        Self::Yellow,
    ];

    /// Its name on a page, which the page's style sheet relies on.
    pub const fn name(self) -> &'static str {
        self.name_and_color().0
    }

    /// Its color in a frame.
    pub const fn color(self) -> Color {
        let [red, green, blue] = self.name_and_color().1;
        Color::new(red, green, blue)
    }

    /// Blue, orange and green are those of Okabe & Ito (2008).
    const fn name_and_color(self) -> (&'static str, [u8; 3]) {
        match self {
            Self::Paper => ("paper", [248, 250, 251]),
            Self::Field => ("field", [226, 233, 226]),
            Self::Faint => ("faint", [205, 213, 222]),
            Self::Gray => ("grey", [148, 158, 170]),
            Self::Slate => ("slate", [84, 94, 108]),
            Self::Dark => ("dark", [32, 40, 52]),
            Self::Blue => ("blue", [0, 114, 178]),
            Self::Orange => ("orange", [230, 120, 20]),
            Self::Green => ("green", [0, 158, 115]),
            Self::Red => ("red", [204, 51, 63]),
            Self::Yellow => ("yellow", [242, 200, 60]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn inks_differ_in_name_and_color() {
        let names: HashSet<_> = Ink::ALL.map(Ink::name).into_iter().collect();
        let colors: HashSet<_> = Ink::ALL.map(Ink::color).into_iter().collect();
        assert_eq!((names.len(), colors.len()), (Ink::ALL.len(), Ink::ALL.len()));
    }
}
