//! What the paper proves, watched at work.

#![allow(clippy::unwrap_used)]

use tutelage_theory::{
    Game, GameSchedule, ImitationProblem, Lambda, Player, arbitrary, contestants, limitation, play,
    random, trap, tuned_mftpl_p,
};

fn schedule(rounds: usize, states_per_round: usize, max_members: usize) -> GameSchedule {
    GameSchedule { rounds, states_per_round, max_members }
}

fn regret_per_round(game: &Game) -> f64 {
    game.regret[game.regret.len() - 1] / game.regret.len() as f64
}

#[test]
fn the_trap_catches_dagger_and_not_mftpl_p() {
    let problem = trap(10).unwrap();
    let dagger = play(&problem, Player::Dagger, 1000, 1, 1).unwrap();
    assert!(regret_per_round(&dagger) >= 0.40, "DAgger: {}", regret_per_round(&dagger));
    // A small ensemble is enough to see the fall; the full size is what `tutelage theory regret` runs.
    let of_seed = |rounds, seed| {
        let player = tuned_mftpl_p(&problem, schedule(rounds, 1, 300), Lambda::Proof);
        regret_per_round(&play(&problem, player, rounds, 1, seed).unwrap())
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
        for player in contestants(&problem, schedule(rounds, k, 50), &[Lambda::Proof]) {
            let (left, right) = play(&problem, player, rounds, k, seed).unwrap().theorem_one();
            assert!(
                left <= right + 1e-9,
                "{} on {} {seed}: {left} > {right}",
                player.name(),
                problem.name
            );
            tight = tight.max(left / right);
            cases += 1;
        }
    }
    assert_eq!(cases, 360);
    assert!(tight > 0.2, "a bound that is never near proves little: closest ratio {tight}");
}

#[test]
fn no_regret_learners_imitate_the_fast_route_of_proposition_one() {
    let problem = limitation(10).unwrap();
    for player in contestants(&problem, schedule(1000, 5, 100), &[Lambda::Proof]) {
        let Game { last, .. } = play(&problem, player, 1000, 5, 1).unwrap();
        assert!(last.weights[1] > 0.8, "{}: {:?}", player.name(), last.weights);
        // Weight and cost are of the same policy: J is what the weights say.
        let cost = last.weights[0] * 1.0 + last.weights[1] * 9.0;
        assert!(
            (last.cost - cost).abs() < 1e-9,
            "{} pays {}, not {cost}",
            player.name(),
            last.cost
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_with_one_and_two_threads() {
    let problem = random(Default::default()).unwrap();
    let games = |threads: usize| -> Vec<Game> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let all = contestants(&problem, schedule(30, 2, 500), &[Lambda::Proof]);
        pool.install(|| {
            all.iter().map(|&player| play(&problem, player, 30, 2, 7).unwrap()).collect()
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
        ImitationProblem::new("realizable", (*base.mdp).clone(), class, base.expert.to_vec())
            .unwrap();
    let game = play(&problem, Player::BootstrapDagger { members: 5 }, 100, 5, 1).unwrap();
    assert_eq!(game.bias, 0.0);
    assert!(game.last.weights[10] > 0.9, "the expert itself is found: {:?}", game.last.weights);
}
