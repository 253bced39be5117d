//! What an MLP oracle can be told.

use tutelage_net::{AdamSettings, MAX_WIDTH};

use super::schedule::Budget;

/// The training rule of an MLP oracle.
#[derive(Debug, Clone, PartialEq)]
pub struct MlpSettings {
    /// Widths of the hidden layers, each followed by tanh; empty for an affine class.
    pub hidden: Vec<usize>,
    /// How long each member trains.
    pub budget: Budget,
    /// Rows of a minibatch.
    pub batch: usize,
    /// The optimiser's settings.
    pub adam: AdamSettings,
}

impl MlpSettings {
    /// The rule of the experiments for these hidden widths: 2000 epochs of minibatches of 200, Adam at 2.5e-4.
    #[must_use]
    pub fn new(hidden: &[usize]) -> Self {
        Self {
            hidden: hidden.to_vec(),
            budget: Budget::Epochs(2000),
            batch: 200,
            adam: AdamSettings::default(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if let Some((index, &value)) =
            self.hidden.iter().enumerate().find(|(_, w)| !(1..=MAX_WIDTH).contains(*w))
        {
            return Err(SettingsError::Hidden { index, value });
        }
        let (Budget::Epochs(length) | Budget::Iterations(length)) = self.budget;
        if length == 0 {
            return Err(SettingsError::Budget(self.budget));
        }
        if self.batch == 0 {
            return Err(SettingsError::Batch);
        }
        let AdamSettings { learning_rate, beta1, beta2, epsilon } = self.adam;
        let positive = [("learning rate", learning_rate), ("epsilon", epsilon)];
        if let Some((name, value)) =
            positive.into_iter().find(|(_, x)| !(x.is_finite() && *x > 0.0))
        {
            return Err(SettingsError::Positive { name, value });
        }
        match [("beta1", beta1), ("beta2", beta2)]
            .into_iter()
            .find(|(_, x)| !(0.0..1.0).contains(x))
        {
            Some((name, value)) => Err(SettingsError::Decay { name, value }),
            None => Ok(()),
        }
    }
}

/// A setting that makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A hidden width.
    #[error("hidden width {index} is {value}; allowed are 1 to {MAX_WIDTH}")]
    Hidden {
        /// Which hidden layer.
        index: usize,
        /// Its width.
        value: usize,
    },
    /// A budget of nothing.
    #[error("budget is {0:?}; at least 1 is needed")]
    Budget(Budget),
    /// A minibatch of nothing.
    #[error("batch is 0; at least 1 row is needed")]
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
