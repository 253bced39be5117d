//! Ensembles of tanh networks, trained side by side.

mod examples;
mod head;
mod oracle;
mod policy;
mod schedule;
mod settings;
mod store;
mod train;

pub(crate) use examples::{Examples, SeenData};
pub use examples::{TooManyRows, UnpairedRows};
pub use head::Head;
pub use oracle::{Diverged, Mlp, MlpClassifier, MlpOracle};
pub use policy::{Ensemble, MlpClassifierPolicy, MlpPolicy};
pub use schedule::Budget;
pub use settings::{MlpSettings, SettingsError};
pub(crate) use store::Class;
pub use store::StoreError;
pub use tutelage_net::{AdamSettings, Isa};
