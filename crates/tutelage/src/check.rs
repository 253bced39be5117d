//! Conformance suites for environments, experts and oracles.

use crate::choice::TrainOn;
use crate::oracle::TrainingSets;
use crate::space::SpaceError;
use crate::{
    ActionSpace, Batch, Dataset, Element, Env, EnvError, Expert, ExpertError, Oracle, OracleError,
    Policy, PolicyError, Spaces, Step, Stream,
};

/// A violation of a trait's contract.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContractViolation {
    /// An environment violates its contract.
    #[error("environment: {0}")]
    Env(String),
    /// An environment failed.
    #[error("environment: {what}")]
    EnvFailed {
        /// "reset" or "step".
        what: &'static str,
        /// The cause.
        source: EnvError,
    },
    /// An expert violates its contract.
    #[error("expert: {0}")]
    Expert(String),
    /// An expert failed.
    #[error("expert")]
    ExpertFailed(#[from] ExpertError),
    /// An oracle violates its contract.
    #[error("oracle: {0}")]
    Oracle(String),
    /// An oracle failed.
    #[error("oracle: fit")]
    OracleFailed(#[from] OracleError),
    /// An oracle's policy failed.
    #[error("oracle: its policy")]
    PolicyFailed(#[from] PolicyError),
}

/// The number of episodes of random actions that an environment plays.
const EPISODES: u64 = 5;

/// Plays a few episodes of random actions and checks the contract of [`Env`]:
///
/// - states are in their space, and rewards are finite;
/// - episodes end within the time limit;
/// - spaces, horizon and bounds never change;
/// - an episode is a function of its generator and actions, on every instance and after any other episode.
///
/// ```
/// use tutelage::testing::PointMass;
///
/// tutelage::check::check_env(PointMass::default, tutelage::Stream::new(1)).unwrap();
/// ```
pub fn check_env<E: Env>(make: impl Fn() -> E, stream: Stream) -> Result<(), ContractViolation> {
    let mut used = make();
    let declared = |env: &E| (env.spaces(), env.horizon(), env.bounds());
    let expected = declared(&used);
    let spaces = used.spaces();
    let (Spaces { states, actions }, horizon) = (spaces, used.horizon());
    if states == 0 || actions == 0 || horizon == 0 {
        return env_violates(format!(
            "the sizes of both spaces and the horizon must be at least 1, not {states}, {actions} and {horizon}"
        ));
    }
    let (width, found) = (E::Action::width(actions), used.bounds().width());
    if found != width {
        return env_violates(format!(
            "bounds() must have the width of an action, {width}, not {found}"
        ));
    }
    for episode in 0..EPISODES {
        let stream = stream.fork("episode", episode);
        let first = play(&mut used, spaces, stream)?;
        let again = play(&mut make(), spaces, stream)?;
        if let Some(time) =
            (0..first.len().max(again.len())).find(|&t| first.get(t) != again.get(t))
        {
            return env_violates(format!(
                "an episode must be a function of its generator and actions, but a new instance differs from a used one \
                 at time {time} of episode {episode}"
            ));
        }
        if declared(&used) != expected {
            let found = declared(&used);
            return env_violates(format!(
                "spaces, horizon and bounds must never change, but episode {episode} changed them from {expected:?} to {found:?}"
            ));
        }
    }
    Ok(())
}

fn env_violates<T>(violation: String) -> Result<T, ContractViolation> {
    Err(ContractViolation::Env(violation))
}

/// States and steps of one episode of random actions, compared by their printed form so that NaN equals NaN.
fn play<E: Env>(
    task: &mut E,
    spaces: Spaces,
    stream: Stream,
) -> Result<Vec<(String, Step)>, ContractViolation> {
    let mut state = vec![E::State::default(); E::State::width(spaces.states)];
    let mut action = Batch::zeros(1, E::Action::width(spaces.actions));
    let mut rng = stream.fork("act", 0).rng();
    let failed = |what| move |source| ContractViolation::EnvFailed { what, source };
    task.reset(stream.fork("env", 0).rng(), &mut state).map_err(failed("reset"))?;
    let mut seen = vec![(format!("{state:?}"), Step::default())];
    for time in 1..=task.horizon() {
        if let Some(index) = state.iter().position(|value| !value.fits(spaces.states)) {
            let (before, value, allowed) =
                (time - 1, state[index], E::State::allowed(spaces.states));
            return env_violates(format!(
                "every state but an episode's last must be in the state space, but at time {before} state[{index}] = {value}, expected {allowed}"
            ));
        }
        E::Action::draw_uniform(spaces.actions, &mut rng, action.as_mut_slice());
        E::Action::from_unit(&task.bounds(), &mut action);
        let step = task.step(action.row(0), &mut state).map_err(failed("step"))?;
        let reward = step.reward;
        if !reward.is_finite() {
            return env_violates(format!(
                "every reward must be finite, but at time {time} it is {reward}"
            ));
        }
        seen.push((format!("{state:?}"), step));
        if step.is_last() {
            return Ok(seen);
        }
    }
    env_violates(format!(
        "an episode must end (terminated or truncated) within the horizon, but one continues after {} steps",
        task.horizon()
    ))
}

/// Asks an expert to label some states and checks the contract of [`Expert`]:
///
/// - labels and means are in the action space and its box;
/// - a label depends on its own state and generator only, not on the batching.
///
/// ```
/// use tutelage::check::check_expert;
/// use tutelage::testing::Damper;
/// use tutelage::{ActionSpace, Batch, Bounds, Stream};
///
/// let (near, far) = (Batch::from_vec(2, vec![0.5, 0.0])?, Batch::from_vec(2, vec![5.0, 0.0])?);
/// let space = ActionSpace { size: 1, bounds: Bounds::unit(1) };
/// check_expert(&mut Damper::default(), &near, &space, Stream::new(1))?;
/// assert!(check_expert(&mut Damper::default(), &far, &space, Stream::new(1)).is_err(), "-7.5 is outside [-1, 1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_expert<X: Expert>(
    expert: &mut X,
    states: &Batch<X::State>,
    space: &ActionSpace,
    stream: Stream,
) -> Result<(), ContractViolation> {
    let violation = |what: &str, source: SpaceError| {
        ContractViolation::Expert(format!(
            "{what} must have one valid action for each state: {source}"
        ))
    };
    let rngs = || (0..states.len() as u64).map(|row| stream.fork("row", row).rng());
    let width = X::Action::width(space.size);
    let mut together = Batch::zeros(states.len(), width);
    expert.annotate(states, &mut rngs().collect::<Vec<_>>(), &mut together)?;
    space.check(&together, states.len()).map_err(|source| violation("labels", source))?;
    for (row, rng) in rngs().enumerate() {
        let mut alone = Batch::zeros(1, width);
        expert.annotate(&states.slice(row, row + 1), &mut [rng], &mut alone)?;
        if alone.row(0) != together.row(row) {
            return Err(ContractViolation::Expert(format!(
                "a label must depend on its own state and generator only, but state {row} gets {:?} alone and {:?} in a batch",
                alone.row(0),
                together.row(row)
            )));
        }
    }
    let mut mean = Batch::zeros(states.len(), width);
    match expert.mean(states, &mut mean) {
        Err(ExpertError::NoMean) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(()) => space.check(&mean, states.len()).map_err(|source| violation("mean", source)),
    }
}

/// Fits an oracle to a dataset and checks the contract of [`Oracle`]:
///
/// - there is one member per training set, and its actions are in their space, vectors clipped to [-1, 1];
/// - the same stream gives the same bits for any number of threads;
/// - members do not depend on each other, and the mean of a single member is that member;
/// - an empty dataset gives a policy too.
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
    let violation = |what: &str| Err(ContractViolation::Oracle(what.into()));
    let three = fit(data, 3)?;
    if three.members() != 3 {
        return violation("a policy must have one member per training set");
    }
    let acts = |policy: &O::Policy| actions_of(policy, data, spaces);
    let of_three = acts(&three)?;
    if of_three.iter().chain([&mean_of(&three, data, spaces)?]).any(|a| !is_in_space(a, spaces)) {
        return violation("every action must be in the action space, vectors in [-1, 1]");
    }
    if acts(&fit(data, 3)?)? != of_three {
        return violation("the same training sets and stream must give the same policy");
    }
    if let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build()
        && of_three != acts(&pool.install(|| fit(data, 3))?)?
    {
        return violation("the number of threads must not change the policy");
    }
    if acts(&fit(data, 2)?)?[..] != of_three[..2] {
        return violation("a member must not depend on the number of members");
    }
    let one = fit(data, 1)?;
    if acts(&one)? != [mean_of(&one, data, spaces)?] {
        return violation("the mean of a single member must be that member");
    }
    if fit(&Dataset::empty(spaces), 2)?.members() != 2 {
        return violation("an empty dataset must give a policy too, that of the first round");
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
