//! Conformance suites: does a user's own environment or oracle keep its contract?

use crate::choice::TrainOn;
use crate::oracle::TrainingSets;
use crate::space::SpaceError;
use crate::{
    ActionSpace, Batch, Dataset, Element, Env, EnvError, Expert, ExpertError, Oracle, OracleError,
    Policy, PolicyError, Spaces, Step, Stream,
};

/// A contract that was not kept; the message says which.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContractViolation {
    /// An environment's.
    #[error("environment: {0}")]
    Env(String),
    /// It failed outright.
    #[error("environment: {what}: {source}")]
    EnvFailed {
        /// What it was doing.
        what: &'static str,
        /// How it failed.
        source: EnvError,
    },
    /// An expert's.
    #[error("expert: {0}")]
    Expert(String),
    /// It failed outright.
    #[error("expert: {0}")]
    ExpertFailed(#[from] ExpertError),
    /// An oracle's.
    #[error("oracle: {0}")]
    Oracle(String),
    /// It failed outright.
    #[error("oracle: fit: {0}")]
    OracleFailed(#[from] OracleError),
    /// Its policy failed where it should have acted.
    #[error("oracle: its policy: {0}")]
    PolicyFailed(#[from] PolicyError),
}

/// How many episodes of random actions an environment is put through.
const EPISODES: u64 = 5;

/// Puts an environment through a few episodes of random actions and checks its contract: states lie in their space,
/// rewards are finite, episodes end within the time limit, spaces, horizon and bounds stay the same, and an episode is a
/// function of its generator and its actions alone, whatever was played before and on whichever instance.
///
/// In a test of one's own: `check_env(MyEnv::new, Stream::new(1)).unwrap()`. [`Env`] has a whole example.
pub fn check_env<E: Env>(make: impl Fn() -> E, stream: Stream) -> Result<(), ContractViolation> {
    let mut used = make();
    let declared = |env: &E| (env.spaces(), env.horizon(), env.bounds());
    let promised = declared(&used);
    let spaces = used.spaces();
    if spaces.states == 0 || spaces.actions == 0 || used.horizon() == 0 {
        return Err(ContractViolation::Env(format!(
            "the sizes of both spaces and the horizon must be at least 1, but they are {}, {} and {}",
            spaces.states,
            spaces.actions,
            used.horizon()
        )));
    }
    if used.bounds().width() != E::Action::width(spaces.actions) {
        return Err(ContractViolation::Env(format!(
            "bounds() must have a coordinate for every value of an action, which has {}, but there are {}",
            E::Action::width(spaces.actions),
            used.bounds().width()
        )));
    }
    for episode in 0..EPISODES {
        let stream = stream.fork("episode", episode);
        let first = play(&mut used, spaces, stream)?;
        let again = play(&mut make(), spaces, stream)?;
        if let Some(time) =
            (0..first.len().max(again.len())).find(|&t| first.get(t) != again.get(t))
        {
            return Err(ContractViolation::Env(format!(
                "an episode must be a function of the generator given at reset and the actions, but a fresh instance \
                 differs from a used one at time {time} of episode {episode}"
            )));
        }
        if declared(&used) != promised {
            return Err(ContractViolation::Env(format!(
                "spaces, horizon and bounds must stay the same, but episode {episode} changed them from {promised:?} to {:?}",
                declared(&used)
            )));
        }
    }
    Ok(())
}

/// States and steps of one episode of random actions, compared by their printed form so that NaN equals NaN.
fn play<E: Env>(
    env: &mut E,
    spaces: Spaces,
    stream: Stream,
) -> Result<Vec<(String, Step)>, ContractViolation> {
    let mut state = vec![E::State::default(); E::State::width(spaces.states)];
    let mut action = Batch::zeros(1, E::Action::width(spaces.actions));
    let mut rng = stream.fork("act", 0).rng();
    let failed = |what| move |source| ContractViolation::EnvFailed { what, source };
    env.reset(stream.fork("env", 0).rng(), &mut state).map_err(failed("reset"))?;
    let mut seen = vec![(format!("{state:?}"), Step::default())];
    for time in 1..=env.horizon() {
        if let Some(index) = state.iter().position(|value| !value.fits(spaces.states)) {
            return Err(ContractViolation::Env(format!(
                "every state but an episode's last must lie in the state space, but state[{index}] = {} at time {} does \
                 not (allowed: {})",
                state[index],
                time - 1,
                E::State::allowed(spaces.states)
            )));
        }
        E::Action::draw_uniform(spaces.actions, &mut rng, action.as_mut_slice());
        E::Action::from_unit(&env.bounds(), &mut action);
        let step = env.step(action.row(0), &mut state).map_err(failed("step"))?;
        if !step.reward.is_finite() {
            return Err(ContractViolation::Env(format!(
                "every reward must be finite, but that of time {time} is {}",
                step.reward
            )));
        }
        seen.push((format!("{state:?}"), step));
        if step.is_last() {
            return Ok(seen);
        }
    }
    Err(ContractViolation::Env(format!(
        "an episode must end (terminated or truncated) within the horizon, but one goes on after {} steps",
        env.horizon()
    )))
}

/// Asks an expert about some states and checks its contract: answers lie in the action space and its box, row by row; a
/// row's answer depends on that row's state and generator alone, however rows are batched; and its mean, where it has one,
/// is an action too.
///
/// ```
/// use tutelage::{ActionSpace, Batch, Bounds, Expert, ExpertError, Rng, Stream};
/// use tutelage::check::check_expert;
///
/// /// Steers back to the origin, as hard as it is far away.
/// struct Back;
///
/// impl Expert for Back {
///     type State = f32;
///     type Action = f32;
///     fn annotate(&mut self, states: &Batch<f32>, _: &mut [Rng], actions: &mut Batch<f32>) -> Result<(), ExpertError> {
///         (0..states.len()).for_each(|i| actions.row_mut(i)[0] = -states.row(i)[0]);
///         Ok(())
///     }
/// }
///
/// let space = ActionSpace { size: 1, bounds: Bounds::unit(1) };
/// check_expert(&mut Back, &Batch::from_vec(1, vec![-0.5, 1.0])?, &space, Stream::new(1))?;
///
/// let breach = check_expert(&mut Back, &Batch::from_vec(1, vec![0.5, 5.0])?, &space, Stream::new(1)).unwrap_err();
/// assert!(breach.to_string().contains("row 1, place 0: -5 is not allowed"), "{breach}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_expert<X: Expert>(
    expert: &mut X,
    states: &Batch<X::State>,
    space: &ActionSpace,
    stream: Stream,
) -> Result<(), ContractViolation> {
    let breach = |what: &str, source: SpaceError| {
        ContractViolation::Expert(format!(
            "{what} must be one action of the task for each state: {source}"
        ))
    };
    let rngs = || (0..states.len() as u64).map(|row| stream.fork("row", row).rng());
    let width = X::Action::width(space.size);
    let mut together = Batch::zeros(states.len(), width);
    expert.annotate(states, &mut rngs().collect::<Vec<_>>(), &mut together)?;
    space.check(&together, states.len()).map_err(|source| breach("answers", source))?;
    for (row, rng) in rngs().enumerate() {
        let mut alone = Batch::zeros(1, width);
        expert.annotate(&states.slice(row, row + 1), &mut [rng], &mut alone)?;
        if alone.row(0) != together.row(row) {
            return Err(ContractViolation::Expert(format!(
                "an answer must depend on its own state and generator alone, but state {row} asked alone gets {:?} and \
                 among others {:?}",
                alone.row(0),
                together.row(row)
            )));
        }
    }
    let mut mean = Batch::zeros(states.len(), width);
    match expert.mean(states, &mut mean) {
        Err(ExpertError::NoMean) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(()) => space.check(&mean, states.len()).map_err(|source| breach("mean", source)),
    }
}

/// Fits an oracle to a dataset and checks its contract: as many members as training sets, actions in their space and
/// clipped, the same bits for the same stream and for any number of threads, members that do not depend on each other, a
/// mean that of one member is that member, and a policy also where D is empty.
pub fn check_oracle<O: Oracle>(
    oracle: &O,
    data: &Dataset<O::State, O::Action>,
    spaces: Spaces,
    stream: Stream,
) -> Result<(), ContractViolation> {
    let fit = |data: &Dataset<O::State, O::Action>,
               members: usize|
     -> Result<O::Policy, ContractViolation> {
        let sets =
            TrainingSets::new(data, TrainOn::Bootstrap, spaces, members, stream.fork("sets", 0))
                .map_err(|error| ContractViolation::Oracle(error.to_string()))?;
        Ok(oracle.fit(&sets, &stream.fork("oracle", 0))?)
    };
    let breach = |what: &str| Err(ContractViolation::Oracle(what.into()));
    let three = fit(data, 3)?;
    if three.members() != 3 {
        return breach("a policy must have one member per training set");
    }
    let acts = |policy: &O::Policy| actions_of(policy, data, spaces);
    let of_three = acts(&three)?;
    if of_three.iter().chain([&mean_of(&three, data, spaces)?]).any(|a| !is_in_space(a, spaces)) {
        return breach("every action must lie in the action space, vectors in [-1, 1]");
    }
    if acts(&fit(data, 3)?)? != of_three {
        return breach("the same training sets and stream must give the same policy");
    }
    if let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build()
        && of_three != acts(&pool.install(|| fit(data, 3))?)?
    {
        return breach("the number of threads must not change the policy");
    }
    if acts(&fit(data, 2)?)?[..] != of_three[..2] {
        return breach("a member must not depend on how many others there are");
    }
    let one = fit(data, 1)?;
    if acts(&one)? != [mean_of(&one, data, spaces)?] {
        return breach("the mean of a single member must be that member");
    }
    if fit(&Dataset::empty(spaces), 2)?.members() != 2 {
        return breach("an empty dataset must give a policy too (the first round's)");
    }
    Ok(())
}

/// Each member's action in every state of D.
fn actions_of<P: Policy>(
    policy: &P,
    data: &Dataset<P::State, P::Action>,
    spaces: Spaces,
) -> Result<Vec<Batch<P::Action>>, PolicyError> {
    let act = |member| {
        let mut actions = Batch::zeros(data.len(), P::Action::width(spaces.actions));
        policy.act_members(&data.states, &vec![member; data.len()], &mut actions)?;
        Ok(actions)
    };
    (0..policy.members() as u32).map(act).collect()
}

/// The members' mean action in every state of D.
fn mean_of<P: Policy>(
    policy: &P,
    data: &Dataset<P::State, P::Action>,
    spaces: Spaces,
) -> Result<Batch<P::Action>, PolicyError> {
    let mut actions = Batch::zeros(data.len(), P::Action::width(spaces.actions));
    policy.act_mean(&data.states, &mut actions)?;
    Ok(actions)
}

/// Whether clipping would change nothing.
fn is_in_space<A: Element>(actions: &Batch<A>, spaces: Spaces) -> bool {
    let mut clipped = actions.clone();
    A::clip(clipped.as_mut_slice());
    actions.misfit(spaces.actions).is_none() && clipped == *actions
}
