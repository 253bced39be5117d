//! Measures environment steps per CPU-second under random actions.
//!
//! ```sh
//! cargo run --release -p tutelage-tasks --example env_speed -- TASK STEPS [LANES [THREADS]]
//! ```
//!
//! Prints one JSON line. With LANES, a vector environment takes STEPS steps in total, on THREADS
//! threads (default: 1). `benches/env_speed/run.py` compares the results with `pybullet_envs` and
//! EnvPool.

use std::error::Error;
use std::time::Instant;

use cpu_time::ProcessTime;
use tutelage::{Batch, Element, Env, Rng, Stream, VectorEnv};
use tutelage_tasks::bullet::{Locomotion, LocomotionVecEnv, Robot};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((task, numbers)) = arguments.split_first() else {
        return Err("usage: env_speed TASK STEPS [LANES [THREADS]]".into());
    };
    let task: Robot = task.parse()?;
    let numbers = numbers.iter().map(|n| n.parse()).collect::<Result<Vec<usize>, _>>()?;
    let figures = match numbers[..] {
        [steps] => Figures::of(1, || Ok((play_alone(task, steps)?, 1)))?,
        [steps, lanes] => Figures::of(1, || Ok((play_vec_env(task, steps, lanes)?, lanes)))?,
        [steps, lanes, threads] => {
            Figures::of(threads, || Ok((play_vec_env(task, steps, lanes)?, lanes)))?
        }
        _ => return Err("usage: env_speed TASK STEPS [LANES [THREADS]]".into()),
    };
    println!(
        r#"{{"task": "{task}", "steps": {}, "lanes": {}, "threads": {}, "cpu_seconds": {:.4}, "steps_per_cpu_second": {:.1}, "steps_per_second": {:.1}}}"#,
        figures.steps,
        figures.lanes,
        figures.threads,
        figures.cpu,
        figures.steps as f64 / figures.cpu,
        figures.steps as f64 / figures.clock,
    );
    Ok(())
}

struct Figures {
    steps: usize,
    lanes: usize,
    threads: usize,
    cpu: f64,
    clock: f64,
}

impl Figures {
    /// Measures `play`, which returns how many steps it played and in how many lanes.
    fn of(
        threads: usize,
        play: impl FnOnce() -> Result<(usize, usize), Box<dyn Error>> + Send,
    ) -> Result<Figures, Box<dyn Error>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (clock, cpu) = (Instant::now(), ProcessTime::now());
        let (steps, lanes) = pool.install(|| play().map_err(|e| e.to_string()))?;
        let (clock, cpu) = (clock.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        Ok(Figures { steps, lanes, threads, cpu, clock })
    }
}

fn reset(lane: usize, episode: u64) -> Rng {
    Stream::new(1).fork("lane", lane as u64).fork("reset", episode).rng()
}

/// A few hundred actions, to be played over and over: drawing them is not what is measured.
fn actions(task: Robot) -> Batch<f32> {
    let mut rng = Stream::new(1).fork("actions", 0).rng();
    let mut actions = Batch::zeros(509, task.action_width());
    for row in 0..actions.len() {
        f32::draw_uniform(task.action_width(), &mut rng, actions.row_mut(row));
    }
    actions
}

fn play_alone(task: Robot, steps: usize) -> Result<usize, Box<dyn Error>> {
    let mut env = Locomotion::new(task)?;
    let (actions, mut state) = (actions(task), vec![0.0; task.state_width()]);
    let (mut episodes, mut ended) = (0, true);
    for step in 0..steps {
        if ended {
            env.reset(reset(0, episodes), &mut state)?;
            episodes += 1;
        }
        ended = env.step(actions.row(step % actions.len()), &mut state)?.is_last();
    }
    Ok(steps)
}

fn play_vec_env(task: Robot, steps: usize, lanes: usize) -> Result<usize, Box<dyn Error>> {
    let mut envs = LocomotionVecEnv::new(task, lanes)?;
    let drawn = actions(task);
    let all: Vec<usize> = (0..lanes).collect();
    let mut episodes = vec![1; lanes];
    let mut actions = Batch::zeros(lanes, task.action_width());
    for &lane in &all {
        envs.reset(lane, reset(lane, 0))?;
    }
    let rounds = steps.div_ceil(lanes);
    for round in 0..rounds {
        for &lane in &all {
            actions.row_mut(lane).copy_from_slice(drawn.row((round + 20 * lane) % drawn.len()));
        }
        envs.step(&all, &actions)?;
        for &lane in &all {
            if envs.last_step(lane).is_last() {
                envs.reset(lane, reset(lane, episodes[lane]))?;
                episodes[lane] += 1;
            }
        }
    }
    Ok(rounds * lanes)
}
