//! Learning with an expert that answers at once.

use crate::lesson::{LearnError, LessonEvent, Progress};
use crate::{Algorithm, Dataset, Expert, Inputs, Lesson, Oracle, Schedule, VectorEnv};

/// The participants of a lesson.
pub struct Participants<'a, W, X, O> {
    /// The environments that the learner acts in.
    pub envs: &'a mut W,
    /// Labels states, and drives if the algorithm asks for it.
    pub expert: &'a mut X,
    /// Trains policies.
    pub oracle: &'a O,
}

/// The result of [`learn`].
#[derive(Clone, Debug)]
pub struct Learned<S, A, P> {
    /// D. Vector actions are in [-1, 1]ⁿ.
    pub data: Dataset<S, A>,
    /// π_{N+1}.
    pub last: P,
    /// π_n̂, if the algorithm deploys a random round.
    pub random_round: Option<P>,
}

impl<S, A, P> Learned<S, A, P> {
    /// The policy that the algorithm returns: π_n̂ if it deploys a random round, otherwise the last one.
    pub fn deployed(&self) -> &P {
        self.random_round.as_ref().unwrap_or(&self.last)
    }
}

/// Learns a policy with an expert that answers at once: the paper's Algorithm 1, for every algorithm.
///
/// ```
/// use tutelage::algorithm::bootstrap_dagger;
/// use tutelage::testing::{Damper, LinearOracle, point_masses};
/// use tutelage::{Inputs, Participants, Sampling, Schedule, Stream, learn};
///
/// let (mut envs, mut expert) = (point_masses(4), Damper::default());
/// let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &LinearOracle };
/// let schedule = Schedule { rounds: 3, states_per_round: 10, stream: Stream::new(1) };
/// let algorithm = bootstrap_dagger(5, Sampling::Stride(5));
/// let learned = learn(participants, algorithm, schedule, Inputs::none())?;
/// assert_eq!((learned.data.len(), learned.deployed().0.len()), (30, 5));
/// # Ok::<(), tutelage::lesson::LearnError>(())
/// ```
pub fn learn<W, X, O>(
    participants: Participants<'_, W, X, O>,
    algorithm: Algorithm,
    schedule: Schedule,
    inputs: Inputs<'_, W::State, W::Action>,
) -> Result<Learned<W::State, W::Action, O::Policy>, LearnError>
where
    W: VectorEnv,
    X: Expert<State = W::State, Action = W::Action>,
    O: Oracle<State = W::State, Action = W::Action>,
{
    let Participants { envs, expert, oracle } = participants;
    let mut lesson = Lesson::new(envs, algorithm, schedule, inputs, Progress::none())?;
    loop {
        match lesson.next(envs, expert, oracle)? {
            LessonEvent::Ask(queries) => {
                queries.ask(expert, |rows, actions| lesson.label(rows, actions).map(|()| true))?
            }
            LessonEvent::Trained { .. } => {}
            LessonEvent::Finished => break,
        }
    }
    let (data, last, random_round) = lesson.into_parts();
    // A finished lesson has trained its last policy.
    let last = last.ok_or(LearnError::zero("rounds"))?;
    Ok(Learned { data, last, random_round })
}
