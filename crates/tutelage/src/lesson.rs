//! The one loop, as a stepper.

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

/// Algorithm 1 of the paper as a stepper that asks for labels.
///
/// ```text
/// D ← ∅
/// for n = 1 … N:
///     πₙ ← members trained by the oracle on the training sets that choice 3 makes of D
///     Dₙ ← states (choice 2) from the trajectories of the actor (choice 1), with the expert's labels
///     D ← D ∪ Dₙ
/// train π_{N+1}
/// ```
///
/// A lesson does no I/O. [`Lesson::next`] runs until states need labels or a policy is trained. The caller provides labels
/// in any order and in parts. [`learn`] does so with an [`Expert`](crate::Expert) at once. A lesson that is resumed from a
/// [`Progress`] produces bit-identical results.
///
/// ```
/// use tutelage::algorithm::dagger;
/// use tutelage::expert::NoDriver;
/// use tutelage::lesson::{LessonEvent, Progress};
/// use tutelage::testing::{LinearOracle, point_masses};
/// use tutelage::{Batch, Inputs, Lesson, Sampling, Schedule, Stream};
///
/// let mut envs = point_masses(1);
/// let schedule = Schedule { rounds: 1, states_per_round: 4, stream: Stream::new(1) };
/// let mut lesson = Lesson::new(&envs, dagger(Sampling::Stride(5)), schedule, Inputs::none(), Progress::none())?;
/// let mut next = |lesson: &mut Lesson<'_, _, _, _>| lesson.next(&mut envs, &mut NoDriver, &LinearOracle);
///
/// assert_eq!(next(&mut lesson)?, LessonEvent::Trained { round: 0 });
/// let LessonEvent::Ask(queries) = next(&mut lesson)? else { panic!("expected queries") };
/// assert_eq!(queries.rows, [0, 1, 2, 3]);
/// lesson.label(&[3, 0], &Batch::from_vec(1, vec![0.5, -0.5])?)?;
/// lesson.label(&[3], &Batch::from_vec(1, vec![0.25])?)?; // revises a label
/// lesson.label(&[1], &Batch::from_vec(1, vec![-1.0])?)?;
/// lesson.skip(&[2])?;
/// assert_eq!(next(&mut lesson)?, LessonEvent::Trained { round: 1 });
/// assert_eq!(lesson.data().actions.as_slice(), [-0.5, -1.0, 0.25]);
/// assert_eq!(next(&mut lesson)?, LessonEvent::Finished);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Lesson<'a, S, A, P> {
    algorithm: Algorithm,
    schedule: Schedule,
    inputs: Inputs<'a, S, A>,
    spaces: Spaces,
    space: ActionSpace,
    /// D. Vector actions are in [-1, 1]ⁿ.
    data: Dataset<S, A>,
    /// The number of closed rounds.
    closed: usize,
    /// The learner's error in the last closed round.
    errors: Vec<f64>,
    open: Option<Round<S, A>>,
    policy: Option<P>,
    /// Whether D changed since the policy was trained.
    outdated: bool,
    random_round: Option<P>,
}

/// The result of [`Lesson::next`].
#[derive(Clone, Debug, PartialEq)]
pub enum LessonEvent<S, A> {
    /// States need labels: [`Lesson::label`] or [`Lesson::skip`] them. There are none if a round collected no states.
    Ask(Queries<S, A>),
    /// π_{n+1} was trained on D₁ ∪ … ∪ Dₙ; after round 0 it is π₁.
    Trained {
        /// n.
        round: usize,
    },
    /// All rounds are done.
    Finished,
}

impl<'a, S, A, P> Lesson<'a, S, A, P>
where
    S: Element,
    A: Element,
    P: Policy<State = S, Action = A>,
{
    /// Creates a lesson, new or resumed.
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
            outdated: false,
            random_round,
        })
    }

    /// Runs to the next event. `driver` acts if the algorithm lets the expert drive;
    /// [`NoDriver`](crate::expert::NoDriver) refuses.
    ///
    /// This closes the open round if all of its states are labeled or skipped. After an error, the next call tries again.
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
            Some(policy) if !self.outdated => policy,
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

    /// Checks labels for rows of the open round, in the task's units.
    pub fn check_labels(&self, rows: &[u32], actions: &Batch<A>) -> Result<(), LearnError> {
        self.check(rows, |_| self.space.check(actions, rows.len()))
    }

    /// Checks that these are rows of the open round.
    pub fn check_rows(&self, rows: &[u32]) -> Result<(), LearnError> {
        self.check(rows, |_| Ok(()))
    }

    /// Labels rows of the open round, in the task's units. Earlier labels are replaced.
    pub fn label(&mut self, rows: &[u32], actions: &Batch<A>) -> Result<(), LearnError> {
        self.check_labels(rows, actions)?;
        if let Some(open) = &mut self.open {
            open.label(rows, actions);
        }
        Ok(())
    }

    /// Skips rows of the open round: they are not trained on. A later label undoes the skip.
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

    /// The current round n.
    pub fn round(&self) -> usize {
        self.closed + 1
    }

    /// D. Vector actions are in [-1, 1]ⁿ.
    pub fn data(&self) -> &Dataset<S, A> {
        &self.data
    }

    /// The current round, if its states are collected.
    pub fn open(&self) -> Option<&Round<S, A>> {
        self.open.as_ref()
    }

    /// The box of vector actions.
    pub fn bounds(&self) -> &Bounds {
        &self.space.bounds
    }

    /// The last policy.
    pub fn policy(&self) -> Option<&P> {
        self.policy.as_ref()
    }

    /// Returns D, the last policy, and that of the random round if the algorithm deploys one.
    pub fn into_parts(self) -> (Dataset<S, A>, Option<P>, Option<P>) {
        (self.data, self.policy, self.random_round)
    }

    /// Trains πₙ: one member for each training set that choice 3 makes of D.
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
        let acted = self.policy.replace(policy);
        self.outdated = false;
        if self.algorithm.random_round(&self.schedule) == Some(self.closed) {
            // Without the acting policy, this training repeats an earlier one, and the round had passed before.
            self.random_round = acted.or(self.random_round.take());
        }
        Ok(LessonEvent::Trained { round: self.closed })
    }

    /// Collects the states of round n.
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

    /// The next stored round with its labels.
    fn stored_round(&self) -> Round<S, A> {
        let examples = self.inputs.stored.and_then(|rounds| rounds.get(self.closed)).cloned();
        Round::labeled(examples.unwrap_or_else(|| Dataset::empty(self.spaces)))
    }

    /// D ← D ∪ Dₙ.
    fn close(&mut self, round: &Round<S, A>) {
        self.errors = round.errors(&self.space);
        self.data.append(&round.examples(&self.space));
        self.closed += 1;
        self.outdated = true;
    }

    /// Keeps the round open and asks for its missing labels.
    fn ask(&mut self, round: Round<S, A>) -> LessonEvent<S, A> {
        let n = self.round();
        let queries = round.queries(n, round.open_rows(), self.schedule.round(n));
        self.open = Some(round);
        LessonEvent::Ask(queries)
    }
}

impl Algorithm {
    /// n̂ ~ Unif{1 … N}, if the algorithm deploys the policy of a random round.
    pub fn random_round(&self, schedule: &Schedule) -> Option<usize> {
        let draw =
            || schedule.stream.fork("random round", 0).rng().random_range(1..=schedule.rounds);
        (self.deploy == Deploy::RandomRound && schedule.rounds > 0).then(draw)
    }
}
