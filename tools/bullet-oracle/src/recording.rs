//! Actions of a trained agent.

use std::fs::File;
use std::path::Path;

use ndarray::{Array1, Array2};
use ndarray_npy::NpzReader;
use tutelage_tasks::bullet::Robot;

/// Episodes of a trained agent: poses at their starts, and actions.
pub struct Recording {
    pub starts: Array1<u32>,
    pub poses: Array2<f64>,
    pub actions: Array2<f32>,
}

impl Recording {
    /// Of one task, from the tests of the environments.
    pub fn read(task: Robot) -> Recording {
        let golden =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/tutelage-tasks/tests/golden");
        let path = golden.join(format!("{task}-expert.npz"));
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut arrays = NpzReader::new(file).expect("an archive");
        let mut starts = arrays.by_name("starts").expect("starts");
        let actions: Array2<f32> = arrays.by_name("actions").expect("actions");
        let poses = arrays.by_name("poses").expect("poses");
        let _: &mut Array1<u32> = &mut starts;
        Recording { starts, poses, actions }
    }
}
