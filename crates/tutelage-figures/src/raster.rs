//! SVG to PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::{FigureError, text};

/// The drawing at `scale` pixels per unit.
pub(crate) fn png(svg: &str, scale: f32) -> Result<Vec<u8>, FigureError> {
    let failed = |error: &dyn std::fmt::Display| FigureError::Raster(error.to_string());
    let mut options = Options { font_family: text::FAMILY.into(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(text::font().to_vec());
    fonts.set_sans_serif_family(text::FAMILY);
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(&error))?;
    let size = tree.size();
    let pixels = |length: f32| (length * scale).ceil() as u32;
    let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height()))
        .ok_or_else(|| failed(&"it has no size"))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dark_pixels(svg: &str) -> usize {
        let pixmap = Pixmap::decode_png(&png(svg, 2.0).unwrap()).unwrap();
        assert_eq!((pixmap.width(), pixmap.height()), (80, 40));
        pixmap.pixels().iter().filter(|p| p.alpha() > 128).count()
    }

    #[test]
    fn text_is_drawn_without_system_fonts() {
        let svg = |text| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'>\
                 <text x='2' y='15' font-family='DejaVu Sans, sans-serif' font-size='14'>{text}</text></svg>"
            )
        };
        assert!(dark_pixels(&svg("πλ₀")) > dark_pixels(&svg("i")));
        assert!(dark_pixels(&svg("i")) > 0);
    }
}
