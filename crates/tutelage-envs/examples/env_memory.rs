//! Measures the memory of environments: resident memory before and after building some and playing
//! 200 steps in each.
//!
//! ```sh
//! cargo run --release -p tutelage-envs --example env_memory -- TASK COUNT
//! ```

use std::error::Error;

use tutelage::{Env, Stream};
use tutelage_envs::{Locomotion, Robot};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, count] = &arguments[..] else { return Err("usage: env_memory TASK COUNT".into()) };
    let (task, count): (Robot, usize) = (task.parse()?, count.parse()?);
    let before = resident_kib()?;
    let mut envs = (0..count).map(|_| Locomotion::new(task)).collect::<Result<Vec<_>, _>>()?;
    let (mut state, action) = (vec![0.0; task.state_width()], vec![0.5; task.action_width()]);
    for (lane, env) in envs.iter_mut().enumerate() {
        let mut ended = true;
        for step in 0..200 {
            if ended {
                env.reset(Stream::new(lane as u64).fork("reset", step).rng(), &mut state)?;
            }
            ended = env.step(&action, &mut state)?.is_last();
        }
    }
    let after = resident_kib()?;
    println!(
        r#"{{"task": "{task}", "environments": {count}, "before_kib": {before}, "after_kib": {after}}}"#
    );
    Ok(())
}

/// Resident memory of this process, as Linux reports it.
fn resident_kib() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .ok_or("no VmRSS in /proc/self/status")?;
    Ok(line.split_whitespace().nth(1).ok_or("VmRSS has no value")?.parse()?)
}
