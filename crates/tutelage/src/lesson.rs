//! The one loop, a turn at a time.

mod error;
mod inputs;
mod learn;
mod progress;
mod round;

pub use error::LearnError;
pub use inputs::Inputs;
pub use learn::{Learned, Participants, learn};
pub use progress::Progress;
pub use round::{Queries, Reply, Round};

pub use crate::choice::ask::Origin;

use rand::RngExt;

use crate::actor::RolloutError;
use crate::choice::Deploy;
use crate::choice::drive::{Drive, Situation};
use crate::expert::Driver;
use crate::oracle::{TrainingSets, TrainingSpec};
use crate::space::SpaceError;
use crate::{
    ActionSpace, Algorithm, Batch, Bounds, Dataset, Element, Oracle, Policy, Schedule, Spaces,
    VectorEnv,
};

/// A lesson: Algorithm 1 of the paper as a stepper that asks and takes answers.
///
/// ```text
/// D ← ∅
/// for n = 1 … N:
///     πₙ ← members trained by the oracle on what choice 3 makes of D
///     Dₙ ← states (choice 2) from the trajectories of whoever drives (choice 1), with the expert's actions
///     D ← D ∪ Dₙ
/// ```
///
/// After the last round π_{N+1} is trained too. A lesson does no I/O and asks nobody by itself: [`Lesson::next`] goes on
/// until there is something to ask or a policy is trained, and whoever drives the lesson finds the answers, in any order, in
/// parts, today or tomorrow. [`crate::learn`] asks an [`crate::Expert`] at once. Going on from a [`Progress`] gives the same
/// bits as never having stopped.
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
/// # /// # A policy that does the same everywhere.
/// # struct Constant(Vec<f32>);
/// #
/// # impl Policy for Constant {
/// #     type State = f32;
/// #     type Action = f32;
/// #     fn members(&self) -> usize { self.0.len() }
/// #     fn act_members(&self, _: &Batch<f32>, members: &[u32], actions: &mut Batch<f32>) -> Result<(), PolicyError> {
/// #         (0..members.len()).for_each(|i| actions.row_mut(i)[0] = self.0[members[i] as usize]);
/// #         Ok(())
/// #     }
/// # }
/// #
/// # /// # Fits the average of the labels that a member sees.
/// # struct Average;
/// #
/// # impl Oracle for Average {
/// #     type State = f32;
/// #     type Action = f32;
/// #     type Policy = Constant;
/// #     fn fit(&self, sets: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Constant, OracleError> {
/// #         let labels = &sets.data().actions;
/// #         let member = |e: usize| -> f32 {
/// #             let rows: Vec<u32> = match sets.view(e) {
/// #                 View::Resampled(rows) => rows,
/// #                 _ => (0..labels.len() as u32).collect(),
/// #             };
/// #             let sum: f32 = rows.iter().map(|&row| labels.row(row as usize)[0].clamp(-1.0, 1.0)).sum();
/// #             sum / rows.len().max(1) as f32
/// #         };
/// #         Ok(Constant((0..sets.members()).map(member).collect()))
/// #     }
/// # }
/// // A teacher who answers out of order, thinks better of one answer and skips a question.
/// let mut envs = SyncVectorEnv::new(vec![Line { x: 0.0, t: 0 }])?;
/// let schedule = Schedule { rounds: 1, states_per_round: 4, stream: Stream::new(1) };
/// let algorithm = dagger(Sampling::Stride(5));
/// let mut lesson = Lesson::new(&envs, algorithm, schedule, Inputs::none(), Progress::none())?;
/// assert_eq!(lesson.next(&mut envs, &mut NoDriver, &Average)?, LessonEvent::Trained { round: 0 });
/// let LessonEvent::Ask(questions) = lesson.next(&mut envs, &mut NoDriver, &Average)? else { panic!() };
/// assert_eq!(questions.rows, [0, 1, 2, 3]);
/// lesson.label(&[3, 0], &Batch::from_vec(1, vec![0.5, -0.5])?)?;
/// lesson.label(&[3], &Batch::from_vec(1, vec![0.25])?)?;
/// lesson.label(&[1], &Batch::from_vec(1, vec![-1.0])?)?;
/// lesson.skip(&[2])?;
/// assert_eq!(lesson.next(&mut envs, &mut NoDriver, &Average)?, LessonEvent::Trained { round: 1 });
/// assert_eq!(lesson.data().actions.as_slice(), [-0.5, -1.0, 0.25]);
/// assert_eq!(lesson.next(&mut envs, &mut NoDriver, &Average)?, LessonEvent::Finished);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Lesson<'a, S, A, P> {
    algorithm: Algorithm,
    schedule: Schedule,
    inputs: Inputs<'a, S, A>,
    spaces: Spaces,
    space: ActionSpace,
    /// D, actions in [-1, 1]ⁿ where they are vectors.
    data: Dataset<S, A>,
    /// How many rounds are closed.
    closed: usize,
    /// The learner's error in the last closed round.
    errors: Vec<f64>,
    open: Option<Round<S, A>>,
    policy: Option<P>,
    /// Whether D has changed since the policy was trained.
    outgrown: bool,
    random_round: Option<P>,
}

/// What a lesson came to.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonEvent<S, A> {
    /// Questions wait for answers: [`Lesson::answer`] or [`Lesson::skip`] them. A round in which no state was worth a
    /// question begins with none.
    Ask(Queries<S, A>),
    /// π_{n+1} was trained on D₁ ∪ … ∪ Dₙ; after round 0 it is π₁.
    Trained {
        /// n.
        round: usize,
    },
    /// All rounds are played.
    Finished,
}

impl<'a, S, A, P> Lesson<'a, S, A, P>
where
    S: Element,
    A: Element,
    P: Policy<State = S, Action = A>,
{
    /// A lesson in these environments, from the beginning or from where it stood.
    pub fn new<W: VectorEnv<State = S, Action = A>>(
        envs: &W,
        algorithm: Algorithm,
        schedule: Schedule,
        inputs: Inputs<'a, S, A>,
        progress: Progress<S, A, P>,
    ) -> Result<Self, LearnError> {
        let spaces = envs.spaces();
        let space = ActionSpace { size: spaces.actions, bounds: envs.bounds().clone() };
        algorithm.check(&schedule, &inputs, spaces)?;
        let Progress { rounds, open, policy, random_round } = progress;
        let numbered = rounds.iter().chain(&open).zip(1..);
        for (round, n) in numbered {
            let misfit = |source| LearnError::Progress { round: n, source };
            round.check(spaces, &space).map_err(misfit)?;
        }
        let closed = rounds.len();
        if closed > schedule.rounds {
            return Err(LearnError::TooManyRounds { found: closed, rounds: schedule.rounds });
        }
        let mut data = Dataset::empty(spaces);
        rounds.iter().for_each(|round| data.append(&round.examples(&space)));
        let width = A::width(spaces.actions);
        let errors = rounds.last().map_or(vec![0.0; width], |round| round.errors(&space));
        Ok(Self {
            algorithm,
            schedule,
            inputs,
            spaces,
            space,
            data,
            closed,
            errors,
            open,
            policy,
            outgrown: false,
            random_round,
        })
    }

    /// Goes on to the next turn. `driver` is asked for actions where the expert drives; where nobody can,
    /// [`crate::expert::NoDriver`].
    ///
    /// A round closes when nothing in it waits for an answer and this is called. What failed (an environment, the driver, the
    /// oracle) is tried again by the next call.
    pub fn next<W, O>(
        &mut self,
        envs: &mut W,
        driver: &mut dyn Driver<S, A>,
        oracle: &O,
    ) -> Result<LessonEvent<S, A>, LearnError>
    where
        W: VectorEnv<State = S, Action = A>,
        O: Oracle<State = S, Action = A, Policy = P>,
    {
        let policy = match &self.policy {
            Some(policy) if !self.outgrown => policy,
            _ => return self.train(oracle),
        };
        if self.closed == self.schedule.rounds {
            return Ok(LessonEvent::Finished);
        }
        let round = match self.open.take() {
            None if self.algorithm.drive == Drive::Stored => self.stored_round(),
            None => return Ok(self.ask(self.collect(policy, envs, driver)?)),
            Some(round) if !round.is_settled() => return Ok(self.ask(round)),
            Some(round) => round,
        };
        self.close(&round);
        self.train(oracle)
    }

    /// Whether these are answers to rows of the open round, in the task's own units.
    pub fn check_labels(&self, rows: &[u32], actions: &Batch<A>) -> Result<(), LearnError> {
        self.check(rows, |_| self.space.check(actions, rows.len()))
    }

    /// Whether these are rows of the open round.
    pub fn check_rows(&self, rows: &[u32]) -> Result<(), LearnError> {
        self.check(rows, |_| Ok(()))
    }

    /// Takes the expert's answers to rows of the open round, in the task's own units; a row answered before is revised.
    pub fn label(&mut self, rows: &[u32], actions: &Batch<A>) -> Result<(), LearnError> {
        self.check_labels(rows, actions)?;
        if let Some(open) = &mut self.open {
            open.label(rows, actions);
        }
        Ok(())
    }

    /// Skips these rows of the open round: they are not learned from. A later answer undoes the skip.
    pub fn skip(&mut self, rows: &[u32]) -> Result<(), LearnError> {
        self.check_rows(rows)?;
        if let Some(open) = &mut self.open {
            open.skip(rows);
        }
        Ok(())
    }

    fn check(
        &self,
        rows: &[u32],
        more: impl Fn(&Round<S, A>) -> Result<(), SpaceError>,
    ) -> Result<(), LearnError> {
        let round = self.round();
        let open = self.open.as_ref().ok_or(LearnError::NothingAsked { round })?;
        let misfit = |source| LearnError::InvalidLabel { round, source };
        open.check_rows(rows).and_then(|()| more(open)).map_err(misfit)
    }

    /// The round under way, n.
    pub fn round(&self) -> usize {
        self.closed + 1
    }

    /// D, with actions in [-1, 1]ⁿ where they are vectors.
    pub fn data(&self) -> &Dataset<S, A> {
        &self.data
    }

    /// The round under way, where its states are collected.
    pub fn open(&self) -> Option<&Round<S, A>> {
        self.open.as_ref()
    }

    /// The box that actions lie in, where they are vectors.
    pub fn bounds(&self) -> &Bounds {
        &self.space.bounds
    }

    /// The policy trained last.
    pub fn policy(&self) -> Option<&P> {
        self.policy.as_ref()
    }

    /// What came out: D, the last policy, and that of the random round where one is deployed.
    pub fn into_parts(self) -> (Dataset<S, A>, Option<P>, Option<P>) {
        (self.data, self.policy, self.random_round)
    }

    /// πₙ: a member for each training set that choice 3 makes of D.
    fn train<O>(&mut self, oracle: &O) -> Result<LessonEvent<S, A>, LearnError>
    where
        O: Oracle<State = S, Action = A, Policy = P>,
    {
        let round = self.round();
        let stream = self.schedule.round(round);
        let Algorithm { train_on, members, .. } = self.algorithm;
        let spec = TrainingSpec { train_on, inputs: self.inputs, round };
        let sets = stream.fork("training sets", 0);
        let sets = TrainingSets::new(&self.data, spec, self.spaces, members, sets)?;
        let fitted = oracle.fit(&sets, &stream.fork("oracle", 0));
        let policy = fitted.map_err(|source| LearnError::Train { round, source })?;
        let driver = self.policy.replace(policy);
        self.outgrown = false;
        if self.algorithm.random_round(&self.schedule) == Some(self.closed) {
            // Where the driver is not at hand, the policy was trained again and the round had passed before.
            self.random_round = driver.or(self.random_round.take());
        }
        Ok(LessonEvent::Trained { round: self.closed })
    }

    /// The states of round n, reached by whoever drives.
    fn collect<W: VectorEnv<State = S, Action = A>>(
        &self,
        policy: &P,
        envs: &mut W,
        driver: &mut dyn Driver<S, A>,
    ) -> Result<Round<S, A>, LearnError> {
        let (round, k) = (self.round(), self.schedule.states_per_round);
        let Algorithm { drive, ask, .. } = self.algorithm;
        let stream = self.schedule.round(round).fork("drive", 0);
        let failed = |source| LearnError::Collect { round, source };
        let (space, errors) = (&self.space, &self.errors[..]);
        let at = Situation { round, horizon: envs.horizon(), space, errors };
        let mut actor = drive.actor(at, policy, driver);
        let collected = ask.collect(envs, &mut *actor, policy, k, stream).map_err(failed)?;
        let mut intended = Batch::zeros(collected.states.len(), A::width(self.space.size));
        let acted = policy.act_mean(&collected.states, &mut intended);
        acted.map_err(|source| failed(RolloutError::Policy(source)))?;
        A::from_unit(&self.space.bounds, &mut intended);
        Ok(Round::collected(collected, intended))
    }

    /// The next stored round, labels and all.
    fn stored_round(&self) -> Round<S, A> {
        let examples = self.inputs.stored.and_then(|rounds| rounds.get(self.closed)).cloned();
        Round::labeled(examples.unwrap_or_else(|| Dataset::empty(self.spaces)))
    }

    /// D ← D ∪ Dₙ.
    fn close(&mut self, round: &Round<S, A>) {
        self.errors = round.errors(&self.space);
        self.data.append(&round.examples(&self.space));
        self.closed += 1;
        self.outgrown = true;
    }

    /// Keeps the round open and asks about what waits in it.
    fn ask(&mut self, round: Round<S, A>) -> LessonEvent<S, A> {
        let n = self.round();
        let questions = round.queries(n, round.open_rows(), self.schedule.round(n));
        self.open = Some(round);
        LessonEvent::Ask(questions)
    }
}

impl Algorithm {
    /// n̂ ~ Unif{1 … N}, where the algorithm deploys the policy of a random round.
    pub fn random_round(&self, schedule: &Schedule) -> Option<usize> {
        let draw =
            || schedule.stream.fork("random round", 0).rng().random_range(1..=schedule.rounds);
        (self.deploy == Deploy::RandomRound && schedule.rounds > 0).then(draw)
    }
}
