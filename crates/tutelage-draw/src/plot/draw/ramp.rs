//! Color bars: adjacent patches with some names below.

use super::shapes::label;
use super::{MARGIN, TICK_SIZE};
use crate::Color;
use crate::plot::page::{Anchor, Area, Item};

const WIDTH: f64 = 420.0;
const BAR: f64 = 12.0;
/// The number of patches with names.
const NAMED: usize = 5;

pub(super) fn height(ramp: &[(String, Color)]) -> f64 {
    if ramp.is_empty() { 0.0 } else { BAR + TICK_SIZE + 6.0 + MARGIN }
}

pub(super) fn draw(ramp: &[(String, Color)], middle: f64, top: f64) -> Item {
    let each = WIDTH / ramp.len().max(1) as f64;
    let left = |i: usize| middle - WIDTH / 2.0 + i as f64 * each;
    // Patches overlap a little, so that no gaps are visible.
    let patch = |(i, (_, color)): (usize, &(String, Color))| {
        let more = if i + 1 < ramp.len() { 0.5 } else { 0.0 };
        Item::Patch(Area { left: left(i), top, width: each + more, height: BAR }, *color)
    };
    let mut items: Vec<Item> = ramp.iter().enumerate().map(patch).collect();
    let last = ramp.len().saturating_sub(1);
    let mut places: Vec<usize> = (0..NAMED).map(|i| i * last / (NAMED - 1)).collect();
    places.dedup();
    for (i, (name, _)) in places.into_iter().filter_map(|i| Some((i, ramp.get(i)?))) {
        let at = (left(i) + each / 2.0, top + BAR + TICK_SIZE + 3.0);
        items.push(label(name, at, TICK_SIZE, Anchor::Middle));
    }
    Item::Group(items)
}
