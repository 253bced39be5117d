//! Frames, and strips of frames.

use std::io::Write;
use std::path::Path;

use tiny_skia::{FillRule, LineJoin, Pixmap, Stroke, Transform};
use tutelage_files::AtomicFile;

use crate::render::RenderError;
use crate::{Color, text};

/// Red, green and blue of a pixel.
pub(crate) type Rgb = [u8; 3];

/// The text of captions, and the edge that makes it readable on any background.
const INK: Color = Color::new(24, 32, 44);
const EDGE: Color = Color::new(246, 248, 250);
const EDGE_WIDTH: f32 = 2.5;
const TEXT_SIZE: f64 = 12.0;

/// A picture: rows of pixels from the top, each red, green, blue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
    /// Colors of bodies, visible or hidden, whose shades later frames of an animation may show.
    pub(crate) body_colors: Vec<Rgb>,
    /// Colors that this frame or a later one may show without shades.
    pub(crate) flat_colors: Vec<Rgb>,
}

/// One white pixel, for environments that could not be drawn.
impl Default for Frame {
    fn default() -> Self {
        Self::of(1, 1, vec![255; 3])
    }
}

impl Frame {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self::of(width, height, vec![0; 3 * width * height])
    }

    /// Creates a frame from pixels, row after row, three bytes each; `None` if their number does not match the size.
    pub fn from_rgb(width: usize, height: usize, rgb: Vec<u8>) -> Option<Self> {
        let fits = width.checked_mul(height)?.checked_mul(3)? == rgb.len() && !rgb.is_empty();
        fits.then(|| Self::of(width, height, rgb))
    }

    fn of(width: usize, height: usize, rgb: Vec<u8>) -> Self {
        Self { width, height, rgb, body_colors: vec![], flat_colors: vec![] }
    }

    /// Creates a frame from opaque pixels.
    pub(crate) fn from_pixmap(pixmap: &Pixmap) -> Self {
        let rgb = pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        Self::of(pixmap.width() as usize, pixmap.height() as usize, rgb.collect())
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Returns all pixels, row after row, three bytes each.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// Returns red, green and blue at column `x` and row `y`, if that pixel exists.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let start = 3 * (y * self.width + x);
        self.rgb.get(start..start + 3).and_then(|bytes| bytes.try_into().ok())
    }

    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [u8] {
        let start = 3 * y * self.width;
        &mut self.rgb[start..start + 3 * self.width]
    }

    #[cfg(test)]
    pub(crate) fn set(&mut self, x: usize, y: usize, color: Rgb) {
        if x < self.width && y < self.height {
            self.row_mut(y)[3 * x..3 * x + 3].copy_from_slice(&color);
        }
    }

    /// Writes a line of text with its upper left corner at column `x` and row `y`, dark with a light edge.
    pub fn write_text(&mut self, x: usize, y: usize, line: &str) {
        let Some(path) = text::outlines(line, TEXT_SIZE).0.finish() else { return };
        let Some(mut pixmap) = Pixmap::new(self.width as u32, self.height as u32) else { return };
        for (pixel, rgb) in pixmap.data_mut().chunks_exact_mut(4).zip(self.rgb.chunks_exact(3)) {
            pixel.copy_from_slice(&[rgb[0], rgb[1], rgb[2], 255]);
        }
        let place = Transform::from_translate(x as f32, y as f32 + TEXT_SIZE as f32);
        let edge = Stroke { width: EDGE_WIDTH, line_join: LineJoin::Round, ..Stroke::default() };
        pixmap.stroke_path(&path, &EDGE.paint(1.0), &edge, place, None);
        pixmap.fill_path(&path, &INK.paint(1.0), FillRule::Winding, place, None);
        self.rgb = Self::from_pixmap(&pixmap).rgb;
    }

    /// Writes the frame as a PNG file.
    pub fn write_png(&self, path: &Path) -> Result<(), RenderError> {
        let mut out = AtomicFile::create(path).map_err(RenderError::write(path))?;
        self.encode_png(&mut out).map_err(RenderError::write(path))?;
        out.finish().map_err(RenderError::write(path))
    }

    /// Returns the bytes of a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory does not fail.
        let _ = self.encode_png(&mut bytes);
        bytes
    }

    fn encode_png(&self, out: &mut impl Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()
    }
}

/// The number of frames in a row of a strip.
const IN_A_ROW: usize = 4;

/// Joins frames of one size into one: four in a row, from the left. The rest of the last row is black.
pub fn strip(frames: &[Frame]) -> Result<Frame, RenderError> {
    let first = frames.first().ok_or(RenderError::NoFrames)?;
    if let Some(index) = frames.iter().position(|frame| frame.size() != first.size()) {
        let (found, expected) = (frames[index].size(), first.size());
        return Err(RenderError::Mismatch { index, found, expected });
    }
    let (across, down) = (frames.len().min(IN_A_ROW), frames.len().div_ceil(IN_A_ROW));
    let mut joined = Frame::new(first.width * across, first.height * down);
    for (row, frames) in frames.chunks(IN_A_ROW).enumerate() {
        for y in 0..first.height {
            let line = joined.row_mut(row * first.height + y);
            for (part, frame) in line.chunks_exact_mut(3 * first.width).zip(frames) {
                let start = 3 * y * frame.width;
                part.copy_from_slice(&frame.rgb[start..start + 3 * frame.width]);
            }
        }
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_must_match_the_size() {
        let frame = Frame::from_rgb(2, 1, vec![1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!((frame.size(), frame.pixel(1, 0)), ((2, 1), Some([4, 5, 6])));
        for (width, height) in [(1, 1), (0, 0), (usize::MAX, 3)] {
            assert_eq!(Frame::from_rgb(width, height, vec![0; 6]), None);
        }
        assert_eq!(Frame::from_rgb(0, 5, vec![]), None);
    }

    fn plain(width: usize, color: Rgb) -> Frame {
        Frame::from_rgb(width, 2, color.repeat(2 * width)).unwrap()
    }

    #[test]
    fn text_is_drawn_at_its_place_and_cut_at_the_edge() {
        let mut frame = Frame::from_rgb(40, 20, vec![128; 3 * 800]).unwrap();
        let before = frame.clone();
        frame.write_text(10, 2, "return 123456");
        let changed = |x: usize| (0..20).any(|y| frame.pixel(x, y) != before.pixel(x, y));
        assert!((10..40).any(changed) && !(0..8).any(changed));
        assert!(frame.rgb().contains(&INK.rgb[0]), "letters are dark");
    }

    #[test]
    fn strips_have_four_frames_in_a_row() {
        let frames: Vec<Frame> = (1..=6).map(|i| plain(3, [i; 3])).collect();
        let joined = strip(&frames).unwrap();
        assert_eq!(joined.size(), (12, 4));
        let first = |row: usize| (0..4).map(move |i| (3 * i, 2 * row));
        let shown: Vec<_> = (0..2).flat_map(first).map(|(x, y)| joined.pixel(x, y)).collect();
        let of = |i| Some([i; 3]);
        assert_eq!(shown, [of(1), of(2), of(3), of(4), of(5), of(6), of(0), of(0)]);
        assert_eq!((joined.pixel(12, 0), joined.pixel(0, 4)), (None, None));
    }

    #[test]
    fn strips_need_frames_of_one_size() {
        assert!(matches!(strip(&[]), Err(RenderError::NoFrames)));
        let error = strip(&[plain(3, [0; 3]), plain(4, [0; 3])]).unwrap_err();
        assert!(matches!(error, RenderError::Mismatch { index: 1, found: (4, 2), .. }), "{error}");
    }

    #[test]
    fn png_files_hold_the_pixels() {
        let folder = tempfile::tempdir().unwrap();
        let (frame, path) = (plain(3, [9, 8, 7]), folder.path().join("frame.png"));
        frame.write_png(&path).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(std::fs::read(&path).unwrap()));
        let mut pixels = vec![0; 3 * 3 * 2];
        decoder.read_info().unwrap().next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, frame.rgb());

        let missing = folder.path().join("missing").join("frame.png");
        let error = frame.write_png(&missing).unwrap_err();
        assert!(matches!(error, RenderError::Write { path, .. } if path == missing));
    }
}
