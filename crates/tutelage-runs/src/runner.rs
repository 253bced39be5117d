//! A durable run: a lesson whose answers are on disk before they are used.

use std::time::Instant;

use tutelage::{
    Deploy, DeployedPolicy, Drive, DurableOracle, Element, Evaluation, Expert, ExpertActor,
    ExpertActs, ExpertError, LearnError, Lesson, LessonEvent, OracleError, Participants, Policy,
    Progress, Queries, RolloutError, Round, VectorEnv, evaluate,
};

use crate::teacher::{Immediate, LabelSink, Teacher};

use crate::line::RoundLine;
use crate::memory::peak_memory;
use crate::observer::{Observer, Stage};
use crate::run_config::{Keep, RunConfig};
use crate::store::{self, Record, RoundResult, RoundTimings, RunDir, StoreError};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All rounds are played.
    Finished,
    /// The observer wanted it to stop, or the expert left ([`ExpertError::Left`]); it can be continued.
    Stopped,
}

/// Why a run could not go on. What it has come to is on disk, and it can be continued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The disk, or what is on it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A policy that could not be written down or read again.
    #[error("the policy of round {round}: {source}")]
    Policy {
        /// The round.
        round: usize,
        /// Why.
        source: OracleError,
    },
    /// The lesson.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// An evaluation.
    #[error("evaluation after round {round}: {source}")]
    Evaluate {
        /// The round (0: the expert's own evaluation).
        round: usize,
        /// Why.
        source: RolloutError,
    },
}

/// Runs a config from wherever its run directory says it is.
///
/// The log and the policies come out the same to the byte, however often the run was stopped or killed on the way, and
/// whatever the number of threads.
///
/// ```
/// use tutelage::{SyncVectorEnv, Inputs, Participants, Sampling, Schedule, Stream, dagger};
/// use tutelage_oracles::LeastSquares;
/// use tutelage_runs::{Ending, RunConfig, Keep, Silent, run};
/// use tutelage_worlds::{PendulumEnv, World};
///
/// let config = RunConfig {
///     algorithm: dagger(Sampling::Stride(10)),
///     schedule: Schedule { rounds: 2, states_per_round: 5, stream: Stream::new(1) },
///     inputs: Inputs::none(),
///     episodes: 2,
///     keep: Keep::Last,
/// };
/// let (pendulum, oracle) = (PendulumEnv::default(), LeastSquares::default());
/// let (mut expert, mut envs) = (pendulum.expert(), SyncVectorEnv::new(vec![pendulum; 2])?);
/// # let temporary = tempfile::tempdir()?;
/// # let folder = temporary.path().join("run");
/// // In a folder that is there already, the run goes on.
/// let mut dir = config.open(&folder, "pendulum", &expert, &oracle)?;
/// let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
/// assert_eq!(run(participants, &config, &mut dir, &mut Silent)?, Ending::Finished);
/// assert_eq!(dir.history().annotations(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run<W, X, O>(
    participants: Participants<'_, W, X, O>,
    config: &RunConfig<'_, W::State, W::Action>,
    dir: &mut RunDir<W::State, W::Action>,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError>
where
    W: VectorEnv,
    X: Expert<State = W::State, Action = W::Action>,
    O: DurableOracle<State = W::State, Action = W::Action>,
{
    let Participants { envs, expert, oracle } = participants;
    run_with_teacher(envs, &mut Immediate(expert), oracle, config, dir, observer)
}

/// [`run`] with a teacher of any kind, who may answer late, in any order and in parts ([`Teacher`] has an example of one).
pub fn run_with_teacher<W, O>(
    envs: &mut W,
    teacher: &mut dyn Teacher<W::State, W::Action, O::Policy>,
    oracle: &O,
    config: &RunConfig<'_, W::State, W::Action>,
    dir: &mut RunDir<W::State, W::Action>,
    observer: &mut dyn Observer,
) -> Result<Ending, RunError>
where
    W: VectorEnv,
    O: DurableOracle<State = W::State, Action = W::Action>,
{
    let seconds = RoundTimings::default();
    let run = Run { envs, teacher, oracle, config, dir, observer, seconds, stopping: false };
    match go_on(run, config) {
        Err(error) if error.expert_left() => Ok(Ending::Stopped),
        ending => ending,
    }
}

impl RunError {
    /// Whether nothing is wrong but that the expert has left.
    fn expert_left(&self) -> bool {
        let farewell =
            |source: &RolloutError| matches!(source, RolloutError::Expert(ExpertError::Left));
        match self {
            Self::Learn(LearnError::Annotate { source, .. }) => matches!(source, ExpertError::Left),
            Self::Learn(LearnError::Collect { source, .. }) => farewell(source),
            Self::Evaluate { source, .. } => farewell(source),
            _ => false,
        }
    }
}

fn go_on<W, O>(
    mut run: Run<'_, '_, W, O>,
    config: &RunConfig<'_, W::State, W::Action>,
) -> Result<Ending, RunError>
where
    W: VectorEnv,
    O: DurableOracle<State = W::State, Action = W::Action>,
{
    run.introduce_expert()?;
    run.prune()?;
    run.note_rounds();
    let progress = run.progress()?;
    let RunConfig { algorithm, schedule, inputs, .. } = *config;
    let mut lesson = Lesson::new(run.envs, algorithm, schedule, inputs, progress)?;
    loop {
        let started = Instant::now();
        run.announce(&lesson);
        let turn = lesson.next(run.envs, run.teacher.driver(), run.oracle)?;
        let spent = started.elapsed().as_secs_f64();
        match turn {
            LessonEvent::Ask(queries) => run.ask(&mut lesson, &queries, spent)?,
            LessonEvent::Trained { round } => run.trained(&lesson, round, spent)?,
            LessonEvent::Finished => return Ok(Ending::Finished),
        }
        let is_over = lesson.round() > schedule.rounds;
        if !is_over && run.wants_stop() {
            return Ok(Ending::Stopped);
        }
    }
}

/// A run under way.
struct Run<'a, 'j, W: VectorEnv, O: tutelage::Oracle> {
    envs: &'a mut W,
    teacher: &'a mut dyn Teacher<W::State, W::Action, O::Policy>,
    oracle: &'a O,
    config: &'a RunConfig<'j, W::State, W::Action>,
    dir: &'a mut RunDir<W::State, W::Action>,
    observer: &'a mut dyn Observer,
    /// What the round under way took so far.
    seconds: RoundTimings,
    /// Whether the observer has ever wanted to stop.
    stopping: bool,
}

type LessonOf<'j, W, O> =
    Lesson<'j, <W as VectorEnv>::State, <W as VectorEnv>::Action, <O as tutelage::Oracle>::Policy>;

impl<W, O> Run<'_, '_, W, O>
where
    W: VectorEnv,
    O: DurableOracle<State = W::State, Action = W::Action>,
{
    /// Plays the expert's own episodes, once in a run, where it knows its mean action.
    fn introduce_expert(&mut self) -> Result<(), RunError> {
        if self.dir.history().expert.is_none() && self.has_mean()? {
            self.observer.stage(0, Stage::Expert);
            let space = self.space();
            let mut actor = ExpertActor::new(self.teacher.driver(), ExpertActs::Mean, &space);
            let stream = self.config.schedule.stream.fork("evaluation", 0);
            let evaluation = evaluate(self.envs, &mut actor, None, self.config.episodes, &stream)
                .map_err(|source| RunError::Evaluate { round: 0, source })?;
            self.dir.append(Record::Expert(evaluation))?;
        }
        if let Some(evaluation) = &self.dir.history().expert {
            self.observer.expert(evaluation);
        }
        if let Some(cut) = self.dir.cut() {
            self.observer.truncated(cut);
        }
        Ok(())
    }

    fn has_mean(&mut self) -> Result<bool, RunError> {
        let spaces = self.envs.spaces();
        let Some(expert) = self.teacher.expert() else { return Ok(false) };
        let known = expert.has_mean(spaces);
        known.map_err(|error| RunError::Evaluate { round: 0, source: error.into() })
    }

    fn space(&self) -> tutelage::ActionSpace {
        let (size, bounds) = (self.envs.spaces().actions, self.envs.bounds().clone());
        tutelage::ActionSpace { size, bounds }
    }

    /// Where the run directory says that the run is.
    fn progress(&self) -> Result<Progress<W::State, W::Action, O::Policy>, RunError> {
        let history = self.dir.history();
        let closed = history.closed();
        let (rounds, open) = match self.config.algorithm.drive {
            Drive::Stored => (self.stored_rounds(closed), None),
            _ => {
                let rounds = history.rounds[..closed.min(history.rounds.len())].to_vec();
                (rounds, history.rounds.get(closed).map(|round| self.widened(round)))
            }
        };
        // A policy without a result is trained again, so that it comes by here.
        let policy =
            if closed > 0 && history.results.len() == closed { self.load(closed)? } else { None };
        Ok(Progress { rounds, open, policy, random_round: None })
    }

    /// Format 1 tells how wide actions are with the first answer only.
    fn widened(&self, round: &Round<W::State, W::Action>) -> Round<W::State, W::Action> {
        let width = <W::Action as tutelage::Element>::width(self.envs.spaces().actions);
        if round.labels.width() == width || !round.labeled_rows().is_empty() {
            return round.clone();
        }
        Round::new(round.states.clone(), width)
    }

    fn stored_rounds(&self, closed: usize) -> Vec<Round<W::State, W::Action>> {
        let stored = self.config.inputs.stored.unwrap_or_default();
        stored.iter().take(closed).cloned().map(Round::labeled).collect()
    }

    /// Notes what a round of stored data is, before anything that was learned from it.
    fn note_stored(&mut self, round: usize) -> Result<(), StoreError> {
        let stored =
            self.config.inputs.stored.filter(|_| self.config.algorithm.drive == Drive::Stored);
        let data = stored.zip(round.checked_sub(1)).and_then(|(rounds, at)| rounds.get(at));
        data.map_or(Ok(()), |data| self.dir.build_on_round(round, data))
    }

    fn load(&self, round: usize) -> Result<Option<O::Policy>, RunError> {
        let Some(bytes) = self.dir.policy(round)? else { return Ok(None) };
        let policy = self.oracle.decode(&bytes, self.envs.spaces());
        policy.map(Some).map_err(|source| RunError::Policy { round, source })
    }

    fn wants_stop(&mut self) -> bool {
        self.stopping = self.stopping || self.observer.wants_stop();
        self.stopping
    }

    /// Tells what the next turn is about.
    fn announce(&mut self, lesson: &LessonOf<'_, W, O>) {
        let settled = lesson.open().is_some_and(Round::is_settled);
        let trains = settled || self.config.algorithm.drive == Drive::Stored;
        let stage = match (lesson.policy(), lesson.open()) {
            (None, _) => Stage::Train,
            (Some(_), None) if !trains => Stage::Collect,
            (Some(_), Some(_)) if !trains => Stage::Annotate,
            (Some(_), _) => Stage::Train,
        };
        if lesson.round() <= self.config.schedule.rounds {
            self.observer.stage(lesson.round(), stage);
        }
    }

    /// Makes the queries durable, then every answer before the lesson gets it.
    fn ask(
        &mut self,
        lesson: &mut LessonOf<'_, W, O>,
        queries: &Queries<W::State, W::Action>,
        spent: f64,
    ) -> Result<(), RunError> {
        self.seconds.collect += spent;
        let started = Instant::now();
        if self.dir.history().rounds.len() < queries.round
            && let Some(round) = lesson.open()
        {
            self.dir.append(Record::Queries(noted(queries.round, round)))?;
        }
        if self.wants_stop() {
            return Ok(());
        }
        self.observer.stage(queries.round, Stage::Annotate);
        let Self { teacher, dir, observer, stopping, .. } = self;
        teacher.teach(&mut LabelSink {
            lesson,
            queries,
            dir,
            observer: &mut **observer,
            stopping,
        })?;
        self.seconds.annotate += started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Makes the policy durable, then what it is worth; then lets go of what is no longer kept.
    fn trained(
        &mut self,
        lesson: &LessonOf<'_, W, O>,
        round: usize,
        spent: f64,
    ) -> Result<(), RunError> {
        self.seconds.train += spent;
        let Some(policy) = lesson.policy() else { return Ok(()) };
        let bytes = self.oracle.encode(policy);
        let bytes = bytes.map_err(|source| RunError::Policy { round, source })?;
        self.note_stored(round)?;
        self.dir.put_policy(round, &bytes)?;
        if self.dir.history().results.len() < round {
            self.finish_round(policy, round)?;
        }
        self.teacher.trained(round, policy);
        Ok(self.prune()?)
    }

    fn finish_round(&mut self, policy: &O::Policy, round: usize) -> Result<(), RunError> {
        self.observer.stage(round, Stage::Evaluate);
        let started = Instant::now();
        let result = self.evaluate(policy, round)?;
        let evaluate = started.elapsed().as_secs_f64();
        let RoundResult { deployed, random, .. } = result.clone();
        self.dir.append(Record::Result { round: round as u32, deployed, random })?;
        let spent = std::mem::take(&mut self.seconds);
        let seconds = RoundTimings { round, evaluate, memory: peak_memory(), ..spent };
        self.dir.note_times(&seconds);
        self.note_rounds();
        let (history, k) = (self.dir.history(), self.config.schedule.states_per_round);
        let annotations = history.annotations_after(round, k);
        self.observer.expert_steps(history.expert_steps_after(round));
        self.observer.round(&result, annotations, &seconds);
        Ok(())
    }

    fn note_rounds(&self) {
        let (history, k) = (self.dir.history(), self.config.schedule.states_per_round);
        if !history.results.is_empty() {
            self.dir.note_rounds(&RoundLine::csv(&RoundLine::all(history, k, &[])));
        }
    }

    /// The policy's episodes, acting as it is deployed and, where that differs, with random members.
    fn evaluate(&mut self, policy: &O::Policy, round: usize) -> Result<RoundResult, RunError> {
        let measures_loss = self.has_mean()?;
        let deploy = self.config.algorithm.deploy;
        let stream = self.config.schedule.stream.fork("evaluation", round as u64);
        let mut play = |deploy, measures_loss: bool| -> Result<Evaluation, RunError> {
            let mut actor = DeployedPolicy::new(policy, deploy);
            let reference = if measures_loss { self.teacher.expert() } else { None };
            evaluate(self.envs, &mut actor, reference, self.config.episodes, &stream)
                .map_err(|source| RunError::Evaluate { round, source })
        };
        let deployed = play(deploy, measures_loss)?;
        let differs = policy.members() > 1 && deploy == Deploy::Mean;
        let random = differs.then(|| play(Deploy::UniformMember, false)).transpose()?;
        Ok(RoundResult { round, deployed, random })
    }

    /// Lets go of the policies that are not kept: those before the last, but for the one that the algorithm returns.
    fn prune(&self) -> Result<(), StoreError> {
        if self.config.keep == Keep::All {
            return Ok(());
        }
        let (returned, done) = (self.config.returned_round(), self.dir.history().results.len());
        let superfluous = (0..done).filter(|&round| round != returned);
        superfluous.into_iter().try_for_each(|round| self.dir.drop_policy(round))
    }
}

fn noted<S: Element, A: Element>(number: usize, round: &Round<S, A>) -> store::StoredQueries<S, A> {
    store::StoredQueries {
        round: number as u32,
        states: round.states.clone(),
        intended: round.intended.clone(),
        steps: round.steps,
        notes: round.origins.iter().copied().zip(round.rewards.iter().copied()).collect(),
    }
}
