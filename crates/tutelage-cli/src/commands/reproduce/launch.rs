//! A run in a process of its own.

use std::io::{BufRead, BufReader, read_to_string};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::Context;
use tutelage_lab::spec::RunSpec;

/// Set for a process that is to end with the one that started it.
const ENDS_WITH_PARENT: &str = "TUTELAGE_ENDS_WITH_PARENT";

/// Where this process was started by [`launch`], ends it once nobody holds the other end of its standard input any more.
pub fn end_with_parent() {
    if std::env::var_os(ENDS_WITH_PARENT).is_some() {
        thread::spawn(|| {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            std::process::exit(1);
        });
    }
}

/// Carries out a run in a process of its own, with all threads of this one, and tells of every round; ends it where that
/// says not to go on.
pub(super) fn launch(
    spec: &RunSpec,
    dir: &Path,
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> anyhow::Result<()> {
    let mut child = start(spec, dir)?;
    // Held to the end: the child ends when it is closed.
    let _stdin = child.stdin.take();
    let (rounds, notes) = (child.stdout.take(), child.stderr.take());
    let notes = thread::spawn(|| notes.map(read_to_string).transpose());
    for line in rounds.into_iter().flat_map(|rounds| BufReader::new(rounds).lines()) {
        let line: serde_json::Value = serde_json::from_str(&line?).unwrap_or_default();
        if line["round"].as_u64().is_some_and(|round| !goes_on(round as usize)) {
            child.kill()?;
        }
    }
    let success = child.wait()?.success();
    let notes = notes.join().ok().and_then(Result::ok).flatten().unwrap_or_default();
    anyhow::ensure!(success, "{}", notes.lines().last().unwrap_or("its process was ended"));
    Ok(())
}

fn start(spec: &RunSpec, dir: &Path) -> anyhow::Result<Child> {
    std::fs::create_dir_all(dir)?;
    let file = dir.join("asked.toml");
    tutelage_files::replace(&file, spec.to_toml().as_bytes())?;
    let program = std::env::current_exe().context("cannot find this program")?;
    let threads = rayon::current_num_threads().to_string();
    Command::new(program)
        .args(["learn", "--json", "--threads", &threads, "--config"])
        .arg(&file)
        .arg("--out")
        .arg(dir)
        .env(ENDS_WITH_PARENT, "1")
        .stdin(Stdio::piped()) // closed when this process ends, however it ends
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start a process for the run")
}
