//! The font that is compiled in, and how wide a text is in it.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// DejaVu Sans, which has the Greek letters and the signs of the formulas.
pub(crate) fn font() -> &'static [u8] {
    dejavu::sans::regular()
}

/// The name by which the font knows itself.
pub(crate) const FAMILY: &str = "DejaVu Sans";

/// How wide the text is at this font size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let rough = 0.6 * size;
    let Ok(font) = FontRef::new(font()) else { return rough * text.chars().count() as f64 };
    let (map, metrics) =
        (font.charmap(), font.glyph_metrics(Size::new(size as f32), LocationRef::default()));
    let advance = |c: char| map.map(c).and_then(|glyph| metrics.advance_width(glyph));
    text.chars().map(|c| advance(c).map_or(rough, f64::from)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_signs_of_the_formulas() {
        let font = FontRef::new(font()).unwrap();
        for sign in "πλσ₀ₙ⁻⁹≤−–·ℓ".chars() {
            assert!(font.charmap().map(sign).is_some(), "{sign}");
        }
    }

    #[test]
    fn widths_grow_with_text_and_size() {
        assert!(width("mm", 10.0) > 1.9 * width("m", 10.0));
        assert!((width("m", 20.0) / width("m", 10.0) - 2.0).abs() < 0.01);
        assert!(width("i", 10.0) < width("m", 10.0));
    }
}
