//! Conformance suites: does a user's own environment or oracle keep its contract?

use crate::{
    Action, ActionSpace, Batch, Dataset, Element, Env, EnvError, Expert, ExpertError, Oracle,
    OracleError, Policy, PolicyError, SpaceError, Spaces, Step, Stream, TrainOn, TrainingSets,
};

/// A contract that was not kept; the message says which.
#[derive(Debug, thiserror::Error)]
pub enum Breach {
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
/// rewards are finite, episodes end within the time limit, spaces stay the same, and an episode is a function of its
/// generator and its actions alone, whatever was played before and on whichever instance.
pub fn check_env<E: Env>(make: impl Fn() -> E, stream: Stream) -> Result<(), Breach> {
    let mut used = make();
    let spaces = used.spaces();
    if spaces.states == 0 || spaces.actions == 0 || used.horizon() == 0 {
        return Err(Breach::Env(format!(
            "spaces {spaces:?} and horizon {} must be at least 1",
            used.horizon()
        )));
    }
    if used.bounds().width() != E::Action::width(spaces.actions) {
        return Err(Breach::Env(format!(
            "bounds() has {} coordinates, but an action has {}",
            used.bounds().width(),
            E::Action::width(spaces.actions)
        )));
    }
    for episode in 0..EPISODES {
        let stream = stream.fork("episode", episode);
        let first = play(&mut used, spaces, stream)?;
        let again = play(&mut make(), spaces, stream)?;
        if let Some(time) =
            (0..first.len().max(again.len())).find(|&t| first.get(t) != again.get(t))
        {
            return Err(Breach::Env(format!(
                "an episode must be a function of the generator given at reset and the actions, but a fresh instance \
                 differs from a used one at time {time} of episode {episode}"
            )));
        }
        if used.spaces() != spaces {
            return Err(Breach::Env(format!(
                "spaces changed from {spaces:?} to {:?}",
                used.spaces()
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
) -> Result<Vec<(String, Step)>, Breach> {
    let mut state = vec![E::State::default(); E::State::width(spaces.states)];
    let mut action = Batch::zeros(1, E::Action::width(spaces.actions));
    let mut rng = stream.fork("act", 0).rng();
    let failed = |what| move |source| Breach::EnvFailed { what, source };
    env.reset(stream.fork("env", 0).rng(), &mut state).map_err(failed("reset"))?;
    let mut seen = vec![(format!("{state:?}"), Step::default())];
    for time in 1..=env.horizon() {
        if let Some(index) = state.iter().position(|value| !value.fits(spaces.states)) {
            return Err(Breach::Env(format!(
                "state[{index}] = {} at time {} is not in a state space of size {}",
                state[index],
                time - 1,
                spaces.states
            )));
        }
        E::Action::draw_uniform(spaces.actions, &mut rng, action.as_mut_slice());
        E::Action::from_unit(&env.bounds(), &mut action);
        let step = env.step(action.row(0), &mut state).map_err(failed("step"))?;
        if !step.reward.is_finite() {
            return Err(Breach::Env(format!(
                "reward {} at time {time} is not finite",
                step.reward
            )));
        }
        seen.push((format!("{state:?}"), step));
        if step.is_last() {
            return Ok(seen);
        }
    }
    Err(Breach::Env(format!(
        "an episode must end (terminated or truncated) within the horizon of {}",
        env.horizon()
    )))
}

/// Asks an expert about some states and checks its contract: answers lie in the action space and its box, row by row; a
/// row's answer depends on that row's state and generator alone, however rows are batched; and its mean, where it has one,
/// is an action too.
pub fn check_expert<X: Expert>(
    expert: &mut X,
    states: &Batch<X::State>,
    space: &ActionSpace,
    stream: Stream,
) -> Result<(), Breach> {
    let breach = |what: &str, source: SpaceError| Breach::Expert(format!("{what}: {source}"));
    let rngs = || (0..states.len() as u64).map(|row| stream.fork("row", row).rng());
    let width = X::Action::width(space.size);
    let mut together = Batch::zeros(states.len(), width);
    expert.annotate(states, &mut rngs().collect::<Vec<_>>(), &mut together)?;
    space.check(&together, states.len()).map_err(|source| breach("answers", source))?;
    for (row, rng) in rngs().enumerate() {
        let mut alone = Batch::zeros(1, width);
        expert.annotate(&states.slice(row, row + 1), &mut [rng], &mut alone)?;
        if alone.row(0) != together.row(row) {
            return Err(Breach::Expert(format!(
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
) -> Result<(), Breach> {
    let fit = |data: &Dataset<O::State, O::Action>, members: usize| -> Result<O::Policy, Breach> {
        let sets =
            TrainingSets::new(data, TrainOn::Bootstrap, spaces, members, stream.fork("sets", 0))
                .map_err(|error| Breach::Oracle(error.to_string()))?;
        Ok(oracle.fit(&sets, &stream.fork("oracle", 0))?)
    };
    let breach = |what: &str| Err(Breach::Oracle(what.into()));
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
fn is_in_space<A: Action>(actions: &Batch<A>, spaces: Spaces) -> bool {
    let mut clipped = actions.clone();
    A::clip(clipped.as_mut_slice());
    actions.misfit(spaces.actions).is_none() && clipped == *actions
}
