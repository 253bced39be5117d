//! Renders a hand-made walk without any physics: a planar figure and a four-legged one, side and angled views.
//!
//! `cargo run --release -p tutelage-draw --example render -- FOLDER` writes `planar.gif`, `planar.png`, `legs.gif` and
//! `legs.png` there, and prints how long a frame took.

use std::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;
use std::time::{Duration, Instant};

use tutelage_draw::render::{
    Body, Camera, Colour, Frame, GifWriter, Pose, RenderError, Renderer, Scene, Shape, strip,
};

const FRAMES: usize = 200;

fn main() -> Result<(), RenderError> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    film(Path::new(&folder), "planar", |time| {
        (planar_figure(time), Camera::beside([1.5 * time, 0.0, 0.75], 4.2))
    })?;
    film(Path::new(&folder), "legs", |time| {
        (four_legs(time), Camera::at_an_angle([time, 0.2 * time, 0.4], 4.5))
    })
}

fn film(
    folder: &Path,
    name: &str,
    scene: impl Fn(f64) -> (Scene, Camera),
) -> Result<(), RenderError> {
    let renderer = Renderer::new(480, 360)?;
    let (mut drawing, mut writing) = (Duration::ZERO, Duration::ZERO);
    let mut draw = |index: usize| -> Result<Frame, RenderError> {
        let time = index as f64 * 0.033;
        let (scene, camera) = scene(time);
        let start = Instant::now();
        let mut frame = renderer.render(&scene, &camera)?;
        frame.write_text(10, 10, &format!("t {time:5.2} s   return {:7.1}", 40.0 * time));
        drawing += start.elapsed();
        Ok(frame)
    };
    let mut gif = GifWriter::start(&folder.join(name).with_extension("gif"), &draw(0)?, 3)?;
    let mut kept = Vec::new();
    for index in 1..FRAMES {
        let frame = draw(index)?;
        let start = Instant::now();
        gif.push(&frame)?;
        writing += start.elapsed();
        if index % (FRAMES / 5) == FRAMES / 10 {
            kept.push(frame);
        }
    }
    gif.finish()?;
    strip(&kept)?.write_png(&folder.join(name).with_extension("png"))?;
    let frames = FRAMES as f64;
    let milliseconds = |total: Duration| 1e3 * total.as_secs_f64() / frames;
    println!(
        "{name}: {:.2} ms to draw and {:.2} ms to write a frame",
        milliseconds(drawing),
        milliseconds(writing)
    );
    Ok(())
}

/// A capsule between two points.
fn limb(from: [f64; 3], to: [f64; 3], radius: f64, colour: Colour) -> Body {
    // Upwards, for the rotation below has no answer straight down.
    let (from, to) = if from[2] <= to[2] { (from, to) } else { (to, from) };
    let middle = std::array::from_fn(|i| (from[i] + to[i]) / 2.0);
    let along: [f64; 3] = std::array::from_fn(|i| to[i] - from[i]);
    let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    // The rotation that takes z to the limb's direction: half way between the two, as a quaternion.
    let [x, y, z] = along.map(|component| component / length);
    let rotation = [-y, x, 0.0, 1.0 + z];
    Body {
        shape: Shape::Capsule { radius, half_length: length / 2.0 },
        pose: Pose { position: middle, rotation },
        colour,
    }
}

/// A torso on two legs that swing in opposite phase.
fn planar_figure(time: f64) -> Scene {
    let x = 1.5 * time;
    let bounce = 0.03 * (14.0 * time).sin();
    let hip = [x, 0.0, 0.95 + bounce];
    let mut bodies = vec![limb(hip, [x + 0.05, 0.0, 1.45 + bounce], 0.06, [214, 96, 52])];
    for (phase, side, colour) in [(0.0, -0.06, [48, 104, 168]), (PI, 0.06, [120, 168, 96])] {
        let swing = 0.5 * (7.0 * time + phase).sin();
        let bend = 0.4 + 0.3 * (7.0 * time + phase + FRAC_PI_2).sin();
        let hip = [hip[0], side, hip[2]];
        let knee = [hip[0] + 0.42 * swing.sin(), side, hip[2] - 0.42 * swing.cos()];
        let ankle =
            [knee[0] + 0.42 * (swing - bend).sin(), side, knee[2] - 0.42 * (swing - bend).cos()];
        bodies.push(limb(hip, knee, 0.05, colour));
        bodies.push(limb(knee, ankle, 0.04, colour));
        bodies.push(limb(ankle, [ankle[0] + 0.2, side, ankle[2]], 0.05, [72, 76, 88]));
    }
    Scene { bodies }
}

/// A ball with four legs of two limbs each, beside a box.
fn four_legs(time: f64) -> Scene {
    let (x, y) = (time, 0.2 * time);
    let centre = [x, y, 0.55];
    let rotation = [0.0, 0.0, 0.0, 1.0];
    let torso = Body {
        shape: Shape::Sphere { radius: 0.25 },
        pose: Pose { position: centre, rotation },
        colour: [214, 96, 52],
    };
    let block = Body {
        shape: Shape::Box { half_extents: [0.2, 0.3, 0.15] },
        pose: Pose { position: [x + 0.4, y + 1.2, 0.15], rotation: [0.0, 0.0, 0.3, 1.0] },
        colour: [196, 168, 88],
    };
    let mut bodies = vec![torso, block];
    for leg in 0..4 {
        let angle = FRAC_PI_2 * (f64::from(leg) + 0.5)
            + 0.3 * (6.0 * time + FRAC_PI_2 * f64::from(leg)).sin();
        let lift = 0.1 * (6.0 * time + PI * f64::from(leg)).sin().max(0.0);
        let at = |reach: f64, z: f64| [x + reach * angle.cos(), y + reach * angle.sin(), z];
        let (hip, knee, foot) = (at(0.2, 0.55), at(0.55, 0.6 + lift), at(0.95, 0.08 + lift));
        bodies.push(limb(hip, knee, 0.08, [48, 104, 168]));
        bodies.push(limb(knee, foot, 0.08, [72, 76, 88]));
    }
    Scene { bodies }
}
