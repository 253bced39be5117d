//! The compiled-in font: widths, line breaks and outlines.

use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The font's name. DejaVu Sans has the Greek letters and symbols of our formulas.
pub(crate) const FAMILY: &str = "DejaVu Sans";

/// Returns the width of a text without kerning.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let rough = 0.6 * size;
    let Some(font) = Font::new(size) else { return rough * text.chars().count() as f64 };
    text.chars().map(|c| font.advance(c).unwrap_or(rough)).sum()
}

/// Breaks a text into lines of at most this width; a single word may be wider. No-break spaces do not break.
pub(crate) fn lines(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if !line.is_empty() && width(&longer, size) > most {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
    }
    lines
}

/// Returns the outlines of a line of text that starts at (0, 0), and its length with kerning.
pub(crate) fn outlines(text: &str, size: f64) -> (PathBuilder, f64) {
    let mut pen = Pen { path: PathBuilder::new(), scale: 0.0, x: 0.0 };
    let Some(font) = Font::new(size) else { return (pen.path, 0.0) };
    pen.scale = font.scale as f32;
    let (mut x, mut last) = (0.0, None);
    for glyph in text.chars().map(|c| font.face.glyph_index(c).unwrap_or_default()) {
        x += last.map_or(0.0, |last| font.kerning(last, glyph));
        pen.x = x as f32;
        font.face.outline_glyph(glyph, &mut pen);
        x += font.scale * f64::from(font.face.glyph_hor_advance(glyph).unwrap_or(0));
        last = Some(glyph);
    }
    (pen.path, x)
}

struct Font {
    face: Face<'static>,
    /// Units of the page per unit of the font.
    scale: f64,
}

impl Font {
    fn new(size: f64) -> Option<Self> {
        let face = Face::parse(dejavu::sans::regular(), 0).ok()?;
        let scale = size / f64::from(face.units_per_em());
        Some(Self { face, scale })
    }

    fn advance(&self, letter: char) -> Option<f64> {
        let advance = self.face.glyph_hor_advance(self.face.glyph_index(letter)?)?;
        Some(self.scale * f64::from(advance))
    }

    fn kerning(&self, left: GlyphId, right: GlyphId) -> f64 {
        let tables = self.face.tables().kern.into_iter().flat_map(|kern| kern.subtables);
        let mut pairs = tables.filter(|table| table.horizontal && !table.variable);
        let units = pairs.find_map(|table| table.glyphs_kerning(left, right)).unwrap_or(0);
        self.scale * f64::from(units)
    }
}

/// Builds a path in units of the page. In fonts y points up.
struct Pen {
    path: PathBuilder,
    scale: f32,
    x: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, -self.scale * y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let [(x1, y1), (x2, y2), (x, y)] =
            [(x1, y1), (x2, y2), (x, y)].map(|(x, y)| self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_at_newlines() {
        let room = width("seeds: DAgger 10,", 11.0) + 1.0;
        let broken = lines("seeds: DAgger 10, BD-5 3\nnot run: BD-25", 11.0, room);
        assert_eq!(broken, ["seeds: DAgger 10,", "BD-5 3", "not run: BD-25"]);
        let together =
            lines("seeds: DAgger 10, BD-5\u{a0}3", 11.0, width("seeds: DAgger 10, BD-5", 11.0));
        assert_eq!(together, ["seeds: DAgger 10,", "BD-5\u{a0}3"]);
        assert_eq!(lines("incomprehensibilities", 11.0, 5.0), ["incomprehensibilities"]);
        assert!(lines("", 11.0, 100.0).is_empty());
    }

    #[test]
    fn the_font_has_the_symbols_of_our_formulas() {
        let font = Font::new(1.0).unwrap();
        for sign in "πλσ₀ₙ⁻⁹≤−–·ℓ\u{a0}".chars() {
            assert!(font.face.glyph_index(sign).is_some(), "{sign}");
        }
    }

    #[test]
    fn widths_grow_with_text_and_size() {
        assert!(width("mm", 10.0) > 1.9 * width("m", 10.0));
        assert!((width("m", 20.0) / width("m", 10.0) - 2.0).abs() < 0.01);
        assert!(width("i", 10.0) < width("m", 10.0));
    }

    #[test]
    fn outlines_start_at_the_baseline() {
        let bounds = |text| outlines(text, 10.0).0.finish().unwrap().bounds();
        let (one, two) = (bounds("n"), bounds("nn"));
        assert!(one.bottom() <= 0.0 && one.top() < -4.0, "{one:?}");
        assert!((two.width() - one.width() - width("n", 10.0) as f32).abs() < 1e-3);
    }

    #[test]
    fn kerning_moves_letters_closer() {
        assert!(outlines("AV", 10.0).1 < width("AV", 10.0) - 0.3);
        assert!((outlines("nn", 10.0).1 - width("nn", 10.0)).abs() < 1e-9);
    }
}
