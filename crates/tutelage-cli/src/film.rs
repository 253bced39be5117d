//! Films: an animated GIF and a strip of stills.

use std::path::{Path, PathBuf};

use tutelage_draw::render::{Frame, GifWriter, strip};

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
    /// The last frame, which the strip ends with.
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

    /// Finishes the GIF and writes the strip beside it, spread over the whole film; returns the strip's path.
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

/// Which of the stills, every so-many-th of the film's frames, go before the film's last frame so that all are spread evenly.
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
    fn a_strip_is_spread_over_the_whole_film() {
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
