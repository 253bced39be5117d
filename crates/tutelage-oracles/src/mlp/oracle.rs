//! The oracle: one network per training set, trained side by side.

use std::marker::PhantomData;

use rayon::prelude::*;
use tutelage::{Oracle, OracleError, Stream, TrainingSets};
use tutelage_net::{AlignedVec, Isa, Network};

use super::examples::{Examples, check_data};
use super::head::Head;
use super::policy::Ensemble;
use super::settings::{MlpSettings, SettingsError};
use super::train::{initial, train};

/// 𝒪 for tanh networks: each member starts from fresh random parameters and descends the loss of its own training set.
///
/// [`MlpOracle`] fits action vectors by the clipped squared loss, [`MlpClassifier`] fits action indices by cross-entropy. When D is empty
/// the members keep their random parameters: the paper's π₁.
#[derive(Debug, Clone)]
pub struct Mlp<A> {
    settings: MlpSettings,
    isa: Isa,
    action: PhantomData<fn() -> A>,
}

/// Networks for action vectors.
pub type MlpOracle = Mlp<f32>;
/// Networks for action indices.
pub type MlpClassifier = Mlp<u32>;

/// Training left numbers that are not finite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "training of member {member} diverged: a parameter is not finite (is the learning rate too large?)"
)]
pub struct Diverged {
    /// Which member.
    pub member: usize,
}

impl<A: Head> Mlp<A> {
    /// An oracle with these settings.
    ///
    /// # Errors
    /// A setting out of its range.
    pub fn new(settings: MlpSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self { settings, isa: Isa::detect(), action: PhantomData })
    }

    /// The same oracle computed with other instructions (those that the processor lacks fall back to the portable ones).
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// The training rule.
    #[must_use]
    pub fn settings(&self) -> &MlpSettings {
        &self.settings
    }

    fn fit_member(
        &self,
        network: &Network,
        sets: &TrainingSets<'_, f32, A>,
        member: usize,
        stream: &Stream,
    ) -> Result<AlignedVec, OracleError> {
        let stream = stream.fork("member", member as u64);
        if sets.data().is_empty() {
            return Ok(initial(network.layout(), &stream));
        }
        let view = sets.view(member);
        let examples = Examples::of_view(sets.data(), &view, sets.spaces())?;
        let params = train(network, &self.settings, (&examples.0, examples.1), &stream);
        if params.iter().all(|p| p.is_finite()) {
            Ok(params)
        } else {
            Err(OracleError::Other(Box::new(Diverged { member })))
        }
    }
}

impl<A: Head> Oracle for Mlp<A> {
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
        check_data(sets.data(), sets.spaces())?;
        let spaces = sets.spaces();
        let widths: Vec<usize> =
            [&[spaces.states], &self.settings.hidden[..], &[spaces.actions]].concat();
        let network = Network::new(&widths)
            .map_err(|error| OracleError::Other(Box::new(error)))?
            .with_isa(self.isa);
        let members: Result<Vec<_>, _> = (0..sets.members())
            .into_par_iter()
            .with_max_len(1)
            .map(|member| self.fit_member(&network, sets, member, stream))
            .collect();
        Ok(Ensemble::new(network, members?))
    }
}
