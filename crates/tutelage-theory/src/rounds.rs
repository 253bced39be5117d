//! The connection to the core crate: its loop and its training sets.

use rayon::prelude::*;
use tutelage::choice::{PerturbationSize, TrainOn};
use tutelage::lesson::{LearnError, LessonEvent, Progress};
use tutelage::oracle::{TrainingSets, TrainingSpec};
use tutelage::{Algorithm, Dataset, Inputs, Lesson, Schedule, Stream, SyncVectorEnv};

use crate::{ImitationProblem, MdpEnv, MixedPolicy, TabularExpert, TheoryError};

/// An event of a game.
pub(crate) enum GameEvent<'a> {
    /// πₙ is about to be played.
    Playing(&'a MixedPolicy),
    /// These K states are queried.
    Asking(&'a [u32]),
}

/// Runs N rounds of K states, drawn independently from d_{πₙ} (from d_{π^E} for BC), and returns
/// π_{N+1}.
pub(crate) fn run(
    problem: &ImitationProblem,
    algorithm: Algorithm,
    [rounds, states_per_round]: [usize; 2],
    seed: u64,
    see: &mut dyn FnMut(GameEvent<'_>),
) -> Result<MixedPolicy, TheoryError> {
    // One environment: a step costs less than handing it to another thread.
    let mut envs = SyncVectorEnv::new(vec![MdpEnv::new(problem.mdp.clone())])
        .map_err(|source| LearnError::Collect { round: 0, source: source.into() })?;
    let (mut expert, oracle) = (TabularExpert(problem.expert.clone()), problem.oracle());
    let schedule = Schedule { rounds, states_per_round, stream: Stream::new(seed) };
    let mut lesson = Lesson::new(&envs, algorithm, schedule, inputs(problem), Progress::none())?;
    loop {
        match lesson.next(&mut envs, &mut expert, &oracle)? {
            LessonEvent::Ask(queries) => {
                see(GameEvent::Asking(queries.states.as_slice()));
                queries
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
    Ok(last.ok_or(LearnError::zero("rounds"))?)
}

/// d₀ and the separator set.
fn inputs(problem: &ImitationProblem) -> Inputs<'_, u32, u32> {
    Inputs { cover: Some(&*problem.cover), separator: Some(&problem.separator), stored: None }
}

/// Draws perturbation sets Q of Poisson(λ) examples, as the members of MFTPL-P get them. `each`
/// receives a set as −copies of every (s, a) at index s·A + a.
pub(crate) fn perturbations<T: Send>(
    problem: &ImitationProblem,
    lambda: f64,
    draws: usize,
    stream: Stream,
    each: impl Fn(usize, &[f64]) -> T + Sync,
) -> Result<Vec<T>, TheoryError> {
    let spaces = problem.mdp.spaces();
    let data = Dataset::empty(spaces);
    let train_on = TrainOn::Perturbed(PerturbationSize::Poisson(lambda));
    let spec = TrainingSpec { train_on, inputs: inputs(problem), round: 1 };
    let sets = TrainingSets::<u32, u32>::new(&data, spec, spaces, draws, stream)
        .map_err(LearnError::from)?;
    let (oracle, zeros) = (problem.oracle(), vec![0.0; spaces.states * spaces.actions]);
    let one = |draw: usize| each(draw, &oracle.member_table(&sets, &zeros, draw));
    Ok((0..draws).into_par_iter().with_min_len(64).map(one).collect())
}
