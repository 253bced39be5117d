//! Environments, experts and oracles of a spec, for either kind of actions.

use std::any::Any;
use std::marker::PhantomData;
use std::path::Path;

use tutelage_draw::render::Render;
use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{Mlp, MlpSettings, MlpSettingsError, OutputHead};
use tutelage_runs::store::Fingerprint;

use crate::expert::{AbsentPerson, PERSON, fingerprints, robot_expert};
use crate::parts::{BoxOracle, PartsError, lanes_for, robot_envs};
use crate::registry::{BoxEnvs, BoxExpert, Factory};
use crate::spec::{Class, OracleSpec, RunSpec};

/// Environments, their expert, and what tells the expert from others.
pub type Teachers<A> = (BoxEnvs<A>, BoxExpert<A>, Vec<Fingerprint>);

/// Creates the environments and the expert of a spec.
///
/// ```
/// use tutelage::{Spaces, VectorEnv};
/// use tutelage_spec::spec::RunSpec;
///
/// let spec = RunSpec::parse("task = 'cart-pole'")?;
/// let (envs, _expert, _fingerprints) = tutelage_spec::teachers::<u32>(&spec, "runs/cart".as_ref())?;
/// assert_eq!(envs.spaces(), Spaces { states: 4, actions: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn teachers<A: OutputHead>(spec: &RunSpec, run: &Path) -> Result<Teachers<A>, PartsError> {
    if let Some(factory) = spec.task.factory::<A>() {
        return scripted(factory, spec);
    }
    let no_robot = || PartsError::NoRobot(spec.task);
    spec.task.robot().ok_or_else(no_robot)?;
    let expert = robot_expert(spec, run)?;
    let (envs, fingerprints) =
        (robot_envs(&expert, spec.evaluation.episodes)?, fingerprints(&expert).into());
    let teachers: Teachers<f32> = (envs, Box::new(expert), fingerprints);
    same_type(teachers).ok_or_else(no_robot)
}

/// Creates one environment of a spec, to be drawn.
pub fn stage<A: OutputHead>(
    spec: &RunSpec,
    run: &Path,
) -> Result<Box<dyn Render<Action = A>>, PartsError> {
    if let Some(factory) = spec.task.factory::<A>() {
        return Ok((factory.stage)());
    }
    let expert = robot_expert(spec, run)?;
    let env: Box<dyn Render<Action = f32>> = Box::new(expert.robot().env(expert.observation())?);
    same_type(env).ok_or(PartsError::NoRobot(spec.task))
}

/// Creates the oracle of a policy class. Linear policies with continuous actions are fitted in closed form.
pub fn oracle<A: OutputHead>(
    class: &Class,
    rule: Option<OracleSpec>,
) -> Result<BoxOracle<A>, MlpSettingsError> {
    let least_squares = || same_type::<BoxOracle<f32>, _>(Box::new(LeastSquares::default()));
    let hidden: &[usize] = match class {
        Class::Linear => match least_squares() {
            Some(oracle) => return Ok(oracle),
            None => &[],
        },
        Class::Mlp(hidden) => hidden,
    };
    Ok(Box::new(Mlp::new(settings(hidden, rule))?))
}

/// Returns the value if the two types are the same.
pub fn same_type<T: 'static, U: 'static>(value: T) -> Option<U> {
    (&mut Some(value) as &mut dyn Any).downcast_mut::<Option<U>>()?.take()
}

/// Creates the environments of a world whose expert is a rule or a person.
fn scripted<A: OutputHead>(
    factory: &Factory<A>,
    spec: &RunSpec,
) -> Result<Teachers<A>, PartsError> {
    let expert: BoxExpert<A> = match &*spec.expert {
        PERSON => Box::new(AbsentPerson(PhantomData)),
        name if name == spec.task.name() => (factory.expert)(),
        name => return Err(PartsError::Rule { name: name.into(), task: spec.task }),
    };
    Ok((factory.envs(lanes_for(spec.evaluation.episodes))?, expert, vec![]))
}

fn settings(hidden: &[usize], rule: Option<OracleSpec>) -> MlpSettings {
    let settings = MlpSettings::new(hidden);
    let Some(OracleSpec { budget, learning_rate, batch, states }) = rule else { return settings };
    let adam = tutelage_net::AdamSettings { learning_rate, ..settings.adam };
    MlpSettings { budget, batch, adam, standardize: states, ..settings }
}
