//! Durable runs with discrete actions: every fault at every operation, and any number of threads.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use testbed::attempts::bytes;
use testbed::failing::{Failing, Fault};
use tutelage::algorithm::{bootstrap_dagger, ensemble_dagger};
use tutelage::{Algorithm, Inputs, Participants, Sampling, Schedule, Stream, SyncVectorEnv};
use tutelage_oracles::mlp::{MlpClassifier, MlpSettings, TrainingBudget};
use tutelage_runs::store::{Disk, OsDisk, RunDir, read_history};
use tutelage_runs::{Ending, Keep, RunConfig, RunError, Silent, run};
use tutelage_tasks::worlds::{CartPoleEnv, World};

fn attempt(dir: &Path, disk: Arc<dyn Disk>, algorithm: Algorithm) -> Result<Ending, RunError> {
    let settings = MlpSettings { budget: TrainingBudget::Iterations(60), ..MlpSettings::new(&[6]) };
    let oracle = MlpClassifier::new(settings).unwrap();
    let (mut envs, mut expert) = (
        SyncVectorEnv::new(vec![CartPoleEnv::default(); 3]).unwrap(),
        CartPoleEnv::default().expert(),
    );
    let job = RunConfig {
        algorithm,
        schedule: Schedule { rounds: 3, states_per_round: 5, stream: Stream::new(4) },
        inputs: Inputs::none(),
        episodes: 2,
        keep: Keep::All,
    };
    let mut run_dir = RunDir::open(dir, &job.spec("cart-pole", "rule", "6 units"), disk)?;
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
    run(participants, &job, &mut run_dir, &mut Silent)
}

fn whole(dir: &Path, algorithm: Algorithm) -> Vec<(PathBuf, Vec<u8>)> {
    assert_eq!(attempt(dir, Arc::new(OsDisk), algorithm).unwrap(), Ending::Finished);
    bytes(dir)
}

fn algorithms() -> [Algorithm; 2] {
    [bootstrap_dagger(2, Sampling::Stride(4)), ensemble_dagger(2, 0.2, 0.5, 2)]
}

#[test]
fn a_fault_at_any_operation_loses_nothing() {
    for algorithm in algorithms() {
        let reference = tempfile::tempdir().unwrap();
        let expected = whole(reference.path(), algorithm);
        let history = read_history::<f32, u32>(reference.path()).unwrap();
        assert_eq!((history.rounds.len(), history.results.len()), (3, 3));
        assert!(history.rounds[0].labeled_rows().len() > 1);
        for fault in [Fault::ShortWrite, Fault::FailedSync, Fault::FullDisk, Fault::Crash] {
            for fails_at in 0.. {
                let dir = tempfile::tempdir().unwrap();
                let disk = Arc::new(Failing::new(fails_at, fault));
                let failed = attempt(dir.path(), disk, algorithm).is_err();
                assert!(whole(dir.path(), algorithm) == expected, "{fault:?} at {fails_at}");
                if !failed {
                    assert!(fails_at > 10, "a run has more than {fails_at} operations");
                    break;
                }
            }
        }
    }
}

#[test]
fn one_thread_and_several_write_the_same_bytes() {
    for algorithm in algorithms() {
        let [one, several] = [1, 4].map(|threads| {
            let dir = tempfile::tempdir().unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| whole(dir.path(), algorithm))
        });
        assert!(one == several);
    }
}
