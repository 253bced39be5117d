//! Measures training time: one JSON line per repeat.
//!
//! `train_speed WIDTHS MEMBERS THREADS ITERATIONS REPEATS`, for example
//! `train_speed 28-64-64-8 25 2 2000 3`. Each repeat measures the peak multiply-add rate, trains the
//! ensemble on bootstraps of 1000 random rows in minibatches of 200, and acts in 25 states.

#[path = "../benches/fma_peak/mod.rs"]
mod fma_peak;

use std::time::Instant;

use cpu_time::ProcessTime;
use rand::RngExt;
use tutelage::choice::TrainOn;
use tutelage::oracle::TrainingSets;
use tutelage::{Batch, Dataset, Oracle, Policy, Spaces, Stream};
use tutelage_oracles::mlp::{MlpOracle, MlpPolicy, MlpSettings, TrainingBudget};

const ROWS: usize = 1000;
const STATES: usize = 25;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [widths, members, threads, iterations, repeats] = &arguments[..] else {
        return Err("usage: train_speed WIDTHS MEMBERS THREADS ITERATIONS REPEATS".into());
    };
    let widths = widths.split('-').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let [members, iterations, repeats] =
        [members.parse::<usize>()?, iterations.parse()?, repeats.parse()?];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let spaces = Spaces { states: widths[0], actions: widths[widths.len() - 1] };
    let settings = MlpSettings {
        budget: TrainingBudget::Iterations(iterations),
        ..MlpSettings::new(&widths[1..widths.len() - 1])
    };
    let (oracle, data) = (MlpOracle::new(settings)?, random_data(spaces));
    let operations = 6 * 200 * widths.windows(2).map(|pair| pair[0] * pair[1]).sum::<usize>();

    for _ in 0..repeats {
        let peak = fma_peak::fma_peak(0.2);
        let sets = TrainingSets::new(&data, TrainOn::Bootstrap, spaces, members, Stream::new(2))?;
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let policy = pool.install(|| oracle.fit(&sets, &Stream::new(3)))?;
        let per = 1e6 / (members * iterations) as f64;
        let [wall, cpu] = [wall.elapsed(), cpu.elapsed()].map(|t| t.as_secs_f64() * per);
        let share = operations as f64 / cpu / 1e3 / peak;
        let act = pool.install(|| microseconds_to_act(&policy, &data));
        println!(
            "{{\"wall_us\":{wall:.3},\"cpu_us\":{cpu:.3},\"peak_gflops\":{peak:.1},\"share_of_peak\":{share:.4},\
             \"act_us\":{act:.1},\"peak_rss_mb\":{:.1}}}",
            peak_memory_mb()
        );
    }
    Ok(())
}

fn random_data(spaces: Spaces) -> Dataset<f32, f32> {
    let mut rng = Stream::new(1).rng();
    let mut data = Dataset::empty(spaces);
    for _ in 0..ROWS {
        let state: Vec<f32> = (0..spaces.states).map(|_| rng.random_range(-1.0..1.0)).collect();
        let label: Vec<f32> =
            (0..spaces.actions).map(|j| (2.0 * state[j % state.len()]).sin()).collect();
        data.states.push(&state);
        data.actions.push(&label);
    }
    data
}

/// Returns the fastest of many calls.
fn microseconds_to_act(policy: &MlpPolicy, data: &Dataset<f32, f32>) -> f64 {
    let states = data.states.slice(0, STATES);
    let mut actions = Batch::zeros(STATES, data.actions.width());
    let call = |_| {
        let start = Instant::now();
        policy.act_mean(&states, &mut actions).expect("the widths are the network's");
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..2000).map(call).fold(f64::MAX, f64::min)
}

/// Returns the peak memory of this process on Linux, otherwise zero.
fn peak_memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
