//! Environments that break their contract, each in one way, and what they are told.

#![allow(clippy::unwrap_used)]

use tutelage::check::check_env;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step, Stream};

/// How an environment errs.
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

/// Counts its steps; everything else about it may be wrong.
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

fn verdict(fault: Fault) -> Result<(), String> {
    check_env(|| Counter { fault, time: 0, episodes: 0 }, Stream::new(1))
        .map_err(|breach| breach.to_string())
}

#[test]
fn a_breach_names_the_contract_and_what_broke_it() {
    assert_eq!(verdict(Fault::None), Ok(()));
    let told = [
        (Fault::NoStates, "must be at least 1, but they are 0, 1 and 10"),
        (Fault::Box, "every value of an action, which has 1, but there are 2"),
        (Fault::State, "state[0] = NaN at time 4 does not (allowed: finite numbers)"),
        (Fault::Reward, "every reward must be finite, but that of time 4 is inf"),
        (Fault::Endless, "within the horizon, but one goes on after 10 steps"),
        (Fault::Memory, "a function of the generator given at reset and the actions"),
        (Fault::Grows, "must stay the same, but episode 0 changed them"),
        (Fault::Fails, "environment: step: the motor is hot"),
    ];
    for (fault, words) in told {
        let breach = verdict(fault).unwrap_err();
        assert!(breach.contains(words), "{fault:?}: {breach}");
    }
}
