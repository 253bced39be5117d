//! The colours of flat pictures.

use crate::render::Colour;

/// A colour by its role. A page may show its own shade for each name, so that pictures follow its theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    /// The background.
    Paper,
    /// Large, quiet areas: floors, fields.
    Field,
    /// Thin, quiet lines: grids, rays.
    Faint,
    /// Supporting things: axles, rails.
    Grey,
    /// Roads, walls and other heavy areas.
    Slate,
    /// Outlines and the darkest parts.
    Dark,
    /// The body that acts.
    Blue,
    /// The part of it that matters.
    Orange,
    /// Goals.
    Green,
    /// Warnings and limits.
    Red,
    /// Highlights on dark areas.
    Yellow,
}

impl Ink {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Paper,
        Self::Field,
        Self::Faint,
        Self::Grey,
        Self::Slate,
        Self::Dark,
        Self::Blue,
        Self::Orange,
        Self::Green,
        Self::Red,
        Self::Yellow,
    ];

    /// Its name on a page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Field => "field",
            Self::Faint => "faint",
            Self::Grey => "grey",
            Self::Slate => "slate",
            Self::Dark => "dark",
            Self::Blue => "blue",
            Self::Orange => "orange",
            Self::Green => "green",
            Self::Red => "red",
            Self::Yellow => "yellow",
        }
    }

    /// Its colour in a frame. Blue, orange and green are those of Okabe & Ito (2008), which the colour-blind can tell apart.
    pub const fn rgb(self) -> Colour {
        match self {
            Self::Paper => [248, 250, 251],
            Self::Field => [226, 233, 226],
            Self::Faint => [205, 213, 222],
            Self::Grey => [148, 158, 170],
            Self::Slate => [84, 94, 108],
            Self::Dark => [32, 40, 52],
            Self::Blue => [0, 114, 178],
            Self::Orange => [230, 120, 20],
            Self::Green => [0, 158, 115],
            Self::Red => [204, 51, 63],
            Self::Yellow => [242, 200, 60],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn inks_differ_in_name_and_colour() {
        let names: HashSet<_> = Ink::ALL.map(Ink::name).into_iter().collect();
        let colours: HashSet<_> = Ink::ALL.map(Ink::rgb).into_iter().collect();
        assert_eq!((names.len(), colours.len()), (Ink::ALL.len(), Ink::ALL.len()));
    }
}
