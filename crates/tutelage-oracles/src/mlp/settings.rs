//! Settings of the MLP oracle.

use tutelage_net::{AdamSettings, Layout, LayoutError, MAX_PARAMETERS, MAX_WIDTH};

use super::schedule::TrainingBudget;
use crate::standardize::Standardize;

/// Settings of an MLP oracle: network shape and training.
///
/// ```
/// use tutelage_oracles::Standardize;
/// use tutelage_oracles::mlp::{TrainingBudget, MlpOracle, MlpSettings};
///
/// // Two hidden layers of 32, 1000 iterations, standardized states.
/// let settings = MlpSettings {
///     budget: TrainingBudget::Iterations(1000),
///     standardize: Standardize::Yes,
///     ..MlpSettings::new(&[32, 32])
/// };
/// let oracle = MlpOracle::new(settings)?;
///
/// let error = MlpOracle::new(MlpSettings { batch: 0, ..MlpSettings::default() }).unwrap_err();
/// assert_eq!(error.to_string(), "batch must be at least 1, got 0");
/// # Ok::<(), tutelage_oracles::mlp::MlpSettingsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MlpSettings {
    /// The widths of the hidden layers, each followed by tanh; empty for affine policies.
    pub hidden: Vec<usize>,
    /// The training length of each member.
    pub budget: TrainingBudget,
    /// The rows of a minibatch.
    pub batch: usize,
    /// The settings of the optimizer.
    pub adam: AdamSettings,
    /// Whether states are standardised.
    pub standardize: Standardize,
}

impl Default for MlpSettings {
    /// Two hidden layers of 64, with the settings of the paper's experiments.
    fn default() -> Self {
        Self::new(&[64, 64])
    }
}

impl MlpSettings {
    /// Returns the settings of the paper's experiments for these hidden layers.
    ///
    /// 2000 epochs, minibatches of 200, Adam with learning rate 2.5e-4, raw states.
    pub fn new(hidden: &[usize]) -> Self {
        Self {
            hidden: hidden.to_vec(),
            budget: TrainingBudget::Epochs(2000),
            batch: 200,
            adam: AdamSettings::default(),
            standardize: Standardize::No,
        }
    }

    /// Returns the text that identifies these settings in stored runs.
    ///
    /// Stored runs are compared by this text, so it must never change, whatever the fields are called here.
    pub(crate) fn describe(&self) -> String {
        let Self { hidden, budget, batch, adam, standardize } = self;
        let AdamSettings { learning_rate, beta1, beta2, epsilon } = adam;
        let budget = match budget {
            TrainingBudget::Epochs(count) => format!("Epochs({count})"),
            TrainingBudget::Iterations(count) => format!("Iterations({count})"),
        };
        let adam = format!(
            "AdamSettings {{ learning_rate: {learning_rate:?}, beta1: {beta1:?}, \
             beta2: {beta2:?}, epsilon: {epsilon:?} }}"
        );
        let states = standardize.describe();
        format!(
            "MlpSettings {{ hidden: {hidden:?}, budget: {budget}, batch: {batch}, adam: {adam}, \
             states: {states} }}"
        )
    }

    pub(crate) fn check(&self) -> Result<(), MlpSettingsError> {
        if let Some((index, &value)) =
            self.hidden.iter().enumerate().find(|(_, w)| !(1..=MAX_WIDTH).contains(*w))
        {
            return Err(MlpSettingsError::Hidden { index, value });
        }
        if let Err(LayoutError::TooLarge { parameters }) = Layout::new(&self.hidden) {
            return Err(MlpSettingsError::TooLarge { parameters });
        }
        let (TrainingBudget::Epochs(length) | TrainingBudget::Iterations(length)) = self.budget;
        if length == 0 {
            return Err(MlpSettingsError::Budget(self.budget));
        }
        if self.batch == 0 {
            return Err(MlpSettingsError::Batch);
        }
        check_adam(self.adam)
    }
}

fn check_adam(adam: AdamSettings) -> Result<(), MlpSettingsError> {
    let AdamSettings { learning_rate, beta1, beta2, epsilon } = adam;
    let positive = [("adam.learning_rate", learning_rate), ("adam.epsilon", epsilon)];
    if let Some((name, value)) = positive.into_iter().find(|(_, x)| !(x.is_finite() && *x > 0.0)) {
        return Err(MlpSettingsError::Positive { name, value });
    }
    let decays = [("adam.beta1", beta1), ("adam.beta2", beta2)];
    match decays.into_iter().find(|(_, x)| !(0.0..1.0).contains(x)) {
        Some((name, value)) => Err(MlpSettingsError::Decay { name, value }),
        None => Ok(()),
    }
}

/// A setting is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MlpSettingsError {
    /// A hidden width.
    #[error("hidden[{index}] must be from 1 to {MAX_WIDTH}, got {value}")]
    Hidden {
        /// The index of the hidden layer.
        index: usize,
        /// Its width.
        value: usize,
    },
    /// The hidden layers have too many parameters.
    #[error(
        "the hidden layers have {parameters} parameters (padding counted); at most {MAX_PARAMETERS} are supported"
    )]
    TooLarge {
        /// The number of parameters.
        parameters: u128,
    },
    /// The training length is zero.
    #[error("budget must be at least 1, got {0:?}")]
    Budget(TrainingBudget),
    /// The minibatch is empty.
    #[error("batch must be at least 1, got 0")]
    Batch,
    /// A number is not positive.
    #[error("{name} must be finite and positive, got {value}")]
    Positive {
        /// The name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A decay rate is out of range.
    #[error("{name} must be in [0, 1), got {value}")]
    Decay {
        /// The name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn description_is_the_text_of_existing_runs() {
        let settings = MlpSettings { standardize: Standardize::Yes, ..MlpSettings::new(&[8]) };
        assert_eq!(
            settings.describe(),
            "MlpSettings { hidden: [8], budget: Epochs(2000), batch: 200, adam: AdamSettings \
             { learning_rate: 0.00025, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }, states: Standardised }"
        );
    }
}
