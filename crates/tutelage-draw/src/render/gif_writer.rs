//! Animated GIFs that loop forever.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tutelage_files::AtomicFile;

use crate::render::palette::{COLORS, Palette};
use crate::render::{Frame, RenderError};

/// The index of pixels that did not change.
const UNCHANGED: u8 = COLORS as u8;

/// Largest errors of a channel, of 255, for repeating the pixel of the last frame and the pixel to the left. Repeated
/// pixels compress to almost nothing.
const IN_TIME: u8 = 6;
const IN_SPACE: u8 = 2;

/// Writes an animated GIF frame by frame, so that animations need not fit in memory.
///
/// All frames use the palette of the first, so that colors do not flicker.
pub struct GifWriter {
    path: PathBuf,
    encoder: gif::Encoder<AtomicFile>,
    palette: Palette,
    size: (usize, usize),
    delay: u16,
    /// The number of frames, and the palette indices of the last.
    frames: usize,
    shown: Vec<u8>,
}

impl GifWriter {
    /// Starts a file with its first frame. Each frame is shown for `delay` hundredths of a second; browsers slow down delays
    /// below 2.
    pub fn start(path: &Path, first: &Frame, delay: u16) -> Result<Self, RenderError> {
        let size @ (width, height) = first.size();
        let (Ok(across), Ok(down)) = (u16::try_from(width), u16::try_from(height)) else {
            return Err(RenderError::Size { width, height });
        };
        let palette = Palette::of(first);
        let out = AtomicFile::create(path).map_err(RenderError::write(path))?;
        let mut encoder = gif::Encoder::new(out, across, down, &palette.bytes())
            .map_err(RenderError::write(path))?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(RenderError::write(path))?;
        let shown = vec![UNCHANGED; width * height];
        let mut writer =
            Self { path: path.to_owned(), encoder, palette, size, delay, frames: 0, shown };
        writer.push(first)?;
        Ok(writer)
    }

    /// Adds a frame, which must have the size of the first.
    pub fn push(&mut self, frame: &Frame) -> Result<(), RenderError> {
        if frame.size() != self.size {
            return Err(RenderError::Mismatch {
                index: self.frames,
                found: frame.size(),
                expected: self.size,
            });
        }
        let next = self.indices(frame);
        let changes = difference(&self.shown, &next, self.size.0, self.delay);
        self.encoder.write_frame(&changes).map_err(RenderError::write(&self.path))?;
        self.shown = next;
        self.frames += 1;
        Ok(())
    }

    /// Returns the palette indices for a frame.
    fn indices(&mut self, frame: &Frame) -> Vec<u8> {
        let mut indices = Vec::with_capacity(self.shown.len());
        let mut left = UNCHANGED;
        for (rgb, &shown) in frame.rgb().chunks_exact(3).zip(&self.shown) {
            let color = [rgb[0], rgb[1], rgb[2]];
            let close = |index, tolerance| {
                self.palette.distance(index, color).is_some_and(|off| off <= tolerance)
            };
            left = if close(shown, IN_TIME) {
                shown
            } else if close(left, IN_SPACE) {
                left
            } else {
                self.palette.index(color)
            };
            indices.push(left);
        }
        indices
    }

    /// Completes the file, which appears under its name now.
    pub fn finish(self) -> Result<(), RenderError> {
        let out = self.encoder.into_inner().map_err(RenderError::write(&self.path))?;
        out.finish().map_err(RenderError::write(&self.path))
    }
}

/// Returns the smallest rectangle that turns `before` into `after`; one unchanged pixel if they are equal.
fn difference(before: &[u8], after: &[u8], width: usize, delay: u16) -> gif::Frame<'static> {
    let (columns, rows) = changed(before, after, width).unwrap_or((0..1, 0..1));
    let buffer: Vec<u8> = rows
        .clone()
        .flat_map(|y| columns.clone().map(move |x| y * width + x))
        .map(|place| if before[place] == after[place] { UNCHANGED } else { after[place] })
        .collect();
    gif::Frame {
        delay,
        dispose: gif::DisposalMethod::Keep,
        transparent: Some(UNCHANGED),
        left: columns.start as u16,
        top: rows.start as u16,
        width: columns.len() as u16,
        height: rows.len() as u16,
        buffer: buffer.into(),
        ..gif::Frame::default()
    }
}

/// Returns the columns and rows between which two pictures differ, if they do.
fn changed(before: &[u8], after: &[u8], width: usize) -> Option<(Range<usize>, Range<usize>)> {
    let mut found: Option<(Range<usize>, Range<usize>)> = None;
    for place in (0..after.len()).filter(|&place| before[place] != after[place]) {
        let (x, y) = (place % width, place / width);
        let (columns, rows) = found.get_or_insert((x..x + 1, y..y + 1));
        *columns = columns.start.min(x)..columns.end.max(x + 1);
        rows.end = y + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a gray frame with a red square that starts at column `x`.
    fn square(x: usize) -> Frame {
        let mut frame = Frame::new(20, 10);
        for place in 0..200 {
            let (column, row) = (place % 20, place / 20);
            let red = (x..x + 4).contains(&column) && (3..7).contains(&row);
            frame.set(column, row, if red { [200, 40, 40] } else { [128, 128, 128] });
        }
        frame
    }

    /// Decodes a file into what a screen shows.
    fn screens(path: &Path) -> Vec<Vec<u8>> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
        let (mut screen, mut seen) = (vec![0; 20 * 10 * 3], Vec::new());
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let pixels = frame.buffer.chunks_exact(4).enumerate();
            for (place, pixel) in pixels.filter(|(_, pixel)| pixel[3] > 0) {
                let [width, left, top] = [frame.width, frame.left, frame.top].map(usize::from);
                let target = (top + place / width) * 20 + left + place % width;
                screen[3 * target..3 * target + 3].copy_from_slice(&pixel[..3]);
            }
            seen.push(screen.clone());
        }
        seen
    }

    #[test]
    fn decoded_animations_show_the_frames() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("square.gif");
        let frames = [square(2), square(3), square(3), square(12)];
        let mut writer = GifWriter::start(&path, &frames[0], 3).unwrap();
        frames[1..].iter().for_each(|frame| writer.push(frame).unwrap());
        writer.finish().unwrap();
        let seen = screens(&path);
        assert_eq!(seen.len(), frames.len());
        for (frame, screen) in frames.iter().zip(seen) {
            assert!(frame.rgb().iter().zip(&screen).all(|(one, other)| one.abs_diff(*other) <= 8));
        }
    }

    #[test]
    fn frames_of_other_sizes_and_bad_paths_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = GifWriter::start(&folder.path().join("a.gif"), &square(1), 3).unwrap();
        let error = writer.push(&Frame::new(20, 11)).unwrap_err();
        assert!(matches!(error, RenderError::Mismatch { index: 1, found: (20, 11), .. }));
        let path = folder.path().join("missing").join("a.gif");
        let error = GifWriter::start(&path, &square(1), 3).err().unwrap();
        assert!(matches!(error, RenderError::Write { path: named, .. } if named == path));
    }
}
