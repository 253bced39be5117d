//! The legend, which has every name once.

use super::shapes::{label, stroke};
use super::{LABEL_SIZE, MARGIN};
use crate::Color;
use crate::plot::page::{Anchor, Item};
use crate::plot::{Curve, Figure, Style};
use crate::text;

/// The names of a figure in rows.
pub(super) struct Legend {
    rows: Vec<Vec<Entry>>,
    width: f64,
    colors: Vec<(String, Color)>,
}

struct Entry {
    name: String,
    color: Color,
    style: Style,
}

const SAMPLE: f64 = 26.0;
const GAP: f64 = 6.0;
const ROW: f64 = 20.0;

impl Legend {
    pub(super) fn of(figure: &Figure, width: f64) -> Self {
        let mut legend = Self { rows: vec![], width, colors: vec![] };
        let mut row = Vec::new();
        let mut used = 0.0;
        for entry in legend.entries(figure) {
            if used + entry.width() > width && !row.is_empty() {
                legend.rows.push(std::mem::take(&mut row));
                used = 0.0;
            }
            used += entry.width();
            row.push(entry);
        }
        legend.rows.push(row);
        legend
    }

    /// Returns the entries in order, and chooses the color of each name.
    fn entries(&mut self, figure: &Figure) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        let add = |entries: &mut Vec<Entry>, name: &str, color, style| {
            if !name.is_empty() && entries.iter().all(|entry| entry.name != name) {
                entries.push(Entry { name: name.into(), color, style });
            }
        };
        for curve in figure.panels.iter().flat_map(|panel| &panel.curves) {
            if self.colors.iter().all(|(name, _)| *name != curve.name) {
                let color = curve.color.unwrap_or(Color::palette(self.colors.len()));
                self.colors.push((curve.name.clone(), color));
            }
            if figure.ramp.iter().all(|(name, _)| *name != curve.name) {
                add(&mut entries, &curve.name, self.color(curve), curve.style);
            }
        }
        for level in figure.panels.iter().flat_map(|panel| &panel.levels) {
            add(&mut entries, &level.name, level.color, level.style);
        }
        let place = |entry: &Entry| figure.order.iter().position(|name| *name == entry.name);
        entries.sort_by_key(|entry| place(entry).unwrap_or(usize::MAX));
        entries
    }

    /// Returns the color of a curve.
    pub(super) fn color(&self, curve: &Curve) -> Color {
        let same = self.colors.iter().find(|(name, _)| *name == curve.name);
        curve.color.or(same.map(|(_, color)| *color)).unwrap_or(Color::BLACK)
    }

    pub(super) fn height(&self) -> f64 {
        self.rows.iter().filter(|row| !row.is_empty()).count() as f64 * ROW
    }

    pub(super) fn draw(&self, left: f64, top: f64) -> Item {
        let mut items = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let used: f64 = row.iter().map(Entry::width).sum();
            let mut x = left + ((self.width - used) / 2.0).max(0.0);
            let y = top + (index as f64 + 0.5) * ROW;
            for entry in row {
                let at = (x + SAMPLE + GAP, y + 0.35 * LABEL_SIZE);
                items.push(entry.sample(x, y));
                items.push(label(&entry.name, at, LABEL_SIZE, Anchor::Start));
                x += entry.width();
            }
        }
        Item::Group(items)
    }
}

impl Entry {
    fn width(&self) -> f64 {
        SAMPLE + GAP + text::width(&self.name, LABEL_SIZE) + 1.5 * MARGIN
    }

    fn sample(&self, x: f64, y: f64) -> Item {
        let points = match self.style {
            Style::Points | Style::Dots => vec![(x + SAMPLE / 2.0, y)],
            Style::Marked => vec![(x, y), (x + SAMPLE / 2.0, y), (x + SAMPLE, y)],
            Style::Solid | Style::Dashed | Style::Dotted | Style::DashDotted => {
                vec![(x, y), (x + SAMPLE, y)]
            }
        };
        // The color of a small point would be hard to see.
        let style = if self.style == Style::Points { Style::Dots } else { self.style };
        stroke(&[points], style, self.color)
    }
}
