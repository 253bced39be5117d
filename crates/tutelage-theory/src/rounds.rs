//! Where the finite world meets the core: its loop, its algorithms, its training sets. Nothing else here knows them.

use rayon::prelude::*;
use tutelage::algorithm::{
    behavior_cloning, bootstrap_dagger, dagger, hand_over, logger_m, mftpl_p,
};
use tutelage::choice::{ExpertActs, PerturbationSize, TrainOn, Windows};
use tutelage::lesson::{LearnError, LessonEvent, Progress};
use tutelage::oracle::{TrainingSets, TrainingSpec, View};
use tutelage::{Algorithm, Dataset, Inputs, Lesson, Sampling, Schedule, Stream, SyncVectorEnv};

use crate::{ImitationProblem, MdpEnv, MixedPolicy, Player, TabularExpert};

/// Why a game could not be played.
pub type PlayError = LearnError;

/// What a round shows to those who watch.
pub(crate) enum GameEvent<'a> {
    /// πₙ is about to be played.
    Playing(&'a MixedPolicy),
    /// These K states are asked about.
    Asking(&'a [u32]),
}

/// Lets a player learn for N rounds of K states, drawn independently from d_{πₙ} (from d_{π^E} for BC); returns π_{N+1}.
pub(crate) fn run(
    problem: &ImitationProblem,
    player: Player,
    [rounds, states_per_round]: [usize; 2],
    seed: u64,
    see: &mut dyn FnMut(GameEvent<'_>),
) -> Result<MixedPolicy, PlayError> {
    // One lane is enough: a step costs less than handing it to another thread.
    let mut envs = SyncVectorEnv::new(vec![MdpEnv::new(problem.mdp.clone())])
        .map_err(|source| LearnError::Collect { round: 0, source: source.into() })?;
    let (mut expert, oracle) = (TabularExpert(problem.expert.clone()), problem.oracle());
    let schedule = Schedule { rounds, states_per_round, stream: Stream::new(seed) };
    let (algorithm, inputs) = (algorithm(player), inputs(problem));
    let mut lesson = Lesson::new(&envs, algorithm, schedule, inputs, Progress::none())?;
    loop {
        match lesson.next(&mut envs, &mut expert, &oracle)? {
            LessonEvent::Ask(questions) => {
                see(GameEvent::Asking(questions.states.as_slice()));
                questions
                    .ask(&mut expert, |rows, actions| lesson.label(rows, actions).map(|()| true))?;
            }
            LessonEvent::Trained { round } if round < rounds => {
                lesson.policy().into_iter().for_each(|policy| see(GameEvent::Playing(policy)));
            }
            LessonEvent::Trained { .. } => {}
            LessonEvent::Finished => break,
        }
    }
    let (_, last, _) = lesson.into_parts();
    last.ok_or(LearnError::NoRounds)
}

fn algorithm(player: Player) -> Algorithm {
    let sampling = Sampling::Independent;
    match player {
        Player::Bc => behavior_cloning(ExpertActs::Sampled, sampling),
        Player::Dagger => dagger(sampling),
        Player::BootstrapDagger { members } => bootstrap_dagger(members, sampling),
        Player::HandOver { members } => {
            hand_over(Windows::default(), bootstrap_dagger(members, sampling))
        }
        Player::MftplP { members, lambda } => mftpl_p(members, lambda, sampling),
        Player::LoggerM { members, scale } => logger_m(members, scale, sampling),
    }
}

/// d₀ and the separator set.
fn inputs(problem: &ImitationProblem) -> Inputs<'_, u32, u32> {
    Inputs { cover: Some(&*problem.cover), separator: Some(&problem.separator), stored: None }
}

/// Draws perturbation sets Q with Poisson(λ) examples, as MFTPL-P's members get them, and hands each to `each` as the
/// credit −copies of every (s, a), at index s·A + a.
pub(crate) fn perturbations<T: Send>(
    problem: &ImitationProblem,
    lambda: f64,
    draws: usize,
    stream: Stream,
    each: impl Fn(usize, &[f64]) -> T + Sync,
) -> Result<Vec<T>, PlayError> {
    let spaces = problem.mdp.spaces();
    let data = Dataset::empty(spaces);
    let train_on = TrainOn::Perturbed(PerturbationSize::Poisson(lambda));
    let spec = TrainingSpec { train_on, inputs: inputs(problem), round: 1 };
    let sets = TrainingSets::<u32, u32>::new(&data, spec, spaces, draws, stream)?;
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
