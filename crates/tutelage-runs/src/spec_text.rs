//! The text of a custom program's spec.
//!
//! Runs are identified by this text, so it must never change. It has the names that the types had in version 0.1.
//! Real numbers are written with `{:?}`, which always gives a decimal point or an exponent.

use tutelage::algorithm::Algorithm;
use tutelage::choice::{
    Ask, Beta, Deploy, Drive, ExpertActs, Gate, PerturbationSize, Sampling, TrainOn, Windows,
};
use tutelage::{Dataset, Element};

/// The choices of an algorithm as texts.
///
/// ```
/// use tutelage::Sampling;
/// use tutelage::algorithm::dagger;
/// use tutelage_runs::ChoiceTexts;
///
/// let texts = ChoiceTexts::of(&dagger(Sampling::Stride(10)));
/// assert_eq!((texts.drive.as_str(), texts.ask.as_str()), ("Learner", "Sampled(Stride(10))"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceTexts {
    /// The driver.
    pub drive: String,
    /// The queried states.
    pub ask: String,
    /// The training sets.
    pub train_on: String,
    /// The returned policy.
    pub deploy: String,
}

impl ChoiceTexts {
    /// Returns the texts of an algorithm's choices.
    pub fn of(algorithm: &Algorithm) -> Self {
        let Algorithm { drive, ask, train_on, deploy, .. } = algorithm;
        Self {
            drive: drive_text(drive),
            ask: ask_text(ask),
            train_on: train_on_text(train_on),
            deploy: match deploy {
                Deploy::Mean => "Mean",
                Deploy::UniformMember => "UniformMember",
                Deploy::RandomRound => "RandomRound",
            }
            .into(),
        }
    }
}

fn drive_text(drive: &Drive) -> String {
    match drive {
        Drive::Learner => "Learner".into(),
        Drive::Expert(ExpertActs::Sampled) => "Expert(Sampled)".into(),
        Drive::Expert(ExpertActs::Mean) => "Expert(Mean)".into(),
        Drive::Mixture(Beta::Constant(beta)) => format!("Mixture(Constant({beta:?}))"),
        Drive::Mixture(Beta::Power(base)) => format!("Mixture(Power({base:?}))"),
        Drive::Mixture(Beta::Linear(rounds)) => format!("Mixture(Linear({rounds}))"),
        Drive::NoisyExpert { alpha } => format!("NoisyExpert {{ alpha: {alpha:?} }}"),
        Drive::Gated(Gate::Doubt { chi, tau }) => {
            format!("Gated(Doubt {{ chi: {chi:?}, tau: {tau:?} }})")
        }
        Drive::Gated(Gate::Distance { tau }) => format!("Gated(Distance {{ tau: {tau:?} }})"),
        Drive::Gated(Gate::Human) => "Gated(Hand)".into(),
        Drive::HandOver(windows) => {
            let Windows { at_start, length, growth, steady, by_expert } = windows;
            format!(
                "HandOver(Windows {{ at_start: {at_start:?}, length: {length:?}, growth: {growth:?}, steady: {steady}, by_expert: {by_expert} }})"
            )
        }
        Drive::Stored => "Stored".into(),
    }
}

fn ask_text(ask: &Ask) -> String {
    match ask {
        Ask::Sampled(sampling) => format!("Sampled({})", sampling_text(sampling)),
        Ask::InWindow(sampling) => format!("InWindow({})", sampling_text(sampling)),
        Ask::MostDisputed { of, sampling } => {
            format!("MostDisputed {{ of: {of}, sampling: {} }}", sampling_text(sampling))
        }
        Ask::WhereExpertDrove { every } => format!("WhereExpertDrove {{ every: {every} }}"),
    }
}

fn sampling_text(sampling: &Sampling) -> String {
    match sampling {
        Sampling::Stride(stride) => format!("Stride({stride})"),
        Sampling::Independent => "Independent".into(),
    }
}

fn train_on_text(train_on: &TrainOn) -> String {
    match train_on {
        TrainOn::Data => "Data".into(),
        TrainOn::Bootstrap => "Bootstrap".into(),
        TrainOn::Perturbed(PerturbationSize::Fixed(size)) => format!("Perturbed(Fixed({size}))"),
        TrainOn::Perturbed(PerturbationSize::Growing(size)) => {
            format!("Perturbed(Growing({size}))")
        }
        TrainOn::Perturbed(PerturbationSize::Poisson(mean)) => {
            format!("Perturbed(Poisson({mean:?}))")
        }
        TrainOn::Shuffled(size) => format!("Shuffled({size})"),
        TrainOn::RandomCosts { scale } => format!("RandomCosts {{ scale: {scale:?} }}"),
    }
}

/// Returns the text of stored rounds.
pub(crate) fn stored_text<S: Element, A: Element>(rounds: &[Dataset<S, A>]) -> String {
    let round = |Dataset { states, actions }: &Dataset<S, A>| {
        format!("Dataset {{ states: {}, actions: {} }}", states.describe(), actions.describe())
    };
    format!("[{}]", rounds.iter().map(round).collect::<Vec<_>>().join(", "))
}

/// Returns a line `name = "text"`. Long texts, such as stored states, are replaced by their checksum.
pub(crate) fn line(name: &str, text: &str) -> String {
    let checksum = || crc32c::crc32c(text.as_bytes());
    match text.len() {
        0..=200 => format!("{name} = {}\n", quoted(text)),
        length => format!("{name} = \"{length} characters with checksum {:08x}\"\n", checksum()),
    }
}

/// Quotes a text.
pub(crate) fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '\'' => "'".into(),
        letter => letter.escape_debug().to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
