//! The time of a game in the finite world, and its growth in N, E, S and B.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tutelage_theory::{
    Game, GameSettings, ImitationProblem, Lambda, MeasurementLimits, Player, ProblemSize,
    gap_curve, ledge, play, random, trap,
};

fn game(problem: &ImitationProblem, rounds: usize, max_members: usize) -> Game {
    let settings = GameSettings { rounds, max_members, ..GameSettings::default() };
    let algorithm = Player::MftplP(Lambda::Proof).algorithm(problem, &settings);
    play(problem, algorithm, [rounds, 1], 1).unwrap()
}

fn problem(states: usize, class_size: usize) -> ImitationProblem {
    random(ProblemSize { states, class_size, ..ProblemSize::default() }).unwrap()
}

fn whole_game(c: &mut Criterion) {
    let trap = trap(10).unwrap();
    let mut cases = vec![("trap, N = 1000, E = 2000", 0, trap.clone(), 1000, 2000)];
    for rounds in [50, 100, 200] {
        cases.push(("trap, N (E = 1000)", rounds, trap.clone(), rounds, 1000));
    }
    for members in [500, 5000, 50_000] {
        cases.push(("trap, E (N = 20)", members, trap.clone(), 20, members));
    }
    for states in [8, 32, 128] {
        cases.push(("random, S (N = 20, E = 500)", states, problem(states, 32), 20, 500));
    }
    for class_size in [8, 64, 512] {
        cases.push(("random, B (N = 20, E = 500)", class_size, problem(16, class_size), 20, 500));
    }
    let mut group = c.benchmark_group("game");
    group.sample_size(10);
    for (name, size, problem, rounds, members) in cases {
        let id = BenchmarkId::new(name, size);
        group.bench_function(id, |b| b.iter(|| game(&problem, rounds, members)));
    }
    group.finish();
}

/// One curve of `tutelage theory table`.
fn one_curve(c: &mut Criterion) {
    let problem = [ledge(20, 1).unwrap()];
    let limits = MeasurementLimits {
        max_rounds: 1024,
        max_demonstrations: 100_000,
        max_members: 50,
        seeds: vec![1],
        min_gap: 0.25,
    };
    let mut group = c.benchmark_group("ledge, H = 20");
    group.sample_size(10);
    for player in [Player::Bc, Player::MftplP(Lambda::Rate(0.1)), Player::LoggerM] {
        group.bench_function(player.label(), |b| b.iter(|| gap_curve(&problem, player, &limits)));
    }
    group.finish();
}

criterion_group!(benches, whole_game, one_curve);
criterion_main!(benches);
