//! Measures the tasks: env steps per CPU-second under random actions, with a reset at every end.
//!
//! ```sh
//! cargo run --release -p tutelage-envs --example env_speed -- TASK STEPS [THREADS]
//! ```
//!
//! Prints one JSON line. With THREADS, that many environments play STEPS steps each, and steps per second of the clock are given too.
//! `benches/env_speed/run.py` sets the figures beside those of `pybullet_envs`.

use std::error::Error;
use std::time::Instant;

use cpu_time::ProcessTime;
use tutelage::{Action, Batch, Env, Stream};
use tutelage_envs::{Locomotion, Task};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (task, steps, threads) = match &arguments[..] {
        [task, steps] => (task.parse()?, steps.parse()?, 1),
        [task, steps, threads] => (task.parse()?, steps.parse()?, threads.parse()?),
        _ => return Err("usage: env_speed TASK STEPS [THREADS]".into()),
    };
    let mut players =
        (0..threads).map(|lane| Player::new(task, steps, lane)).collect::<Result<Vec<_>, _>>()?;
    let (clock, cpu) = (Instant::now(), ProcessTime::now());
    std::thread::scope(|scope| {
        for player in &mut players {
            scope.spawn(|| player.play());
        }
    });
    let (clock, cpu) = (clock.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    let total = (steps * players.len()) as f64;
    println!(
        r#"{{"task": "{task}", "steps": {total}, "cpu_seconds": {cpu:.4}, "steps_per_cpu_second": {:.1}, "threads": {threads}, "steps_per_second": {:.1}}}"#,
        total / cpu,
        total / clock,
    );
    Ok(())
}

/// An environment with actions drawn beforehand.
struct Player {
    env: Locomotion,
    stream: Stream,
    actions: Batch<f32>,
    state: Vec<f32>,
}

impl Player {
    fn new(task: Task, steps: usize, lane: u64) -> Result<Player, articulated::Error> {
        let stream = Stream::new(1).fork("lane", lane);
        let mut rng = stream.fork("actions", 0).rng();
        let mut actions = Batch::zeros(steps, task.action_width());
        for step in 0..steps {
            f32::draw_uniform(task.action_width(), &mut rng, actions.row_mut(step));
        }
        Ok(Player {
            env: Locomotion::new(task)?,
            stream,
            actions,
            state: vec![0.0; task.state_width()],
        })
    }

    fn play(&mut self) {
        let mut episodes = 0..;
        let mut ended = true;
        for action in self.actions.rows() {
            if ended {
                let rng = self.stream.fork("reset", episodes.next().unwrap_or(0)).rng();
                self.env.reset(rng, &mut self.state).expect("the state fits");
            }
            ended = self.env.step(action, &mut self.state).expect("the action fits").is_last();
        }
    }
}
