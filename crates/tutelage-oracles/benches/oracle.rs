//! Benchmarks of the oracles, compared with the peak rate of a core.
//!
//! Prints the share of the peak multiply-add rate that 2000 iterations of training reach on one thread
//! (6 · weights · rows operations per iteration), then runs the criterion benchmarks.

mod fma_peak;

use std::hint::black_box;

use cpu_time::ThreadTime;
use criterion::{BenchmarkId, Criterion};
use rand::RngExt;
use tutelage::choice::TrainOn;
use tutelage::oracle::TrainingSets;
use tutelage::{Batch, Dataset, Oracle, Policy, Spaces, Stream};
use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{MlpOracle, MlpPolicy, MlpSettings, TrainingBudget};
use tutelage_oracles::net::Isa;

const SHAPES: [&[usize]; 5] =
    [&[28, 64, 64, 8], &[26, 64, 64, 6], &[15, 4, 3], &[26, 12, 6], &[22, 24, 6]];

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    share_of_peak();
    train(&mut criterion);
    act(&mut criterion);
    least_squares(&mut criterion);
    criterion.final_summary();
}

/// Alternates the peak measurement and training, so that other load affects both.
fn share_of_peak() {
    println!(
        "{:>12} {:>10} {:>10} {:>8} {:>8}",
        "network", "µs/iter", "peak GF/s", "best", "median"
    );
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    for widths in SHAPES {
        let operations = 6 * 200 * widths.windows(2).map(|pair| pair[0] * pair[1]).sum::<usize>();
        let mut runs: Vec<(f64, f64, f64)> = (0..7)
            .map(|_| {
                pool.install(|| {
                    let peak = fma_peak::fma_peak(0.2);
                    let start = ThreadTime::now();
                    black_box(fit(widths, 1, 2000, Isa::detect()));
                    let time = start.elapsed().as_secs_f64() / 2000.0;
                    (operations as f64 / time / 1e9 / peak, time * 1e6, peak)
                })
            })
            .collect();
        runs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (best, time, peak) = runs[0];
        let name = widths.iter().map(usize::to_string).collect::<Vec<_>>().join("-");
        println!(
            "{name:>12} {time:>10.2} {peak:>10.1} {:>7.1}% {:>7.1}%",
            100.0 * best,
            100.0 * runs[3].0
        );
    }
}

fn train(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("train 200 iterations, one member");
    for widths in SHAPES {
        for isa in Isa::available() {
            let id = BenchmarkId::new(format!("{isa:?}"), format!("{widths:?}"));
            group.bench_function(id, |b| b.iter(|| fit(widths, 1, 200, isa)));
        }
    }
}

fn act(criterion: &mut Criterion) {
    let policy = fit(&[28, 64, 64, 8], 25, 1, Isa::detect());
    let states = data(Spaces { states: 28, actions: 8 }).states.slice(0, 25);
    let (mut actions, members) = (Batch::zeros(25, 8), (0..25).collect::<Vec<u32>>());
    let mut group = criterion.benchmark_group("act in 25 states, 25 members of 28-64-64-8");
    group.bench_function("mean of all", |b| b.iter(|| policy.act_mean(&states, &mut actions)));
    group.bench_function("one member a row", |b| {
        b.iter(|| policy.act_members(&states, &members, &mut actions))
    });
}

fn least_squares(criterion: &mut Criterion) {
    let spaces = Spaces { states: 28, actions: 8 };
    let data = data(spaces);
    let sets = TrainingSets::new(&data, TrainOn::Bootstrap, spaces, 25, Stream::new(2))
        .expect("valid sets");
    criterion.bench_function("least squares, 25 bootstraps of 1000 rows", |b| {
        b.iter(|| LeastSquares::default().fit(&sets, &Stream::new(3)).expect("a fit"));
    });
}

fn fit(widths: &[usize], members: usize, iterations: usize, isa: Isa) -> MlpPolicy {
    let spaces = Spaces { states: widths[0], actions: widths[widths.len() - 1] };
    let data = data(spaces);
    let hidden = &widths[1..widths.len() - 1];
    let settings =
        MlpSettings { budget: TrainingBudget::Iterations(iterations), ..MlpSettings::new(hidden) };
    let sets = TrainingSets::new(&data, TrainOn::Bootstrap, spaces, members, Stream::new(2))
        .expect("valid sets");
    MlpOracle::new(settings)
        .expect("valid settings")
        .with_isa(isa)
        .fit(&sets, &Stream::new(3))
        .expect("a fit")
}

fn data(spaces: Spaces) -> Dataset<f32, f32> {
    let mut rng = Stream::new(1).rng();
    let mut data = Dataset::empty(spaces);
    for _ in 0..1000 {
        let state: Vec<f32> = (0..spaces.states).map(|_| rng.random_range(-1.0..1.0)).collect();
        data.actions.push(
            &(0..spaces.actions).map(|j| (2.0 * state[j % state.len()]).sin()).collect::<Vec<_>>(),
        );
        data.states.push(&state);
    }
    data
}
