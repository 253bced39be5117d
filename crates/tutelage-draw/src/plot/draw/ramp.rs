//! A scale of colours: a bar of patches side by side, the names of some of them below.

use super::shapes::label;
use super::{MARGIN, TICK_SIZE};
use crate::plot::Colour;
use crate::plot::scene::{Anchor, Area, Mark};

const WIDTH: f64 = 420.0;
const BAR: f64 = 12.0;
/// How many of its patches have their names below.
const NAMED: usize = 5;

pub(super) fn height(ramp: &[(String, Colour)]) -> f64 {
    if ramp.is_empty() { 0.0 } else { BAR + TICK_SIZE + 6.0 + MARGIN }
}

pub(super) fn draw(ramp: &[(String, Colour)], middle: f64, top: f64) -> Mark {
    let each = WIDTH / ramp.len().max(1) as f64;
    let left = |i: usize| middle - WIDTH / 2.0 + i as f64 * each;
    // Patches overlap a little, so that nothing shines between them.
    let patch = |(i, (_, colour)): (usize, &(String, Colour))| {
        let more = if i + 1 < ramp.len() { 0.5 } else { 0.0 };
        Mark::Patch(Area { left: left(i), top, width: each + more, height: BAR }, *colour)
    };
    let mut marks: Vec<Mark> = ramp.iter().enumerate().map(patch).collect();
    let last = ramp.len().saturating_sub(1);
    let mut places: Vec<usize> = (0..NAMED).map(|i| i * last / (NAMED - 1)).collect();
    places.dedup();
    for (i, (name, _)) in places.into_iter().filter_map(|i| Some((i, ramp.get(i)?))) {
        let at = (left(i) + each / 2.0, top + BAR + TICK_SIZE + 3.0);
        marks.push(label(name, at, TICK_SIZE, Anchor::Middle));
    }
    Mark::Group(marks)
}
