//! Films: an animated GIF and a strip of stills.

use std::path::{Path, PathBuf};

use tutelage_render::{Frame, GifWriter, strip};

/// How many stills the strip shows.
const STILLS: usize = 8;

/// A film under way: frames go to the GIF as they come, some are kept for the strip.
pub(crate) struct Film {
    path: PathBuf,
    gif: Option<GifWriter>,
    /// Hundredths of a second that a frame is shown.
    delay: u16,
    /// How many frames there are so far, and every `every`-th of them for the strip.
    frames: usize,
    stills: Vec<Frame>,
    every: usize,
}

impl Film {
    pub(crate) fn new(path: &Path, delay: u16) -> Self {
        Self { path: path.to_owned(), gif: None, delay, frames: 0, stills: vec![], every: 1 }
    }

    /// Takes a picture with a caption.
    pub(crate) fn shoot(&mut self, mut frame: Frame, caption: &str) -> anyhow::Result<()> {
        frame.write_text(8, 8, caption);
        match &mut self.gif {
            Some(gif) => gif.push(&frame)?,
            None => self.gif = Some(GifWriter::start(&self.path, &frame, self.delay)?),
        }
        self.keep(frame);
        Ok(())
    }

    /// Keeps between one and two strips' worth of frames, evenly spread, however long the film gets.
    fn keep(&mut self, frame: Frame) {
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

    /// Finishes the GIF and writes the strip beside it, spread over the whole film; returns the strip's path.
    pub(crate) fn finish(self) -> anyhow::Result<PathBuf> {
        if let Some(gif) = self.gif {
            gif.finish()?;
        }
        let path = self.path.with_extension("png");
        let (kept, shown) = (self.stills.len(), STILLS.min(self.stills.len()));
        let place = |i: usize| i * (kept - 1) / (shown - 1).max(1);
        let stills: Vec<Frame> = (0..shown).map(|i| self.stills[place(i)].clone()).collect();
        strip(&stills)?.write_png(&path)?;
        Ok(path)
    }
}
