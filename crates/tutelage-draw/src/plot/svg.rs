//! Pages as SVG: one element per line, attributes in alphabetical order.

use std::fmt::Write;

use crate::plot::page::{Anchor, Area, BOLD, Dashes, INK, Item, Page, Point, THIN, VEIL, short};
use crate::text;

pub(crate) fn print(page: &Page) -> String {
    let Page { width, height, items } = page;
    let mut svg = Elements::default();
    let attributes = format!(
        r#"font-family="{}, sans-serif" height="{height}" viewBox="0 0 {width} {height}" width="{width}" xmlns="http://www.w3.org/2000/svg""#,
        text::FAMILY
    );
    svg.around("svg", &attributes, |svg| {
        svg.alone("rect", &format!(r#"fill="white" height="{height}" width="{width}""#));
        svg.items(items);
    });
    svg.0
}

#[derive(Default)]
struct Elements(String);

impl Elements {
    fn line(&mut self, line: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(line);
    }

    fn alone(&mut self, name: &str, attributes: &str) {
        self.line(&format!("<{name} {attributes}/>"));
    }

    fn around(&mut self, name: &str, attributes: &str, inside: impl FnOnce(&mut Self)) {
        let space = if attributes.is_empty() { "" } else { " " };
        self.line(&format!("<{name}{space}{attributes}>"));
        inside(self);
        self.line(&format!("</{name}>"));
    }

    fn group(&mut self, attributes: &str, items: &[Item]) {
        match (items, attributes) {
            ([], "") => self.line("<g/>"),
            ([], _) => self.alone("g", attributes),
            _ => self.around("g", attributes, |svg| svg.items(items)),
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Group(items) => self.group("", items),
            Item::Window(window) => {
                let name = format!(r#"id="{}""#, window.name);
                self.around("clipPath", &name, |svg| svg.alone("rect", &sides(&window.area)));
            }
            Item::Inside(window, items) => {
                self.group(&format!(r#"clip-path="url(#{})""#, window.name), items);
            }
            Item::Frame(area, color) => self.frame(area, &color.hex()),
            Item::Rule(points, color) => {
                let (d, color) = (joined(points), color.hex());
                self.alone("path", &format!(r#"d="{d}" stroke="{color}" stroke-width="{THIN}""#));
            }
            Item::Line(points, dashes, color) => self.curve(points, *dashes, &color.hex()),
            Item::Dot { center: (x, y), radius, color } => {
                let (x, y, color) = (short(*x), short(*y), color.hex());
                self.alone("circle", &format!(r#"cx="{x}" cy="{y}" fill="{color}" r="{radius}""#));
            }
            Item::Patch(area, color) => {
                self.alone("rect", &format!(r#"fill="{}" {}"#, color.hex(), sides(area)));
            }
            Item::Veil(corners, color) => self.veil(corners, &color.hex()),
            Item::Label { text, place, size, anchor, turned } => {
                let attributes = label(*place, *size, *anchor, *turned);
                self.around("text", &attributes, |svg| svg.line(&escaped(text)));
            }
        }
    }

    fn frame(&mut self, area: &Area, color: &str) {
        let Area { left, top, width, height } = rounded(area);
        self.alone(
            "rect",
            &format!(
                r#"fill="none" height="{height}" stroke="{color}" width="{width}" x="{left}" y="{top}""#
            ),
        );
    }

    fn curve(&mut self, points: &[Point], dashes: Dashes, color: &str) {
        let mut attributes = format!(r#"d="{}" fill="none" stroke="{color}""#, joined(points));
        if !dashes.lengths().is_empty() {
            let lengths: Vec<String> = dashes.lengths().iter().map(f64::to_string).collect();
            attributes += &format!(r#" stroke-dasharray="{}""#, lengths.join(" "));
        }
        if dashes.have_round_ends() {
            attributes += r#" stroke-linecap="round""#;
        }
        attributes += &format!(r#" stroke-linejoin="round" stroke-width="{BOLD}""#);
        self.alone("path", &attributes);
    }

    fn veil(&mut self, corners: &[Point], color: &str) {
        let corners: Vec<String> =
            corners.iter().map(|&(x, y)| format!("{},{}", short(x), short(y))).collect();
        let corners = corners.join(" ");
        let attributes = format!(r#"fill="{color}" fill-opacity="{VEIL}" points="{corners}""#);
        self.alone("polygon", &attributes);
    }
}

fn rounded(area: &Area) -> Area {
    let Area { left, top, width, height } = *area;
    Area { left: short(left), top: short(top), width: short(width), height: short(height) }
}

fn sides(area: &Area) -> String {
    let Area { left, top, width, height } = rounded(area);
    format!(r#"height="{height}" width="{width}" x="{left}" y="{top}""#)
}

fn label((x, y): Point, size: f64, anchor: Anchor, turned: bool) -> String {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (x, y, ink) = (short(x), short(y), INK.hex());
    let turn = if turned { format!(r#" transform="rotate(-90 {x} {y})""#) } else { String::new() };
    format!(r#"fill="{ink}" font-size="{size}" text-anchor="{anchor}"{turn} x="{x}" y="{y}""#)
}

fn joined(points: &[Point]) -> String {
    let mut data = String::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        let step = if i == 0 { "M" } else { " L" };
        // Writing to a string does not fail.
        let _ = write!(data, "{step}{},{}", short(x), short(y));
    }
    data
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
