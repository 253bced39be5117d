//! The long mode: feeds every reader, round-robin, from where the state file says, and writes down what came of it.
//!
//! ```sh
//! cargo run --release -p tutelage-fuzz -- --state fuzz.json --inputs 100000000   # Ctrl-C at any time; the same again goes on
//! cargo run --release -p tutelage-fuzz -- --state log.json --inputs 1000000 log  # one target alone
//! cargo run --release -p tutelage-fuzz -- --input log 4711 > finding.bin         # one input again
//! ```
//!
//! A panic is noted with its target and number, and the run goes on. More than a gigabyte at once, or an input that takes more than
//! ten seconds of the processor, ends the process, after saying which it was.

#![allow(clippy::unwrap_used)] // a broken state or corpus ends the tool

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

/// The most memory that a reader may hold.
const MOST_BYTES: usize = 1 << 30;
/// The longest that an input may keep the processor busy.
const LONGEST: Duration = Duration::from_secs(10);
/// How many inputs a target gets before the next one's turn.
const TURN: u64 = 2000;

struct Limited;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static TARGET: AtomicUsize = AtomicUsize::new(0);
static INPUT: AtomicU64 = AtomicU64::new(0);

// SAFETY: the system's allocator, which says that the memory is full once a limit is reached.
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

/// Says which input asks for too much: the process ends here, unless the reader takes a refusal for an answer.
fn report_full(bytes: usize) {
    let (target, input) = (TARGET.load(Ordering::Relaxed), INPUT.load(Ordering::Relaxed));
    eprintln!("memory: {} {input} asks for {bytes} bytes", TARGETS[target].name);
}

/// What was done and found, for good.
#[derive(Default, Serialize, Deserialize)]
struct State {
    /// How many inputs each target has had.
    inputs: BTreeMap<String, u64>,
    /// Target and number of each input that a reader panicked on.
    panics: Vec<(String, u64)>,
    /// Seconds of the processor that it took.
    seconds: f64,
    /// The most memory held at once, in bytes.
    most_bytes: usize,
}

impl State {
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
        _ => panic!("--state FILE --inputs N [TARGET…], or --input TARGET NUMBER"),
    }
}

/// The number of the target of this name.
fn number_of(name: &&str) -> usize {
    let number = TARGETS.iter().position(|target| target.name == *name);
    number.unwrap_or_else(|| panic!("there is no target {name}"))
}

fn one(name: &str, index: u64) {
    let target = &TARGETS[number_of(&name)];
    let input = target.input(&target.seeds().unwrap(), index);
    std::io::stdout().write_all(&input).unwrap();
    (target.read)(&input);
}

/// Feeds the targets of these names, or where there is none, all of them.
fn many(path: &Path, inputs: u64, names: &[&str]) {
    let all: Vec<usize> = (0..TARGETS.len()).collect();
    let chosen = if names.is_empty() { all } else { names.iter().map(number_of).collect() };
    std::thread::spawn(watch);
    let corpus: Vec<_> = TARGETS.iter().map(|target| target.seeds().unwrap()).collect();
    let mut state = State::read(path);
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

/// The next inputs of a target.
fn turn(number: usize, target: &Target, seeds: &[Vec<u8>], state: &mut State) {
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

/// Ends the process if an input takes too long. The processor's time counts: a process that has to wait for others does not hang.
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
