//! Films of a robot: an animated GIF and a strip of stills.

use std::path::{Path, PathBuf};

use tutelage_envs::{Form, Locomotion, Task};
use tutelage_render::{Body, Camera, Frame, GifWriter, Pose, Renderer, Scene, Shape, strip};

/// Steps between two frames, and how long a frame is shown: 0.033 s of simulated time in 0.03 s.
pub(crate) const STEPS_PER_FRAME: usize = 2;
const DELAY: u16 = 3;

/// How many stills the strip shows.
const STILLS: usize = 8;

/// A film under way: frames go to the GIF as they come, some are kept for the strip.
pub(crate) struct Film {
    path: PathBuf,
    renderer: Renderer,
    gif: Option<GifWriter>,
    /// How many frames there are so far, and every `every`-th of them for the strip.
    frames: usize,
    stills: Vec<Frame>,
    every: usize,
}

impl Film {
    pub(crate) fn new(path: &Path, width: usize, height: usize) -> anyhow::Result<Self> {
        let renderer = Renderer::new(width, height)?;
        Ok(Self {
            path: path.to_owned(),
            renderer,
            gif: None,
            frames: 0,
            stills: Vec::new(),
            every: 1,
        })
    }

    /// Takes a picture of the robot with a caption.
    pub(crate) fn shoot(&mut self, env: &Locomotion, caption: &str) -> anyhow::Result<()> {
        let mut frame = self.renderer.render(&scene(env), &camera(env))?;
        frame.write_text(8, 8, caption);
        match &mut self.gif {
            Some(gif) => gif.push(&frame)?,
            None => self.gif = Some(GifWriter::start(&self.path, &frame, DELAY)?),
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

    /// Finishes the GIF and writes the strip beside it; returns the strip's path.
    pub(crate) fn finish(self) -> anyhow::Result<PathBuf> {
        if let Some(gif) = self.gif {
            gif.finish()?;
        }
        let path = self.path.with_extension("png");
        strip(&self.stills[..STILLS.min(self.stills.len())])?.write_png(&path)?;
        Ok(path)
    }
}

fn scene(env: &Locomotion) -> Scene {
    let body = |body: tutelage_envs::Body| Body {
        shape: match body.form {
            Form::Sphere { radius } => Shape::Sphere { radius },
            Form::Capsule { radius, half_length } => Shape::Capsule { radius, half_length },
        },
        pose: Pose { position: body.pose.position, rotation: body.pose.rotation },
        colour: body.colour,
    };
    Scene { bodies: env.bodies().into_iter().map(body).collect() }
}

/// Follows the torso along the ground, at a height that keeps the whole robot in the picture.
fn camera(env: &Locomotion) -> Camera {
    let [x, y, _] = env.torso();
    match env.task() {
        Task::Hopper | Task::Walker2d => Camera::beside([x, 0.0, 0.75], 4.2),
        Task::HalfCheetah => Camera::beside([x, 0.0, 0.5], 4.2),
        Task::Ant => Camera::at_an_angle([x, y, 0.4], 4.5),
    }
}
