//! A figure as SVG: title, a grid of panels, one legend below.

mod legend;
mod panel;
mod shapes;

use svg::Document;
use svg::node::element::Rectangle;

use crate::{Figure, text};
use legend::Legend;
use shapes::{At, label};

/// Where something may be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Sizes in units of the SVG.
const PANEL: (f64, f64) = (420.0, 300.0);
const MARGIN: f64 = 12.0;
const TITLE_SIZE: f64 = 16.0;
const LABEL_SIZE: f64 = 12.0;
const TICK_SIZE: f64 = 11.0;

pub(crate) fn figure(figure: &Figure) -> String {
    let columns = columns(figure);
    let rows = figure.panels.len().div_ceil(columns).max(1);
    // A figure is never narrower than its title.
    let width = (2.0 * MARGIN + columns as f64 * PANEL.0)
        .max(text::width(&figure.title, TITLE_SIZE) + 2.0 * MARGIN);
    let legend = Legend::of(figure, width - 2.0 * MARGIN);
    let top = MARGIN + if figure.title.is_empty() { 0.0 } else { TITLE_SIZE + MARGIN };
    let below = top + rows as f64 * PANEL.1;
    let height = below + legend.height() + MARGIN;

    let mut document = Document::new()
        .set("width", width)
        .set("height", height)
        .set("viewBox", (0.0, 0.0, width, height))
        .set("font-family", format!("{}, sans-serif", text::FAMILY))
        .add(Rectangle::new().set("width", width).set("height", height).set("fill", "white"));
    if !figure.title.is_empty() {
        let at = (width / 2.0, MARGIN + TITLE_SIZE);
        document = document.add(label(&figure.title, at, TITLE_SIZE, At::Middle));
    }
    let spare = (width - 2.0 * MARGIN - columns as f64 * PANEL.0) / 2.0;
    for (index, panel) in figure.panels.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let area = Area {
            left: MARGIN + spare + column as f64 * PANEL.0,
            top: top + row as f64 * PANEL.1,
            width: PANEL.0,
            height: PANEL.1,
        };
        document = document.add(panel::draw(panel, index, area, &legend));
    }
    document.add(legend.draw(MARGIN, below)).to_string()
}

/// As asked for, otherwise near a square, with four side by side at most.
fn columns(figure: &Figure) -> usize {
    match (figure.columns, figure.panels.len()) {
        (0, 0..=3) => figure.panels.len().max(1),
        (0, 4) => 2,
        (0, 5..=6) => 3,
        (0, _) => 4,
        (columns, _) => columns,
    }
}
