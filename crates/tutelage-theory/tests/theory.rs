//! What the paper proves, watched at work.

#![allow(clippy::unwrap_used)]

use tutelage::{bootstrap_dagger, dagger};
use tutelage_theory::{
    Game, Problem, arbitrary, contestants, limitation, play, random, trap, tuned_mftpl_p,
};

fn regret_per_round(game: &Game) -> f64 {
    game.regret[game.regret.len() - 1] / game.regret.len() as f64
}

#[test]
fn the_trap_catches_dagger_and_not_mftpl_p() {
    let problem = trap(10).unwrap();
    let dagger = play(&problem, &dagger(), 1000, 1, 1).unwrap();
    assert!(regret_per_round(&dagger) >= 0.40, "DAgger: {}", regret_per_round(&dagger));
    // A small ensemble is enough to see the fall; the full size is what `tutelage theory regret` runs.
    let of_seed = |rounds, seed| {
        regret_per_round(
            &play(&problem, &tuned_mftpl_p(&problem, rounds, 1, 300), rounds, 1, seed).unwrap(),
        )
    };
    let at = |rounds| (1..=4).map(|seed| of_seed(rounds, seed)).sum::<f64>() / 4.0;
    let (early, late) = (at(50), at(1000));
    assert!(late <= 0.02, "MFTPL-P: {late}");
    assert!(late < early, "the average regret should fall: {early} at N = 50, {late} at N = 1000");
}

#[test]
fn theorem_one_holds_in_every_case() {
    let mut cases = 0;
    let mut tight = f64::NEG_INFINITY;
    for seed in 0..60 {
        let problem = arbitrary(seed).unwrap();
        let (rounds, k) = (5 + seed as usize % 20, 1 + seed as usize % 3);
        for algorithm in contestants(&problem, rounds, k, 50) {
            let (left, right) = play(&problem, &algorithm, rounds, k, seed).unwrap().theorem_one();
            assert!(
                left <= right + 1e-9,
                "{} on {} {seed}: {left} > {right}",
                algorithm.name,
                problem.name
            );
            tight = tight.max(left / right);
            cases += 1;
        }
    }
    assert_eq!(cases, 300);
    assert!(tight > 0.2, "a bound that is never near proves little: closest ratio {tight}");
}

#[test]
fn no_regret_learners_imitate_the_fast_route_of_proposition_one() {
    let problem = limitation(10).unwrap();
    for algorithm in contestants(&problem, 1000, 5, 100) {
        let game = play(&problem, &algorithm, 1000, 5, 1).unwrap();
        assert!(game.weights[1] > 0.8, "{}: {:?}", algorithm.name, game.weights);
        let late = game.costs.last().unwrap();
        assert!(*late > 5.0, "{} pays {late}, where min J = 1", algorithm.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_with_one_and_two_threads() {
    let problem = random(Default::default()).unwrap();
    let games = |threads: usize| -> Vec<Game> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let all = contestants(&problem, 30, 2, 500);
        pool.install(|| {
            all.iter().map(|algorithm| play(&problem, algorithm, 30, 2, 7).unwrap()).collect()
        })
    };
    assert_eq!(games(1), games(2));
}

#[test]
fn a_realizable_deterministic_expert_leaves_no_bias() {
    let base = random(Default::default()).unwrap();
    let tables: Vec<Vec<u32>> =
        (0..10).map(|h| base.class.policy(h)).chain([base.expert.to_vec()]).collect();
    let class = tutelage_theory::PolicyClass::new(base.mdp.spaces(), &tables).unwrap();
    let problem =
        Problem::new("realizable", (*base.mdp).clone(), class, base.expert.to_vec()).unwrap();
    let game = play(&problem, &bootstrap_dagger(5), 100, 5, 1).unwrap();
    assert_eq!(game.bias, 0.0);
    assert!(game.weights[10] > 0.9, "the expert itself is found: {:?}", game.weights);
}
