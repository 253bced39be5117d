//! Films: an animated GIF and a strip of stills.

use std::path::{Path, PathBuf};

use tutelage_draw::render::{Frame, GifWriter, strip};

/// The stills of a strip.
const STILLS: usize = 8;

/// A film: every frame is written to a GIF, some are kept for a strip of stills.
pub(crate) struct Film {
    path: PathBuf,
    gif: Option<GifWriter>,
    /// Hundredths of a second that a frame is shown.
    delay: u16,
    /// The number of frames so far; every `every`-th of them is kept.
    frames: usize,
    stills: Vec<Frame>,
    every: usize,
    /// The last frame, which ends the strip.
    last: Option<Frame>,
}

impl Film {
    pub(crate) fn new(path: &Path, delay: u16) -> Self {
        Self {
            path: path.to_owned(),
            gif: None,
            delay,
            frames: 0,
            stills: vec![],
            every: 1,
            last: None,
        }
    }

    /// Adds a frame with a caption.
    pub(crate) fn push(&mut self, mut frame: Frame, caption: &str) -> anyhow::Result<()> {
        frame.write_text(8, 8, caption);
        match &mut self.gif {
            Some(gif) => gif.push(&frame)?,
            None => self.gif = Some(GifWriter::start(&self.path, &frame, self.delay)?),
        }
        self.keep(frame);
        Ok(())
    }

    /// Keeps evenly spaced frames, between one and two strips of them.
    fn keep(&mut self, frame: Frame) {
        self.last = Some(frame.clone());
        if self.frames.is_multiple_of(self.every) {
            self.stills.push(frame);
        }
        self.frames += 1;
        if self.stills.len() == 2 * STILLS {
            let mut index = 0;
            self.stills.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// Finishes the GIF, writes the strip with the ending `.png`, and returns the strip's path.
    pub(crate) fn finish(self) -> anyhow::Result<PathBuf> {
        if let Some(gif) = self.gif {
            gif.finish()?;
        }
        let path = self.path.with_extension("png");
        let places = strip_places(self.stills.len(), self.every, self.frames);
        let stills = places.iter().map(|&place| self.stills[place].clone());
        let stills: Vec<Frame> = stills.chain(self.last).collect();
        strip(&stills)?.write_png(&path)?;
        Ok(path)
    }
}

/// Returns the kept frames that precede the last frame in the strip, so that all are evenly spaced.
fn strip_places(kept: usize, every: usize, frames: usize) -> Vec<usize> {
    let before = STILLS.min(frames).saturating_sub(1);
    let ideal = |i: usize| i * (frames - 1) / before;
    let nearest = |frame: usize| ((frame + every / 2) / every).min(kept - 1);
    (0..before).map(|i| nearest(ideal(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stills_are_evenly_spaced() {
        for frames in 2..600 {
            let mut every = 1;
            while frames > (2 * STILLS - 1) * every {
                every *= 2;
            }
            let kept = frames.div_ceil(every);
            let places = strip_places(kept, every, frames);
            let before = places.iter().map(|place| place * every);
            let shown: Vec<usize> = before.chain([frames - 1]).collect();
            assert_eq!(shown.len(), STILLS.min(frames));
            assert!(shown.windows(2).all(|pair| pair[0] < pair[1]), "{frames}: {shown:?}");
            let gap = frames / shown.len() + 2 * every;
            let is_even = shown.windows(2).all(|pair| pair[1] - pair[0] <= gap);
            assert!(shown[0] == 0 && is_even, "{frames}: {shown:?}");
        }
    }
}
