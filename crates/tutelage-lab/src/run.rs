//! A durable run: the core's loop, a round at a time, with a log and an evaluation.

use std::time::Instant;

use tutelage::{
    Acting, Action, Actor, Algorithm, Batch, Dataset, Drive, Element, Env, Evaluation, Event,
    Expert, ExpertError, Flow, Lanes, LearnError, Observer, ObserverError, Oracle, Plan, Policy,
    Progress, RolloutError, Setting, evaluate, learn,
};

use crate::durable::{Durable, LoadError, PolicyError, load_policy};
use crate::memory::peak_memory;
use crate::report::{Reporter, Stage};
use crate::store::{Record, RoundResult, RunDir, Seconds, StoreError, Stored};

/// What to do in a run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a, S, A> {
    /// The three choices.
    pub algorithm: &'a Algorithm<S, A>,
    /// How long to learn, how to collect, and the randomness.
    pub plan: Plan,
    /// T, the episodes of an evaluation.
    pub episodes: usize,
    /// Which policies stay on disk.
    pub keep: Keep,
}

/// Which policies a run keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Those of all rounds.
    #[default]
    All,
    /// The last one, and what the algorithm returns.
    Last,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All rounds are played.
    Finished,
    /// The reporter wanted it to stop; it can be continued.
    Stopped,
}

/// Why a run could not go on. What it has come to is on disk, and it can be continued.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The disk, or what is on it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored policy.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A policy that could not be written down.
    #[error("the policy of round {round} cannot be stored: {source}")]
    Policy {
        /// The round.
        round: usize,
        /// Why.
        source: PolicyError,
    },
    /// The loop.
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

/// Runs a job from wherever its run directory says it is.
///
/// The log and the policies come out the same to the byte, however often the run was stopped or killed on the way, and
/// whatever the number of threads.
pub fn run<E, X, O>(
    setting: Setting<'_, E, X, O>,
    job: &Job<'_, E::State, E::Action>,
    dir: &mut RunDir<E::State, E::Action>,
    reporter: &mut dyn Reporter,
) -> Result<Ending, RunError>
where
    E: Env<State: Stored, Action: Stored>,
    X: Expert<State = E::State, Action = E::Action>,
    O: Oracle<State = E::State, Action = E::Action, Policy: Durable>,
{
    let Setting { lanes, expert, oracle } = setting;
    let measures_loss = begin::<E, X, O::Policy>(lanes, expert, job, dir, reporter)?;
    prune(dir, job)?;
    let mut progress = progress::<E, O::Policy>(job, dir, lanes)?;
    loop {
        let stage = first_stage(job, &progress);
        let mut scribe = Scribe::new(dir, reporter, job.plan.states_per_round, stage);
        let setting = Setting { lanes: &mut *lanes, expert: &mut *expert, oracle };
        let learned = learn(setting, job.algorithm, &job.plan, progress, &mut scribe)?;
        let round = learned.data.len() / job.plan.states_per_round;
        let (seconds, trained) = (Seconds { round, ..scribe.seconds }, scribe.trained);
        if trained {
            let reference = measures_loss.then_some(&mut *expert);
            finish_round(lanes, &learned.last, reference, job, dir, seconds, reporter)?;
        }
        if learned.finished {
            ensure_policy(dir, round, &learned.last)?;
            return Ok(Ending::Finished);
        }
        if !trained || reporter.wants_stop() {
            return Ok(Ending::Stopped);
        }
        // The policy of a random round stays on disk; nobody needs it here.
        let (data, policy) = (learned.data, Some(learned.last));
        progress = Progress { data, policy, open: None, random_round: None };
    }
}

/// Plays the expert's own episodes, once in a run; says whether there are any, and so a loss to measure.
fn begin<E, X, P>(
    lanes: &mut Lanes<E>,
    expert: &mut X,
    job: &Job<'_, E::State, E::Action>,
    dir: &mut RunDir<E::State, E::Action>,
    reporter: &mut dyn Reporter,
) -> Result<bool, RunError>
where
    E: Env<State: Stored, Action: Stored>,
    X: Expert<State = E::State, Action = E::Action>,
    P: Policy<State = E::State, Action = E::Action>,
{
    let measures_loss = has_mean(expert, lanes)?;
    if measures_loss && dir.history().expert.is_none() {
        reporter.stage(0, Stage::Expert);
        evaluate_expert::<E, X, P>(lanes, expert, job, dir)?;
    }
    if let Some(evaluation) = &dir.history().expert {
        reporter.expert(evaluation);
    }
    Ok(measures_loss)
}

/// Whether the expert knows its mean action: asked about no state at all, one that does has nothing to say.
fn has_mean<E, X>(expert: &mut X, lanes: &Lanes<E>) -> Result<bool, RunError>
where
    E: Env,
    X: Expert<State = E::State, Action = E::Action>,
{
    let spaces = lanes.spaces();
    let states = Batch::new(E::State::width(spaces.states));
    match expert.mean(&states, &mut Batch::new(E::Action::width(spaces.actions))) {
        Ok(()) => Ok(true),
        Err(ExpertError::NoMean) => Ok(false),
        Err(error) => Err(RunError::Evaluate { round: 0, source: error.into() }),
    }
}

/// The expert's own line: its mean action, over as many episodes as the learner gets.
fn evaluate_expert<E, X, P>(
    lanes: &mut Lanes<E>,
    expert: &mut X,
    job: &Job<'_, E::State, E::Action>,
    dir: &mut RunDir<E::State, E::Action>,
) -> Result<(), RunError>
where
    E: Env<State: Stored, Action: Stored>,
    X: Expert<State = E::State, Action = E::Action>,
    P: Policy<State = E::State, Action = E::Action>,
{
    let actor = Actor::<P, X>::expert(expert, tutelage::ExpertActs::Mean);
    let stream = job.plan.stream.fork("evaluation", 0);
    let evaluation = evaluate(lanes, actor, None, job.episodes, &stream)
        .map_err(|source| RunError::Evaluate { round: 0, source })?;
    Ok(dir.append(Record::Expert(evaluation))?)
}

/// The policy's episodes, acting with the mean and, where it has several members, with random ones.
fn evaluate_policy<E, X, P>(
    lanes: &mut Lanes<E>,
    policy: &P,
    reference: Option<&mut X>,
    job: &Job<'_, E::State, E::Action>,
    round: usize,
) -> Result<RoundResult, RunError>
where
    E: Env,
    X: Expert<State = E::State, Action = E::Action>,
    P: Policy<State = E::State, Action = E::Action>,
{
    let stream = job.plan.stream.fork("evaluation", round as u64);
    let mut play = |acting, reference: Option<&mut X>| -> Result<Evaluation, RunError> {
        evaluate(lanes, Actor::policy(policy, acting), reference, job.episodes, &stream)
            .map_err(|source| RunError::Evaluate { round, source })
    };
    let mean = play(Acting::Mean, reference)?;
    let several = policy.members() > 1;
    let random = several.then(|| play(Acting::UniformMember, None)).transpose()?;
    Ok(RoundResult { round, mean, random })
}

/// Makes the policy durable, then what it is worth; then lets go of what is no longer kept.
fn finish_round<E, X, P>(
    lanes: &mut Lanes<E>,
    policy: &P,
    reference: Option<&mut X>,
    job: &Job<'_, E::State, E::Action>,
    dir: &mut RunDir<E::State, E::Action>,
    seconds: Seconds,
    reporter: &mut dyn Reporter,
) -> Result<(), RunError>
where
    E: Env<State: Stored, Action: Stored>,
    X: Expert<State = E::State, Action = E::Action>,
    P: Policy<State = E::State, Action = E::Action> + Durable,
{
    store_policy(dir, seconds.round, policy)?;
    reporter.stage(seconds.round, Stage::Evaluate);
    let started = Instant::now();
    let result = evaluate_policy(lanes, policy, reference, job, seconds.round)?;
    let evaluate = started.elapsed().as_secs_f64();
    let RoundResult { round, mean, random } = result.clone();
    dir.append(Record::Result { round: round as u32, mean, random })?;
    prune(dir, job)?;
    let seconds = Seconds { evaluate, memory: peak_memory(), ..seconds };
    dir.note_times(&seconds);
    reporter.round(&result, &seconds);
    Ok(())
}

/// Lets go of the policies that are not kept: those before the last, but for the one that the algorithm returns.
fn prune<S: Stored, A: Stored + Action>(
    dir: &RunDir<S, A>,
    job: &Job<'_, S, A>,
) -> Result<(), StoreError> {
    if job.keep == Keep::All {
        return Ok(());
    }
    let returned = job.algorithm.random_round(&job.plan).map(|round| round - 1);
    let done = dir.history().results.len();
    (0..done).filter(|&round| returned != Some(round)).try_for_each(|round| dir.drop_policy(round))
}

/// Where the run directory says that the run is.
fn progress<E, P>(
    job: &Job<'_, E::State, E::Action>,
    dir: &RunDir<E::State, E::Action>,
    lanes: &Lanes<E>,
) -> Result<Progress<E::State, E::Action, P>, RunError>
where
    E: Env<State: Stored, Action: Stored>,
    P: Durable,
{
    let (history, spaces) = (dir.history(), lanes.spaces());
    let done = history.results.len();
    let (data, open) = match &job.algorithm.drive {
        Drive::Stored(stored) => {
            let rows = (done * job.plan.states_per_round).min(stored.len());
            (stored.slice(0, rows), None)
        }
        Drive::Learner | Drive::Expert(_) => (
            history.data(done).filter(|_| done > 0).unwrap_or_else(|| Dataset::empty(spaces)),
            history.open(E::Action::width(spaces.actions)),
        ),
    };
    let kept = dir.policy_path(done);
    let policy = if done > 0 && kept.is_file() { Some(load_policy(&kept)?) } else { None };
    Ok(Progress { data, policy, open, random_round: None })
}

/// What the next round begins with.
fn first_stage<S: Element, A: Action, P>(
    job: &Job<'_, S, A>,
    progress: &Progress<S, A, P>,
) -> Stage {
    match (&job.algorithm.drive, &progress.open) {
        (Drive::Stored(_), _) => Stage::Train,
        (_, Some(open)) if open.labels.len() == open.states.len() => Stage::Train,
        (_, Some(_)) => Stage::Annotate,
        (_, None) => Stage::Collect,
    }
}

fn store_policy<S: Stored, A: Stored + Action, P: Durable>(
    dir: &RunDir<S, A>,
    round: usize,
    policy: &P,
) -> Result<(), RunError> {
    let bytes = policy.to_bytes().map_err(|source| RunError::Policy { round, source })?;
    Ok(dir.put_policy(round, &bytes)?)
}

fn ensure_policy<S: Stored, A: Stored + Action, P: Durable>(
    dir: &RunDir<S, A>,
    round: usize,
    policy: &P,
) -> Result<(), RunError> {
    if dir.policy_path(round).is_file() { Ok(()) } else { store_policy(dir, round, policy) }
}

/// Writes down what happens in a round, before it is used, and ends the loop after it.
struct Scribe<'a, S, A> {
    dir: &'a mut RunDir<S, A>,
    reporter: &'a mut dyn Reporter,
    states_per_round: usize,
    first_stage: Stage,
    stage: Stage,
    since: Instant,
    seconds: Seconds,
    trained: bool,
}

impl<'a, S: Stored, A: Stored + Action> Scribe<'a, S, A> {
    fn new(
        dir: &'a mut RunDir<S, A>,
        reporter: &'a mut dyn Reporter,
        states_per_round: usize,
        first_stage: Stage,
    ) -> Self {
        Self {
            dir,
            reporter,
            states_per_round,
            first_stage,
            stage: Stage::Train,
            since: Instant::now(),
            seconds: Seconds::default(),
            trained: false,
        }
    }

    /// Books the time since the last stage began, and begins the next.
    fn enter(&mut self, round: usize, stage: Stage) {
        self.book();
        self.stage = stage;
        self.reporter.stage(round, stage);
    }

    fn book(&mut self) {
        let spent = std::mem::replace(&mut self.since, Instant::now()).elapsed().as_secs_f64();
        match self.stage {
            Stage::Collect => self.seconds.collect += spent,
            Stage::Annotate => self.seconds.annotate += spent,
            Stage::Train => self.seconds.train += spent,
            Stage::Expert | Stage::Evaluate => self.seconds.evaluate += spent,
        }
    }
}

impl<S, A, P> Observer<S, A, P> for Scribe<'_, S, A>
where
    S: Stored,
    A: Stored + Action,
    P: Durable,
{
    fn observe(&mut self, event: Event<'_, S, A, P>) -> Result<Flow, ObserverError> {
        match event {
            Event::Driving { round, policy } => {
                ensure_policy(self.dir, round - 1, policy)?;
                self.enter(round, self.first_stage);
            }
            Event::Collected { round, states } => {
                let (number, states) = (round as u32, states.clone());
                self.dir.append(Record::States { round: number, states })?;
                self.enter(round, Stage::Annotate);
            }
            Event::Annotated { round, first, actions } => {
                let (number, next) = (round as u32, first + actions.len());
                let (first, actions) = (first as u32, actions.clone());
                self.dir.append(Record::Answers { round: number, first, actions })?;
                if next == self.states_per_round {
                    self.enter(round, Stage::Train);
                }
            }
            Event::Trained { .. } => {
                self.book();
                self.trained = true;
                return Ok(Flow::Stop);
            }
        }
        Ok(if self.reporter.wants_stop() { Flow::Stop } else { Flow::Continue })
    }
}
