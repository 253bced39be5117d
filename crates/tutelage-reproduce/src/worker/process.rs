//! A run in a process of its own.
//!
//! ```text
//! to the process:    one line of JSON, {"spec": TOML, "dir": FOLDER}; then nothing, until its input is closed
//! from the process:  a line {"round": N} for every round; messages on standard error; exit code 0 when the run is finished
//! ```
//!
//! A process whose input is closed ends at once: none outlives whoever started it, however that ended.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write, read_to_string};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use serde::{Deserialize, Serialize};
use tutelage_lab::learn_in;
use tutelage_lab::spec::RunSpec;
use tutelage_runs::store::{RoundResult, Seconds, discard, read_any, read_times};
use tutelage_runs::{Ending, Reporter};

use super::{Listener, Order, PATIENCE, WorkError, Worker, in_turn, is_locked, lab_is_locked};
use crate::{PlannedRun, RunRecord};

/// Carries out each run in a process of its own, so that its time and memory are its own.
#[derive(Clone, Debug)]
pub struct ChildProcess {
    /// The program, which calls [`serve`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// How many threads these let it have.
    pub threads: usize,
    /// A folder of its own for runs, where it does not see the archive's.
    pub home: Option<PathBuf>,
}

/// What a process is told to do.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    spec: String,
    dir: PathBuf,
}

/// What a process tells.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    round: usize,
}

/// What others need of a run's folder, and what its record is made of; the log last, for a folder without it holds no run.
pub const FILES: [&str; 3] = ["spec.toml", "times.jsonl", "log.bin"];

impl Worker for ChildProcess {
    fn carry_out(
        &self,
        order: &Order<'_>,
        listener: &dyn Listener,
    ) -> Result<Option<RunRecord>, WorkError> {
        let Order { run, archive, .. } = order;
        let runs = self.home.as_deref().unwrap_or(archive.runs());
        if self.home.is_some() {
            order.needs.iter().try_for_each(|need| bring(archive.runs(), runs, need))?;
        }
        let dir = runs.join(&run.name);
        // A timed run is one without a break: what an earlier process left of it is dropped.
        if run.timed && !is_whole(run, &dir) {
            let dropped = in_turn(listener, is_locked, || discard(&dir))?;
            if dropped.is_none() {
                return Ok(None);
            }
        }
        if !run.timed || !is_whole(run, &dir) {
            let task = Task { spec: run.located(runs).to_toml(), dir: dir.clone() };
            if !self.run(&task, listener)? {
                return Ok(None);
            }
        }
        let times = read_times(&dir);
        let memory = times.iter().filter_map(|seconds| seconds.memory).max();
        let record = run.record(&read_any(&dir)?, &times, self.threads);
        if self.home.is_some() && order.is_needed {
            bring(runs, archive.runs(), run)?;
        }
        Ok(Some(RunRecord { memory, ..record }))
    }
}

impl ChildProcess {
    /// Whether the process finished what it was told; not where it was ended because somebody wanted to stop.
    fn run(&self, task: &Task, listener: &dyn Listener) -> Result<bool, WorkError> {
        let lost = |error: io::Error| WorkError::Lost(format!("its process: {error}"));
        let (mut child, input) = self.start(task).map_err(lost)?;
        let (lines, notes) = (child.stdout.take(), child.stderr.take());
        let notes = thread::spawn(|| notes.map(read_to_string).transpose());
        let stopped = listen(lines, input, listener);
        let status = child.wait().map_err(lost)?;
        let notes = notes.join().ok().and_then(Result::ok).flatten().unwrap_or_default();
        match status.success() {
            _ if stopped => Ok(false),
            true => Ok(true),
            false => Err(ended(status, &notes)),
        }
    }

    fn start(&self, task: &Task) -> io::Result<(Child, ChildStdin)> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let told = writeln!(input, "{}", serde_json::to_string(task)?);
        // One that died at once says why on standard error.
        told.or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        })?;
        Ok((child, input))
    }
}

/// Passes on what a process tells until it ends; closes its input, so that it ends, where the listener wants to stop.
fn listen(
    lines: Option<impl Read + Send + 'static>,
    input: ChildStdin,
    listener: &dyn Listener,
) -> bool {
    let (mut input, lines) = (Some(input), told(lines));
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(Told { round }) => listener.round(round),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return input.is_none(),
        }
        if listener.wants_stop() {
            input = None;
        }
    }
}

/// What a process tells, line by line.
fn told(lines: Option<impl Read + Send + 'static>) -> Receiver<Told> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in lines.into_iter().flat_map(|lines| BufReader::new(lines).lines()) {
            let Ok(line) = line else { break };
            if let Ok(told) = serde_json::from_str(&line)
                && sender.send(told).is_err()
            {
                break;
            }
        }
    });
    receiver
}

/// A process that said why it failed would say so again; one that was ended from outside might not.
fn ended(status: ExitStatus, notes: &str) -> WorkError {
    match (status.code(), notes.lines().last()) {
        (Some(_), Some(note)) => {
            WorkError::Failed(note.strip_prefix("error: ").unwrap_or(note).into())
        }
        (Some(code), None) => WorkError::Failed(format!("its process ended with code {code}")),
        (None, _) => WorkError::Lost(format!("its process was ended ({status})")),
    }
}

/// Whether a run was finished, and timed, without a break.
fn is_whole(run: &PlannedRun, dir: &Path) -> bool {
    let rounds = read_any(dir).map_or(0, |history| history.results().len());
    rounds == run.spec.rounds && read_times(dir).len() == run.spec.rounds
}

/// Copies what others need of a run.
fn bring(from: &Path, to: &Path, run: &PlannedRun) -> Result<(), WorkError> {
    let (from, to) = (from.join(&run.name), to.join(&run.name));
    if from == to {
        return Ok(());
    }
    let copy = |file: &str| {
        let source = from.join(file);
        if file == "times.jsonl" && !source.exists() {
            return Ok(());
        }
        tutelage_files::copy(&source, &to.join(file))
    };
    let copied = fs::create_dir_all(&to).and_then(|()| FILES.into_iter().try_for_each(copy));
    copied.map_err(|error| {
        WorkError::Failed(format!("cannot copy {} to {}: {error}", from.display(), to.display()))
    })
}

/// The other side: carries out the one run that `input` names, telling of its rounds on `output`; calls `alone` when `input`
/// is closed, for then nobody waits for the run any more.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write,
    alone: impl FnOnce() + Send + 'static,
) -> Result<(), WorkError> {
    let mut line = String::new();
    let failed = |error: &dyn std::fmt::Display| WorkError::Failed(format!("no task: {error}"));
    input.read_line(&mut line).map_err(|error| failed(&error))?;
    let task: Task = serde_json::from_str(&line).map_err(|error| failed(&error))?;
    let spec = RunSpec::parse(&task.spec).map_err(|error| failed(&error))?;
    thread::spawn(move || {
        let _ = io::copy(&mut input, &mut io::sink());
        alone();
    });
    let mut teller = Teller(output);
    let learn = || learn_in(&task.dir, &spec, &mut teller);
    match in_turn(&Nobody, lab_is_locked, learn)? {
        Some(report) if report.ending == Ending::Finished => Ok(()),
        _ => Err(WorkError::Lost("stopped".into())),
    }
}

/// Nobody listens.
struct Nobody;

impl Listener for Nobody {}

/// Tells of rounds, a line each.
struct Teller<W>(W);

impl<W: Write> Reporter for Teller<W> {
    fn round(&mut self, result: &RoundResult, _: usize, _: &Seconds) {
        let told = serde_json::to_string(&Told { round: result.round }).unwrap_or_default();
        // Where nobody reads any more, `alone` is called.
        let _ = writeln!(self.0, "{told}").and_then(|()| self.0.flush());
    }
}
