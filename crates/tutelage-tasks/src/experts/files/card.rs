//! The origin and the scores of an expert.

use crate::bullet::Robot;
use serde::{Deserialize, Serialize};
use tutelage::choice::ExpertActs;
use tutelage::evaluation::Evaluation;

/// The origin and the scores of an expert.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// The command that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The seed of its training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The number of environment steps of its training.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The scores when it was stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Score>,
}

/// The returns of an expert over full episodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The task's name.
    pub task: String,
    /// `mean` for the mean action, `sample` for one drawn with the noise (clipped).
    pub act: String,
    /// The number of episodes.
    pub episodes: usize,
    /// Mean return.
    pub mean: f64,
    /// Standard deviation of the returns.
    pub sd: f64,
    /// The lowest return.
    pub min: f64,
    /// The highest return.
    pub max: f64,
    /// Mean length of an episode.
    pub length: f64,
}

impl Score {
    /// Summarizes an evaluation.
    pub fn new(task: Robot, acts: ExpertActs, evaluation: &Evaluation) -> Self {
        let rewards = || evaluation.episodes.iter().map(|episode| episode.reward);
        Self {
            task: task.name().to_owned(),
            act: match acts {
                ExpertActs::Mean => "mean",
                ExpertActs::Sampled => "sample",
            }
            .to_owned(),
            episodes: evaluation.episodes.len(),
            mean: evaluation.mean_reward(),
            sd: evaluation.sd_reward(),
            min: rewards().fold(f64::INFINITY, f64::min),
            max: rewards().fold(f64::NEG_INFINITY, f64::max),
            length: evaluation.mean_length(),
        }
    }
}
