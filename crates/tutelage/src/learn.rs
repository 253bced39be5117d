//! The one loop.

use rand::RngExt;

use crate::plan::check;
use crate::sampling::collect;
use crate::{
    Acting, Actor, Algorithm, Batch, Dataset, Drive, Element, Env, Event, Expert, Flow, Lanes,
    LearnError, Observer, OpenRound, Oracle, Plan, Progress, Rng, TrainingSets,
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
