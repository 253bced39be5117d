//! The first inputs of the long run: no reader panics, hangs, or allocates much memory.

#![allow(clippy::unwrap_used)] // a failed step fails the test

#[path = "../../crates/tutelage-tasks/tests/watched/mod.rs"]
mod watched;

use std::time::{Duration, Instant};

use tutelage_fuzz::{Form, TARGETS};

use self::watched::watched;

/// Inputs per target.
const INPUTS: u64 = 1000;
/// The memory limit of an input; the longest inputs have a few megabytes.
const MOST_BYTES: usize = 1 << 28;
/// The time limit of an input, generous for busy machines.
const LONGEST: Duration = Duration::from_secs(10);

/// One test for all targets, because they share the allocation counter.
#[test]
fn readers_do_not_panic_hang_or_allocate_much() {
    for target in &TARGETS {
        let seeds = target.seeds().unwrap();
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        seeds.iter().for_each(|seed| (target.read)(seed));
        for index in 0..INPUTS {
            let input = target.input(&seeds, index);
            let (read, start) = (target.read, Instant::now());
            let (outcome, took) = watched(|| std::panic::catch_unwind(move || read(&input)));
            assert!(outcome.is_ok(), "{} {index}", target.name);
            assert!(took <= MOST_BYTES, "{} {index}: {took} bytes", target.name);
            assert!(start.elapsed() < LONGEST, "{} {index}: {:?}", target.name, start.elapsed());
        }
    }
}

#[test]
fn inputs_depend_only_on_their_number() {
    for target in &TARGETS {
        let seeds = target.seeds().unwrap();
        let inputs =
            |from: u64| (from..from + 20).map(|i| target.input(&seeds, i)).collect::<Vec<_>>();
        assert_eq!(inputs(0), inputs(0));
        assert_ne!(inputs(0), inputs(20));
    }
}

#[test]
fn splitting_and_joining_logs_is_the_identity() {
    let logs = TARGETS.iter().find(|target| target.form == Form::Log).unwrap();
    for seed in logs.seeds().unwrap() {
        assert_eq!(Form::Log.rejoined(&seed), seed);
    }
}

#[test]
fn splitting_and_joining_requests_is_the_identity() {
    let request = TARGETS.iter().find(|target| target.form == Form::Request).unwrap();
    for seed in request.seeds().unwrap() {
        assert_eq!(Form::Request.rejoined(&seed), seed);
    }
}
