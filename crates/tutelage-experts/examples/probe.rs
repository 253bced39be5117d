//! probe
use std::time::Instant;
use tutelage_envs::{Locomotion, Task};
use tutelage_experts::trpo::{Learner, TrpoSettings};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let task: Task = args[1].parse().unwrap();
    let mut settings =
        TrpoSettings { steps: args[2].parse().unwrap(), ..TrpoSettings::for_task(task) };
    let threads: usize = args[3].parse().unwrap();
    let get = |k: &str| std::env::var(k).ok().map(|v| v.parse::<f64>().unwrap());
    if let Some(v) = get("ENT") {
        settings.region.entropy = v;
    }
    if let Some(v) = get("KL") {
        settings.region.max_kl = v;
    }
    if let Some(v) = get("STD") {
        settings.initial_log_std = v as f32;
    }
    if let Some(v) = get("FLOOR") {
        settings.region.min_log_std = v as f32;
    }
    if let Some(v) = get("BATCH") {
        settings.batch = v as usize;
    }
    if let Some(v) = get("LANES") {
        settings.lanes = v as usize;
    }
    let seed = get("SEED").unwrap_or(1.0) as u64;
    let lanes = settings.lanes;
    let mut learner =
        Learner::new(settings, (task.state_width(), task.action_width()), seed).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut envs: Vec<_> = (0..lanes).map(|_| Locomotion::new(task).unwrap()).collect();
        let start = Instant::now();
        while !learner.is_done() {
            let it = learner.iterate(&mut envs).unwrap();
            if it.iteration % 5 == 0 {
                eprintln!(
                    "{it:?} {:.0}/s {:?}",
                    it.steps as f64 / start.elapsed().as_secs_f64(),
                    learner.policy().log_std()
                );
            }
        }
    });
}
