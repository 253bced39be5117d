//! One panel: frame, grid, ticks, labels, and the curves clipped to the frame.

use svg::node::element::{ClipPath, Group, Rectangle};

use super::legend::Legend;
use super::shapes::{At, band, label, rule, short, stroke};
use super::{Area, LABEL_SIZE, MARGIN, TICK_SIZE};
use crate::axis::{Axis, Tick};
use crate::{Curve, Panel, text};

const GRID: &str = "#e4e4e4";
const FRAME: &str = "#555555";
const NOTE_LINE: f64 = TICK_SIZE + 3.0;

/// Axes laid over an area.
struct Plane {
    x: Axis,
    y: Axis,
    area: Area,
}

pub(super) fn draw(panel: &Panel, index: usize, area: Area, legend: &Legend) -> Group {
    let (x, y) = axes(panel);
    let (x_ticks, y_ticks) =
        if panel.hide_ticks { (vec![], vec![]) } else { (x_ticks(panel, &x), y_ticks(panel, &y)) };
    let plane = Plane { x, y, area: frame(panel, area, &y_ticks) };
    let clip = format!("panel-{index}");
    let curves = curves(panel, &plane, legend).set("clip-path", format!("url(#{clip})"));
    Group::new()
        .add(ClipPath::new().set("id", clip).add(plane.rectangle()))
        .add(plane.grid(&x_ticks, &y_ticks))
        .add(curves)
        .add(plane.rectangle().set("fill", "none").set("stroke", FRAME))
        .add(labels(panel, area, &plane))
}

fn x_ticks(panel: &Panel, x: &Axis) -> Vec<Tick> {
    let named = |(i, name): (usize, &String)| Tick { value: i as f64, label: name.clone() };
    match panel.x_names.as_slice() {
        [] => x.ticks(6),
        names => names.iter().enumerate().map(named).collect(),
    }
}

fn y_ticks(panel: &Panel, y: &Axis) -> Vec<Tick> {
    let named = |(i, name): (usize, &String)| Tick { value: -(i as f64), label: name.clone() };
    match panel.y_names.as_slice() {
        [] => y.ticks(6),
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

/// What the labels leave of the panel's area.
fn frame(panel: &Panel, area: Area, y_ticks: &[Tick]) -> Area {
    let line = |text: &str, height: f64| if text.is_empty() { 0.0 } else { height };
    let ticks = y_ticks.iter().map(|tick| text::width(&tick.label, TICK_SIZE)).fold(0.0, f64::max);
    let left = MARGIN + line(&panel.y_label, LABEL_SIZE + 8.0) + ticks + 6.0;
    let notes = panel.note.lines().count() as f64 * NOTE_LINE;
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

fn labels(panel: &Panel, area: Area, plane: &Plane) -> Group {
    let Area { left, top, width, height } = plane.area;
    let (middle_x, middle_y) = (left + width / 2.0, top + height / 2.0);
    let mut group = Group::new();
    let notes = panel.note.lines().count();
    if !panel.title.is_empty() {
        let y = top - 8.0 - notes as f64 * NOTE_LINE;
        group = group.add(label(&panel.title, (middle_x, y), LABEL_SIZE + 1.0, At::Middle));
    }
    for (i, note) in panel.note.lines().enumerate() {
        let y = top - 7.0 - (notes - 1 - i) as f64 * NOTE_LINE;
        group = group.add(label(note, (middle_x, y), TICK_SIZE, At::Middle));
    }
    if !panel.x_label.is_empty() {
        let at = (middle_x, area.bottom() - MARGIN);
        group = group.add(label(&panel.x_label, at, LABEL_SIZE, At::Middle));
    }
    if !panel.y_label.is_empty() {
        let at = (area.left + MARGIN + LABEL_SIZE * 0.6, middle_y);
        let turn = format!("rotate(-90 {} {})", short(at.0), short(at.1));
        group = group.add(label(&panel.y_label, at, LABEL_SIZE, At::Middle).set("transform", turn));
    }
    group
}

fn curves(panel: &Panel, plane: &Plane, legend: &Legend) -> Group {
    let mut group = Group::new();
    for curve in &panel.curves {
        for (lower, upper) in plane.bands(curve) {
            group = group.add(band(&lower, &upper, legend.color(curve)));
        }
    }
    for level in &panel.levels {
        let Some(y) = plane.y.place(level.y).map(|y| plane.vertical(y)) else { continue };
        let run = vec![(plane.area.left, y), (plane.area.right(), y)];
        group = group.add(stroke(&[run], level.style, level.color));
    }
    for curve in &panel.curves {
        let runs = runs(curve.points.iter().map(|&(x, y)| plane.place(x, y)));
        group = group.add(stroke(&runs, curve.style, legend.color(curve)));
    }
    group
}

impl Plane {
    fn horizontal(&self, share: f64) -> f64 {
        self.area.left + share * self.area.width
    }

    fn vertical(&self, share: f64) -> f64 {
        self.area.bottom() - share * self.area.height
    }

    fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.horizontal(self.x.place(x)?), self.vertical(self.y.place(y)?)))
    }

    fn rectangle(&self) -> Rectangle {
        let Area { left, top, width, height } = self.area;
        Rectangle::new()
            .set("x", short(left))
            .set("y", short(top))
            .set("width", short(width))
            .set("height", short(height))
    }

    fn grid(&self, x_ticks: &[Tick], y_ticks: &[Tick]) -> Group {
        let Area { left, top, .. } = self.area;
        let (right, bottom) = (self.area.right(), self.area.bottom());
        let mut group = Group::new();
        for tick in x_ticks {
            let Some(x) = self.x.place(tick.value).map(|share| self.horizontal(share)) else {
                continue;
            };
            let at = (x, bottom + TICK_SIZE + 5.0);
            group = group.add(rule((x, top), (x, bottom), GRID)).add(label(
                &tick.label,
                at,
                TICK_SIZE,
                At::Middle,
            ));
        }
        for tick in y_ticks {
            let Some(y) = self.y.place(tick.value).map(|share| self.vertical(share)) else {
                continue;
            };
            let at = (left - 6.0, y + 0.36 * TICK_SIZE);
            group = group.add(rule((left, y), (right, y), GRID)).add(label(
                &tick.label,
                at,
                TICK_SIZE,
                At::End,
            ));
        }
        group
    }

    /// Lower and upper edge of each uninterrupted piece of a curve's band.
    fn bands(&self, curve: &Curve) -> Vec<(Vec<(f64, f64)>, Vec<(f64, f64)>)> {
        let Some(band) = &curve.band else { return vec![] };
        let edges = curve
            .points
            .iter()
            .zip(band)
            .map(|(&(x, _), &(low, high))| Some((self.place(x, low)?, self.place(x, high)?)));
        runs(edges).into_iter().map(|run| run.into_iter().unzip()).collect()
    }
}

/// The uninterrupted pieces.
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
    fn a_point_that_cannot_be_shown_interrupts_the_line() {
        let items = [Some(1), Some(2), None, None, Some(3)];
        assert_eq!(runs(items.into_iter()), [vec![1, 2], vec![3]]);
    }
}
