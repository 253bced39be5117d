//! A durable run: a lesson whose labels are on disk before they are used.

use std::time::Instant;

use tutelage::actor::{DeployedPolicy, ExpertActor, RolloutError};
use tutelage::choice::{Deploy, Drive, ExpertActs};
use tutelage::evaluation::{Evaluation, evaluate};
use tutelage::lesson::{LearnError, LessonEvent, Progress, Queries, Round};
use tutelage::oracle::DurableOracle;
use tutelage::{
    Element, Expert, ExpertError, Lesson, OracleError, Participants, Policy, VectorEnv,
};

use crate::line::RoundLine;
use crate::memory::peak_memory;
use crate::observer::{Observer, Stage};
use crate::run_config::{Keep, RunConfig};
use crate::store::{
    Record, RoundResult, RoundTimings, RunDir, StoreError, StoredQueries, read_times,
};
use crate::teacher::{Immediate, LabelSink, Teacher};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All rounds are finished.
    Finished,
    /// The observer asked to stop, or the expert left ([`ExpertError::Left`]). The run can be resumed.
    Stopped,
}

/// Why a run failed. Everything up to the failure is on disk, and the run can be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The run directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A policy could not be encoded or decoded.
    #[error("the policy of round {round}")]
    Policy {
        /// The round.
        round: usize,
        /// The cause.
        source: OracleError,
    },
    /// The lesson failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// An evaluation failed.
    #[error("evaluation after round {round}")]
    Evaluate {
        /// The round (0: the expert's own evaluation).
        round: usize,
        /// The cause.
        source: RolloutError,
    },
}

/// Starts a run, or resumes it from the state in its run directory.
///
/// The log and the policies are byte-identical, however often the run was stopped or killed and whatever the number of
/// threads.
///
/// ```
/// use tutelage::{Inputs, Participants, Sampling, Schedule, Stream, SyncVectorEnv};
/// use tutelage::algorithm::dagger;
/// use tutelage_oracles::LeastSquares;
/// use tutelage_runs::{Ending, RunConfig, Keep, Silent, run};
/// use tutelage_tasks::worlds::{PendulumEnv, World};
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
/// // An existing folder is resumed.
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

/// [`run`] with any teacher, which may label late, in any order and in parts ([`Teacher`] has an example).
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
    match execute(run, config) {
        Err(error) if error.expert_left() => Ok(Ending::Stopped),
        ending => ending,
    }
}

impl RunError {
    /// Whether the only cause is that the expert left.
    fn expert_left(&self) -> bool {
        let is_left =
            |source: &RolloutError| matches!(source, RolloutError::Expert(ExpertError::Left));
        match self {
            Self::Learn(LearnError::Annotate { source, .. }) => matches!(source, ExpertError::Left),
            Self::Learn(LearnError::Collect { source, .. }) => is_left(source),
            Self::Evaluate { source, .. } => is_left(source),
            _ => false,
        }
    }
}

fn execute<W, O>(
    mut run: Run<'_, '_, W, O>,
    config: &RunConfig<'_, W::State, W::Action>,
) -> Result<Ending, RunError>
where
    W: VectorEnv,
    O: DurableOracle<State = W::State, Action = W::Action>,
{
    run.report_start();
    run.evaluate_expert()?;
    run.prune()?;
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
    /// Times of the current round so far.
    seconds: RoundTimings,
    /// Whether the observer has asked to stop.
    stopping: bool,
}

type LessonOf<'j, W, O> =
    Lesson<'j, <W as VectorEnv>::State, <W as VectorEnv>::Action, <O as tutelage::Oracle>::Policy>;

impl<W, O> Run<'_, '_, W, O>
where
    W: VectorEnv,
    O: DurableOracle<State = W::State, Action = W::Action>,
{
    /// Reports what the run directory holds.
    fn report_start(&mut self) {
        let lines = self.write_rounds(&read_times(self.dir.path()));
        self.observer.started(self.dir.history().expert.as_ref(), &lines);
        if let Some(tail) = self.dir.truncated() {
            self.observer.truncated(tail);
        }
    }

    /// Evaluates the expert, once in a run, if it knows its mean action.
    fn evaluate_expert(&mut self) -> Result<(), RunError> {
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

    /// The state of the lesson according to the run directory.
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
        // A policy without a result is trained again, so that it gets evaluated.
        let policy =
            if closed > 0 && history.results.len() == closed { self.load(closed)? } else { None };
        Ok(Progress { rounds, open, policy, random_round: None })
    }

    /// Logs of format 1 contain the action width only from the first label on.
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

    /// Records the fingerprint of a round of stored data, before the policy trained on it.
    fn record_stored(&mut self, round: usize) -> Result<(), StoreError> {
        let stored =
            self.config.inputs.stored.filter(|_| self.config.algorithm.drive == Drive::Stored);
        let data = stored.zip(round.checked_sub(1)).and_then(|(rounds, at)| rounds.get(at));
        data.map_or(Ok(()), |data| self.dir.record_stored_round(round, data))
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

    /// Reports the stage of the next turn.
    fn announce(&mut self, lesson: &LessonOf<'_, W, O>) {
        let settled = lesson.open().is_some_and(Round::is_settled);
        let trains = settled || self.config.algorithm.drive == Drive::Stored;
        let stage = match (lesson.policy(), lesson.open()) {
            (Some(_), None) if !trains => Stage::Collect,
            (Some(_), Some(_)) if !trains => Stage::Annotate,
            _ => Stage::Train,
        };
        if lesson.round() <= self.config.schedule.rounds {
            self.observer.stage(lesson.round(), stage);
        }
    }

    /// Makes the queries durable, then every label before the lesson gets it.
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
            self.dir.append(Record::Queries(stored_queries(queries.round, round)))?;
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

    /// Makes the policy durable, then its evaluation, then removes policies that are not kept.
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
        self.record_stored(round)?;
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
        let timings = RoundTimings { round, evaluate, memory: peak_memory(), ..spent };
        self.dir.write_timings(&timings);
        if let Some(line) = self.write_rounds(&[timings]).last() {
            self.observer.round(line);
        }
        Ok(())
    }

    /// Updates `rounds.csv`, and returns the lines of all rounds.
    fn write_rounds(&self, timings: &[RoundTimings]) -> Vec<RoundLine> {
        let (history, k) = (self.dir.history(), self.config.schedule.states_per_round);
        let lines = RoundLine::all(history, k, timings);
        if !lines.is_empty() {
            self.dir.write_rounds(&RoundLine::csv(&lines));
        }
        lines
    }

    /// Evaluates the policy as deployed and, if that differs, with a random member at every step.
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

    /// Removes the policies that are not kept: all but the last one and the one that the algorithm returns.
    fn prune(&self) -> Result<(), StoreError> {
        if self.config.keep == Keep::All {
            return Ok(());
        }
        let (returned, done) = (self.config.returned_round(), self.dir.history().results.len());
        (0..done)
            .filter(|&round| round != returned)
            .try_for_each(|round| self.dir.remove_policy(round))
    }
}

fn stored_queries<S: Element, A: Element>(
    number: usize,
    round: &Round<S, A>,
) -> StoredQueries<S, A> {
    StoredQueries {
        round: number as u32,
        states: round.states.clone(),
        intended: round.intended.clone(),
        steps: round.steps,
        notes: round.origins.iter().copied().zip(round.rewards.iter().copied()).collect(),
    }
}
