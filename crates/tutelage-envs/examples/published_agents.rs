//! Returns of trained agents in the tasks, with their mean actions.
//!
//! ```sh
//! cargo run --release -p tutelage-envs --example published_agents -- EPISODES hopper=AGENT.npz ant=AGENT.npz …
//! ```
//!
//! A file holds `W0 b0 W1 b1 W2 b2` (weights `[in, out]`, tanh between layers) and the moments
//! `rms_mean`, `rms_var` by which states are normalized.

use std::error::Error;
use std::fs::File;

use ndarray::{Array1, Array2, ArrayView1};
use ndarray_npy::{NpzReader, ReadNpzError};
use tutelage::{Env, Stream};
use tutelage_envs::{Normalizer, ObservationConfig, Robot, TimeFeature};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [episodes, agents @ ..] = &arguments[..] else {
        return Err("usage: published_agents EPISODES TASK=AGENT.npz …".into());
    };
    println!("{:14}{:>9}{:>9}{:>9}", "task", "mean", "std", "error");
    for agent in agents {
        let (task, path) = agent.split_once('=').ok_or("an agent is given as TASK=AGENT.npz")?;
        let returns = returns(task.parse()?, path, episodes.parse()?)?;
        let (mean, std) = (returns.mean().unwrap_or(f64::NAN), returns.std(1.0));
        println!("{task:14}{mean:9.1}{std:9.1}{:9.1}", std / (returns.len() as f64).sqrt());
    }
    Ok(())
}

fn returns(task: Robot, path: &str, episodes: u64) -> Result<Array1<f64>, Box<dyn Error>> {
    let agent = Agent::read(path)?;
    let normalizer = agent.normalizer.clone();
    let mut env =
        task.env(&ObservationConfig { time_feature: TimeFeature::Omitted, normalizer })?;
    let mut state = vec![0.0; task.state_width()];
    let mut returns = Array1::zeros(0);
    for episode in 0..episodes {
        env.reset(Stream::new(1).fork("episode", episode).rng(), &mut state)?;
        let mut total = 0.0;
        loop {
            let step = env.step(&agent.act(&state), &mut state)?;
            total += step.reward;
            if step.is_last() {
                break;
            }
        }
        returns.append(ndarray::Axis(0), ArrayView1::from(&[total]))?;
    }
    Ok(returns)
}

struct Agent {
    layers: Vec<(Array2<f64>, Array1<f64>)>,
    normalizer: Normalizer,
}

impl Agent {
    fn read(path: &str) -> Result<Agent, Box<dyn Error>> {
        let mut arrays = NpzReader::new(File::open(path)?)?;
        let layers = (0..3).map(|layer| {
            let weights: Array2<f32> = arrays.by_name(&format!("W{layer}"))?;
            let biases: Array1<f32> = arrays.by_name(&format!("b{layer}"))?;
            Ok::<_, ReadNpzError>((weights.mapv(f64::from), biases.mapv(f64::from)))
        });
        let layers = layers.collect::<Result<_, _>>()?;
        let moment = |array: Array1<f64>| array.to_vec();
        let normalizer = Normalizer::new(
            moment(arrays.by_name("rms_mean")?),
            moment(arrays.by_name("rms_var")?),
        )?;
        Ok(Agent { layers, normalizer })
    }

    /// The mean action, clipped.
    fn act(&self, state: &[f32]) -> Vec<f32> {
        let mut hidden: Array1<f64> = state.iter().map(|&x| f64::from(x)).collect();
        for (layer, (weights, biases)) in self.layers.iter().enumerate() {
            hidden = hidden.dot(weights) + biases;
            if layer + 1 < self.layers.len() {
                hidden.mapv_inplace(f64::tanh);
            }
        }
        hidden.iter().map(|&a| a.clamp(-1.0, 1.0) as f32).collect()
    }
}
