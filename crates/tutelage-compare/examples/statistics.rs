//! All statistics of the same numbers, for `tools/check_statistics.py`: JSON in, JSON out.
//!
//! In: `{"a": [[…], …], "b": [[…], …], "curve": […], "p": […], "level": 0.95, "resamples": 2000}`, where `a` and `b` are the
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
    let panels = |runs: &'_ [Vec<f64>]| runs.iter().map(|panel| panel.to_vec()).collect::<Vec<_>>();
    let (x, y) = (panels(a), panels(b));
    let strata: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
    let both: Vec<(&[f64], &[f64])> = x.iter().zip(&y).map(|(a, b)| (&a[..], &b[..])).collect();
    let pairs: Vec<_> = both.clone();
    let of_pairs = |of: &dyn Fn(&[f64], &[f64]) -> serde_json::Value| -> Vec<serde_json::Value> {
        pairs.iter().map(|(a, b)| of(a, b)).collect()
    };
    let scores: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
    let wins = |runs: &[Vec<f64>]| -> f64 {
        let (a, b) = runs.split_at(runs.len() / 2);
        let panel = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let above = a.iter().flat_map(|x| {
                b.iter().map(move |y| {
                    if x > y {
                        1.0
                    } else if x == y {
                        0.5
                    } else {
                        0.0
                    }
                })
            });
            above.sum::<f64>() / (a.len() * b.len()) as f64
        };
        a.iter().zip(b).map(panel).sum::<f64>() / a.len() as f64
    };
    let all: Vec<&[f64]> = x.iter().chain(&y).map(Vec::as_slice).collect();
    let costs: Vec<f64> = (1..=curve.len()).map(|n| 50.0 * n as f64).collect();
    let crossings: Vec<Option<f64>> =
        scores.iter().map(|&level| first_sustained_crossing(&costs, curve, level)).collect();
    // Rounds that grow dearer, and a budget that begins and ends within one.
    let run: Vec<(f64, f64)> =
        (1..).zip(curve).map(|(n, &reward)| (f64::from(n * n), reward)).collect();
    let report = json!({
        "t_interval": x.iter().map(|panel| t_interval(panel, *level)).collect::<Result<Vec<_>, _>>()?,
        "aggregate": aggregate(&strata, &bootstrap)?,
        "profile": performance_profile(&strata, &scores, &bootstrap)?,
        "welch": of_pairs(&|a, b| json!(welch(a, b, *level).ok())),
        "stratified_welch": stratified_welch(&both, *level)?,
        "paired_t": of_pairs(&|a, b| json!(paired_t(a, b, *level).ok())),
        "paired_permutation": of_pairs(&|a, b| json!(paired_permutation(a, b, &Stream::new(1)).ok())),
        "improvement": improvement(&both, *level)?,
        "improvement_bootstrap": bootstrap.stratified(&all, wins)?,
        "isotonic": isotonic(curve),
        "mean_between": mean_between(&run, 2.5, 170.0),
        "crossings": crossings,
        "holm": holm(p),
    });
    println!("{report}");
    Ok(())
}
