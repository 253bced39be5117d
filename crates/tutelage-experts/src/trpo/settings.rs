//! What TRPO can be told.

use serde::{Deserialize, Serialize};
use tutelage_envs::{HORIZON, Robot};

use super::{TrustRegion, ValueTraining};

/// The settings of a training run; with the seed they decide every bit of its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrpoSettings {
    /// Environment steps in all; training ends with the first batch that reaches them.
    pub steps: u64,
    /// Environment steps of a batch, at least: episodes are always played to their end.
    pub batch: usize,
    /// Training episodes are cut after so many steps: shorter ones begin more often, longer ones
    /// see more of where a gait leads.
    pub episode: usize,
    /// Now and then the policy is not obeyed for up to so many steps, and must find its feet again;
    /// 0 for never.
    #[serde(default)]
    pub stumble: usize,
    /// Widths of the hidden layers, of the mean as of the value network.
    pub hidden: Vec<usize>,
    /// log σ at the beginning.
    pub initial_log_std: f32,
    /// Coordinates of states are divided by no less than this. What hardly varies while all goes
    /// well varies much once it does not; a small divisor would throw a learner that has lost its
    /// way far outside of all it knows.
    pub min_state_std: f64,
    /// Discount γ.
    pub gamma: f32,
    /// Generalised advantage estimation's λ.
    pub lambda: f32,
    /// The trust region of the first batch.
    pub region: TrustRegion,
    /// The trust region's δ falls in a straight line to this share of itself at the end.
    pub final_kl_share: f64,
    /// How the value network is trained.
    pub value: ValueTraining,
    /// After every so many iterations the mean action is tried out.
    pub trial_every: u64,
    /// Episodes of a trial.
    pub trial_episodes: usize,
}

/// A setting with an impossible value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}, but must be {allowed}")]
pub struct SettingsError {
    /// The setting.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// What it may be.
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
            region: TrustRegion {
                max_kl: 0.02,
                cg_iterations: 15,
                cg_damping: 0.1,
                fisher_stride: 4,
                shrinks: 10,
                shrink: 0.8,
                entropy: 0.0,
                min_log_std: -1.6,
            },
            final_kl_share: 0.2,
            value: ValueTraining { epochs: 10, minibatch: 128, learning_rate: 1e-3 },
            trial_every: 10,
            trial_episodes: 10,
        }
    }
}

impl TrpoSettings {
    /// What can be chosen on the command line: the name of every option and its value here.
    pub fn options(&self) -> [(&'static str, String); 10] {
        [
            ("steps", self.steps.to_string()),
            ("batch", self.batch.to_string()),
            ("episode", self.episode.to_string()),
            ("stumble", self.stumble.to_string()),
            ("max-kl", self.region.max_kl.to_string()),
            ("entropy", self.region.entropy.to_string()),
            ("initial-log-std", self.initial_log_std.to_string()),
            ("min-log-std", self.region.min_log_std.to_string()),
            ("min-state-std", self.min_state_std.to_string()),
            ("gamma", self.gamma.to_string()),
        ]
    }

    /// Good settings for a task.
    pub fn for_robot(task: Robot) -> Self {
        let defaults = Self::default();
        match task {
            Robot::Hopper => defaults,
            // A cheetah on its back is not stopped: it must learn to get up.
            Robot::HalfCheetah => Self {
                steps: 4_000_000,
                batch: 4000,
                stumble: 30,
                min_state_std: 0.5,
                region: TrustRegion { min_log_std: -2.0, ..defaults.region },
                ..defaults
            },
            // An ant that turns sees its heading change as never before: the floor keeps that
            // small.
            Robot::Ant => Self {
                steps: 3_000_000,
                initial_log_std: 0.0,
                min_state_std: 0.5,
                region: TrustRegion { min_log_std: -2.0, ..defaults.region },
                ..defaults
            },
            // Wide noise in the beginning finds a better gait.
            Robot::Walker2d => Self { steps: 5_000_000, initial_log_std: 0.0, ..defaults },
        }
    }

    /// Environments that share a batch: one for each full episode that it has room for.
    pub fn lanes(&self) -> usize {
        (self.batch / self.episode.max(1)).max(1)
    }

    /// Whether a batch fits into a memory together with the gradients of networks of so many
    /// parameters: each block of its rows has one of its own.
    pub(crate) fn check_size(&self, parameters: usize) -> Result<(), SettingsError> {
        let size = ("batch × parameters", self.batch as f64 * parameters as f64);
        require(&[size], |value| value <= 5e10, "at most 5 × 10^10")
    }

    /// Whether every value is possible.
    pub fn check(&self) -> Result<(), SettingsError> {
        let positive = "at least 1";
        let counts = [
            ("steps", self.steps as f64),
            ("batch", self.batch as f64),
            ("episode", self.episode as f64),
            ("region.cg_iterations", self.region.cg_iterations as f64),
            ("region.fisher_stride", self.region.fisher_stride as f64),
            ("region.shrinks", self.region.shrinks as f64),
            ("value.minibatch", self.value.minibatch as f64),
            ("trial_every", self.trial_every as f64),
            ("trial_episodes", self.trial_episodes as f64),
        ];
        let shares = [
            ("lambda", f64::from(self.lambda)),
            ("region.shrink", self.region.shrink),
            ("final_kl_share", self.final_kl_share),
        ];
        let sizes = [
            ("region.max_kl", self.region.max_kl),
            ("value.learning_rate", self.value.learning_rate),
        ];
        require(&counts, |value| value >= 1.0, positive)?;
        // What is played and held at once has to fit into a memory, and what is done with it should
        // come to an end.
        let million =
            [("batch", self.batch as f64), ("value.minibatch", self.value.minibatch as f64)];
        require(&million, |value| value <= 1e6, "at most 1000000")?;
        let lanes = [("batch / episode", self.lanes() as f64)];
        require(&lanes, |value| value <= 1e4, "at most 10000")?;
        let repeats = [
            ("region.cg_iterations", self.region.cg_iterations as f64),
            ("region.shrinks", self.region.shrinks as f64),
            ("value.epochs", self.value.epochs as f64),
        ];
        require(&repeats, |value| value <= 1e4, "at most 10000")?;
        let trials = [("trial_episodes", self.trial_episodes as f64)];
        require(&trials, |value| value <= 1e5, "at most 100000")?;
        require(&[("steps", self.steps as f64)], |value| value <= 1e15, "at most 10^15")?;
        require(&shares, |value| value > 0.0 && value <= 1.0, "above 0 and at most 1")?;
        require(&sizes, |value| value > 0.0 && value.is_finite(), "positive and finite")?;
        let gamma = ("gamma", f64::from(self.gamma));
        require(&[gamma], |value| value > 0.0 && value < 1.0, "above 0 and below 1")?;
        let stumble = ("stumble", self.stumble as f64);
        require(&[stumble], |value| value <= HORIZON as f64, "at most 1000, an episode")?;
        let entropy = ("region.entropy", self.region.entropy);
        require(&[entropy], |value| value >= 0.0 && value.is_finite(), "at least 0 and finite")?;
        let floor = ("min_state_std", self.min_state_std);
        require(&[floor], |value| (0.0..=10.0).contains(&value), "within 0 and 10")?;
        let damping = ("region.cg_damping", f64::from(self.region.cg_damping));
        require(&[damping], |value| (0.0..1e6).contains(&value), "at least 0 and finite")?;
        let spreads = [
            ("initial_log_std", f64::from(self.initial_log_std)),
            ("region.min_log_std", f64::from(self.region.min_log_std)),
        ];
        require(&spreads, |value| (-20.0..=5.0).contains(&value), "within -20 and 5")
    }
}

fn require(
    fields: &[(&'static str, f64)],
    fits: impl Fn(f64) -> bool,
    allowed: &'static str,
) -> Result<(), SettingsError> {
    match fields.iter().find(|(_, value)| !fits(*value)) {
        None => Ok(()),
        Some(&(field, value)) => Err(SettingsError { field, value, allowed }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_possible_and_impossible_values_are_named() {
        for task in Robot::ALL {
            assert_eq!(TrpoSettings::for_robot(task).check(), Ok(()));
        }
        for gamma in [0.0, 1.0, 2.0] {
            let error = TrpoSettings { gamma, ..TrpoSettings::default() }.check().unwrap_err();
            let expected = format!("gamma is {gamma}, but must be above 0 and below 1");
            assert_eq!(error.to_string(), expected);
        }
        for entropy in [f64::NAN, -0.1, f64::INFINITY] {
            let mut settings = TrpoSettings::default();
            settings.region.entropy = entropy;
            assert_eq!(settings.check().unwrap_err().field, "region.entropy");
        }
        let stumbling = |stumble| TrpoSettings { stumble, ..TrpoSettings::default() }.check();
        assert_eq!(stumbling(1000), Ok(()));
        assert_eq!(stumbling(1001).unwrap_err().field, "stumble");
        let error = TrpoSettings { batch: 0, ..TrpoSettings::default() }.check().unwrap_err();
        assert_eq!(error.to_string(), "batch is 0, but must be at least 1");
    }

    #[test]
    fn what_no_memory_holds_and_no_patience_sees_the_end_of_is_refused() {
        let refused = |change: fn(&mut TrpoSettings)| {
            let mut settings = TrpoSettings::default();
            change(&mut settings);
            settings.check().unwrap_err().to_string()
        };
        for (error, field) in [
            (refused(|s| s.batch = 1 << 50), "batch is"),
            (refused(|s| s.value.minibatch = 1 << 50), "value.minibatch is"),
            (refused(|s| s.value.epochs = 1 << 50), "value.epochs is"),
            (refused(|s| s.region.shrinks = 1 << 50), "region.shrinks is"),
            (refused(|s| s.region.cg_iterations = 1 << 50), "region.cg_iterations is"),
        ] {
            assert!(error.starts_with(field) && error.contains("must be at most 10"), "{error}");
        }
        assert_eq!(TrpoSettings::default().check_size(1_000_000), Ok(()));
        let error = TrpoSettings::default().check_size(10_000_000).unwrap_err().to_string();
        assert!(error.starts_with("batch × parameters is 80000000000, but must"), "{error}");
    }
}
