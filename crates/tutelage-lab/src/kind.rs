//! What differs between tasks whose actions are vectors and tasks whose actions are indices.

use std::path::Path;

use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{Mlp, MlpSettings, MlpSettingsError, OutputHead, TrainingBudget};
use tutelage_runs::store::{Fingerprint, Stored};

use crate::cast::{
    BoxOracle, CastError, fingerprints, lanes_for, load_expert, located_expert, robot_envs,
};
use crate::registry::{BoxEnvs, BoxExpert, Maker};
use crate::spec::{BudgetSpec, Class, OracleSpec, RunSpec};

/// What actions of a task are made of, and what follows from it.
///
/// ```
/// use tutelage::{VectorEnv, Spaces};
/// use tutelage_lab::Kind;
/// use tutelage_lab::spec::RunSpec;
///
/// let spec = RunSpec::parse("task = 'cart-pole'")?;
/// let (envs, _expert, _fingerprints) = u32::teachers(&spec, "runs/cart".as_ref())?;
/// assert_eq!(envs.spaces(), Spaces { states: 4, actions: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Kind: OutputHead + Stored {
    /// Environments and expert of a spec, and what tells the expert from others.
    fn teachers(
        spec: &RunSpec,
        run: &Path,
    ) -> Result<(BoxEnvs<Self>, BoxExpert<Self>, Vec<Fingerprint>), CastError>;

    /// The oracle that trains this class by this rule.
    fn oracle(class: &Class, rule: Option<OracleSpec>)
    -> Result<BoxOracle<Self>, MlpSettingsError>;
}

type Teachers<A> = (BoxEnvs<A>, BoxExpert<A>, Vec<Fingerprint>);

impl Kind for f32 {
    fn teachers(spec: &RunSpec, run: &Path) -> Result<Teachers<f32>, CastError> {
        if let Some(maker) = spec.task.vectors() {
            return by_rule(&maker, spec);
        }
        let expert = load_expert(&located_expert(spec, run), Some(spec.task))?;
        let fingerprints = fingerprints(&expert).to_vec();
        Ok((robot_envs(&expert, spec.episodes)?, Box::new(expert), fingerprints))
    }

    fn oracle(class: &Class, rule: Option<OracleSpec>) -> Result<BoxOracle<f32>, MlpSettingsError> {
        match class {
            Class::Linear => Ok(Box::new(LeastSquares::default())),
            Class::Mlp(hidden) => Ok(Box::new(Mlp::new(settings(hidden, rule))?)),
        }
    }
}

impl Kind for u32 {
    fn teachers(spec: &RunSpec, _run: &Path) -> Result<Teachers<u32>, CastError> {
        match spec.task.indices() {
            Some(maker) => by_rule(&maker, spec),
            None => Err(CastError::NoRobot { task: spec.task }),
        }
    }

    fn oracle(class: &Class, rule: Option<OracleSpec>) -> Result<BoxOracle<u32>, MlpSettingsError> {
        let hidden: &[usize] = if let Class::Mlp(hidden) = class { hidden } else { &[] };
        Ok(Box::new(Mlp::new(settings(hidden, rule))?))
    }
}

/// A world whose expert is a rule.
fn by_rule<A: Kind>(maker: &Maker<A>, spec: &RunSpec) -> Result<Teachers<A>, CastError> {
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
