//! How long a game in the finite world takes, and how it grows in N, E, S and B.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tutelage_theory::{Dimensions, Problem, play, random, trap, tuned_mftpl_p};

fn game(problem: &Problem, rounds: usize, members: usize) -> f64 {
    let mut algorithm = tuned_mftpl_p(problem, rounds, 1, members);
    algorithm.members = members;
    *play(problem, &algorithm, rounds, 1, 1).unwrap().regret.last().unwrap()
}

fn problem(states: usize, class_size: usize) -> Problem {
    random(Dimensions { states, class_size, ..Dimensions::default() }).unwrap()
}

fn whole_game(c: &mut Criterion) {
    let trap = trap(10).unwrap();
    let mut group = c.benchmark_group("trap");
    group.sample_size(10);
    group.bench_function("N = 1000, E = 2000", |b| b.iter(|| game(&trap, 1000, 2000)));
    for rounds in [50, 100, 200] {
        group.bench_with_input(BenchmarkId::new("N (E = 1000)", rounds), &rounds, |b, &n| {
            b.iter(|| game(&trap, n, 1000))
        });
    }
    for members in [500, 5000, 50_000] {
        group.bench_with_input(BenchmarkId::new("E (N = 20)", members), &members, |b, &e| {
            b.iter(|| game(&trap, 20, e))
        });
    }
    group.finish();
    let mut group = c.benchmark_group("random");
    group.sample_size(10);
    for states in [8, 32, 128] {
        let problem = problem(states, 32);
        group.bench_with_input(
            BenchmarkId::new("S (N = 20, E = 500)", states),
            &problem,
            |b, p| b.iter(|| game(p, 20, 500)),
        );
    }
    for class_size in [8, 64, 512] {
        let problem = problem(16, class_size);
        group.bench_with_input(
            BenchmarkId::new("B (N = 20, E = 500)", class_size),
            &problem,
            |b, p| {
                b.iter(|| game(p, 20, 500));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, whole_game);
criterion_main!(benches);
