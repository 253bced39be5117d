//! Colors that differ for color-blind readers and in grayscale.

/// An opaque color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red, green, blue.
    pub rgb: [u8; 3],
}

/// The colors of Okabe & Ito (2008), with olive for their yellow and brown for their black. Neighbors differ in brightness.
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

impl Color {
    /// Black.
    pub const BLACK: Self = Self::new(0, 0, 0);
    /// A gray for reference lines.
    pub const GRAY: Self = Self::new(110, 110, 110);

    /// Creates a color from red, green and blue.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { rgb: [red, green, blue] }
    }

    /// Returns the color of the `index`-th curve; colors repeat after eight.
    pub fn palette(index: usize) -> Self {
        Self { rgb: PALETTE[index % PALETTE.len()] }
    }

    /// Returns a color between dark blue (0) and light red (1), for data in order of time. Brightness increases, so the order
    /// also shows in grayscale.
    pub fn blue_to_red(share: f64) -> Self {
        let mix = |from: f64, to: f64| (from + (to - from) * share.clamp(0.0, 1.0)).round() as u8;
        Self::new(mix(12.0, 255.0), mix(30.0, 100.0), mix(140.0, 80.0))
    }

    /// Returns the mean of this color and white.
    pub(crate) fn pale(self) -> Self {
        Self { rgb: self.rgb.map(|part| part / 2 + 128) }
    }

    pub(crate) fn hex(self) -> String {
        let [red, green, blue] = self.rgb;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Returns a paint of this color.
    pub(crate) fn paint(self, opacity: f64) -> tiny_skia::Paint<'static> {
        let mut paint = tiny_skia::Paint::default();
        let [red, green, blue] = self.rgb;
        paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
        paint
    }
}

impl From<Color> for tiny_skia::Color {
    fn from(Color { rgb: [red, green, blue] }: Color) -> Self {
        Self::from_rgba8(red, green, blue, 255)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_in_the_palette_differ_in_brightness() {
        let brightness = |i| {
            let [r, g, b] = Color::palette(i).rgb.map(f64::from);
            0.299 * r + 0.587 * g + 0.114 * b
        };
        for i in 0..PALETTE.len() {
            let difference: f64 = brightness(i) - brightness(i + 1);
            assert!(difference.abs() > 8.0, "{i}: {difference}");
        }
    }

    #[test]
    fn later_colors_are_brighter() {
        let gray = |share: f64| {
            let [red, green, blue] = Color::blue_to_red(share).rgb.map(f64::from);
            0.3 * red + 0.59 * green + 0.11 * blue
        };
        assert!((1..=10).all(|i| gray(f64::from(i) / 10.0) > gray(f64::from(i - 1) / 10.0) + 5.0));
        assert_eq!(Color::blue_to_red(7.0), Color::blue_to_red(1.0));
        assert_eq!(Color::new(1, 171, 255).hex(), "#01abff");
    }
}
