//! The long fuzzing run: feeds all targets in turn and records its progress in a state file.
//!
//! ```sh
//! cargo run --release -p tutelage-fuzz -- --state fuzz.json --inputs 100000000   # Ctrl-C at any time; run it again to resume
//! cargo run --release -p tutelage-fuzz -- --state log.json --inputs 1000000 log  # one target alone
//! cargo run --release -p tutelage-fuzz -- --input log 4711 > finding.bin         # one input
//! ```
//!
//! Panics are recorded with their target and number. An input that needs more than 1 GiB of memory or
//! 10 CPU seconds is reported and ends the process.

#![allow(clippy::unwrap_used)] // an invalid state file or corpus ends the program

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::io::Write;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};
use tutelage_fuzz::{TARGETS, Target};

/// The memory limit of a reader.
const MOST_BYTES: usize = 1 << 30;
/// The CPU time limit of an input.
const LONGEST: Duration = Duration::from_secs(10);
/// Inputs per target before the next target.
const TURN: u64 = 2000;

struct Limited;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static TARGET: AtomicUsize = AtomicUsize::new(0);
static INPUT: AtomicU64 = AtomicU64::new(0);

// SAFETY: forwards to the system allocator, or returns null above the limit.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        if held > MOST_BYTES {
            HELD.fetch_sub(layout.size(), Ordering::Relaxed);
            report_full(layout.size());
            return std::ptr::null_mut();
        }
        // SAFETY: forwarded.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: forwarded.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Reports the input that allocates too much. The process aborts unless the reader handles the error.
fn report_full(bytes: usize) {
    let (target, input) = (TARGET.load(Ordering::Relaxed), INPUT.load(Ordering::Relaxed));
    eprintln!("memory: {} {input} allocates {bytes} bytes", TARGETS[target].name);
}

/// Progress and findings, as stored in the state file.
#[derive(Default, Serialize, Deserialize)]
struct FuzzState {
    /// The number of inputs per target.
    inputs: BTreeMap<String, u64>,
    /// Target and number of each input that caused a panic.
    panics: Vec<(String, u64)>,
    /// CPU seconds.
    seconds: f64,
    /// Peak memory in bytes.
    most_bytes: usize,
}

impl FuzzState {
    fn read(path: &Path) -> Self {
        let text = tutelage_files::read_text(path);
        text.map_or_else(|_| Self::default(), |text| serde_json::from_str(&text).unwrap())
    }

    fn write(&self, path: &Path) {
        tutelage_files::replace(path, &serde_json::to_vec_pretty(self).unwrap()).unwrap();
    }

    fn total(&self) -> u64 {
        self.inputs.values().sum()
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--input", target, index] => one(target, index.parse().unwrap()),
        ["--state", state, "--inputs", inputs, targets @ ..] => {
            many(&PathBuf::from(state), inputs.parse().unwrap(), targets)
        }
        _ => panic!("usage: --state FILE --inputs N [TARGET…], or --input TARGET NUMBER"),
    }
}

/// Returns the index of a target.
fn number_of(name: &&str) -> usize {
    let number = TARGETS.iter().position(|target| target.name == *name);
    number.unwrap_or_else(|| panic!("unknown target {name}"))
}

fn one(name: &str, index: u64) {
    let target = &TARGETS[number_of(&name)];
    let input = target.input(&target.seeds().unwrap(), index);
    std::io::stdout().write_all(&input).unwrap();
    (target.read)(&input);
}

/// Feeds the named targets, or all targets if `names` is empty.
fn many(path: &Path, inputs: u64, names: &[&str]) {
    let all: Vec<usize> = (0..TARGETS.len()).collect();
    let chosen = if names.is_empty() { all } else { names.iter().map(number_of).collect() };
    std::thread::spawn(watch);
    let corpus: Vec<_> = TARGETS.iter().map(|target| target.seeds().unwrap()).collect();
    let mut state = FuzzState::read(path);
    let before = state.seconds;
    let start = ProcessTime::now();
    while state.total() < inputs {
        for &number in &chosen {
            turn(number, &TARGETS[number], &corpus[number], &mut state);
        }
        state.seconds = before + start.elapsed().as_secs_f64();
        state.most_bytes = state.most_bytes.max(MOST.load(Ordering::Relaxed));
        state.write(path);
    }
    println!("{} inputs in {:.0} s, {} panics", state.total(), state.seconds, state.panics.len());
}

/// Feeds the next inputs to a target.
fn turn(number: usize, target: &Target, seeds: &[Vec<u8>], state: &mut FuzzState) {
    TARGET.store(number, Ordering::Relaxed);
    let first = state.inputs.get(target.name).copied().unwrap_or(0);
    for index in first..first + TURN {
        INPUT.store(index, Ordering::Relaxed);
        let input = target.input(seeds, index);
        let read = target.read;
        if catch_unwind(move || read(&input)).is_err() {
            eprintln!("panic: {} {index}", target.name);
            state.panics.push((target.name.into(), index));
        }
    }
    state.inputs.insert(target.name.into(), first + TURN);
}

/// Ends the process if an input takes too long. Uses CPU time, so that a busy machine is not a hang.
fn watch() {
    let now = || (TARGET.load(Ordering::Relaxed), INPUT.load(Ordering::Relaxed));
    let (mut seen, mut since) = (now(), ProcessTime::now());
    loop {
        std::thread::sleep(Duration::from_secs(1));
        if now() != seen {
            (seen, since) = (now(), ProcessTime::now());
        } else if since.elapsed() > LONGEST {
            eprintln!("hang: {} {}", TARGETS[seen.0].name, seen.1);
            std::process::exit(3);
        }
    }
}
