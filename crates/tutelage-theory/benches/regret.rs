//! How long a game in the finite world takes, and how it grows in N, E, S and B.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tutelage_theory::{
    Contender, GameSchedule, ImitationProblem, Lambda, MeasurementLimits, ProblemSize, gap_curve,
    ledge, play, random, trap, tuned_mftpl_p,
};

fn game(problem: &ImitationProblem, rounds: usize, members: usize) -> f64 {
    let schedule = GameSchedule { rounds, states_per_round: 1, max_members: members };
    let player = tuned_mftpl_p(problem, schedule, Lambda::Proof);
    *play(problem, player, rounds, 1, 1).unwrap().regret.last().unwrap()
}

fn problem(states: usize, class_size: usize) -> ImitationProblem {
    random(ProblemSize { states, class_size, ..ProblemSize::default() }).unwrap()
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

/// One curve of `tutelage theory table`.
fn one_curve(c: &mut Criterion) {
    let problem = ledge(20, 1).unwrap();
    let effort = MeasurementLimits {
        max_rounds: 1024,
        max_demonstrations: 100_000,
        max_members: 50,
        seeds: vec![1],
        min_gap: 0.25,
    };
    let mut group = c.benchmark_group("ledge, H = 20");
    group.sample_size(10);
    for contender in [Contender::Bc, Contender::MftplP(Lambda::Rate(0.1)), Contender::LoggerM] {
        group.bench_function(contender.name(), |b| {
            b.iter(|| gap_curve(std::slice::from_ref(&problem), contender, &effort, &|_| ()));
        });
    }
    group.finish();
}

criterion_group!(benches, whole_game, one_curve);
criterion_main!(benches);
