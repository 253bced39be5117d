//! The beginning of the long run: every reader takes a thousand mutated files without a panic, without much memory and without end.

#![allow(clippy::unwrap_used)] // a failed step fails the test

#[path = "../../crates/tutelage-experts/tests/watched/mod.rs"]
mod watched;

use std::time::{Duration, Instant};

use tutelage_fuzz::{Form, TARGETS};

use self::watched::watched;

/// How many inputs each target gets.
const INPUTS: u64 = 1000;
/// The most memory that an input may take; the longest has a few megabytes.
const MOST_BYTES: usize = 1 << 28;
/// The longest that an input may take, on a machine that does other things as well.
const LONGEST: Duration = Duration::from_secs(10);

/// All in one, since they share the count.
#[test]
fn no_reader_panics_or_takes_much_memory_or_time() {
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
fn inputs_are_a_function_of_their_number_and_differ() {
    for target in &TARGETS {
        let seeds = target.seeds().unwrap();
        let inputs =
            |from: u64| (from..from + 20).map(|i| target.input(&seeds, i)).collect::<Vec<_>>();
        assert_eq!(inputs(0), inputs(0));
        assert_ne!(inputs(0), inputs(20));
    }
}

#[test]
fn a_seed_that_is_taken_apart_and_put_together_is_the_same_to_its_reader() {
    let logs = TARGETS.iter().find(|target| target.form == Form::Log).unwrap();
    for seed in logs.seeds().unwrap() {
        // Without a change, checksums come out as they were.
        assert_eq!(Form::Log.rejoined(&seed), seed);
    }
}

#[test]
fn requests_are_sent_with_the_length_that_they_have() {
    let request = TARGETS.iter().find(|target| target.form == Form::Request).unwrap();
    for seed in request.seeds().unwrap() {
        assert_eq!(Form::Request.rejoined(&seed), seed);
    }
}
