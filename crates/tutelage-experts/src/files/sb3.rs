//! Stable-Baselines3 agents: a zip archive with the policy's tensors, and a pickle with the state
//! normalization.

use std::path::Path;

use serde::Deserialize;
use tutelage_envs::Robot;
use tutelage_files::ZipReader;

use super::pickle::Pickle;
use super::torch::{entry, numpy_array, state_dict};
use super::{Array, Arrays, Card, FileError, Problem, budget, read_bytes};
use crate::{GaussianExpert, TimeFeature};

const AGENT: &str = "a Stable-Baselines3 PPO or TRPO archive";
const STATISTICS: &str = "a pickled VecNormalize";

/// What our normalizer adds to variances, and where it clips.
const EPSILON: f64 = 1e-8;
const CLIP: f64 = 10.0;

/// Reads an agent and, if given, the statistics beside it.
pub(crate) fn read(
    agent: &Path,
    statistics: Option<&Path>,
    task: Robot,
) -> Result<GaussianExpert, FileError> {
    let arrays = policy(&read_bytes(agent)?).map_err(|problem| problem.at(agent))?;
    let time_feature = time_feature(&arrays, task);
    let statistics = match statistics {
        None => None,
        Some(path) => {
            let inputs = time_feature.width(task.state_width());
            Some(normalization(&read_bytes(path)?, inputs).map_err(|e| e.at(path))?)
        }
    };
    expert(arrays, statistics, time_feature, task).map_err(|problem| problem.at(agent))
}

/// An agent with one input more than the task has sees the time that is left.
fn time_feature(arrays: &Arrays, task: Robot) -> TimeFeature {
    let inputs = arrays.get("W0").ok().and_then(|weights| weights.shape.first().copied());
    if inputs == Some(task.state_width() + 1) {
        TimeFeature::Included
    } else {
        TimeFeature::Omitted
    }
}

fn expert(
    mut arrays: Arrays,
    statistics: Option<(Vec<f64>, Vec<f64>)>,
    time_feature: TimeFeature,
    task: Robot,
) -> Result<GaussianExpert, Problem> {
    let inputs = time_feature.width(task.state_width());
    let (mean, var) = statistics.unwrap_or((vec![0.0; inputs], vec![1.0; inputs]));
    arrays.insert("rms_mean", Array::double(&[mean.len()], &mean));
    arrays.insert("rms_var", Array::double(&[var.len()], &var));
    arrays.expert(task, time_feature, Card::default())
}

/// The expert in the bytes of an archive and, if given, of the statistics beside it.
pub(crate) fn decode(
    agent: &[u8],
    statistics: Option<&[u8]>,
    task: Robot,
) -> Result<GaussianExpert, Problem> {
    let arrays = policy(agent)?;
    let time_feature = time_feature(&arrays, task);
    let inputs = time_feature.width(task.state_width());
    let statistics = statistics.map(|bytes| normalization(bytes, inputs)).transpose()?;
    expert(arrays, statistics, time_feature, task)
}

/// The mean network and log σ, under our names.
fn policy(bytes: &[u8]) -> Result<Arrays, Problem> {
    let foreign = |e: &dyn std::fmt::Display| Problem::foreign(AGENT, e);
    let mut budget = budget(bytes);
    let mut archive = ZipReader::new(bytes, &mut budget).map_err(|e| foreign(&e))?;
    check_activation(&entry(&mut archive, "data").map_err(|e| foreign(&e))?)?;
    let packed = entry(&mut archive, "policy.pth").map_err(|e| foreign(&e))?;
    let tensors = state_dict(&packed, archive.budget())?;
    let get = |name: &str| {
        tensors.0.get(name).ok_or_else(|| foreign(&format!("its policy has no tensor {name}")))
    };
    // Layers of a torch `Sequential` alternate with activations, so they have even numbers.
    let hidden = |l: usize, what: &str| format!("mlp_extractor.policy_net.{}.{what}", 2 * l);
    let depth = (0..).take_while(|&l| tensors.0.contains_key(&hidden(l, "weight"))).count();
    let mut arrays = Arrays::default();
    for l in 0..=depth {
        let name =
            |what: &str| if l < depth { hidden(l, what) } else { format!("action_net.{what}") };
        let weight = get(&name("weight"))?;
        if weight.shape.len() != 2 {
            return Err(foreign(&format!("{} is no matrix", name("weight"))));
        }
        arrays.insert(format!("W{l}"), weight.transposed());
        arrays.insert(format!("b{l}"), get(&name("bias"))?.clone());
    }
    arrays.insert("logstd", get("log_std")?.clone());
    Ok(arrays)
}

/// What matters of an archive's `data`. The rest is skipped: as a tree, every number of it would
/// take many times its bytes.
#[derive(Deserialize)]
struct Data {
    policy_kwargs: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    activation_fn: Option<String>,
}

/// Networks must be tanh ones. The archive's `data` names another activation in clear text.
fn check_activation(data: &[u8]) -> Result<(), Problem> {
    let data: Data = serde_json::from_slice(data).map_err(|e| Problem::foreign(AGENT, e))?;
    match data.policy_kwargs.and_then(|arguments| arguments.activation_fn) {
        Some(name) if !name.contains("Tanh") => Err(Problem::Unsupported {
            what: "the networks' activation",
            found: name.chars().take(100).collect(),
            supported: "tanh",
        }),
        _ => Ok(()),
    }
}

/// Mean and variance of a pickled `VecNormalize`.
fn normalization(bytes: &[u8], inputs: usize) -> Result<(Vec<f64>, Vec<f64>), Problem> {
    let foreign = |e: &dyn std::fmt::Display| Problem::foreign(STATISTICS, e);
    let pickle = Pickle::parse(bytes, &mut budget(bytes)).map_err(|e| foreign(&e))?;
    let root = pickle.root();
    let attribute = |object, name: &str| {
        pickle.attribute(object, name).ok_or_else(|| foreign(&format!("it has no {name}")))
    };
    let number = |name| {
        let id = attribute(root, name)?;
        pickle.number(id).ok_or_else(|| foreign(&format!("{name} is no number")))
    };
    if number("norm_obs")? == 0.0 {
        return Ok((vec![0.0; inputs], vec![1.0; inputs]));
    }
    let clip = number("clip_obs")?;
    if clip != CLIP {
        let (what, found) = ("clip_obs", clip.to_string());
        return Err(Problem::Unsupported { what, found, supported: "10" });
    }
    let running = attribute(root, "obs_rms")?;
    let array = |name| {
        let array = numpy_array(&pickle, attribute(running, name)?);
        array.ok_or_else(|| foreign(&format!("obs_rms.{name} is no array of floats")))
    };
    // Another ε than ours is put into the variance.
    let more = number("epsilon")? - EPSILON;
    let var = array("var")?.values.iter().map(|var| (var + more).max(0.0)).collect();
    Ok((array("mean")?.values, var))
}
