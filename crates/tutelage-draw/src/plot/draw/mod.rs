//! The layout of figures: title, a grid of panels, one legend.

mod legend;
mod panel;
mod ramp;
mod shapes;

use crate::plot::Figure;
use crate::plot::page::{Anchor, Area, Page};
use crate::text;
use legend::Legend;
use shapes::label;

/// Sizes in units of the page.
const PANEL: (f64, f64) = (420.0, 300.0);
const MARGIN: f64 = 12.0;
const TITLE_SIZE: f64 = 16.0;
const LABEL_SIZE: f64 = 12.0;
const TICK_SIZE: f64 = 11.0;
const CAPTION_LINE: f64 = TICK_SIZE + 4.0;

pub(crate) fn figure(figure: &Figure) -> Page {
    let columns = columns(figure);
    let rows = figure.panels.len().div_ceil(columns).max(1);
    // A figure is at least as wide as its title.
    let width = (2.0 * MARGIN + columns as f64 * PANEL.0)
        .max(text::width(&figure.title, TITLE_SIZE) + 2.0 * MARGIN);
    let legend = Legend::of(figure, width - 2.0 * MARGIN);
    let top = MARGIN + if figure.title.is_empty() { 0.0 } else { TITLE_SIZE + MARGIN };
    let below = top + rows as f64 * PANEL.1;
    let caption = text::lines(&figure.caption, TICK_SIZE, width - 2.0 * MARGIN);
    let under = below + ramp::height(&figure.ramp);
    let end = under + legend.height() + MARGIN;
    let height = end + caption.len() as f64 * CAPTION_LINE;

    let mut items = Vec::new();
    if !figure.title.is_empty() {
        let at = (width / 2.0, MARGIN + TITLE_SIZE);
        items.push(label(&figure.title, at, TITLE_SIZE, Anchor::Middle));
    }
    let spare = (width - 2.0 * MARGIN - columns as f64 * PANEL.0) / 2.0;
    for (index, panel) in figure.panels.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        // An incomplete row is centered.
        let in_row = (figure.panels.len() - row * columns).min(columns);
        let aside = (columns - in_row) as f64 / 2.0;
        let area = Area {
            left: MARGIN + spare + (column as f64 + aside) * PANEL.0,
            top: top + row as f64 * PANEL.1,
            width: PANEL.0,
            height: PANEL.1,
        };
        items.push(panel::draw(panel, index, area, &legend));
    }
    if !figure.ramp.is_empty() {
        items.push(ramp::draw(&figure.ramp, width / 2.0, below));
    }
    items.push(legend.draw(MARGIN, under));
    for (i, line) in caption.iter().enumerate() {
        let at = (width / 2.0, end + i as f64 * CAPTION_LINE + 0.5 * TICK_SIZE);
        items.push(label(line, at, TICK_SIZE, Anchor::Middle));
    }
    Page { width, height, items }
}

/// Returns the number of panels in a row: as requested, else nearly a square of at most four columns.
fn columns(figure: &Figure) -> usize {
    match (figure.columns, figure.panels.len()) {
        (0, 0..=3) => figure.panels.len().max(1),
        (0, 4) => 2,
        (0, 5..=6) => 3,
        (0, _) => 4,
        (columns, _) => columns,
    }
}
