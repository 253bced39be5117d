//! Where the finite world meets the core: its loop, its algorithms, its training sets. Nothing else here knows them.

use std::sync::Arc;

use rayon::prelude::*;
use tutelage::{
    Algorithm, Dataset, Event, ExpertActs, Flow, Lanes, LearnError, Plan, Progress, Sampling,
    Setting, Size, Stream, TrainOn, TrainingSets, View, behavior_cloning, bootstrap_dagger, dagger,
    learn, logger_m, mftpl_p,
};

use crate::{MdpEnv, Mixture, Player, Problem, TableExpert};

/// Why a game could not be played.
pub type PlayError = LearnError;

/// What a round shows to those who watch.
pub(crate) enum Moment<'a> {
    /// πₙ is about to be played.
    Playing(&'a Mixture),
    /// These K states are asked about.
    Asking(&'a [u32]),
}

/// Lets a player learn for N rounds of K states, drawn independently from d_{πₙ} (from d_{π^E} for BC); returns π_{N+1}.
pub(crate) fn run(
    problem: &Problem,
    player: Player,
    [rounds, states_per_round]: [usize; 2],
    seed: u64,
    see: &mut dyn FnMut(Moment<'_>),
) -> Result<Mixture, PlayError> {
    // One lane is enough: a step costs less than handing it to another thread.
    let mut lanes = Lanes::new(vec![MdpEnv::new(problem.mdp.clone())])
        .map_err(|source| LearnError::Collect { round: 0, source: source.into() })?;
    let (mut expert, oracle) = (TableExpert(problem.expert.clone()), problem.oracle());
    let (sampling, stream) = (Sampling::Independent, Stream::new(seed));
    let plan = Plan { rounds, states_per_round, sampling, stream };
    let mut observer = |event: Event<'_, u32, u32, Mixture>| {
        match event {
            Event::Driving { policy, .. } => see(Moment::Playing(policy)),
            Event::Collected { states, .. } => see(Moment::Asking(states.as_slice())),
            _ => {}
        }
        Ok(Flow::Continue)
    };
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &oracle };
    let progress = Progress::none(problem.mdp.spaces());
    Ok(learn(setting, &algorithm(problem, player), &plan, progress, &mut observer)?.last)
}

fn algorithm(problem: &Problem, player: Player) -> Algorithm<u32, u32> {
    match player {
        Player::Bc => behavior_cloning(ExpertActs::Sampled),
        Player::Dagger => dagger(),
        Player::BootstrapDagger { members } => bootstrap_dagger(members),
        Player::MftplP { members, lambda } => mftpl_p(members, lambda, problem.cover.clone()),
        Player::LoggerM { members, scale } => logger_m(members, scale, problem.separator.clone()),
    }
}

/// Draws perturbation sets Q with Poisson(λ) examples, as MFTPL-P's members get them, and hands each to `each` as the
/// credit −copies of every (s, a), at index s·A + a.
pub(crate) fn perturbations<T: Send>(
    problem: &Problem,
    lambda: f64,
    draws: usize,
    stream: Stream,
    each: impl Fn(usize, &[f64]) -> T + Sync,
) -> Result<Vec<T>, PlayError> {
    let spaces = problem.mdp.spaces();
    let data = Dataset::empty(spaces);
    let cover: Arc<dyn tutelage::Cover<u32>> = problem.cover.clone();
    let train_on = TrainOn::Perturbed { size: Size::Poisson(lambda), cover };
    let sets = TrainingSets::<u32, u32>::new(&data, &train_on, spaces, draws, stream)?;
    let one = |draw: usize| {
        let mut table = vec![0.0; spaces.states * spaces.actions];
        if let View::Extended(q) = sets.view(draw) {
            let examples = q.states.as_slice().iter().zip(q.actions.as_slice()).zip(&q.copies);
            for ((&state, &label), &copies) in examples {
                table[state as usize * spaces.actions + label as usize] -= copies as f64;
            }
        }
        each(draw, &table)
    };
    Ok((0..draws).into_par_iter().with_min_len(64).map(one).collect())
}
