//! A whole run by phase: `cargo bench -p tutelage-spec --bench bd5_hopper -- [FIELD=VALUE …]`.
//!
//! The default is BD-5 on Hopper with the settings of the experiments. Each argument is a line of a spec, such as
//! `algorithm="bd-25"` or `rounds=5`.

use std::time::Instant;

use tutelage_runs::store::{RoundTimings, read_times};
use tutelage_runs::{Silent, peak_memory};
use tutelage_spec::learn_in;
use tutelage_spec::spec::SpecInput;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let told: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let defaults = SpecInput::parse("task = 'hopper'\nalgorithm = 'bd-5'\nkeep = 'last'")?;
    let spec = SpecInput::parse(&told.join("\n"))?.or(defaults).complete()?;
    print!("{}", spec.to_toml());

    let dir = tempfile::tempdir()?;
    let started = Instant::now();
    let report = learn_in(dir.path(), &spec, &mut Silent)?;
    let whole = started.elapsed().as_secs_f64();

    let times = read_times(dir.path());
    let sum = |phase: fn(&RoundTimings) -> f64| times.iter().map(phase).sum::<f64>();
    let phases = [
        ("collect", sum(|s| s.collect)),
        ("annotate", sum(|s| s.annotate)),
        ("train", sum(|s| s.train)),
        ("evaluate", sum(|s| s.evaluate)),
    ];
    let rest = whole - phases.iter().map(|(_, seconds)| seconds).sum::<f64>();
    println!("\nphase      seconds  share");
    for (phase, seconds) in phases.into_iter().chain([("rest", rest), ("whole", whole)]) {
        println!("{phase:<9} {seconds:>8.2}  {:>4.1} %", 100.0 * seconds / whole);
    }
    let earned = |evaluation: &tutelage::evaluation::Evaluation| evaluation.mean_reward();
    let last = report.history.results().last().map(|result| earned(&result.deployed));
    let expert = report.history.expert().map(earned);
    println!("\nreward {last:.1?} beside the expert's {expert:.1?}");
    if let Some(bytes) = peak_memory() {
        println!("peak memory {} MB", bytes / 1_000_000);
    }
    Ok(())
}
