//! What an MLP oracle can be told.

use tutelage_net::{AdamSettings, Layout, LayoutError, MAX_PARAMETERS, MAX_WIDTH};

use super::schedule::TrainingBudget;
use crate::standardize::Standardize;

/// The training rule of an MLP oracle.
///
/// ```
/// use tutelage_oracles::Standardize;
/// use tutelage_oracles::mlp::{TrainingBudget, MlpOracle, MlpSettings};
///
/// // Two hidden layers of 32, a thousand iterations, states standardised from D.
/// let settings = MlpSettings {
///     budget: TrainingBudget::Iterations(1000),
///     standardize: Standardize::Yes,
///     ..MlpSettings::new(&[32, 32])
/// };
/// let oracle = MlpOracle::new(settings)?;
///
/// let error = MlpOracle::new(MlpSettings { batch: 0, ..MlpSettings::default() }).unwrap_err();
/// assert_eq!(error.to_string(), "batch is 0; allowed is a number of rows from 1 on");
/// # Ok::<(), tutelage_oracles::mlp::MlpSettingsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MlpSettings {
    /// Widths of the hidden layers, each followed by tanh; empty for an affine class.
    pub hidden: Vec<usize>,
    /// How long each member trains.
    pub budget: TrainingBudget,
    /// Rows of a minibatch.
    pub batch: usize,
    /// The optimiser's settings.
    pub adam: AdamSettings,
    /// Whether states are standardised.
    pub standardize: Standardize,
}

impl Default for MlpSettings {
    /// Two hidden layers of 64, trained by the rule of the experiments.
    fn default() -> Self {
        Self::new(&[64, 64])
    }
}

impl MlpSettings {
    /// The rule of the experiments for these hidden widths: 2000 epochs of minibatches of 200, Adam at 2.5e-4, states as they are given.
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
            return Err(MlpSettingsError::TrainingBudget(self.budget));
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

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MlpSettingsError {
    /// A hidden width.
    #[error("hidden[{index}] is {value}; allowed are widths from 1 to {MAX_WIDTH}")]
    Hidden {
        /// Which hidden layer.
        index: usize,
        /// Its width.
        value: usize,
    },
    /// Hidden layers with more parameters than memory should be asked for.
    #[error(
        "hidden has {parameters} parameters between its layers (padding counted); allowed are at most {MAX_PARAMETERS}"
    )]
    TooLarge {
        /// How many there would be.
        parameters: u128,
    },
    /// A budget of nothing.
    #[error("budget is {0:?}; allowed is a length from 1 on")]
    TrainingBudget(TrainingBudget),
    /// A minibatch of nothing.
    #[error("batch is 0; allowed is a number of rows from 1 on")]
    Batch,
    /// A number that must be positive.
    #[error("{name} is {value}; allowed is a finite number > 0")]
    Positive {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A decay rate.
    #[error("{name} is {value}; allowed is a number from 0 up to but not including 1")]
    Decay {
        /// Which.
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
