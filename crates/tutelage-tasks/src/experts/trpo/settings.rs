//! The settings of TRPO.

use std::ops::RangeInclusive;

use crate::bullet::{HORIZON, Robot};
use serde::{Deserialize, Serialize};

use super::{TrustRegion, ValueTraining};

/// The settings of a training run. With the seed they determine every bit of its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrpoSettings {
    /// Environment steps in total; training ends with the first batch that reaches them.
    pub steps: u64,
    /// The minimum environment steps of a batch; its last episodes are played to their end.
    pub batch: usize,
    /// The steps after which a training episode is cut. Short episodes start more often, long ones
    /// show more of a gait.
    pub episode: usize,
    /// Occasionally a random action overrides the policy for up to this many steps, and the policy
    /// must recover; 0 for never.
    #[serde(default)]
    pub stumble: usize,
    /// The widths of the hidden layers of the mean and of the value network.
    pub hidden: Vec<usize>,
    /// The initial log σ.
    pub initial_log_std: f32,
    /// The minimum standard deviation that a coordinate of a state is divided by.
    ///
    /// A coordinate that hardly varies in the expert's states varies much in a learner's. A small
    /// divisor would put the learner far outside the expert's states.
    pub min_state_std: f64,
    /// Discount γ.
    pub gamma: f32,
    /// λ of generalized advantage estimation.
    pub lambda: f32,
    /// The trust region of the first batch.
    pub region: TrustRegion,
    /// The trust region's δ decreases linearly to this share of itself at the end.
    pub final_kl_share: f64,
    /// The training of the value network.
    pub value: ValueTraining,
    /// The iterations between trials of the mean action.
    pub trial_every: u64,
    /// The episodes of a trial.
    pub trial_episodes: usize,
}

/// A setting has an invalid value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}, but must be {allowed}")]
pub struct SettingsError {
    /// The setting.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// The valid values.
    pub allowed: &'static str,
}

impl Default for TrpoSettings {
    fn default() -> Self {
        Self {
            steps: 2_000_000,
            batch: 8000,
            episode: HORIZON,
            stumble: 0,
            hidden: vec![64, 64],
            initial_log_std: -0.5,
            min_state_std: 0.0,
            gamma: 0.99,
            lambda: 0.95,
            region: TrustRegion::DEFAULT,
            final_kl_share: 0.2,
            value: ValueTraining { epochs: 10, minibatch: 128, learning_rate: 1e-3 },
            trial_every: 10,
            trial_episodes: 10,
        }
    }
}

impl TrpoSettings {
    /// Returns good settings for a task.
    pub fn for_robot(task: Robot) -> Self {
        let defaults = Self::default();
        match task {
            Robot::Hopper => defaults,
            // A cheetah on its back is not stopped, so it must learn to get up.
            Robot::HalfCheetah => Self {
                steps: 4_000_000,
                batch: 4000,
                stumble: 30,
                min_state_std: 0.5,
                region: TrustRegion { min_log_std: -2.0, ..defaults.region },
                ..defaults
            },
            // An ant that turns sees headings that the expert never sees; the floor keeps the
            // normalized difference small.
            Robot::Ant => Self {
                steps: 3_000_000,
                initial_log_std: 0.0,
                min_state_std: 0.5,
                region: TrustRegion { min_log_std: -2.0, ..defaults.region },
                ..defaults
            },
            // Wide initial noise finds a better gait.
            Robot::Walker2d => Self { steps: 5_000_000, initial_log_std: 0.0, ..defaults },
        }
    }

    /// The widths of the layers of a network with these inputs and outputs.
    pub(crate) fn widths(&self, inputs: usize, outputs: usize) -> Vec<usize> {
        [&[inputs], &self.hidden[..], &[outputs]].concat()
    }

    /// The number of environments that share a batch: one for each full episode in it.
    pub fn lanes(&self) -> usize {
        (self.batch / self.episode.max(1)).max(1)
    }

    /// Checks that a batch fits into memory together with the gradients of networks of this size:
    /// each block of its rows has its own gradient.
    pub(crate) fn check_size(&self, parameters: usize) -> Result<(), SettingsError> {
        let size = self.batch as f64 * parameters as f64;
        require("batch × parameters", size, 0.0..=5e10, "at most 5 × 10^10")
    }

    /// Checks every value. What is held at once must fit into memory, and training must end.
    pub fn check(&self) -> Result<(), SettingsError> {
        let (region, value, tiny) = (&self.region, &self.value, f64::MIN_POSITIVE);
        let [share, finite] = ["above 0 and at most 1", "at least 0 and finite"];
        let [count, positive] = ["at least 1", "positive and finite"];
        let rows = [
            ("steps", self.steps as f64, 1.0, 1e15, "from 1 to 10^15"),
            ("batch", self.batch as f64, 1.0, 1e6, "from 1 to 1000000"),
            ("episode", self.episode as f64, 1.0, f64::MAX, count),
            ("batch / episode", self.lanes() as f64, 1.0, 1e4, "at most 10000"),
            ("region.cg_iterations", region.cg_iterations as f64, 1.0, 1e4, "from 1 to 10000"),
            ("region.fisher_stride", region.fisher_stride as f64, 1.0, f64::MAX, count),
            ("region.shrinks", region.shrinks as f64, 1.0, 1e4, "from 1 to 10000"),
            ("value.minibatch", value.minibatch as f64, 1.0, 1e6, "from 1 to 1000000"),
            ("trial_every", self.trial_every as f64, 1.0, f64::MAX, count),
            ("trial_episodes", self.trial_episodes as f64, 1.0, 1e5, "from 1 to 100000"),
            ("value.epochs", value.epochs as f64, 0.0, 1e4, "at most 10000"),
            ("lambda", self.lambda.into(), tiny, 1.0, share),
            ("region.shrink", region.shrink, tiny, 1.0, share),
            ("final_kl_share", self.final_kl_share, tiny, 1.0, share),
            ("region.max_kl", region.max_kl, tiny, f64::MAX, positive),
            ("value.learning_rate", value.learning_rate, tiny, f64::MAX, positive),
            ("initial_log_std", self.initial_log_std.into(), -20.0, 5.0, "from -20 to 5"),
            ("region.min_log_std", region.min_log_std.into(), -20.0, 5.0, "from -20 to 5"),
            ("gamma", self.gamma.into(), tiny, 1f64.next_down(), "above 0 and below 1"),
            ("stumble", self.stumble as f64, 0.0, HORIZON as f64, "at most 1000, an episode"),
            ("region.entropy", region.entropy, 0.0, f64::MAX, finite),
            ("min_state_std", self.min_state_std, 0.0, 10.0, "from 0 to 10"),
            ("region.cg_damping", region.cg_damping.into(), 0.0, 1e6f64.next_down(), finite),
        ];
        rows.into_iter().try_for_each(|(field, value, least, most, allowed)| {
            require(field, value, least..=most, allowed)
        })
    }
}

fn require(
    field: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
    allowed: &'static str,
) -> Result<(), SettingsError> {
    match range.contains(&value) {
        true => Ok(()),
        false => Err(SettingsError { field, value, allowed }),
    }
}

/// A setting that `tutelage expert train` and the command in an expert's card name.
pub struct TrpoOption {
    /// The name: `max-kl`.
    pub name: &'static str,
    /// The description.
    pub help: &'static str,
    /// Returns the value as text.
    pub get: fn(&TrpoSettings) -> String,
    /// Sets the value; returns `false` if the text is not a value.
    pub set: fn(&mut TrpoSettings, &str) -> bool,
}

macro_rules! option {
    ($name:literal, $($field:ident).+, $help:literal) => {
        TrpoOption {
            name: $name,
            help: $help,
            get: |settings| settings.$($field).+.to_string(),
            set: |settings, text| text.parse().map(|value| settings.$($field).+ = value).is_ok(),
        }
    };
}

/// All options.
pub static OPTIONS: [TrpoOption; 10] = [
    option!("steps", steps, "Environment steps in total"),
    option!("batch", batch, "Environment steps per update"),
    option!("episode", episode, "Steps after which a training episode is cut"),
    option!("stumble", stumble, "Occasionally override the policy for up to N steps; 0 for never"),
    option!("max-kl", region.max_kl, "Maximum mean KL divergence of an update"),
    option!("entropy", region.entropy, "Weight of the entropy in the objective"),
    option!("initial-log-std", initial_log_std, "Initial log σ of the actions' noise"),
    option!("min-log-std", region.min_log_std, "Minimum of log σ"),
    option!("min-state-std", min_state_std, "Minimum divisor of a state's coordinates"),
    option!("gamma", gamma, "Discount factor"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut TrpoSettings)) -> SettingsError {
        let mut settings = TrpoSettings::default();
        change(&mut settings);
        settings.check().unwrap_err()
    }

    #[test]
    fn default_settings_are_valid() {
        for task in Robot::ALL {
            assert_eq!(TrpoSettings::for_robot(task).check(), Ok(()));
        }
    }

    #[test]
    fn invalid_settings_are_refused() {
        for gamma in [0.0, 1.0, 2.0] {
            assert_eq!(refused(|s| s.gamma = gamma).field, "gamma");
        }
        for entropy in [f64::NAN, -0.1, f64::INFINITY] {
            assert_eq!(refused(|s| s.region.entropy = entropy).field, "region.entropy");
        }
        assert_eq!(TrpoSettings { stumble: 1000, ..TrpoSettings::default() }.check(), Ok(()));
        assert_eq!(refused(|s| s.stumble = 1001).field, "stumble");
        let error = refused(|s| s.batch = 0).to_string();
        assert_eq!(error, "batch is 0, but must be from 1 to 1000000");
    }

    #[test]
    fn settings_that_exceed_memory_or_time_are_refused() {
        let change: [(&str, fn(&mut TrpoSettings)); 5] = [
            ("batch", |s| s.batch = 1 << 50),
            ("value.minibatch", |s| s.value.minibatch = 1 << 50),
            ("value.epochs", |s| s.value.epochs = 1 << 50),
            ("region.shrinks", |s| s.region.shrinks = 1 << 50),
            ("region.cg_iterations", |s| s.region.cg_iterations = 1 << 50),
        ];
        for (field, change) in change {
            assert_eq!(refused(change).field, field);
        }
        assert_eq!(TrpoSettings::default().check_size(1_000_000), Ok(()));
        let error = TrpoSettings::default().check_size(10_000_000).unwrap_err();
        assert_eq!((error.field, error.value), ("batch × parameters", 8e10));
    }

    #[test]
    fn options_are_set_to_what_they_print() {
        let (walker, mut other) =
            (TrpoSettings::for_robot(Robot::Walker2d), TrpoSettings::default());
        for option in &OPTIONS {
            assert!((option.set)(&mut other, &(option.get)(&walker)), "{}", option.name);
            assert!(!(option.set)(&mut other, "much"), "{}", option.name);
        }
        assert_eq!(other, walker);
    }
}
