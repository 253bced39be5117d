//! Whole runs of the small task, and their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tutelage::cover::UniformBox;
use tutelage::{Algorithm, Inputs, Participants, Sampling};
use tutelage_runs::store::{Disk, OsDisk, RunDir, StoreError};
use tutelage_runs::{Ending, Keep, Observer, RunConfig, RunError, Silent, run};

use super::{damper, lanes, schedule};
use tutelage::testing::LinearOracle;

/// The spec of [`whole`].
pub(crate) const SPEC: &str = "task = \"point mass\"\nseed = 1\n";

pub(crate) const STRIDE: Sampling = Sampling::Stride(5);

pub(crate) fn bootstrap_dagger(members: usize) -> Algorithm {
    tutelage::algorithm::bootstrap_dagger(members, STRIDE)
}

/// One attempt at the whole run. Returns the states that the expert labeled.
pub(crate) fn attempt(
    dir: &Path,
    disk: Arc<dyn Disk>,
    algorithm: &Algorithm,
    keep: Keep,
    reporter: &mut dyn Observer,
) -> (Result<Ending, RunError>, Vec<Vec<f32>>) {
    let (mut envs, mut expert) = (lanes(), damper(4));
    let cover = UniformBox::new(-1.0, 1.0).unwrap();
    let inputs = Inputs { cover: Some(&cover), ..Inputs::none() };
    let result = RunDir::open(dir, SPEC, disk).map_err(RunError::from).and_then(|mut run_dir| {
        let participants =
            Participants { envs: &mut envs, expert: &mut expert, oracle: &LinearOracle };
        let (algorithm, schedule) = (*algorithm, schedule(1));
        let job = RunConfig { algorithm, schedule, inputs, episodes: 5, keep };
        run(participants, &job, &mut run_dir, reporter)
    });
    (result, expert.asked)
}

pub(crate) fn whole(dir: &Path, algorithm: &Algorithm, keep: Keep) {
    let (ending, _) = attempt(dir, Arc::new(OsDisk), algorithm, keep, &mut Silent);
    assert_eq!(ending.unwrap(), Ending::Finished);
}

/// A finished run in a new folder.
pub(crate) fn finished(algorithm: &Algorithm, keep: Keep) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), algorithm, keep);
    dir
}

/// The log and all policies.
pub(crate) fn bytes(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = vec![dir.join("log.bin")];
    files.extend(fs::read_dir(dir.join("policies")).unwrap().map(|entry| entry.unwrap().path()));
    files.sort();
    let name = |file: &Path| file.strip_prefix(dir).unwrap().to_owned();
    files.iter().map(|file| (name(file), fs::read(file).unwrap())).collect()
}

pub(crate) fn open(dir: &Path, spec: &str) -> Result<RunDir<f32, f32>, StoreError> {
    RunDir::open(dir, spec, Arc::new(OsDisk))
}
