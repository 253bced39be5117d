//! The oracle: one network per training set, trained in parallel.

use std::marker::PhantomData;
use std::sync::Arc;

use rayon::prelude::*;
use tutelage::oracle::{DurableOracle, FitProgress, TrainingSets, View};
use tutelage::{Oracle, OracleError, Spaces, Stream};
use tutelage_net::{AlignedVec, Isa, Network};

use super::examples::{EncodedData, Examples, costs_unsupported};
use super::head::OutputHead;
use super::policy::Ensemble;
use super::settings::{MlpSettings, MlpSettingsError};
use super::store::PolicyClassFormat;
use super::train::{PARTS, initial, train};

/// The learning oracle 𝒪 for tanh networks.
///
/// Each member starts from random parameters and minimizes the loss on its training set with
/// Adam. [`MlpOracle`] fits action vectors with the clipped squared loss; [`MlpClassifier`] fits
/// discrete actions with cross-entropy. Without hidden layers they are affine maps and linear softmax
/// classifiers. If D is empty, members keep their random parameters: the paper's π₁.
///
/// ```
/// use tutelage::{Batch, Dataset, Oracle, Policy, Spaces, Stream};
/// use tutelage::choice::TrainOn;
/// use tutelage::oracle::{DurableOracle, TrainingSets};
/// use tutelage_oracles::mlp::{TrainingBudget, MlpClassifier, MlpSettings};
///
/// // Action 0 left of zero, action 1 right of it.
/// let spaces = Spaces { states: 1, actions: 2 };
/// let mut data = Dataset::<f32, u32>::empty(spaces);
/// for x in [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0] {
///     data.states.push(&[x]);
///     data.actions.push(&[u32::from(x > 0.0)]);
/// }
/// let settings = MlpSettings { budget: TrainingBudget::Iterations(200), ..MlpSettings::new(&[8]) };
/// let oracle = MlpClassifier::new(settings)?;
/// let sets = TrainingSets::new(&data, TrainOn::Data, spaces, 5, Stream::new(1))?;
/// let policy = oracle.fit(&sets, &Stream::new(2))?;
///
/// let mut actions = Batch::zeros(2, 1);
/// policy.act_mean(&Batch::from_vec(1, vec![-1.5, 1.5])?, &mut actions)?;
/// assert_eq!(actions.as_slice(), [0, 1]);
///
/// let stored = oracle.encode(&policy)?;
/// assert_eq!(oracle.decode(&stored, spaces)?, policy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mlp<A> {
    settings: MlpSettings,
    isa: Isa,
    training: Option<Arc<FitProgress>>,
    action: PhantomData<fn() -> A>,
}

/// The oracle for action vectors.
pub type MlpOracle = Mlp<f32>;
/// The oracle for discrete actions.
pub type MlpClassifier = Mlp<u32>;

/// Training produced a parameter that is not finite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("training of member {member} diverged; try a smaller learning rate")]
pub struct TrainingDiverged {
    /// The index of the member.
    pub member: usize,
}

impl<A: OutputHead> Mlp<A> {
    /// Creates an oracle with these settings.
    pub fn new(settings: MlpSettings) -> Result<Self, MlpSettingsError> {
        settings.check()?;
        Ok(Self { settings, isa: Isa::detect(), training: None, action: PhantomData })
    }

    /// Uses another instruction set; falls back to the best available one if the CPU lacks it.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &MlpSettings {
        &self.settings
    }

    fn network(&self, spaces: Spaces) -> Result<Network, OracleError> {
        let widths = [&[spaces.states], &self.settings.hidden[..], &[spaces.actions]].concat();
        let network = Network::new(&widths).map_err(OracleError::other)?;
        Ok(network.with_isa(self.isa))
    }

    fn fit_member(
        &self,
        network: &Network,
        data: &EncodedData<'_, A>,
        mut view: View<f32, A>,
        member: usize,
        stream: &Stream,
    ) -> Result<AlignedVec, OracleError> {
        let (examples, rows) = Examples::of_view(data, &mut view)?;
        let params =
            train(network, &self.settings, (&examples, rows), stream, self.training.as_deref());
        if params.iter().all(|p| p.is_finite()) {
            Ok(params)
        } else {
            Err(OracleError::other(TrainingDiverged { member }))
        }
    }
}

impl<A: OutputHead> Oracle for Mlp<A> {
    type State = f32;
    type Action = A;
    type Policy = Ensemble<A>;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, A>,
        stream: &Stream,
    ) -> Result<Ensemble<A>, OracleError> {
        if sets.members() == 0 {
            return Err(OracleError::NoMembers);
        }
        let data = EncodedData::new(sets.data(), sets.spaces(), self.settings.standardize)?;
        let network = self.network(sets.spaces())?;
        let empty = sets.data().is_empty();
        if empty && matches!(sets.view(0), View::Costed(_)) {
            return Err(costs_unsupported());
        }
        if let Some(training) = &self.training {
            training.begin(if empty { 0 } else { PARTS * sets.members() as u64 });
        }
        let fit = |member: usize| {
            let stream = stream.fork("member", member as u64);
            match empty {
                true => Ok(initial(network.layout(), &stream)),
                false => self.fit_member(&network, &data, sets.view(member), member, &stream),
            }
        };
        let members: Result<Vec<_>, _> =
            (0..sets.members()).into_par_iter().with_max_len(1).map(fit).collect();
        Ok(Ensemble::new(network, members?, data.standardizer))
    }

    fn report_to(&mut self, training: Arc<FitProgress>) {
        self.training = Some(training);
    }
}

impl<A: OutputHead> DurableOracle for Mlp<A> {
    fn describe(&self) -> String {
        self.settings.describe()
    }

    fn encode(&self, policy: &Ensemble<A>) -> Result<Vec<u8>, OracleError> {
        policy.to_safetensors().map_err(OracleError::other)
    }

    fn decode(&self, bytes: &[u8], spaces: Spaces) -> Result<Ensemble<A>, OracleError> {
        let MlpSettings { hidden, standardize, .. } = &self.settings;
        let class = PolicyClassFormat { hidden, standardize: *standardize, isa: self.isa };
        class.read(bytes, spaces).map_err(OracleError::other)
    }
}
