//! The one loop.

use rand::RngExt;

use crate::sampling::collect;
use crate::{
    Acting, Action, Actor, Algorithm, Batch, Dataset, Drive, Element, Env, Expert, ExpertError,
    Lanes, Oracle, OracleError, Rng, RolloutError, Sampling, Spaces, Stream, TrainOnError,
    TrainingSets,
};

/// Who takes part: the environments, the expert, the oracle.
pub struct Setting<'a, E: Env, X, O> {
    /// Where the learner acts.
    pub lanes: &'a mut Lanes<E>,
    /// Who annotates.
    pub expert: &'a mut X,
    /// Who trains.
    pub oracle: &'a O,
}

/// How long to learn and how to collect.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// How the K states of a round are taken from trajectories.
    pub sampling: Sampling,
    /// The source of all randomness.
    pub stream: Stream,
}

/// What has been done already: nothing, or what an interrupted run had come to.
#[derive(Clone, Debug)]
pub struct Progress<S, A, P> {
    /// D, K rows for each finished round.
    pub data: Dataset<S, A>,
    /// The policy trained on D, where it was kept; otherwise it is trained again, to the same bits.
    pub policy: Option<P>,
    /// The round under way, where its states were collected.
    pub open: Option<OpenRound<S, A>>,
    /// π_n̂, where a random round is deployed and it has passed.
    pub random_round: Option<P>,
}

/// A round whose states are collected but not all annotated.
#[derive(Clone, Debug)]
pub struct OpenRound<S, A> {
    /// Its K states.
    pub states: Batch<S>,
    /// What the expert has answered so far, from the first state on.
    pub labels: Batch<A>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Learned<S, A, P> {
    /// D.
    pub data: Dataset<S, A>,
    /// The last trained policy, π_{N+1} if the loop ran to its end.
    pub last: P,
    /// n̂ and π_n̂, where the algorithm deploys a random round and it has passed.
    pub random_round: Option<(usize, P)>,
    /// Whether all rounds were played; otherwise the observer stopped the loop.
    pub finished: bool,
}

/// What happens in the loop, in order. Nothing that an expert said is used before the observer has seen it.
#[derive(Debug)]
pub enum Event<'a, S, A, P> {
    /// πₙ is about to drive.
    Driving {
        /// n.
        round: usize,
        /// πₙ.
        policy: &'a P,
    },
    /// The K states of the round are known.
    Collected {
        /// n.
        round: usize,
        /// The states.
        states: &'a Batch<S>,
    },
    /// The expert answered for some of them.
    Annotated {
        /// n.
        round: usize,
        /// The row of the round's states that the first answer is for.
        first: usize,
        /// The answers.
        actions: &'a Batch<A>,
    },
    /// π_{n+1} was trained on D.
    Trained {
        /// n.
        round: usize,
        /// π_{n+1}.
        policy: &'a P,
        /// D, with n·K rows.
        data: &'a Dataset<S, A>,
    },
}

/// What an observer wants to happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop here; the run can be continued later.
    Stop,
}

/// An error of an observer, such as a full disk.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Somebody who watches the loop: a store, a progress bar, an evaluation.
pub trait Observer<S, A, P> {
    /// Sees an event and says whether to go on. An error ends the loop.
    fn observe(&mut self, event: Event<'_, S, A, P>) -> Result<Flow, ObserverError>;
}

impl<S, A, P, F> Observer<S, A, P> for F
where
    F: FnMut(Event<'_, S, A, P>) -> Result<Flow, ObserverError>,
{
    fn observe(&mut self, event: Event<'_, S, A, P>) -> Result<Flow, ObserverError> {
        self(event)
    }
}

/// Why learning could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// N = 0.
    #[error("rounds is 0; at least 1 is needed")]
    NoRounds,
    /// K = 0.
    #[error("states_per_round is 0; at least 1 is needed")]
    NoStates,
    /// A stride of 0.
    #[error("the stride is 0; at least 1 is needed")]
    NoStride,
    /// E = 0.
    #[error("the ensemble has 0 members; at least 1 is needed")]
    NoMembers,
    /// The training set makes no sense.
    #[error(transparent)]
    TrainOn(#[from] TrainOnError),
    /// What was done already does not fit the plan.
    #[error("the progress to continue from has {found} {what}, which does not fit {expected}")]
    Progress {
        /// What does not fit.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// What would fit.
        expected: String,
    },
    /// Examples that come from outside are not of this task.
    #[error("{what} has {found} values; in this task it has {expected}")]
    Width {
        /// Which rows.
        what: &'static str,
        /// How many values they have.
        found: usize,
        /// How many the task's have.
        expected: usize,
    },
    /// The stored dataset ends before the rounds do.
    #[error("all rounds together need {needed} stored examples, but there are {stored}")]
    StoredTooShort {
        /// N·K.
        needed: usize,
        /// The rows stored.
        stored: usize,
    },
    /// States could not be collected.
    #[error("round {round}: {source}")]
    Collect {
        /// The round.
        round: usize,
        /// Why.
        source: RolloutError,
    },
    /// The expert gave no answer.
    #[error("round {round}: the expert failed: {source}")]
    Annotate {
        /// The round.
        round: usize,
        /// Why.
        source: ExpertError,
    },
    /// The expert did not answer row by row.
    #[error("round {round}: the expert was asked about {asked} states and gave {given} answers")]
    Answers {
        /// The round.
        round: usize,
        /// How many states it was asked about.
        asked: usize,
        /// How many answers it gave.
        given: usize,
    },
    /// The expert gave answers of another task.
    #[error(
        "round {round}: the expert gave answers of {found} values, where actions have {expected}"
    )]
    AnswerWidth {
        /// The round.
        round: usize,
        /// How many values its answers have.
        found: usize,
        /// How many the task's actions have.
        expected: usize,
    },
    /// The expert gave an answer that is no action.
    #[error(
        "round {round}: the expert answered {value} at state {row}, place {index}, which is not in an action space of size {size}"
    )]
    Label {
        /// The round.
        round: usize,
        /// Which of the round's states.
        row: usize,
        /// The place in the action.
        index: usize,
        /// The answer.
        value: String,
        /// The size of the action space.
        size: usize,
    },
    /// The oracle returned no policy.
    #[error("round {round}: {source}")]
    Train {
        /// The round that the policy was for.
        round: usize,
        /// Why.
        source: OracleError,
    },
    /// The observer failed.
    #[error("round {round}: {source}")]
    Observer {
        /// The round.
        round: usize,
        /// Why.
        source: ObserverError,
    },
}

/// Learns a policy: the paper's Algorithm 1, for every algorithm.
///
/// ```text
/// D ← ∅
/// for n = 1 … N:
///     πₙ ← members trained by the oracle on what choice 2 makes of D
///     Dₙ ← K states from the trajectories of whoever drives (choice 1), with the expert's actions
///     D ← D ∪ Dₙ
/// ```
///
/// After the last round π_{N+1} is trained too. Going on from a [`Progress`] gives the same bits as never having stopped.
pub fn learn<E, X, O>(
    setting: Setting<'_, E, X, O>,
    algorithm: &Algorithm<E::State, E::Action>,
    plan: &Plan,
    progress: Progress<E::State, E::Action, O::Policy>,
    observer: &mut dyn Observer<E::State, E::Action, O::Policy>,
) -> Result<Learned<E::State, E::Action, O::Policy>, LearnError>
where
    E: Env,
    X: Expert<State = E::State, Action = E::Action>,
    O: Oracle<State = E::State, Action = E::Action>,
{
    check(algorithm, plan, &progress, setting.lanes.spaces())?;
    let Progress { data, policy, open, random_round } = progress;
    let mut run = Run { setting, algorithm, plan, observer, data, open };
    let (mut policy, mut random_round) = (policy.map_or_else(|| run.train(), Ok)?, random_round);
    let finished = match run.rounds(&mut policy, &mut random_round) {
        Ok(()) => true,
        Err(Halt::Stopped) => run.round() > plan.rounds,
        Err(Halt::Failed(error)) => return Err(error),
    };
    let random_round = algorithm.random_round(plan).zip(random_round);
    Ok(Learned { data: run.data, last: policy, random_round, finished })
}

/// A run under way.
struct Run<'a, E: Env, X, O: Oracle> {
    setting: Setting<'a, E, X, O>,
    algorithm: &'a Algorithm<E::State, E::Action>,
    plan: &'a Plan,
    observer: &'a mut dyn Observer<E::State, E::Action, O::Policy>,
    data: Dataset<E::State, E::Action>,
    open: Option<OpenRound<E::State, E::Action>>,
}

/// Why the rounds ended early.
enum Halt {
    Stopped,
    Failed(LearnError),
}

impl<T: Into<LearnError>> From<T> for Halt {
    fn from(error: T) -> Self {
        Self::Failed(error.into())
    }
}

impl<E, X, O> Run<'_, E, X, O>
where
    E: Env,
    X: Expert<State = E::State, Action = E::Action>,
    O: Oracle<State = E::State, Action = E::Action>,
{
    /// The round that |D| says we are in.
    fn round(&self) -> usize {
        self.data.len() / self.plan.states_per_round + 1
    }

    /// The rounds that are left. `policy` is πₙ at the beginning of round n.
    fn rounds(
        &mut self,
        policy: &mut O::Policy,
        random_round: &mut Option<O::Policy>,
    ) -> Result<(), Halt> {
        for round in self.round()..=self.plan.rounds {
            self.tell(Event::Driving { round, policy })?;
            let examples = self.examples(policy)?;
            self.data.extend(&examples.states, &examples.actions);
            let driver = std::mem::replace(policy, self.train()?);
            if self.algorithm.random_round(self.plan) == Some(round) {
                *random_round = Some(driver);
            }
            tell(self.observer, Event::Trained { round, policy, data: &self.data })?;
        }
        Ok(())
    }

    /// πₙ: a member for each training set that choice 2 makes of D.
    fn train(&self) -> Result<O::Policy, LearnError> {
        let round = self.round();
        let stream = self.plan.stream.fork("round", round as u64);
        let Algorithm { train_on, members, .. } = self.algorithm;
        let spaces = self.setting.lanes.spaces();
        let sets = TrainingSets::new(
            &self.data,
            train_on,
            spaces,
            *members,
            stream.fork("training sets", 0),
        )?;
        let fitted = self.setting.oracle.fit(&sets, &stream.fork("oracle", 0));
        fitted.map_err(|source| LearnError::Train { round, source })
    }

    /// Dₙ: K states and what the expert would have done there.
    fn examples(&mut self, policy: &O::Policy) -> Result<Dataset<E::State, E::Action>, Halt> {
        if let Drive::Stored(stored) = &self.algorithm.drive {
            return Ok(stored.slice(self.data.len(), self.data.len() + self.plan.states_per_round));
        }
        let OpenRound { states, mut labels } = match self.open.take() {
            Some(open) => open,
            None => OpenRound {
                states: self.collect(policy)?,
                labels: Batch::new(self.data.actions.width()),
            },
        };
        while labels.len() < states.len() {
            let (round, first) = (self.round(), labels.len());
            let answers = self.annotate(&states, first)?;
            self.tell(Event::Annotated { round, first, actions: &answers })?;
            labels.extend(&answers);
        }
        Ok(Dataset { states, actions: labels })
    }

    /// K states that whoever drives reaches.
    fn collect(&mut self, policy: &O::Policy) -> Result<Batch<E::State>, Halt> {
        let round = self.round();
        let stream = self.plan.stream.fork("round", round as u64).fork("drive", 0);
        let Setting { lanes, expert, .. } = &mut self.setting;
        let actor = match self.algorithm.drive {
            Drive::Expert(acts) => Actor::expert(&mut **expert, acts),
            Drive::Learner | Drive::Stored(_) => Actor::policy(policy, Acting::UniformMember),
        };
        let states = collect(lanes, actor, self.plan.sampling, self.plan.states_per_round, stream)
            .map_err(|source| LearnError::Collect { round, source })?;
        self.tell(Event::Collected { round, states: &states })?;
        Ok(states)
    }

    /// The expert's answers from state `first` on, as many as it takes at once.
    fn annotate(
        &mut self,
        states: &Batch<E::State>,
        first: usize,
    ) -> Result<Batch<E::Action>, LearnError> {
        let round = self.round();
        let stream = self.plan.stream.fork("round", round as u64);
        let last = states.len().min(first.saturating_add(self.setting.expert.batch().max(1)));
        let mut rngs: Vec<Rng> =
            (first..last).map(|row| stream.fork("label", row as u64).rng()).collect();
        let mut answers = Batch::zeros(last - first, self.data.actions.width());
        let asked = states.slice(first, last);
        let answered = self.setting.expert.annotate(&asked, &mut rngs, &mut answers);
        answered.map_err(|source| LearnError::Annotate { round, source })?;
        let size = self.setting.lanes.spaces().actions;
        let (found, expected) = (answers.width(), E::Action::width(size));
        match answers.misfit(size) {
            _ if found != expected => Err(LearnError::AnswerWidth { round, found, expected }),
            _ if answers.len() != asked.len() => {
                Err(LearnError::Answers { round, asked: asked.len(), given: answers.len() })
            }
            None => Ok(answers),
            Some((row, index, value)) => Err(LearnError::Label {
                round,
                row: first + row,
                index,
                value: value.to_string(),
                size,
            }),
        }
    }

    fn tell(&mut self, event: Event<'_, E::State, E::Action, O::Policy>) -> Result<(), Halt> {
        tell(self.observer, event)
    }
}

fn tell<S, A, P>(
    observer: &mut dyn Observer<S, A, P>,
    event: Event<'_, S, A, P>,
) -> Result<(), Halt> {
    let round = event.round();
    match observer.observe(event).map_err(|source| LearnError::Observer { round, source })? {
        Flow::Continue => Ok(()),
        Flow::Stop => Err(Halt::Stopped),
    }
}

impl<S, A, P> Event<'_, S, A, P> {
    /// n.
    pub fn round(&self) -> usize {
        match *self {
            Self::Driving { round, .. }
            | Self::Collected { round, .. }
            | Self::Annotated { round, .. }
            | Self::Trained { round, .. } => round,
        }
    }
}

impl<S: Element, A: Action, P> Progress<S, A, P> {
    /// Nothing done yet: D = ∅.
    pub fn none(spaces: Spaces) -> Self {
        Self { data: Dataset::empty(spaces), policy: None, open: None, random_round: None }
    }
}

impl<S, A, P> Learned<S, A, P> {
    /// The policy that the algorithm returns: π_n̂ where it deploys a random round, otherwise the last one.
    pub fn deployed(&self) -> &P {
        self.random_round.as_ref().map_or(&self.last, |(_, policy)| policy)
    }
}

impl<S, A> Algorithm<S, A> {
    /// n̂ ~ Unif{1 … N}, where the algorithm deploys the policy of a random round.
    pub fn random_round(&self, plan: &Plan) -> Option<usize> {
        let draw = || plan.stream.fork("random round", 0).rng().random_range(1..=plan.rounds);
        (self.deploy == Acting::RandomRound && plan.rounds > 0).then(draw)
    }
}

fn check<S: Element, A: Action, P>(
    algorithm: &Algorithm<S, A>,
    plan: &Plan,
    progress: &Progress<S, A, P>,
    spaces: Spaces,
) -> Result<(), LearnError> {
    match plan {
        Plan { rounds: 0, .. } => return Err(LearnError::NoRounds),
        Plan { states_per_round: 0, .. } => return Err(LearnError::NoStates),
        Plan { sampling: Sampling::Stride(0), .. } => return Err(LearnError::NoStride),
        _ if algorithm.members == 0 => return Err(LearnError::NoMembers),
        _ => algorithm.train_on.check::<A>(spaces)?,
    }
    if let Drive::Stored(stored) = &algorithm.drive {
        let needed = plan.rounds.saturating_mul(plan.states_per_round);
        let stored_rows = stored.len().min(stored.actions.len());
        if stored_rows < needed {
            return Err(LearnError::StoredTooShort { needed, stored: stored_rows });
        }
        check_widths(
            ["a stored state", "a stored action"],
            &stored.states,
            &stored.actions,
            spaces,
        )?;
    }
    check_progress(plan, progress, spaces)
}

fn check_progress<S: Element, A: Action, P>(
    plan: &Plan,
    Progress { data, open, .. }: &Progress<S, A, P>,
    spaces: Spaces,
) -> Result<(), LearnError> {
    let k = plan.states_per_round;
    let unfit = |what, found, expected| Err(LearnError::Progress { what, found, expected });
    if data.len() % k != 0 || data.len() / k > plan.rounds || data.actions.len() != data.len() {
        return unfit(
            "annotated states",
            data.len(),
            format!("whole rounds of {k}, at most {}", plan.rounds),
        );
    }
    let names = ["a state to continue from", "an action to continue from"];
    check_widths(names, &data.states, &data.actions, spaces)?;
    let Some(OpenRound { states, labels }) = open else { return Ok(()) };
    if states.len() != k || labels.len() > k {
        return unfit("states in the open round", states.len(), format!("rounds of {k}"));
    }
    check_widths(
        ["a state of the open round", "an answer of the open round"],
        states,
        labels,
        spaces,
    )
}

fn check_widths<S: Element, A: Action>(
    names: [&'static str; 2],
    states: &Batch<S>,
    actions: &Batch<A>,
    spaces: Spaces,
) -> Result<(), LearnError> {
    let found = [states.width(), actions.width()];
    let expected = [S::width(spaces.states), A::width(spaces.actions)];
    match (0..2).find(|&i| found[i] != expected[i]) {
        None => Ok(()),
        Some(i) => {
            Err(LearnError::Width { what: names[i], found: found[i], expected: expected[i] })
        }
    }
}
