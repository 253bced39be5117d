//! The fields of a spec. Each is declared here once, for flags, TOML, Python and Rust.

use std::path::PathBuf;

use tutelage::choice::{Deploy, ExpertActs};
use tutelage::{AlgorithmName, Sampling};
use tutelage_oracles::Standardize;
use tutelage_oracles::mlp::TrainingBudget;
use tutelage_runs::Keep;

use super::value::{self, TextValue};
use super::{Class, ClassInput, CoverSpec};
use crate::registry::Task;

/// Declares the two structs of a group of fields: the input, in which every field is optional, and the complete group.
///
/// Both have the same documentation, which is also the help of the flags. Attributes in `@input [...]` and `@complete [...]`
/// belong to one of them. Complete specs are written in the order of declaration.
macro_rules! fields {
    (
        $(#[$input_meta:meta])* input $Input:ident;
        $(#[$complete_meta:meta])* complete $Complete:ident $(<$T:ident = $Default:ty>)?;
        $(
            $(#[doc = $doc:literal])*
            $(@input [$($input:tt)*])*
            $(@complete [$($complete:tt)*])*
            $field:ident: $Given:ty => $Type:ty;
        )*
    ) => {
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize, clap::Args)]
        $(#[$input_meta])*
        #[serde(default, deny_unknown_fields)]
        pub struct $Input {
            $($(#[doc = $doc])* $(#[$($input)*])* pub $field: $Given,)*
        }

        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        $(#[$complete_meta])*
        pub struct $Complete $(<$T = $Default>)? {
            $($(#[doc = $doc])* $(#[$($complete)*])* pub $field: $Type,)*
        }

        impl $Input {
            /// Returns these fields, with unset fields taken from `other`.
            #[must_use]
            pub fn or(self, other: Self) -> Self {
                Self { $($field: self.$field.or(other.$field),)* }
            }

            /// Returns whether any field of this name is set.
            fn has(&self, field: &str) -> bool {
                match field {
                    $(stringify!($field) => self.$field != <$Given>::default(),)*
                    _ => false,
                }
            }
        }

        impl From<$Complete> for $Input {
            fn from(complete: $Complete) -> Self {
                Self { $($field: complete.$field.into(),)* }
            }
        }
    };
}

fields! {
    /// The fields of a spec that were given.
    ///
    /// ```
    /// use tutelage_spec::spec::SpecInput;
    ///
    /// let flags = SpecInput { rounds: Some(3), ..SpecInput::default() };
    /// let file = SpecInput::parse("task = 'ant'\nrounds = 9\nseed = 4")?;
    /// let spec = flags.or(file).complete()?;
    /// assert_eq!((spec.rounds, spec.seed), (3, 4));
    /// # Ok::<(), tutelage_spec::spec::SpecError>(())
    /// ```
    input SpecInput;
    /// A complete run. `T` is the task: a registered one, or the caller's own environment.
    #[serde(bound(serialize = "T: TextValue"))]
    complete RunSpec<T = Task>;

    /// The task
    @input [arg(skip)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print")]
    task: Option<Task> => T;

    /// The expert: the name of a shipped expert, or a file
    @input [arg(long, value_name = "NAME|FILE")]
    expert: Option<String> => String;

    /// The algorithm
    @input [arg(skip)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print")]
    algorithm: Option<AlgorithmName> => AlgorithmName;

    /// The policy class: mlp:64,64, mlp:8 or linear; realizable and nonrealizable are the task's own
    @input [arg(long, short, value_parser = ClassInput::read)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print")]
    class: Option<ClassInput> => Class;

    /// The number of rounds
    @input [arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value::whole_flag::<usize, 1, 10_000>)]
    @input [serde(deserialize_with = "value::whole::<_, _, 1, 10_000>")]
    rounds: Option<usize> => usize;

    /// The number of states that the expert labels in a round
    @input [arg(long, value_name = "K", allow_negative_numbers = true, value_parser = value::whole_flag::<usize, 1, 100_000>)]
    @input [serde(deserialize_with = "value::whole::<_, _, 1, 100_000>")]
    states_per_round: Option<usize> => usize;

    /// How states are sampled from trajectories: stride(20) or independent
    @input [arg(long, value_parser = Sampling::read)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print")]
    sampling: Option<Sampling> => Sampling;

    /// How the expert acts when it drives (bc): sampled or mean
    @input [arg(long, value_name = "sampled|mean", value_parser = ExpertActs::read)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print")]
    expert_acts: Option<ExpertActs> => ExpertActs;

    /// The distribution of perturbation states: uniform(-2,2), or dagger:DIR,DIR,… for the states of stored runs
    @input [arg(long, value_parser = CoverSpec::read)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print_some", skip_serializing_if = "Option::is_none")]
    d0: Option<CoverSpec> => Option<CoverSpec>;

    /// The stored run to train on, for algorithms that collect nothing
    @input [arg(skip)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print_some", skip_serializing_if = "Option::is_none")]
    data: Option<PathBuf> => Option<PathBuf>;

    /// The policy that is returned and evaluated: the members' mean, a random member at every step, or the policy of a random round
    @input [arg(long, value_name = "mean|member|random-round", value_parser = Deploy::read)]
    @input [serde(deserialize_with = "value::text")]
    // Specs of version 0.1 leave out the default.
    @complete [serde(serialize_with = "value::print", skip_serializing_if = "is_mean")]
    deploy: Option<Deploy> => Deploy;

    /// The seed of all randomness
    @input [arg(long, allow_negative_numbers = true, value_parser = value::whole_flag::<u64, 0, { i64::MAX }>)]
    @input [serde(deserialize_with = "value::whole::<_, _, 0, { i64::MAX }>")]
    seed: Option<u64> => u64;

    /// The policies that stay on disk: all or last
    @input [arg(long = "keep-policies", alias = "keep", value_name = "all|last", value_parser = Keep::read)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print")]
    keep: Option<Keep> => Keep;

    /// The training of networks; least squares has no settings.
    @input [command(flatten)]
    @complete [serde(skip_serializing_if = "Option::is_none")]
    oracle: OracleInput => Option<OracleSpec>;

    /// The evaluations.
    @input [command(flatten)]
    evaluation: EvaluationInput => EvaluationSpec;
}

fields! {
    /// The training settings that were given.
    input OracleInput;
    /// How networks are trained.
    #[derive(Copy)]
    complete OracleSpec;

    /// The training length of a network: epochs=N or iterations=N
    @input [arg(long, value_parser = TrainingBudget::read)]
    @input [serde(deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print")]
    budget: Option<TrainingBudget> => TrainingBudget;

    /// The learning rate of Adam
    @input [arg(long, allow_negative_numbers = true, value_parser = value::rate_flag)]
    @input [serde(deserialize_with = "value::rate")]
    learning_rate: Option<f64> => f64;

    /// The number of examples in a minibatch
    @input [arg(long, allow_negative_numbers = true, value_parser = value::whole_flag::<usize, 1, 100_000>)]
    @input [serde(deserialize_with = "value::whole::<_, _, 1, 100_000>")]
    batch: Option<usize> => usize;

    /// Whether networks see states standardized by the statistics of the dataset: yes or no
    @input [arg(long = "standardize", alias = "states", value_name = "yes|no", value_parser = Standardize::read)]
    @input [serde(alias = "standardize", deserialize_with = "value::text")]
    @complete [serde(serialize_with = "value::print", skip_serializing_if = "is_raw")]
    states: Option<Standardize> => Standardize;
}

fields! {
    /// The evaluation settings that were given.
    input EvaluationInput;
    /// How policies are evaluated.
    #[derive(Copy)]
    complete EvaluationSpec;

    /// The number of episodes of an evaluation
    @input [arg(long, value_name = "T", allow_negative_numbers = true, value_parser = value::whole_flag::<usize, 1, 10_000>)]
    @input [serde(deserialize_with = "value::whole::<_, _, 1, 10_000>")]
    episodes: Option<usize> => usize;
}

impl SpecInput {
    /// Returns whether a field is set, such as `d0` or `oracle.batch`.
    pub fn is_set(&self, field: &str) -> bool {
        match field.split_once('.') {
            Some(("oracle", field)) => self.oracle.has(field),
            Some(("evaluation", field)) => self.evaluation.has(field),
            _ => self.has(field),
        }
    }
}

impl From<Option<OracleSpec>> for OracleInput {
    fn from(oracle: Option<OracleSpec>) -> Self {
        oracle.map_or(Self::default(), Self::from)
    }
}

fn is_mean(deploy: &Deploy) -> bool {
    *deploy == Deploy::Mean
}

fn is_raw(states: &Standardize) -> bool {
    *states == Standardize::No
}
