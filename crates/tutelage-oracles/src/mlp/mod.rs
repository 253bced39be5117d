//! Ensembles of tanh networks.

mod examples;
mod head;
mod oracle;
mod policy;
mod schedule;
mod settings;
mod store;
mod train;

pub use examples::TrainingSetTooLarge;
pub(crate) use examples::{EncodedData, Examples};
pub use head::OutputHead;
pub use oracle::{Mlp, MlpClassifier, MlpOracle, TrainingDiverged};
pub use policy::{Ensemble, MlpClassifierPolicy, MlpPolicy};
pub use schedule::TrainingBudget;
pub use settings::{MlpSettings, MlpSettingsError};
pub(crate) use store::PolicyClassFormat;
pub use store::PolicyFileError;
pub use tutelage_net::{AdamSettings, Isa};
