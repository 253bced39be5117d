//! The layout of panels: frame, grid, ticks, labels, and the curves clipped to the frame.

use super::legend::Legend;
use super::shapes::{band, label, stroke, turned};
use super::{LABEL_SIZE, MARGIN, TICK_SIZE};
use crate::Color;
use crate::plot::axis::{Axis, Tick};
use crate::plot::page::{Anchor, Area, Item, Point, Window};
use crate::plot::{Curve, Panel};
use crate::text;

const GRID: Color = Color::new(0xe4, 0xe4, 0xe4);
const FRAME: Color = Color::new(0x55, 0x55, 0x55);
const SMALL_TICK: f64 = 4.0;
const NOTE_LINE: f64 = TICK_SIZE + 3.0;

/// Axes over an area.
struct Plane {
    x: Axis,
    y: Axis,
    area: Area,
}

pub(super) fn draw(panel: &Panel, index: usize, area: Area, legend: &Legend) -> Item {
    let (x, y) = axes(panel);
    let (x_ticks, y_ticks) = match panel.hide_ticks {
        true => (vec![], vec![]),
        false => (ticks(&panel.x_names, 1.0, &x), ticks(&panel.y_names, -1.0, &y)),
    };
    let plane = Plane { x, y, area: frame(panel, area, &y_ticks) };
    let window = Window { name: format!("panel-{index}"), area: plane.area };
    Item::Group(vec![
        Item::Window(window.clone()),
        plane.grid(&x_ticks, &y_ticks),
        Item::Inside(window, curves(panel, &plane, legend)),
        Item::Frame(plane.area, FRAME),
        labels(panel, area, &plane),
    ])
}

/// Returns names at 0, `step`, 2 · `step`, …, or numbers if there are no names.
fn ticks(names: &[String], step: f64, axis: &Axis) -> Vec<Tick> {
    let named = |(i, name): (usize, &String)| Tick { value: step * i as f64, label: name.clone() };
    match names {
        [] => axis.ticks(6),
        names => names.iter().enumerate().map(named).collect(),
    }
}

fn axes(panel: &Panel) -> (Axis, Axis) {
    let points = || panel.curves.iter().flat_map(|curve| &curve.points);
    let bands = panel.curves.iter().filter_map(|curve| curve.band.as_ref()).flatten();
    let ys = points().map(|p| p.1).chain(bands.flat_map(|&(low, high)| [low, high]));
    let ys = ys.chain(panel.levels.iter().map(|level| level.y));
    let x = panel.x_range.and_then(|range| Axis::exactly(panel.x_scale, range));
    let y = panel.y_range.and_then(|range| Axis::exactly(panel.y_scale, range));
    (
        x.unwrap_or_else(|| Axis::over(panel.x_scale, points().map(|p| p.0), 0.02)),
        y.unwrap_or_else(|| Axis::over(panel.y_scale, ys, 0.05)),
    )
}

/// Returns the small print in lines that fit the panel.
fn notes(panel: &Panel, area: Area) -> Vec<String> {
    text::lines(&panel.note, TICK_SIZE, area.width - 5.0 * MARGIN)
}

/// Returns the area that the labels leave free.
fn frame(panel: &Panel, area: Area, y_ticks: &[Tick]) -> Area {
    let line = |text: &str, height: f64| if text.is_empty() { 0.0 } else { height };
    let ticks = y_ticks.iter().map(|tick| text::width(&tick.label, TICK_SIZE)).fold(0.0, f64::max);
    let left = MARGIN + line(&panel.y_label, LABEL_SIZE + 8.0) + ticks + 6.0;
    let notes = notes(panel, area).len() as f64 * NOTE_LINE;
    let top = MARGIN + line(&panel.title, LABEL_SIZE + 8.0) + notes;
    let numbers = if panel.hide_ticks { 0.0 } else { TICK_SIZE + 8.0 };
    let bottom = MARGIN + line(&panel.x_label, LABEL_SIZE + 6.0) + numbers;
    Area {
        left: area.left + left,
        top: area.top + top,
        width: area.width - left - 1.5 * MARGIN,
        height: area.height - top - bottom,
    }
}

fn labels(panel: &Panel, area: Area, plane: &Plane) -> Item {
    let Area { left, top, width, height } = plane.area;
    let (middle_x, middle_y) = (left + width / 2.0, top + height / 2.0);
    let middle = |text: &str, at, size| label(text, at, size, Anchor::Middle);
    let mut items = Vec::new();
    let notes = notes(panel, area);
    if !panel.title.is_empty() {
        let y = top - 8.0 - notes.len() as f64 * NOTE_LINE;
        items.push(middle(&panel.title, (middle_x, y), LABEL_SIZE + 1.0));
    }
    for (i, note) in notes.iter().enumerate() {
        let y = top - 7.0 - (notes.len() - 1 - i) as f64 * NOTE_LINE;
        items.push(middle(note, (middle_x, y), TICK_SIZE));
    }
    if !panel.x_label.is_empty() {
        items.push(middle(&panel.x_label, (middle_x, area.bottom() - MARGIN), LABEL_SIZE));
    }
    if !panel.y_label.is_empty() {
        let at = (area.left + MARGIN + LABEL_SIZE * 0.6, middle_y);
        items.push(turned(&panel.y_label, at, LABEL_SIZE));
    }
    Item::Group(items)
}

fn curves(panel: &Panel, plane: &Plane, legend: &Legend) -> Vec<Item> {
    let mut items = Vec::new();
    for curve in &panel.curves {
        let color = legend.color(curve);
        items.extend(plane.bands(curve).iter().map(|(lower, upper)| band(lower, upper, color)));
    }
    for level in &panel.levels {
        let Some(y) = plane.y.place(level.y).map(|y| plane.vertical(y)) else { continue };
        let run = vec![(plane.area.left, y), (plane.area.right(), y)];
        items.push(stroke(&[run], level.style, level.color));
    }
    for curve in &panel.curves {
        let runs = runs(curve.points.iter().map(|&(x, y)| plane.place(x, y)));
        let color = legend.color(curve);
        items.push(stroke(&runs, curve.style, if curve.faint { color.pale() } else { color }));
    }
    items
}

impl Plane {
    fn horizontal(&self, share: f64) -> f64 {
        self.area.left + share * self.area.width
    }

    fn vertical(&self, share: f64) -> f64 {
        self.area.bottom() - share * self.area.height
    }

    fn place(&self, x: f64, y: f64) -> Option<Point> {
        Some((self.horizontal(self.x.place(x)?), self.vertical(self.y.place(y)?)))
    }

    fn grid(&self, x_ticks: &[Tick], y_ticks: &[Tick]) -> Item {
        let Area { left, top, .. } = self.area;
        let (right, bottom) = (self.area.right(), self.area.bottom());
        let mut items = Vec::new();
        for tick in x_ticks {
            let Some(share) = self.x.place(tick.value) else { continue };
            let x = self.horizontal(share);
            let at = (x, bottom + TICK_SIZE + 5.0);
            items.push(Item::Rule([(x, top), (x, bottom)], GRID));
            items.push(label(&tick.label, at, TICK_SIZE, Anchor::Middle));
        }
        for tick in y_ticks {
            let Some(share) = self.y.place(tick.value) else { continue };
            let y = self.vertical(share);
            let at = (left - 6.0, y + 0.36 * TICK_SIZE);
            items.push(Item::Rule([(left, y), (right, y)], GRID));
            items.push(label(&tick.label, at, TICK_SIZE, Anchor::End));
        }
        items.extend(self.small_ticks());
        Item::Group(items)
    }

    /// Returns unlabeled ticks of logarithmic axes.
    fn small_ticks(&self) -> Vec<Item> {
        let (left, bottom) = (self.area.left, self.area.bottom());
        let across = self.x.between().into_iter().filter_map(|value| {
            let x = self.horizontal(self.x.place(value)?);
            Some(Item::Rule([(x, bottom), (x, bottom - SMALL_TICK)], FRAME))
        });
        let up = self.y.between().into_iter().filter_map(|value| {
            let y = self.vertical(self.y.place(value)?);
            Some(Item::Rule([(left, y), (left + SMALL_TICK, y)], FRAME))
        });
        across.chain(up).collect()
    }

    /// Returns lower and upper edge of each uninterrupted piece of a band.
    fn bands(&self, curve: &Curve) -> Vec<(Vec<Point>, Vec<Point>)> {
        let Some(band) = &curve.band else { return vec![] };
        let edge = |(&(x, _), &(low, high)): (&Point, &Point)| {
            Some((self.place(x, low)?, self.place(x, high)?))
        };
        runs(curve.points.iter().zip(band).map(edge))
            .into_iter()
            .map(|run| run.into_iter().unzip())
            .collect()
    }
}

/// Returns the uninterrupted pieces of a sequence.
fn runs<T>(items: impl Iterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let mut runs = vec![Vec::new()];
    for item in items {
        match (item, runs.last_mut()) {
            (Some(item), Some(run)) => run.push(item),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_points_interrupt_lines() {
        let items = [Some(1), Some(2), None, None, Some(3)];
        assert_eq!(runs(items.into_iter()), [vec![1, 2], vec![3]]);
    }
}
