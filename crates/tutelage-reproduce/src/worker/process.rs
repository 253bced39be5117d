//! Runs in child processes.
//!
//! ```text
//! stdin of the child:   one line of JSON, {"spec": TOML, "dir": FOLDER}; then nothing until it is closed
//! stdout of the child:  the number of each finished round, one per line; messages go to stderr; exit code 0 means finished
//! ```
//!
//! A child whose stdin is closed exits at once, so no child outlives its parent.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write, read_to_string};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use serde::{Deserialize, Serialize};
use tutelage_runs::store::{discard, read_any, read_times};
use tutelage_runs::{Ending, Observer, RoundLine};
use tutelage_spec::learn_in;
use tutelage_spec::spec::RunSpec;

use super::{POLL_INTERVAL, WorkError, WorkOrder, Worker, is_locked, lab_is_locked, when_unlocked};
use crate::{JobProgress, NoObserver, PlannedRun, RunRecord};

/// Executes each run in a child process, so that its time and memory can be measured.
#[derive(Clone, Debug)]
pub struct ProcessWorker {
    /// The program, which calls [`serve`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The number of threads that the arguments give it.
    pub threads: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct ProcessTask {
    spec: String,
    dir: PathBuf,
}

/// The files of a run folder that other runs and the record need. The log is last, because a folder with a log counts
/// as a run.
pub const RUN_FILES: [&str; 3] = ["spec.toml", "times.jsonl", "log.bin"];

impl Worker for ProcessWorker {
    fn execute(
        &self,
        order: &WorkOrder<'_>,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunRecord>, WorkError> {
        let WorkOrder { run, archive, .. } = order;
        let dir = archive.run_path(run);
        let is_done = run.timed && is_complete(run, &dir);
        // A timed run must not be interrupted: an incomplete earlier attempt is discarded.
        if run.timed && !is_done && when_unlocked(progress, is_locked, || discard(&dir))?.is_none()
        {
            return Ok(None);
        }
        if !is_done {
            let spec = run.with_absolute_paths(archive.runs()).to_toml();
            if !self.run(&ProcessTask { spec, dir: dir.clone() }, progress)? {
                return Ok(None);
            }
        }
        let times = read_times(&dir);
        let memory = times.iter().filter_map(|seconds| seconds.memory).max();
        let record = run.record(&read_any(&dir)?, &times, self.threads);
        Ok(Some(RunRecord { memory, ..record }))
    }
}

impl ProcessWorker {
    /// Runs the child. Returns false if it was stopped.
    fn run(&self, task: &ProcessTask, progress: &JobProgress<'_>) -> Result<bool, WorkError> {
        let lost = |error: io::Error| WorkError::Lost(format!("its process: {error}"));
        let (mut child, input) = self.start(task).map_err(lost)?;
        let (output, messages) = (child.stdout.take(), child.stderr.take());
        let messages = thread::spawn(|| messages.map(read_to_string).transpose());
        let stopped = report_rounds(output, input, progress);
        let status = child.wait().map_err(lost)?;
        let messages = messages.join().ok().and_then(Result::ok).flatten().unwrap_or_default();
        match status.success() {
            _ if stopped => Ok(false),
            true => Ok(true),
            false => Err(exit_error(status, &messages)),
        }
    }

    fn start(&self, task: &ProcessTask) -> io::Result<(Child, ChildStdin)> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let written = writeln!(input, "{}", serde_json::to_string(task)?);
        // A child that exits at once gives the reason on stderr.
        written.or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        })?;
        Ok((child, input))
    }
}

/// Reports rounds until the child exits. Closes its stdin to stop it; returns whether it did so.
fn report_rounds(
    output: Option<impl Read + Send + 'static>,
    input: ChildStdin,
    progress: &JobProgress<'_>,
) -> bool {
    let (mut input, rounds) = (Some(input), finished_rounds(output));
    loop {
        match rounds.recv_timeout(POLL_INTERVAL) {
            Ok(round) => progress.round(round),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return input.is_none(),
        }
        if progress.wants_stop() {
            input = None;
        }
    }
}

fn finished_rounds(output: Option<impl Read + Send + 'static>) -> Receiver<usize> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines());
        let mut rounds = lines.map_while(Result::ok).filter_map(|line| line.parse().ok());
        rounds.try_for_each(|round| sender.send(round))
    });
    receiver
}

/// A child that exits with an error would fail again; a child that was killed might not.
fn exit_error(status: ExitStatus, messages: &str) -> WorkError {
    match (status.code(), messages.lines().last()) {
        (Some(_), Some(message)) => {
            WorkError::Failed(message.strip_prefix("error: ").unwrap_or(message).into())
        }
        (Some(code), None) => WorkError::Failed(format!("its process exited with code {code}")),
        (None, _) => WorkError::Lost(format!("its process was killed ({status})")),
    }
}

/// Returns whether a run was finished and timed without an interruption.
fn is_complete(run: &PlannedRun, dir: &Path) -> bool {
    let rounds = read_any(dir).map_or(0, |history| history.results().len());
    rounds == run.spec.rounds && read_times(dir).len() == run.spec.rounds
}

/// Executes, in the child, the run that `input` names, and writes its rounds to `output`.
///
/// Calls `orphaned` when `input` is closed, because then the parent no longer waits for the run.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write,
    orphaned: impl FnOnce() + Send + 'static,
) -> Result<(), WorkError> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(WorkError::failed)?;
    let task: ProcessTask = serde_json::from_str(&line).map_err(WorkError::failed)?;
    let spec = RunSpec::parse(&task.spec).map_err(WorkError::failed)?;
    thread::spawn(move || {
        let _ = io::copy(&mut input, &mut io::sink());
        orphaned();
    });
    let mut rounds = RoundWriter(output);
    let learn = || learn_in(&task.dir, &spec, &mut rounds);
    let progress = JobProgress { job: "", observer: &NoObserver };
    match when_unlocked(&progress, lab_is_locked, learn)? {
        Some(report) if report.ending == Ending::Finished => Ok(()),
        _ => Err(WorkError::Lost("stopped".into())),
    }
}

/// Writes the number of each finished round.
struct RoundWriter<W>(W);

impl<W: Write> Observer for RoundWriter<W> {
    fn round(&mut self, line: &RoundLine) {
        // If the parent is gone, `orphaned` is called.
        let _ = writeln!(self.0, "{}", line.round).and_then(|()| self.0.flush());
    }
}
