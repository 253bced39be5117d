//! A finished picture, and pictures side by side.

use std::io::Write;
use std::path::Path;

use tutelage_files::AtomicFile;

use crate::render::text;
use crate::render::{Colour, RenderError};

/// A picture: rows of pixels from the top, each red, green, blue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
    /// The colours of the scene's bodies, seen or hidden: what later frames of an animation will show.
    pub(crate) body_colours: Vec<Colour>,
    /// Colours without shades that this frame or a later one may show.
    pub(crate) flat_colours: Vec<Colour>,
}

impl Frame {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let rgb = vec![0; 3 * width * height];
        Self { width, height, rgb, body_colours: Vec::new(), flat_colours: Vec::new() }
    }

    /// A picture of somebody else's pixels, row after row, three bytes each; nothing where their number is another.
    pub fn from_rgb(width: usize, height: usize, rgb: Vec<u8>) -> Option<Self> {
        let fits = width.checked_mul(height)?.checked_mul(3)? == rgb.len() && !rgb.is_empty();
        fits.then_some(Self { width, height, rgb, body_colours: vec![], flat_colours: vec![] })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// All pixels, row after row, three bytes each.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The colour at column `x` and row `y`, if there is such a pixel.
    pub fn pixel(&self, x: usize, y: usize) -> Option<Colour> {
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

    pub(crate) fn set(&mut self, x: usize, y: usize, colour: Colour) {
        if x < self.width && y < self.height {
            self.row_mut(y)[3 * x..3 * x + 3].copy_from_slice(&colour);
        }
    }

    /// Writes one line of text with its upper left corner at column `x` and row `y`, dark with a light edge. Letters are
    /// 8 pixels square; what does not fit is cut off, and characters beyond ASCII become question marks.
    pub fn write_text(&mut self, x: usize, y: usize, line: &str) {
        text::draw(self, x, y, line);
    }

    /// Writes the picture as a PNG file.
    pub fn write_png(&self, path: &Path) -> Result<(), RenderError> {
        let mut out = AtomicFile::create(path).map_err(RenderError::write(path))?;
        self.encode_png(&mut out).map_err(RenderError::write(path))?;
        out.finish().map_err(RenderError::write(path))
    }

    /// The picture as the bytes of a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Memory takes everything that is written to it.
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

/// How many frames of a strip stand side by side.
const IN_A_ROW: usize = 4;

/// Frames of one size as one picture: side by side, from the left, and after every fourth in a row below, so that captions can
/// be read on a page. The last row is black where it is not full.
pub fn strip(frames: &[Frame]) -> Result<Frame, RenderError> {
    let first = frames.first().ok_or(RenderError::NoFrames)?;
    if let Some((index, other)) =
        frames.iter().enumerate().find(|(_, frame)| frame.size() != first.size())
    {
        return Err(RenderError::Mismatch { index, found: other.size(), expected: first.size() });
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
    fn pixels_from_elsewhere_make_a_frame_if_they_are_as_many() {
        let frame = Frame::from_rgb(2, 1, vec![1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!((frame.size(), frame.pixel(1, 0)), ((2, 1), Some([4, 5, 6])));
        for (width, height) in [(1, 1), (0, 0), (usize::MAX, 3)] {
            assert_eq!(Frame::from_rgb(width, height, vec![0; 6]), None);
        }
        assert_eq!(Frame::from_rgb(0, 5, vec![]), None);
    }

    fn plain(width: usize, colour: Colour) -> Frame {
        let mut frame = Frame::new(width, 2);
        (0..2).for_each(|y| (0..width).for_each(|x| frame.set(x, y, colour)));
        frame
    }

    #[test]
    fn a_strip_sets_frames_side_by_side() {
        let joined = strip(&[plain(3, [1, 2, 3]), plain(3, [4, 5, 6])]).unwrap();
        assert_eq!(joined.size(), (6, 2));
        assert_eq!((joined.pixel(2, 1), joined.pixel(3, 1)), (Some([1, 2, 3]), Some([4, 5, 6])));
        assert_eq!((joined.pixel(6, 0), joined.pixel(0, 2)), (None, None));
    }

    #[test]
    fn a_strip_goes_on_below_after_four_frames() {
        let frames: Vec<Frame> = (1..=6).map(|i| plain(3, [i; 3])).collect();
        let joined = strip(&frames).unwrap();
        assert_eq!(joined.size(), (12, 4));
        let first = |row: usize| (0..4).map(move |i| (3 * i, 2 * row));
        let shown: Vec<_> = (0..2).flat_map(first).map(|(x, y)| joined.pixel(x, y)).collect();
        let of = |i| Some([i; 3]);
        assert_eq!(shown, [of(1), of(2), of(3), of(4), of(5), of(6), of(0), of(0)]);
    }

    #[test]
    fn a_strip_of_nothing_or_of_unlike_frames_is_refused() {
        assert!(matches!(strip(&[]), Err(RenderError::NoFrames)));
        let error = strip(&[plain(3, [0; 3]), plain(4, [0; 3])]).unwrap_err().to_string();
        assert_eq!(error, "frame 1 has (4, 2) pixels, the first has (3, 2)");
    }

    #[test]
    fn a_png_holds_the_pixels_and_a_bad_path_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (frame, path) = (plain(3, [9, 8, 7]), folder.path().join("frame.png"));
        frame.write_png(&path).unwrap();
        let decoder =
            png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
        let mut pixels = vec![0; 3 * 3 * 2];
        decoder.read_info().unwrap().next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, frame.rgb());

        let missing = folder.path().join("missing").join("frame.png");
        let error = frame.write_png(&missing).unwrap_err().to_string();
        assert!(error.contains("missing") && error.starts_with("cannot write"), "{error}");
    }
}
