//! Teachers that label late, in any order and in parts, revise, skip, leave and drive.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use testbed::attempts::{STRIDE, bytes};
use testbed::{lanes, schedule};
use tutelage::algorithm::{bootstrap_dagger, take_over};
use tutelage::expert::{Driver, NoDriver};
use tutelage::lesson::{LearnError, Reply};
use tutelage::testing::{LinearOracle, LinearPolicy, point_masses};
use tutelage::{Algorithm, Batch, ExpertError, Inputs};
use tutelage_runs::store::{OsDisk, RunDir, read_history};
use tutelage_runs::{
    Ending, Keep, LabelSink, RunConfig, RunError, Silent, Teacher, run_with_teacher,
};

type Sink<'a, 'j> = LabelSink<'a, 'j, f32, f32, LinearPolicy>;

fn row(value: f32) -> Batch<f32> {
    Batch::from_vec(1, vec![value]).unwrap()
}

/// Labels from the last query to the first, one at a time, revises the second, skips the third, and leaves after `left`
/// replies.
struct Patient {
    folder: PathBuf,
    /// The number of replies left in this session.
    left: usize,
    trained: Vec<usize>,
    driver: NoDriver,
}

impl Patient {
    fn reply(&mut self, sink: &mut Sink<'_, '_>, of: u32) -> Result<(), RunError> {
        if self.left == 0 {
            let round = sink.queries().round;
            return Err(LearnError::Annotate { round, source: ExpertError::Left }.into());
        }
        self.left -= 1;
        let state = sink.round().unwrap().states.row(of as usize);
        let answer = -1.5 * state[0] - 2.0 * state[1];
        match of {
            1 => {
                sink.label(&[1], &row(9.0))?;
                sink.label(&[1], &row(answer))?;
            }
            2 => sink.skip(&[2]).map(|_| ())?,
            _ => sink.label(&[of], &row(answer)).map(|_| ())?,
        }
        // Every reply is on disk and in the lesson.
        let history = read_history::<f32, f32>(&self.folder).unwrap();
        let (saved, open) = (history.rounds.last().unwrap(), sink.round().unwrap());
        assert_eq!((&saved.replies, &saved.labels), (&open.replies, &open.labels));
        assert_ne!(open.replies[of as usize], Reply::Open);
        Ok(())
    }
}

impl Teacher<f32, f32, LinearPolicy> for Patient {
    fn teach(&mut self, sink: &mut Sink<'_, '_>) -> Result<(), RunError> {
        let waiting: Vec<u32> = sink.queries().rows.iter().rev().copied().collect();
        // Replies to half of them; the run asks again for the rest.
        let some = waiting.len().div_ceil(2);
        waiting.into_iter().take(some).try_for_each(|of| self.reply(sink, of))
    }

    fn driver(&mut self) -> &mut dyn Driver<f32, f32> {
        &mut self.driver
    }

    fn trained(&mut self, round: usize, _: &LinearPolicy) {
        self.trained.push(round);
    }
}

fn job(algorithm: Algorithm) -> RunConfig<'static, f32, f32> {
    RunConfig {
        algorithm,
        schedule: schedule(5),
        inputs: Inputs::none(),
        episodes: 3,
        keep: Keep::All,
    }
}

fn session(folder: &Path, left: usize) -> (Result<Ending, RunError>, Patient) {
    let mut dir = RunDir::open(folder, "taught", Arc::new(OsDisk)).unwrap();
    let mut person = Patient { folder: folder.into(), left, trained: vec![], driver: NoDriver };
    let job = job(bootstrap_dagger(3, STRIDE));
    let ended =
        run_with_teacher(&mut lanes(), &mut person, &LinearOracle, &job, &mut dir, &mut Silent);
    (ended, person)
}

#[test]
fn a_teacher_may_label_in_parts_revise_and_skip() {
    let dir = tempfile::tempdir().unwrap();
    let (ended, person) = session(dir.path(), usize::MAX);
    assert_eq!(ended.unwrap(), Ending::Finished);
    assert_eq!(person.trained, [0, 1, 2, 3, 4], "including before the first label");
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    assert_eq!((history.rounds.len(), history.annotations()), (4, 20), "one of six is skipped");
    for round in &history.rounds {
        let state = round.states.row(1);
        assert_eq!(round.labels.row(1), [-1.5 * state[0] - 2.0 * state[1]], "the revision counts");
        assert_eq!(round.replies[2], Reply::Skipped);
    }
}

#[test]
fn a_teacher_that_leaves_often_gets_the_same_result() {
    let [whole, parts] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    session(whole.path(), usize::MAX).0.unwrap();
    let mut sessions = 0;
    while session(parts.path(), 5).0.unwrap() == Ending::Stopped {
        sessions += 1;
    }
    assert!(sessions >= 4, "{sessions}");
    let bytes_of = |dir: &Path| {
        let history = read_history::<f32, f32>(dir).unwrap();
        (
            history.data(4).unwrap(),
            std::fs::read(dir.join("policies/round-004.safetensors")).unwrap(),
        )
    };
    assert_eq!(bytes_of(whole.path()), bytes_of(parts.path()));
    // The order of replies depends on the number of open queries, so the logs may differ.
    assert_eq!(bytes(whole.path()).len(), bytes(parts.path()).len());
}

/// Drives when the mass moves away, and labels with the driven actions.
struct Driving {
    /// The number of steps before leaving.
    left: usize,
}

impl Driver<f32, f32> for Driving {
    fn intervene(
        &mut self,
        states: &Batch<f32>,
        _: &Batch<f32>,
        actions: &mut Batch<f32>,
    ) -> Result<Vec<bool>, ExpertError> {
        self.left = self.left.checked_sub(1).ok_or(ExpertError::Left)?;
        let state = states.row(0);
        actions.row_mut(0)[0] = steer(state);
        Ok(vec![runs_away(state)])
    }
}

fn steer(state: &[f32]) -> f32 {
    (-1.5 * state[0] - 2.0 * state[1]).clamp(-1.0, 1.0)
}

fn runs_away(state: &[f32]) -> bool {
    state[0] * state[1] >= 0.0
}

impl Teacher<f32, f32, LinearPolicy> for Driving {
    fn teach(&mut self, sink: &mut Sink<'_, '_>) -> Result<(), RunError> {
        let rows = sink.queries().rows.clone();
        rows.into_iter().try_for_each(|of| {
            let state = sink.round().unwrap().states.row(of as usize);
            assert!(runs_away(state), "only driven states are queried: {state:?}");
            let action = row(steer(state));
            sink.label(&[of], &action).map(|_| ())
        })
    }

    fn driver(&mut self) -> &mut dyn Driver<f32, f32> {
        self
    }
}

fn drive(folder: &Path, left: usize) -> Ending {
    let mut dir = RunDir::open(folder, "driven", Arc::new(OsDisk)).unwrap();
    let mut envs = point_masses(1);
    let job = job(take_over(2, 2));
    let mut person = Driving { left };
    run_with_teacher(&mut envs, &mut person, &LinearOracle, &job, &mut dir, &mut Silent).unwrap()
}

#[test]
fn a_driver_that_leaves_while_driving_gets_the_same_result() {
    let [whole, parts] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    assert_eq!(drive(whole.path(), usize::MAX), Ending::Finished);
    let history = read_history::<f32, f32>(whole.path()).unwrap();
    assert!(history.annotations() > 12, "{}", history.annotations());
    let steps = history.rounds.iter().map(|round| round.steps.by_expert).sum::<u64>();
    assert!(steps > 12, "{steps}");
    // A round is driven in one session, so a session must be long enough for one.
    let mut sessions = 0;
    while drive(parts.path(), 100) == Ending::Stopped {
        sessions += 1;
        assert!(sessions < 50, "no progress");
    }
    assert!(sessions > 0, "no session was interrupted");
    assert_eq!(bytes(whole.path()), bytes(parts.path()));
}
