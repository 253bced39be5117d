//! The 255 colors of an animated GIF.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use color_quant::NeuQuant;

use crate::render::frame::{Frame, Rgb};
use crate::render::light;

/// The number of colors; the last index marks unchanged pixels.
pub(crate) const COLORS: usize = 255;

/// The most shades of one body, and of all bodies together.
const SHADES: usize = 20;
const BODY_SHADES: usize = 120;

/// Bits per channel of the lookup table.
const BITS: u32 = 7;

/// Colors with a table that finds the nearest.
pub(crate) struct Palette {
    colors: Vec<Rgb>,
    /// The index for each coarse color, filled on demand.
    nearest: Vec<Option<u8>>,
}

impl Palette {
    /// Creates a palette for an animation from its first frame.
    ///
    /// It holds shades of each body, because a body may be hidden or dark at first, then the flat colors, then a summary of
    /// the frame.
    pub(crate) fn of(first: &Frame) -> Self {
        let bodies: BTreeSet<Rgb> = first.body_colors.iter().copied().collect();
        let count = SHADES.min(BODY_SHADES / bodies.len().max(1));
        let mut colors: Vec<Rgb> =
            bodies.iter().flat_map(|body| light::ramp(*body, count)).take(BODY_SHADES).collect();
        colors.extend(first.flat_colors.iter().take(COLORS / 4));
        colors.extend(summary(first.rgb(), COLORS - colors.len()));
        Self { colors, nearest: vec![None; 1 << (3 * BITS)] }
    }

    /// Returns all colors, three bytes each, padded to 256.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.concat();
        bytes.resize(3 * 256, 0);
        bytes
    }

    /// Returns the index of the nearest color.
    pub(crate) fn index(&mut self, color: Rgb) -> u8 {
        let coarse = color.map(|channel| usize::from(channel >> (8 - BITS)));
        let place = (coarse[0] << (2 * BITS)) | (coarse[1] << BITS) | coarse[2];
        *self.nearest[place].get_or_insert_with(|| {
            let distances = self.colors.iter().map(|own| squared_distance(*own, color));
            distances.zip(0..).min().map_or(0, |(_, index)| index)
        })
    }

    /// Returns the largest difference of a channel between `color` and the color at `index`, if that exists.
    pub(crate) fn distance(&self, index: u8, color: Rgb) -> Option<u8> {
        let own = self.colors.get(usize::from(index))?;
        own.iter().zip(color).map(|(one, other)| one.abs_diff(other)).max()
    }
}

/// Returns at most `count` colors for a picture.
///
/// Two thirds of them are its most frequent colors, so that flat areas keep their hue. The others summarize the rest, in which
/// a color counts by the square root of its pixels, so that small things get a share.
fn summary(rgb: &[u8], count: usize) -> Vec<Rgb> {
    let mut pixels = BTreeMap::<Rgb, usize>::new();
    for pixel in rgb.chunks_exact(3) {
        *pixels.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
    }
    let mut ranked: Vec<(Rgb, usize)> = pixels.into_iter().collect();
    ranked.sort_by_key(|(color, pixels)| (Reverse(*pixels), *color));
    let rare = ranked.split_off((2 * count / 3).min(ranked.len()));
    let samples: Vec<u8> = rare
        .iter()
        .flat_map(|(color, pixels)| std::iter::repeat_n(color, pixels.isqrt()))
        .flat_map(|&[r, g, b]| [r, g, b, 255])
        .collect();
    let mut colors: Vec<Rgb> = ranked.into_iter().map(|(color, _)| color).collect();
    if !samples.is_empty() {
        let network = NeuQuant::new(1, count - colors.len(), &samples);
        colors.extend(network.color_map_rgb().chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]));
    }
    colors
}

fn squared_distance(one: Rgb, other: Rgb) -> u32 {
    one.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_kept(palette: &mut Palette, color: Rgb) {
        let index = palette.index(color);
        assert!(usize::from(index) < COLORS);
        let distance = palette.distance(index, color).unwrap();
        assert!(distance <= 8, "{color:?} became {:?}", palette.colors[usize::from(index)]);
    }

    #[test]
    fn few_colors_are_kept() {
        let colors: [Rgb; 3] = [[200, 40, 40], [20, 20, 200], [240, 240, 240]];
        let mut frame = Frame::new(30, 30);
        (0..900).for_each(|place| frame.set(place % 30, place / 30, colors[place % 3]));
        let mut palette = Palette::of(&frame);
        colors.into_iter().for_each(|color| assert_kept(&mut palette, color));
    }

    #[test]
    fn hidden_bodies_have_shades() {
        let mut frame = Frame::new(30, 30);
        frame.body_colors = vec![[40, 180, 60]];
        let mut palette = Palette::of(&frame);
        light::ramp([40, 180, 60], 7).for_each(|shade| assert_kept(&mut palette, shade));
        assert_eq!(palette.bytes().len(), 3 * 256);
        assert_eq!(palette.distance(255, [0; 3]), None);
    }
}
