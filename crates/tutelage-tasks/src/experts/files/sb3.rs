//! Stable-Baselines3 agents: a zip archive with the policy's tensors, and a pickled `VecNormalize`
//! with the state normalization.

use crate::bullet::Robot;
use serde::Deserialize;
use tutelage_files::ZipReader;

use super::pickle::{Id, Pickle};
use super::torch::{number, state_dict};
use super::{Array, Arrays, Card, ContentError, Precision, budget};
use crate::experts::{GaussianExpert, TimeFeature};

const AGENT: &str = "a Stable-Baselines3 PPO or TRPO archive";
const STATISTICS: &str = "a pickled VecNormalize";

/// What our normalizer adds to variances, and its clipping range.
const EPSILON: f64 = 1e-8;
const CLIP: f64 = 10.0;

/// Mean and variance of states; `None` if the agent does not normalize them.
pub(crate) type Statistics = Option<[Vec<f64>; 2]>;

/// Reads the bytes of an agent.
pub(crate) fn decode(
    agent: &[u8],
    statistics: Statistics,
    task: Robot,
) -> Result<GaussianExpert, ContentError> {
    let mut arrays = policy(agent)?;
    // An agent with one input more than the task sees the remaining time.
    let inputs = arrays.get("W0")?.shape.first().copied().unwrap_or(0);
    let time_feature = match inputs == task.state_width() + 1 {
        true => TimeFeature::Included,
        false => TimeFeature::Omitted,
    };
    let inputs = time_feature.width(task.state_width());
    let [mean, var] = statistics.unwrap_or_else(|| [vec![0.0; inputs], vec![1.0; inputs]]);
    arrays.insert("rms_mean", Array::double(&[mean.len()], &mean));
    arrays.insert("rms_var", Array::double(&[var.len()], &var));
    arrays.expert(task, time_feature, Card::default())
}

/// The mean network and log σ, under our names.
fn policy(bytes: &[u8]) -> Result<Arrays, ContentError> {
    let invalid = |e: &dyn std::fmt::Display| ContentError::format(AGENT, e);
    let mut budget = budget(bytes);
    let mut archive = ZipReader::new(bytes, &mut budget).map_err(|e| invalid(&e))?;
    let mut entry = |name: &str| archive.read(name).map_err(|e| invalid(&format!("{name}: {e}")));
    check_activation(&entry("data")?)?;
    let packed = entry("policy.pth")?;
    let tensors = state_dict(&packed, archive.budget())?;
    let get = |name: &str| {
        tensors.0.get(name).ok_or_else(|| invalid(&format!("its policy has no tensor {name}")))
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
            return Err(invalid(&format!("{} is not a matrix", name("weight"))));
        }
        arrays.insert(format!("W{l}"), weight.transposed());
        arrays.insert(format!("b{l}"), get(&name("bias"))?.clone());
    }
    arrays.insert("logstd", get("log_std")?.clone());
    Ok(arrays)
}

/// The relevant part of an archive's `data`. The rest is skipped, because a tree of it would take
/// many times its bytes.
#[derive(Deserialize)]
struct Data {
    policy_kwargs: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    activation_fn: Option<String>,
}

/// Refuses activations other than tanh. The archive's `data` names them in plain text.
fn check_activation(data: &[u8]) -> Result<(), ContentError> {
    let data: Data = serde_json::from_slice(data).map_err(|e| ContentError::format(AGENT, e))?;
    match data.policy_kwargs.and_then(|arguments| arguments.activation_fn) {
        Some(name) if !name.contains("Tanh") => Err(ContentError::Unsupported {
            what: "the activation of the networks",
            found: name.chars().take(100).collect(),
            supported: "tanh",
        }),
        _ => Ok(()),
    }
}

/// Reads the bytes of a pickled `VecNormalize`.
pub(crate) fn statistics(bytes: &[u8]) -> Result<Statistics, ContentError> {
    let invalid = |e: &dyn std::fmt::Display| ContentError::format(STATISTICS, e);
    let pickle = Pickle::parse(bytes, &mut budget(bytes)).map_err(|e| invalid(&e))?;
    let attribute = |object, name: &str| {
        pickle.attribute(object, name).ok_or_else(|| invalid(&format!("it has no {name}")))
    };
    let scalar = |name| {
        let id = attribute(pickle.root(), name)?;
        pickle.number(id).ok_or_else(|| invalid(&format!("{name} is not a number")))
    };
    if scalar("norm_obs")? == 0.0 {
        return Ok(None);
    }
    let clip = scalar("clip_obs")?;
    if clip != CLIP {
        let (what, found) = ("clip_obs", clip.to_string());
        return Err(ContentError::Unsupported { what, found, supported: "10" });
    }
    let running = attribute(pickle.root(), "obs_rms")?;
    let array = |name| {
        let array = vector(&pickle, attribute(running, name)?);
        array.ok_or_else(|| invalid(&format!("obs_rms.{name} is not a vector of floats")))
    };
    // The difference of its ε to ours becomes part of the variance.
    let more = scalar("epsilon")? - EPSILON;
    let var = array("var")?.into_iter().map(|var| (var + more).max(0.0)).collect();
    Ok(Some([array("mean")?, var]))
}

/// A NumPy vector in a pickle: `_reconstruct` with a state, or `_frombuffer`.
fn vector(pickle: &Pickle, id: Id) -> Option<Vec<f64>> {
    let (function, arguments) = pickle.call(id)?;
    let (_, function) = function.rsplit_once('.')?;
    let [bytes, kind, shape] = match (function, arguments) {
        ("_frombuffer", [bytes, kind, shape, ..]) => [*bytes, *kind, *shape],
        ("_reconstruct", _) => match pickle.list(pickle.state(id)?)? {
            [_version, shape, kind, _is_fortran, bytes] => [*bytes, *kind, *shape],
            _ => return None,
        },
        _ => return None,
    };
    let bytes = pickle.bytes(bytes)?;
    let ("numpy.dtype", [name, ..]) = pickle.call(kind)? else { return None };
    let precision = match pickle.text(*name)? {
        "f4" => Precision::Single,
        "f8" => Precision::Double,
        _ => return None,
    };
    let [count] = pickle.sizes(shape)?[..] else { return None };
    let fits = count <= bytes.len();
    fits.then(|| (0..count).map(|place| number(bytes, place, precision)).collect())?
}
