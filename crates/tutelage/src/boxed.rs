//! A box of an environment, expert or oracle is one too.

use std::sync::Arc;

use crate::env::LaneError;
use crate::oracle::{DurableOracle, FitProgress, TrainingSets};
use crate::{
    Batch, Bounds, Env, EnvError, Expert, ExpertError, Oracle, OracleError, Rng, Spaces, Step,
    Stream, VectorEnv,
};

/// Implements a trait for boxes of its implementors.
macro_rules! forward_to_box {
    ($trait:ident $(+ $more:ident)? { $($type:ident)* }
     $(fn $name:ident($this:ident: $receiver:ty $(, $argument:ident: $of:ty)*) $(-> $out:ty)?;)*) => {
        impl<T: $trait + ?Sized $(+ $more)?> $trait for Box<T> {
            $(type $type = T::$type;)*

            $(fn $name($this: $receiver $(, $argument: $of)*) $(-> $out)? {
                (**$this).$name($($argument),*)
            })*
        }
    };
}

forward_to_box! { Env { State Action }
    fn spaces(self: &Self) -> Spaces;
    fn horizon(self: &Self) -> usize;
    fn bounds(self: &Self) -> Bounds;
    fn reset(self: &mut Self, rng: Rng, state: &mut [T::State]) -> Result<(), EnvError>;
    fn step(self: &mut Self, action: &[T::Action], state: &mut [T::State]) -> Result<Step, EnvError>;
}

forward_to_box! { VectorEnv { State Action }
    fn count(self: &Self) -> usize;
    fn spaces(self: &Self) -> Spaces;
    fn bounds(self: &Self) -> &Bounds;
    fn horizon(self: &Self) -> usize;
    fn reset(self: &mut Self, lane: usize, rng: Rng) -> Result<(), LaneError>;
    fn state(self: &Self, lane: usize) -> &[T::State];
    fn step(self: &mut Self, lanes: &[usize], actions: &Batch<T::Action>) -> Result<(), LaneError>;
    fn last_step(self: &Self, lane: usize) -> Step;
}

forward_to_box! { Expert { State Action }
    fn annotate(self: &mut Self, states: &Batch<T::State>, rngs: &mut [Rng], actions: &mut Batch<T::Action>)
        -> Result<(), ExpertError>;
    fn mean(self: &mut Self, states: &Batch<T::State>, actions: &mut Batch<T::Action>) -> Result<(), ExpertError>;
    fn describe(self: &Self) -> String;
    fn batch(self: &Self) -> usize;
}

forward_to_box! { Oracle + Send { State Action Policy }
    fn fit(self: &Self, sets: &TrainingSets<'_, T::State, T::Action>, stream: &Stream) -> Result<T::Policy, OracleError>;
    fn report_to(self: &mut Self, training: Arc<FitProgress>);
}

forward_to_box! { DurableOracle + Send {}
    fn describe(self: &Self) -> String;
    fn encode(self: &Self, policy: &T::Policy) -> Result<Vec<u8>, OracleError>;
    fn decode(self: &Self, bytes: &[u8], spaces: Spaces) -> Result<T::Policy, OracleError>;
}
