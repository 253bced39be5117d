//! Steps the robots of all tasks in Rust and in Bullet's own C++, and compares every number bit by bit.
//!
//! ```sh
//! cargo run --release --manifest-path tools/bullet-oracle/Cargo.toml -- [--blocks N] [--steps N] [--progress FILE]
//! ```
//!
//! A block is one robot (every fifth block: a random tree of links), one instruction set, and a few thousand steps of all lanes: random
//! states within and beyond the limits, actions of several kinds, resets, and masked lanes. Block `i` depends only on `i`. With
//! `--progress`, the number of finished blocks is kept in a file, and a later run resumes from there.

mod bodies;
mod ffi;
mod lane;
mod oracle;
mod recording;

use std::error::Error;
use std::path::PathBuf;

use articulated::{InstructionSet, World};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tutelage_tasks::bullet::Robot;

use lane::Lane;
use recording::Recording;

struct Options {
    blocks: u64,
    steps: usize,
    progress: Option<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = parse(std::env::args().skip(1))?;
    let done = match &options.progress {
        Some(path) if path.exists() => std::fs::read_to_string(path)?.trim().parse()?,
        _ => 0,
    };
    let recordings = Robot::ALL.map(Recording::read);
    let mut substeps = 0;
    for block in done..options.blocks {
        substeps += fuzz(block, options.steps, &recordings)?;
        if let Some(path) = &options.progress {
            std::fs::write(path, format!("{}\n", block + 1))?;
        }
        if (block + 1) % 15 == 0 || block + 1 == options.blocks {
            println!("{} blocks, {substeps} substeps in this run: no differing bit", block + 1);
        }
    }
    Ok(())
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
    let mut options = Options { blocks: 64, steps: 2000, progress: None };
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--blocks" => options.blocks = value.parse()?,
            "--steps" => options.steps = value.parse()?,
            "--progress" => options.progress = Some(value.into()),
            _ => return Err(format!("there is no option {name}").into()),
        }
    }
    Ok(options)
}

/// Plays a block and returns how many substeps were compared.
fn fuzz(block: u64, steps: usize, recordings: &[Recording; 4]) -> Result<u64, Box<dyn Error>> {
    let sets: Vec<_> = InstructionSet::ALL.into_iter().filter(|set| set.is_available()).collect();
    let (index, set) = ((block % 5) as usize, sets[(block / 5) as usize % sets.len()]);
    let mut rng = StdRng::seed_from_u64(block);
    let (name, mechanism, recording) = match Robot::ALL.get(index) {
        Some(task) => (task.name(), task.mechanism(), Some(&recordings[index])),
        None => ("random tree", bodies::random_mechanism(&mut rng), None),
    };
    let mut world = World::with(set, &mechanism.settings, &mechanism.body)?;
    let mut lanes: Vec<Lane> =
        (0..set.lanes()).map(|lane| Lane::new(lane, &mechanism, recording)).collect();
    let mut compared = 0;
    for step in 0..steps {
        let still: u8 = if rng.random_bool(0.1) { rng.random() } else { 0 };
        let active = !still & (0xff >> (8 - set.lanes()));
        for lane in lanes.iter_mut().filter(|lane| active >> lane.index & 1 != 0) {
            lane.prepare(&mut world, &mut rng);
        }
        world.step(active);
        for lane in &mut lanes {
            if active >> lane.index & 1 != 0 {
                lane.oracle.step();
                compared += u64::from(mechanism.settings.substeps);
            }
            lane.compare(&world).map_err(|difference| {
                format!(
                    "block {block}, {name}, {set}, step {step}, lane {}: {difference}",
                    lane.index
                )
            })?;
        }
    }
    Ok(compared)
}
