//! An animation's many colours as the 255 that a GIF can hold.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use color_quant::NeuQuant;

use crate::render::frame::Frame;
use crate::render::{Colour, light};

/// How many colours there are; one index is left for "as before".
pub(crate) const COLOURS: usize = 255;

/// At most this many shades of one body, and at most this many of all bodies together.
const SHADES: usize = 20;
const BODY_SHADES: usize = 120;

/// Bits per channel by which colours are told apart when they are looked up.
const BITS: u32 = 7;

/// Colours with a table that finds the nearest.
pub(crate) struct Palette {
    colours: Vec<Colour>,
    /// The index for each coarse colour, filled in as they are met.
    nearest: Vec<Option<u8>>,
}

impl Palette {
    /// Suits an animation that begins with `first`: shades of each body, for it may be hidden or dark as yet, flat colours
    /// as they are, and the colours that sum up the frame itself.
    pub(crate) fn of(first: &Frame) -> Self {
        let bodies: BTreeSet<Colour> = first.body_colours.iter().copied().collect();
        let count = SHADES.min(BODY_SHADES / bodies.len().max(1));
        let mut colours: Vec<Colour> =
            bodies.iter().flat_map(|body| light::ramp(*body, count)).take(BODY_SHADES).collect();
        colours.extend(first.flat_colours.iter().take(COLOURS / 4));
        colours.extend(summary(first.rgb(), COLOURS - colours.len()));
        Self { colours, nearest: vec![None; 1 << (3 * BITS)] }
    }

    /// All colours, three bytes each, padded to 256.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colours.concat();
        bytes.resize(3 * 256, 0);
        bytes
    }

    /// The index of a colour near to `colour`.
    pub(crate) fn index(&mut self, colour: Colour) -> u8 {
        let coarse = colour.map(|channel| usize::from(channel >> (8 - BITS)));
        let place = (coarse[0] << (2 * BITS)) | (coarse[1] << BITS) | coarse[2];
        *self.nearest[place].get_or_insert_with(|| {
            let distances = self.colours.iter().map(|own| squared_distance(*own, colour));
            distances
                .enumerate()
                .min_by_key(|(_, distance)| *distance)
                .map_or(0, |(index, _)| index as u8)
        })
    }

    /// The largest difference in any channel between `colour` and the colour at `index`, if there is one.
    pub(crate) fn distance(&self, index: u8, colour: Colour) -> Option<u8> {
        let own = self.colours.get(usize::from(index))?;
        own.iter().zip(colour).map(|(one, other)| one.abs_diff(other)).max()
    }
}

/// At most `count` colours for a picture: two thirds of them are its most frequent ones unchanged, so that flat areas keep
/// their hue; the others sum up what is left, where a colour counts by the square root of its pixels, so that what is small
/// gets a share.
fn summary(rgb: &[u8], count: usize) -> Vec<Colour> {
    let mut pixels = BTreeMap::<Colour, usize>::new();
    for pixel in rgb.chunks_exact(3) {
        *pixels.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
    }
    let mut ranked: Vec<(Colour, usize)> = pixels.into_iter().collect();
    ranked.sort_by_key(|(colour, pixels)| (Reverse(*pixels), *colour));
    let rare = ranked.split_off((2 * count / 3).min(ranked.len()));
    let samples: Vec<u8> = rare
        .iter()
        .flat_map(|(colour, pixels)| std::iter::repeat_n(colour, pixels.isqrt()))
        .flat_map(|&[r, g, b]| [r, g, b, 255])
        .collect();
    let mut colours: Vec<Colour> = ranked.into_iter().map(|(colour, _)| colour).collect();
    if !samples.is_empty() {
        let network = NeuQuant::new(1, count - colours.len(), &samples);
        colours.extend(network.color_map_rgb().chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]));
    }
    colours
}

fn squared_distance(one: Colour, other: Colour) -> u32 {
    one.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_kept(palette: &mut Palette, colour: Colour) {
        let index = palette.index(colour);
        assert!(usize::from(index) < COLOURS);
        let distance = palette.distance(index, colour).unwrap();
        assert!(distance <= 8, "{colour:?} became {:?}", palette.colours[usize::from(index)]);
    }

    #[test]
    fn a_frames_few_colours_are_kept_closely() {
        let colours: [Colour; 3] = [[200, 40, 40], [20, 20, 200], [240, 240, 240]];
        let mut frame = Frame::new(30, 30);
        (0..900).for_each(|place| frame.set(place % 30, place / 30, colours[place % 3]));
        let mut palette = Palette::of(&frame);
        colours.into_iter().for_each(|colour| assert_kept(&mut palette, colour));
    }

    #[test]
    fn a_body_that_is_still_hidden_has_its_shades() {
        let mut frame = Frame::new(30, 30);
        frame.body_colours = vec![[40, 180, 60]];
        let mut palette = Palette::of(&frame);
        light::ramp([40, 180, 60], 7).for_each(|shade| assert_kept(&mut palette, shade));
        assert_eq!(palette.bytes().len(), 3 * 256);
        assert_eq!(palette.distance(255, [0; 3]), None);
    }
}
