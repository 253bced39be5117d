//! Simulates how often intervals contain the truth, for few normal runs. Prints a Markdown table.

use std::error::Error;

use rand::RngExt;
use tutelage::{Rng, Stream};
use tutelage_compare::stats::{Bootstrap, Interval, StatsError, improvement, mean, t_interval};

const TRIALS: u64 = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| level | runs | t interval | percentile bootstrap | expanded | P(above), bootstrap | P(above), ours |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for level in [0.8, 0.95] {
        for runs in [3, 5, 10] {
            let shares = coverage(level, runs)?;
            let cells = shares.map(|share| format!("{:.0} %", 100.0 * share)).join(" | ");
            println!("| {:.0} % | {runs} | {cells} |", 100.0 * level);
        }
    }
    Ok(())
}

fn coverage(level: f64, runs: usize) -> Result<[f64; 5], StatsError> {
    let bootstrap = Bootstrap::new(level, 1000, Stream::new(0))?;
    let mean = |values: &[f64]| mean(values).unwrap_or(f64::NAN);
    let wins = |runs: &[Vec<f64>]| {
        improvement(&[(&runs[0], &runs[1])], level).map_or(f64::NAN, |wins| wins.estimate)
    };
    // Two distributions one standard deviation apart: a run of the first is above one of the second with probability Φ(1/√2).
    let above = 0.760_249_938_906_523_3;
    let mut held = [0.0; 5];
    for trial in 0..TRIALS {
        let mut rng = Stream::new(trial).rng();
        let (a, b) = (draw(runs, 1.0, &mut rng), draw(runs, 0.0, &mut rng));
        let found = [
            (t_interval(&b, level)?, 0.0),
            (bootstrap.statistic(&b, mean)?, 0.0),
            (bootstrap.expanded().statistic(&b, mean)?, 0.0),
            (bootstrap.stratified(&[&a, &b], wins)?, above),
            (improvement(&[(&a, &b)], level)?, above),
        ];
        for (held, (Interval { low, high, .. }, truth)) in held.iter_mut().zip(found) {
            *held += f64::from(low <= truth && truth <= high) / TRIALS as f64;
        }
    }
    Ok(held)
}

/// Draws normal runs by the polar method.
fn draw(runs: usize, shift: f64, rng: &mut Rng) -> Vec<f64> {
    let mut normal = |_| loop {
        let [u, v] = [(); 2].map(|()| 2.0 * rng.random::<f64>() - 1.0);
        let s: f64 = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            break shift + u * (-2.0 * s.ln() / s).sqrt();
        }
    };
    (0..runs).map(&mut normal).collect()
}
