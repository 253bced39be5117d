//! The task of these tests: a walk on a line, an expert that goes right, and oracles that need no training.

#![allow(dead_code, reason = "each test file uses a part")]

use rand::RngExt;
use tutelage::lesson::Learned;
use tutelage::oracle::TrainingSets;
use tutelage::{
    Algorithm, Batch, Bounds, Env, EnvError, Expert, ExpertError, Inputs, Oracle, OracleError,
    Participants, Policy, PolicyError, Rng, Sampling, Schedule, Spaces, Step, Stream,
    SyncVectorEnv, learn,
};

/// The sign of the action moves the walker by one to the left or right. The state is its position and the time, so that it
/// shows who drove.
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) at: f32,
    pub(crate) time: usize,
    /// Violates the contract: episodes exceed the horizon.
    pub(crate) endless: bool,
}

pub(crate) const HORIZON: usize = 40;
pub(crate) const SPACES: Spaces = Spaces { states: 2, actions: 1 };

impl Env for Walk {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        SPACES
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn bounds(&self) -> Bounds {
        Bounds::unit(1).clipping()
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        (self.at, self.time) = (rng.random_range(-0.25..0.25), 0);
        state.copy_from_slice(&[self.at, 0.0]);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.at += action[0].signum();
        self.time += 1;
        state.copy_from_slice(&[self.at, self.time as f32]);
        Ok(Step {
            reward: f64::from(self.at),
            terminated: self.at < -30.0,
            truncated: self.time == HORIZON && !self.endless,
        })
    }
}

/// Goes right, with a label that identifies the state.
pub(crate) struct Rightwards {
    pub(crate) asked: usize,
}

pub(crate) fn label(state: &[f32]) -> f32 {
    2.0 + state[0] / 100.0
}

impl Expert for Rightwards {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        self.asked += states.len();
        self.mean(states, actions)
    }

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), ExpertError> {
        (0..states.len()).for_each(|i| actions.row_mut(i)[0] = label(states.row(i)));
        Ok(())
    }
}

/// An expert whose labels and means are written by a function.
pub(crate) struct Writing<F>(pub(crate) F);

impl<F> Expert for Writing<F>
where
    F: FnMut(&Batch<f32>, &mut Batch<f32>) -> Result<(), ExpertError>,
{
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        self.mean(states, actions)
    }

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), ExpertError> {
        self.0(states, actions)
    }
}

/// An expert whose labels are a function of the state.
pub(crate) fn scripted(label: impl Fn(&[f32]) -> f32) -> impl Expert<State = f32, Action = f32> {
    Writing(move |states: &Batch<f32>, actions: &mut Batch<f32>| {
        (0..states.len()).for_each(|i| actions.row_mut(i)[0] = label(states.row(i)));
        Ok(())
    })
}

/// Member e always plays one action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constant(pub(crate) Vec<f32>);

impl Policy for Constant {
    type State = f32;
    type Action = f32;

    fn members(&self) -> usize {
        self.0.len()
    }

    fn act_members(
        &self,
        _: &Batch<f32>,
        members: &[u32],
        actions: &mut Batch<f32>,
    ) -> Result<(), PolicyError> {
        members
            .iter()
            .enumerate()
            .for_each(|(row, &e)| actions.row_mut(row)[0] = self.0[e as usize]);
        Ok(())
    }
}

/// "Trains" members that go left; their actions show the size of D.
pub(crate) struct Leftwards;

impl Oracle for Leftwards {
    type State = f32;
    type Action = f32;
    type Policy = Constant;

    fn fit(&self, sets: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Constant, OracleError> {
        Ok(Constant(
            (0..sets.members()).map(|e| -1.0 - sets.data().len() as f32 - e as f32).collect(),
        ))
    }
}

/// "Trains" members whose actions are a function of the training sets and the stream.
pub(crate) struct Playing<'a>(pub(crate) &'a Actions<'a>);

type Actions<'a> = dyn Fn(&TrainingSets<'_, f32, f32>, &Stream) -> Vec<f32> + Sync + 'a;

impl Oracle for Playing<'_> {
    type State = f32;
    type Action = f32;
    type Policy = Constant;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, f32>,
        stream: &Stream,
    ) -> Result<Constant, OracleError> {
        Ok(Constant(self.0(sets, stream)))
    }
}

pub(crate) const STRIDE: Sampling = Sampling::Stride(5);

pub(crate) fn schedule() -> Schedule {
    Schedule { rounds: 4, states_per_round: 6, stream: Stream::new(11) }
}

pub(crate) fn walks(count: usize) -> SyncVectorEnv<Walk> {
    SyncVectorEnv::new((0..count).map(|_| Walk::default()).collect()).unwrap()
}

pub(crate) fn rightwards() -> Rightwards {
    Rightwards { asked: 0 }
}

pub(crate) fn run(algorithm: Algorithm) -> Learned<f32, f32, Constant> {
    run_with(&Leftwards, algorithm, schedule(), Inputs::none())
}

pub(crate) fn run_with<O>(
    oracle: &O,
    algorithm: Algorithm,
    schedule: Schedule,
    inputs: Inputs<'_, f32, f32>,
) -> Learned<f32, f32, Constant>
where
    O: Oracle<State = f32, Action = f32, Policy = Constant>,
{
    let (mut envs, mut expert) = (walks(3), rightwards());
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle };
    learn(participants, algorithm, schedule, inputs).unwrap()
}
