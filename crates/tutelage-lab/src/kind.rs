//! Environments, experts and oracles of a spec, for either kind of actions.

use std::any::Any;
use std::path::Path;

use tutelage_draw::render::Render;
use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{Mlp, MlpSettings, MlpSettingsError, OutputHead, TrainingBudget};
use tutelage_runs::store::Fingerprint;

use crate::cast::{
    BoxOracle, CastError, fingerprints, lanes_for, load_expert, located_expert, robot_envs,
};
use crate::registry::{BoxEnvs, BoxExpert, Maker};
use crate::spec::{BudgetSpec, Class, OracleSpec, RunSpec};

/// Environments, their expert, and what tells the expert from others.
pub type Teachers<A> = (BoxEnvs<A>, BoxExpert<A>, Vec<Fingerprint>);

/// Creates the environments and the expert of a spec.
///
/// ```
/// use tutelage::{Spaces, VectorEnv};
/// use tutelage_lab::spec::RunSpec;
///
/// let spec = RunSpec::parse("task = 'cart-pole'")?;
/// let (envs, _expert, _fingerprints) = tutelage_lab::teachers::<u32>(&spec, "runs/cart".as_ref())?;
/// assert_eq!(envs.spaces(), Spaces { states: 4, actions: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn teachers<A: OutputHead>(spec: &RunSpec, run: &Path) -> Result<Teachers<A>, CastError> {
    if let Some(maker) = spec.task.maker::<A>() {
        return scripted(maker, spec);
    }
    let no_robot = || CastError::NoRobot { task: spec.task };
    spec.task.robot().ok_or_else(no_robot)?;
    let expert = load_expert(&located_expert(spec, run), Some(spec.task))?;
    let (envs, fingerprints) = (robot_envs(&expert, spec.episodes)?, fingerprints(&expert).into());
    let teachers: Teachers<f32> = (envs, Box::new(expert), fingerprints);
    same_type(teachers).ok_or_else(no_robot)
}

/// Creates one environment of a spec, to be drawn.
pub fn stage<A: OutputHead>(
    spec: &RunSpec,
    run: &Path,
) -> Result<Box<dyn Render<Action = A>>, CastError> {
    if let Some(maker) = spec.task.maker::<A>() {
        return Ok((maker.stage)());
    }
    let expert = load_expert(&located_expert(spec, run), Some(spec.task))?;
    let env: Box<dyn Render<Action = f32>> = Box::new(expert.robot().env(expert.observation())?);
    same_type(env).ok_or(CastError::NoRobot { task: spec.task })
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
pub(crate) fn same_type<T: 'static, U: 'static>(value: T) -> Option<U> {
    (&mut Some(value) as &mut dyn Any).downcast_mut::<Option<U>>()?.take()
}

/// Creates the environments of a world whose expert is a rule or a person.
fn scripted<A: OutputHead>(maker: &Maker<A>, spec: &RunSpec) -> Result<Teachers<A>, CastError> {
    if spec.expert == crate::PERSON {
        let envs = maker.envs(lanes_for(spec.episodes))?;
        return Ok((envs, Box::new(crate::person::Absent::new()), vec![]));
    }
    if spec.expert != spec.task.name() {
        return Err(CastError::Rule { name: spec.expert.clone(), task: spec.task });
    }
    Ok((maker.envs(lanes_for(spec.episodes))?, (maker.expert)(), vec![]))
}

fn settings(hidden: &[usize], rule: Option<OracleSpec>) -> MlpSettings {
    let settings = MlpSettings::new(hidden);
    let Some(OracleSpec { budget, learning_rate, batch, states }) = rule else { return settings };
    let budget = match budget {
        BudgetSpec::Epochs(count) => TrainingBudget::Epochs(count),
        BudgetSpec::Iterations(count) => TrainingBudget::Iterations(count),
    };
    let adam = tutelage_net::AdamSettings { learning_rate, ..settings.adam };
    MlpSettings { budget, batch, adam, standardize: states, ..settings }
}
