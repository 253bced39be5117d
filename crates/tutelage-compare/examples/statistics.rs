//! Computes all statistics of some numbers, for `tools/check_statistics.py`: JSON in, JSON out.
//!
//! Input: `{"a": [[…], …], "b": [[…], …], "curve": […], "p": […], "level": 0.95, "resamples": 2000}`, where `a` and `b` are the
//! runs of two algorithms, panel by panel.

use std::error::Error;

use serde::Deserialize;
use serde_json::json;
use tutelage::Stream;
use tutelage_compare::stats::{
    Bootstrap, aggregate, first_sustained_crossing, holm, improvement, isotonic, mean_between,
    paired_permutation, paired_t, performance_profile, stratified_welch, t_interval, welch,
};

#[derive(Deserialize)]
struct Numbers {
    a: Vec<Vec<f64>>,
    b: Vec<Vec<f64>>,
    curve: Vec<f64>,
    p: Vec<f64>,
    level: f64,
    resamples: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let numbers: Numbers = serde_json::from_reader(std::io::stdin())?;
    let Numbers { a, b, curve, p, level, resamples } = &numbers;
    let bootstrap = Bootstrap::new(*level, *resamples, Stream::new(1))?;
    let both: Vec<(&[f64], &[f64])> = a.iter().zip(b).map(|(a, b)| (&a[..], &b[..])).collect();
    let of_pairs = |of: &dyn Fn(&[f64], &[f64]) -> serde_json::Value| -> Vec<serde_json::Value> {
        both.iter().map(|(a, b)| of(a, b)).collect()
    };
    let scores: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
    let wins = |runs: &[Vec<f64>]| {
        let (a, b) = runs.split_at(runs.len() / 2);
        let pairs: Vec<(&[f64], &[f64])> = a.iter().zip(b).map(|(a, b)| (&a[..], &b[..])).collect();
        improvement(&pairs, *level).map_or(f64::NAN, |wins| wins.estimate)
    };
    let costs: Vec<f64> = (1..=curve.len()).map(|n| 50.0 * n as f64).collect();
    let crossings: Vec<Option<f64>> =
        scores.iter().map(|&level| first_sustained_crossing(&costs, curve, level)).collect();
    // The cost of rounds grows, and the budget starts and ends within a round.
    let run: Vec<(f64, f64)> =
        (1..).zip(curve).map(|(n, &reward)| (f64::from(n * n), reward)).collect();
    let report = json!({
        "t_interval": a.iter().map(|panel| t_interval(panel, *level)).collect::<Result<Vec<_>, _>>()?,
        "aggregate": aggregate(a, &bootstrap)?,
        "profile": performance_profile(a, &scores, &bootstrap)?,
        "welch": of_pairs(&|a, b| json!(welch(a, b, *level).ok())),
        "stratified_welch": stratified_welch(&both, *level)?,
        "paired_t": of_pairs(&|a, b| json!(paired_t(a, b, *level).ok())),
        "paired_permutation": of_pairs(&|a, b| json!(paired_permutation(a, b, &Stream::new(1)).ok())),
        "improvement": improvement(&both, *level)?,
        "improvement_bootstrap": bootstrap.stratified(&[&a[..], b].concat(), wins)?,
        "isotonic": isotonic(curve),
        "mean_between": mean_between(&run, 2.5, 170.0),
        "crossings": crossings,
        "holm": holm(p),
    });
    println!("{report}");
    Ok(())
}
