//! The text of single values, shared by flags, TOML and Python.

use std::path::PathBuf;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use tutelage::algorithm::{AlgorithmNameError, Family};
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::suggest::{did_you_mean, nearest};
use tutelage::{AlgorithmName, Sampling};
use tutelage_oracles::Standardize;
use tutelage_oracles::mlp::TrainingBudget;
use tutelage_runs::Keep;

use super::SpecError;
use crate::registry::Task;

/// A value that a spec writes as text.
///
/// ```
/// use tutelage::Sampling;
/// use tutelage_spec::spec::TextValue;
///
/// assert_eq!(Sampling::read("stride(20)"), Ok(Sampling::Stride(20)));
/// assert_eq!(Sampling::Independent.text(), "independent");
/// assert!(Sampling::read("stride(0)").unwrap_err().contains("from 1 to 1000"));
/// ```
pub trait TextValue: Sized {
    /// Parses a value. The error says what is expected.
    fn read(text: &str) -> Result<Self, String>;

    /// Returns the text of this value, from which [`TextValue::read`] returns an equal value.
    fn text(&self) -> String;
}

/// Implements [`TextValue`] by a table. The first name of a value is its text; the others are aliases.
macro_rules! names {
    ($($Type:ty { $($name:literal => $value:path),* $(,)? })*) => {$(
        impl TextValue for $Type {
            fn read(text: &str) -> Result<Self, String> {
                match text {
                    $($name => Ok($value),)*
                    _ => Err(unknown(text, &[$($name),*])),
                }
            }

            fn text(&self) -> String {
                let names = [$(($name, $value)),*];
                let own = names.iter().find(|(_, value)| value == self);
                own.map_or(String::new(), |(name, _)| (*name).into())
            }
        }
    )*};
}

names! {
    ExpertActs { "sampled" => ExpertActs::Sampled, "mean" => ExpertActs::Mean }
    Deploy {
        "mean" => Deploy::Mean,
        "member" => Deploy::UniformMember,
        "random-round" => Deploy::RandomRound,
    }
    Keep { "all" => Keep::All, "last" => Keep::Last }
    Standardize {
        "as-given" => Standardize::No,
        "standardised" => Standardize::Yes,
        "no" => Standardize::No,
        "yes" => Standardize::Yes,
        "standardized" => Standardize::Yes,
    }
}

/// Describes the expected names, and suggests one.
pub(super) fn unknown(text: &str, names: &[&str]) -> String {
    format!("unknown name{} Expected {}", did_you_mean(nearest(text, names)), names.join(", "))
}

impl TextValue for Task {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| unknown(text, &Self::names()))
    }

    fn text(&self) -> String {
        self.name().into()
    }
}

impl TextValue for AlgorithmName {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error| match error {
            AlgorithmNameError::Unknown { nearest, .. } => {
                let examples = Family::examples().join(", ");
                format!("unknown name{} Expected {examples}", did_you_mean(nearest))
            }
            AlgorithmNameError::Form { form: expected, .. }
            | AlgorithmNameError::Number { expected, .. } => {
                format!("expected {expected}")
            }
            AlgorithmNameError::FiniteOnly { .. } => "it runs in the finite world only".into(),
            other => other.to_string(),
        })
    }

    fn text(&self) -> String {
        self.spec_text()
    }
}

impl TextValue for Sampling {
    fn read(text: &str) -> Result<Self, String> {
        if text == "independent" {
            return Ok(Self::Independent);
        }
        let stride = text.strip_prefix("stride(").and_then(|rest| rest.strip_suffix(')'));
        let stride = stride.and_then(|stride| stride.trim().parse().ok());
        let stride = stride.filter(|stride| (1..=1000).contains(stride)).map(Self::Stride);
        stride.ok_or_else(|| "expected independent, or stride(N) with N from 1 to 1000".into())
    }

    fn text(&self) -> String {
        match self {
            Self::Stride(stride) => format!("stride({stride})"),
            Self::Independent => "independent".into(),
        }
    }
}

const MAX_BUDGET: usize = 1_000_000;

impl TextValue for TrainingBudget {
    fn read(text: &str) -> Result<Self, String> {
        let budget = text.split_once('=').and_then(|(unit, count)| {
            let count = count.trim().parse().ok().filter(|n| (1..=MAX_BUDGET).contains(n))?;
            match unit.trim() {
                "epochs" => Some(Self::Epochs(count)),
                "iterations" => Some(Self::Iterations(count)),
                _ => None,
            }
        });
        budget.ok_or_else(|| {
            format!("expected epochs=N or iterations=N with N from 1 to {MAX_BUDGET}")
        })
    }

    fn text(&self) -> String {
        match self {
            Self::Epochs(count) => format!("epochs={count}"),
            Self::Iterations(count) => format!("iterations={count}"),
        }
    }
}

impl TextValue for PathBuf {
    fn read(text: &str) -> Result<Self, String> {
        Ok(text.into())
    }

    fn text(&self) -> String {
        self.display().to_string()
    }
}

/// Parses the text of a field.
///
/// ```
/// use tutelage_spec::spec::{SpecError, TrainingBudget, parse_value};
///
/// let budget = parse_value::<TrainingBudget>("budget", "epochs=9")?;
/// assert_eq!(budget, TrainingBudget::Epochs(9));
/// # Ok::<(), SpecError>(())
/// ```
pub fn parse_value<T: TextValue>(field: &str, text: &str) -> Result<T, SpecError> {
    let wrong = |problem| SpecError::value(field, &format!("\"{text}\""), problem);
    T::read(text).map_err(wrong)
}

/// Deserializes a text, if there is one.
pub(super) fn text<'de, D: Deserializer<'de>, T: TextValue>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| T::read(&text).map_err(D::Error::custom)).transpose()
}

/// Serializes a value as text.
pub(super) fn print<S: Serializer, T: TextValue>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.text().serialize(to)
}

/// Serializes a value as text, if there is one.
pub(super) fn print_some<S, T>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error>
where
    S: Serializer,
    T: TextValue,
{
    value.as_ref().map(T::text).serialize(to)
}

fn in_range<T: TryFrom<i64>>(number: i64, low: i64, high: i64) -> Result<T, String> {
    let wrong = || format!("expected a whole number from {low} to {high}");
    let number = Some(number).filter(|number| (low..=high).contains(number)).ok_or_else(wrong)?;
    T::try_from(number).map_err(|_| wrong())
}

/// Parses the flag of a whole number from LOW to HIGH.
pub(super) fn whole_flag<T, const LOW: i64, const HIGH: i64>(text: &str) -> Result<T, String>
where
    T: TryFrom<i64>,
{
    in_range(text.parse().unwrap_or(LOW - 1), LOW, HIGH)
}

/// Deserializes a whole number from LOW to HIGH, if there is one.
pub(super) fn whole<'de, D, T, const LOW: i64, const HIGH: i64>(
    from: D,
) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i64>,
{
    let number = Option::<i64>::deserialize(from)?;
    number.map(|number| in_range(number, LOW, HIGH).map_err(D::Error::custom)).transpose()
}

fn checked_rate(rate: f64) -> Result<f64, String> {
    let fits = rate > 0.0 && rate <= 1.0;
    if fits { Ok(rate) } else { Err("expected a number above 0 and up to 1".into()) }
}

/// Parses the flag of a learning rate.
pub(super) fn rate_flag(text: &str) -> Result<f64, String> {
    checked_rate(text.parse().unwrap_or(f64::NAN))
}

/// Deserializes a learning rate, if there is one.
pub(super) fn rate<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let rate = Option::<f64>::deserialize(from)?;
    rate.map(|rate| checked_rate(rate).map_err(D::Error::custom)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{ClassInput, CoverSpec};

    fn round_trips<T: TextValue>(texts: &[&str]) {
        for text in texts {
            assert_eq!(T::read(text).map(|value| value.text()), Ok((*text).to_owned()));
        }
    }

    #[test]
    fn values_round_trip_through_text() {
        round_trips::<Task>(&["hopper", "grid"]);
        round_trips::<AlgorithmName>(&["bd-5", "mp-25(15)"]);
        round_trips::<Sampling>(&["independent", "stride(7)"]);
        round_trips::<ExpertActs>(&["sampled", "mean"]);
        round_trips::<Deploy>(&["mean", "member", "random-round"]);
        round_trips::<Keep>(&["all", "last"]);
        round_trips::<Standardize>(&["as-given", "standardised"]);
        round_trips::<TrainingBudget>(&["epochs=2000", "iterations=500"]);
        round_trips::<PathBuf>(&["runs/x"]);
        round_trips::<ClassInput>(&["mlp:64,64", "mlp:8", "linear", "realizable", "nonrealizable"]);
        round_trips::<CoverSpec>(&["uniform(-2,2)", "uniform(0.5,1)", "dagger:runs/a,runs/b"]);
    }

    fn all_are_rejected<T: TextValue>(texts: &[&str]) {
        for text in texts {
            assert!(T::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn invalid_values_are_rejected() {
        all_are_rejected::<TrainingBudget>(&["2000", "epochs=0", "epochs=-1", "steps=5"]);
        all_are_rejected::<TrainingBudget>(&["epochs=9999999"]);
        all_are_rejected::<Sampling>(&["stride(0)", "stride(1001)", "stride", "all"]);
        all_are_rejected::<Keep>(&["", "lst", &"x".repeat(1 << 20)]);
        all_are_rejected::<CoverSpec>(&["uniform", "uniform(2,-2)", "uniform(0,inf)", "dagger:"]);
        all_are_rejected::<CoverSpec>(&["uniform(-3e38,3e38)", "gauss(0,1)"]);
        for text in ["mlp:", "mlp:0", "mlp:64,,64", "mlp:2000", "mlp:1,1,1,1,1"] {
            assert!(ClassInput::read(text).unwrap_err().contains("1024"), "{text}");
        }
        assert!(!ClassInput::read("tree").unwrap_err().contains("did you mean"));
        assert!(ClassInput::read("linaer").unwrap_err().contains("did you mean `linear`"));
        assert_eq!(Standardize::read("standardized"), Ok(Standardize::Yes));
    }
}
