//! Colours that stay apart for the colour-blind and in grey.

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Red, green, blue.
    pub rgb: [u8; 3],
}

/// The colours of Okabe & Ito (2008), their yellow darkened to olive and their black to brown, in an order in which
/// neighbours differ in brightness.
const PALETTE: [[u8; 3]; 8] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [96, 57, 19],
    [86, 180, 233],
    [140, 130, 20],
    [230, 159, 0],
];

impl Colour {
    /// Black.
    pub const BLACK: Self = Self::new(0, 0, 0);
    /// A grey for what is only a reference.
    pub const GREY: Self = Self::new(110, 110, 110);

    /// From red, green and blue.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { rgb: [red, green, blue] }
    }

    /// The colour of the `index`-th curve; they repeat after eight.
    pub fn palette(index: usize) -> Self {
        Self { rgb: PALETTE[index % PALETTE.len()] }
    }

    /// From dark blue (0) over violet to light red (1), for what is ordered in time; ever lighter, so that grey tells it as well.
    pub fn blue_to_red(share: f64) -> Self {
        let mix = |from: f64, to: f64| (from + (to - from) * share.clamp(0.0, 1.0)).round() as u8;
        Self::new(mix(12.0, 255.0), mix(30.0, 100.0), mix(140.0, 80.0))
    }

    /// Half way to white.
    pub(crate) fn pale(self) -> Self {
        Self { rgb: self.rgb.map(|part| part / 2 + 128) }
    }

    pub(crate) fn hex(self) -> String {
        let [red, green, blue] = self.rgb;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_the_palette_differ_in_brightness() {
        let brightness = |i| {
            let [r, g, b] = Colour::palette(i).rgb.map(f64::from);
            0.299 * r + 0.587 * g + 0.114 * b
        };
        for i in 0..PALETTE.len() {
            let difference: f64 = brightness(i) - brightness(i + 1);
            assert!(difference.abs() > 8.0, "{i}: {difference}");
        }
    }

    #[test]
    fn time_runs_from_blue_to_red() {
        let grey = |share: f64| {
            let [red, green, blue] = Colour::blue_to_red(share).rgb.map(f64::from);
            0.3 * red + 0.59 * green + 0.11 * blue
        };
        assert!((1..=10).all(|i| grey(f64::from(i) / 10.0) > grey(f64::from(i - 1) / 10.0) + 5.0));
        assert_eq!(Colour::blue_to_red(7.0), Colour::blue_to_red(1.0));
        assert_eq!(Colour::new(1, 171, 255).hex(), "#01abff");
    }
}
