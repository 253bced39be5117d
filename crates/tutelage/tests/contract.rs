//! Environments that violate their contract, each in one way.

#![allow(clippy::unwrap_used)]

use tutelage::check::check_env;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step, Stream};

/// A violation of the contract.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    NoStates,
    Box,
    State,
    Reward,
    Endless,
    Memory,
    Grows,
    Fails,
}

/// Counts its steps, and violates the contract as `fault` says.
struct Counter {
    fault: Fault,
    time: usize,
    episodes: usize,
}

impl Env for Counter {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: usize::from(self.fault != Fault::NoStates), actions: 1 }
    }

    fn horizon(&self) -> usize {
        if self.fault == Fault::Grows { 10 + self.episodes } else { 10 }
    }

    fn bounds(&self) -> Bounds {
        Bounds::unit(if self.fault == Fault::Box { 2 } else { 1 })
    }

    fn reset(&mut self, _: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        (self.time, self.episodes) = (0, self.episodes + 1);
        state[0] = if self.fault == Fault::Memory { self.episodes as f32 } else { 0.0 };
        Ok(())
    }

    fn step(&mut self, _: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.time += 1;
        state[0] = self.time as f32;
        let wrong = |fault| self.fault == fault && self.time == 4;
        if wrong(Fault::Fails) {
            return Err(EnvError::Other("the motor is hot".into()));
        }
        if wrong(Fault::State) {
            state[0] = f32::NAN;
        }
        let reward = if wrong(Fault::Reward) { f64::INFINITY } else { 1.0 };
        let truncated = self.time == 10 && self.fault != Fault::Endless;
        Ok(Step { reward, terminated: false, truncated })
    }
}

#[test]
fn check_env_finds_violations() {
    let check = |fault| check_env(|| Counter { fault, time: 0, episodes: 0 }, Stream::new(1));
    check(Fault::None).unwrap();
    for (fault, words) in [
        (Fault::NoStates, "not 0, 1 and 10"),
        (Fault::Box, "width of an action, 1, not 2"),
        (Fault::State, "time 4 state[0] = NaN"),
        (Fault::Reward, "at time 4 it is inf"),
        (Fault::Endless, "continues after 10 steps"),
        (Fault::Memory, "function of its generator"),
        (Fault::Grows, "episode 0 changed them"),
        (Fault::Fails, "step"),
    ] {
        let violation = check(fault).unwrap_err();
        let source = std::error::Error::source(&violation).map(ToString::to_string);
        let violation = format!("{violation}: {}", source.unwrap_or_default());
        assert!(violation.contains(words), "{fault:?}: {violation}");
    }
}
