//! A spec as TOML.

use serde::Serialize;

use super::sampling::{expert_acts_name, keep_name, sampling_name};
use super::{OracleSpec, RunSpec};

/// The fields in the order in which they are written; this order is part of the spec's hash.
#[derive(Serialize)]
struct Form {
    task: String,
    expert: String,
    algorithm: String,
    class: String,
    rounds: usize,
    states_per_round: usize,
    sampling: String,
    expert_acts: &'static str,
    d0: Option<String>,
    data: Option<String>,
    seed: u64,
    keep: &'static str,
    oracle: Option<OracleForm>,
    evaluation: EvaluationForm,
}

#[derive(Serialize)]
struct OracleForm {
    budget: String,
    learning_rate: f64,
    batch: usize,
}

#[derive(Serialize)]
struct EvaluationForm {
    episodes: usize,
}

pub(super) fn toml(spec: &RunSpec) -> String {
    let form = Form {
        task: spec.task.to_string(),
        expert: spec.expert.clone(),
        algorithm: spec.algorithm.to_string(),
        class: spec.class.to_string(),
        rounds: spec.rounds,
        states_per_round: spec.states_per_round,
        sampling: sampling_name(spec.sampling),
        expert_acts: expert_acts_name(spec.expert_acts),
        d0: spec.d0.as_ref().map(ToString::to_string),
        data: spec.data.as_ref().map(|run| run.display().to_string()),
        seed: spec.seed,
        keep: keep_name(spec.keep),
        oracle: spec.oracle.map(oracle),
        evaluation: EvaluationForm { episodes: spec.episodes },
    };
    // Strings and numbers always have a TOML form.
    toml::to_string(&form).unwrap_or_default()
}

fn oracle(OracleSpec { budget, learning_rate, batch }: OracleSpec) -> OracleForm {
    OracleForm { budget: budget.to_string(), learning_rate, batch }
}
