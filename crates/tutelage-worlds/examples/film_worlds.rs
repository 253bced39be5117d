//! Records an episode of every expert as an animated GIF and a strip of stills.
//!
//! `cargo run --release -p tutelage-worlds --example film_worlds -- FOLDER [WIDTH]`

use std::error::Error;
use std::path::{Path, PathBuf};

use tutelage::space::Element;
use tutelage::{Batch, Expert, Stream};
use tutelage_draw::render::{Frame, GifWriter, Renderer, strip};
use tutelage_worlds::{CartPoleEnv, DriveEnv, DriveFiveEnv, GridEnv, PendulumEnv, World};

/// Stills per strip.
const STILLS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let width = arguments.next().map_or(Ok(600), |width| width.parse())?;
    film::<CartPoleEnv>(&folder, width, 3)?;
    film::<PendulumEnv>(&folder, width, 5)?;
    film::<DriveEnv>(&folder, width, 5)?;
    film::<DriveFiveEnv>(&folder, width, 5)?;
    film::<GridEnv>(&folder, width, 25)
}

/// Records one episode; each frame is shown for `delay` hundredths of a second.
fn film<W: World>(folder: &Path, width: usize, delay: u16) -> Result<(), Box<dyn Error>> {
    let frames = episode::<W>(width)?;
    let mut gif = GifWriter::start(&folder.join(W::NAME).with_extension("gif"), &frames[0], delay)?;
    frames[1..].iter().try_for_each(|frame| gif.push(frame))?;
    gif.finish()?;
    // Most changes happen early, so stills are closer together there.
    let share = |i: usize| (i as f64 / (STILLS - 1) as f64).powi(2);
    let stills =
        (0..STILLS).map(|i| frames[(share(i) * (frames.len() - 1) as f64) as usize].clone());
    strip(&stills.collect::<Vec<_>>())?.write_png(&folder.join(W::NAME).with_extension("png"))?;
    println!("{}: {} frames of {:?} pixels", W::NAME, frames.len(), frames[0].size());
    Ok(())
}

fn episode<W: World>(width: usize) -> Result<Vec<Frame>, Box<dyn Error>> {
    let mut world = W::default();
    let (spaces, mut expert) = (world.spaces(), world.expert());
    let mut states = Batch::zeros(1, spaces.states);
    let mut actions = Batch::zeros(1, W::Action::width(spaces.actions));
    world.reset(Stream::new(1).rng(), states.row_mut(0))?;
    let [across, up] = world.picture().view.size();
    let renderer = Renderer::new(width, (width as f64 * up / across).round() as usize)?;
    let mut frames = vec![renderer.draw(&world.picture())?];
    loop {
        expert.mean(&states, &mut actions)?;
        let step = world.step(actions.row(0), states.row_mut(0))?;
        frames.push(renderer.draw(&world.picture())?);
        if step.is_last() {
            return Ok(frames);
        }
    }
}
