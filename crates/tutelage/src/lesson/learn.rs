//! Learning with an expert at hand: the lesson's simplest driver.

use crate::lesson::{LearnError, LessonEvent, Progress};
use crate::{Algorithm, Dataset, Expert, Inputs, Lesson, Oracle, Schedule, VectorEnv};

/// Who takes part: the environments, the expert, the oracle.
pub struct Participants<'a, W, X, O> {
    /// Where the learner acts.
    pub envs: &'a mut W,
    /// Who annotates, and drives where the algorithm asks for it.
    pub expert: &'a mut X,
    /// Who trains.
    pub oracle: &'a O,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Learned<S, A, P> {
    /// D, with actions in [-1, 1]ⁿ where they are vectors.
    pub data: Dataset<S, A>,
    /// π_{N+1}.
    pub last: P,
    /// π_n̂, where the algorithm deploys a random round.
    pub random_round: Option<P>,
}

impl<S, A, P> Learned<S, A, P> {
    /// The policy that the algorithm returns: π_n̂ where it deploys a random round, otherwise the last one.
    pub fn deployed(&self) -> &P {
        self.random_round.as_ref().unwrap_or(&self.last)
    }
}

/// Learns a policy: the paper's Algorithm 1, for every algorithm, with an expert that answers at once.
///
/// ```
/// # use tutelage::{algorithm::*, check::*, env::*, evaluation::*, expert::*, lesson::*, oracle::*, policy::*, space::*, *};
/// # struct Line { x: f32, t: usize }
/// # impl Env for Line {
/// #     type State = f32;
/// #     type Action = f32;
/// #     fn spaces(&self) -> Spaces { Spaces { states: 1, actions: 1 } }
/// #     fn horizon(&self) -> usize { 50 }
/// #     fn reset(&mut self, _: Rng, state: &mut [f32]) -> Result<(), EnvError> {
/// #         (self.x, self.t) = (1.0, 0);
/// #         state[0] = self.x;
/// #         Ok(())
/// #     }
/// #     fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
/// #         (self.x, self.t) = (self.x + 0.1 * action[0], self.t + 1);
/// #         state[0] = self.x;
/// #         Ok(Step { reward: -f64::from(self.x.abs()), terminated: false, truncated: self.t == 50 })
/// #     }
/// # }
/// # struct Back;
/// # impl Expert for Back {
/// #     type State = f32;
/// #     type Action = f32;
/// #     fn annotate(&mut self, states: &Batch<f32>, _: &mut [Rng], actions: &mut Batch<f32>) -> Result<(), ExpertError> {
/// #         (0..states.len()).for_each(|i| actions.row_mut(i)[0] = (-states.row(i)[0]).clamp(-1.0, 1.0));
/// #         Ok(())
/// #     }
/// # }
/// # struct Slope(Vec<f32>);
/// # impl Policy for Slope {
/// #     type State = f32;
/// #     type Action = f32;
/// #     fn members(&self) -> usize { self.0.len() }
/// #     fn act_members(&self, s: &Batch<f32>, e: &[u32], a: &mut Batch<f32>) -> Result<(), PolicyError> {
/// #         (0..s.len()).for_each(|i| a.row_mut(i)[0] = (self.0[e[i] as usize] * s.row(i)[0]).clamp(-1.0, 1.0));
/// #         Ok(())
/// #     }
/// # }
/// # struct Fit;
/// # impl Oracle for Fit {
/// #     type State = f32;
/// #     type Action = f32;
/// #     type Policy = Slope;
/// #     fn fit(&self, sets: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Slope, OracleError> {
/// #         let data = sets.data();
/// #         let dot = |a: &Batch<f32>| data.states.rows().zip(a.rows()).map(|(s, a)| s[0] * a[0]).sum::<f32>();
/// #         let slope = dot(&data.actions) / dot(&data.states).max(1e-9);
/// #         Ok(Slope(vec![slope; sets.members()]))
/// #     }
/// # }
/// // `Line` is a point on a line, `Back` says where to push it, `Fit` fits a slope to what it said.
/// let mut envs = SyncVectorEnv::new(vec![Line { x: 0.0, t: 0 }])?;
/// let participants = Participants { envs: &mut envs, expert: &mut Back, oracle: &Fit };
/// let schedule = Schedule { rounds: 3, states_per_round: 4, stream: Stream::new(1) };
/// let learned = learn(participants, dagger(Sampling::Stride(5)), schedule, Inputs::none())?;
/// assert_eq!(learned.data.len(), 12);
/// assert!((learned.deployed().0[0] + 1.0).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
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
            LessonEvent::Ask(questions) => {
                questions.ask(expert, |rows, actions| lesson.label(rows, actions).map(|()| true))?
            }
            LessonEvent::Trained { .. } => {}
            LessonEvent::Finished => break,
        }
    }
    let (data, last, random_round) = lesson.into_parts();
    // A lesson that is finished has trained its last policy.
    let last = last.ok_or(LearnError::NoRounds)?;
    Ok(Learned { data, last, random_round })
}
