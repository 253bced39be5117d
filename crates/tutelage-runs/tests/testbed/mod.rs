//! A small task: a point mass that should come to rest at the origin, a noisy expert, and a linear ensemble.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod attempts;
pub(crate) mod failing;

use tutelage::oracle::{DurableOracle, TrainingSets, View};
use tutelage::rand::RngExt;
use tutelage::{
    Batch, Bounds, Env, EnvError, Expert, ExpertError, Oracle, OracleError, Policy, PolicyError,
    Rng, Schedule, Spaces, Step, Stream, SyncVectorEnv,
};

pub(crate) const SPACES: Spaces = Spaces { states: 2, actions: 1 };

/// Position and speed on a line; the action pushes.
#[derive(Clone, Default)]
pub(crate) struct PointMass {
    x: f32,
    v: f32,
    t: usize,
}

impl Env for PointMass {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        SPACES
    }

    fn horizon(&self) -> usize {
        60
    }

    fn bounds(&self) -> Bounds {
        Bounds::unit(1).clipping()
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        *self = Self { x: rng.random_range(-1.0..1.0), v: rng.random_range(-0.1..0.1), t: 0 };
        state.copy_from_slice(&[self.x, self.v]);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.v += 0.1 * action[0].clamp(-1.0, 1.0);
        self.x += 0.1 * self.v;
        self.t += 1;
        state.copy_from_slice(&[self.x, self.v]);
        let reward = 1.0 - f64::from(self.x.abs().min(1.0));
        Ok(Step { reward, terminated: self.x.abs() > 3.0, truncated: self.t == 60 })
    }
}

/// A noisy linear controller that remembers the states that it labeled.
#[derive(Clone)]
pub(crate) struct Damper {
    pub asked: Vec<Vec<f32>>,
    pub batch: usize,
}

impl Damper {
    pub(crate) fn new(batch: usize) -> Self {
        Self { asked: vec![], batch }
    }
}

impl Expert for Damper {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        rngs: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        self.mean(states, actions)?;
        for (i, rng) in rngs.iter_mut().enumerate() {
            actions.row_mut(i)[0] += rng.random_range(-0.1..0.1);
            self.asked.push(states.row(i).to_vec());
        }
        Ok(())
    }

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), ExpertError> {
        for i in 0..states.len() {
            let [x, v] = [states.row(i)[0], states.row(i)[1]];
            actions.row_mut(i)[0] = -1.5 * x - 2.0 * v;
        }
        Ok(())
    }

    fn batch(&self) -> usize {
        self.batch
    }
}

/// Ridge regression by stochastic gradient steps: small, random, and different for every member.
pub(crate) struct Gradient;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinearEnsemble(pub Vec<[f32; 2]>);

impl Oracle for Gradient {
    type State = f32;
    type Action = f32;
    type Policy = LinearEnsemble;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, f32>,
        stream: &Stream,
    ) -> Result<LinearEnsemble, OracleError> {
        let member = |e: usize| {
            let mut rng = stream.fork("member", e as u64).rng();
            let data = sets.data();
            let rows: Vec<usize> = match sets.view(e) {
                View::Resampled(rows) => rows.into_iter().map(|row| row as usize).collect(),
                _ => (0..data.len()).collect(),
            };
            let mut w = [rng.random_range(-0.1..0.1f32), rng.random_range(-0.1..0.1f32)];
            for _ in 0..if rows.is_empty() { 0 } else { 400 } {
                let row = rows[rng.random_range(0..rows.len())];
                let (s, a) = (data.states.row(row), data.actions.row(row)[0].clamp(-1.0, 1.0));
                let error = w[0] * s[0] + w[1] * s[1] - a;
                w[0] -= 0.2 * error * s[0];
                w[1] -= 0.2 * error * s[1];
            }
            w
        };
        Ok(LinearEnsemble((0..sets.members()).map(member).collect()))
    }
}

impl Policy for LinearEnsemble {
    type State = f32;
    type Action = f32;

    fn members(&self) -> usize {
        self.0.len()
    }

    fn act_members(
        &self,
        states: &Batch<f32>,
        members: &[u32],
        actions: &mut Batch<f32>,
    ) -> Result<(), PolicyError> {
        for (i, (state, &member)) in states.rows().zip(members).enumerate() {
            let w = self.0[member as usize];
            actions.row_mut(i)[0] = (w[0] * state[0] + w[1] * state[1]).clamp(-1.0, 1.0);
        }
        Ok(())
    }
}

impl DurableOracle for Gradient {
    fn describe(&self) -> String {
        "ridge regression by 400 gradient steps of 0.2".into()
    }

    fn encode(&self, policy: &LinearEnsemble) -> Result<Vec<u8>, OracleError> {
        Ok(policy.0.iter().flatten().flat_map(|w| w.to_le_bytes()).collect())
    }

    fn decode(&self, bytes: &[u8], _: Spaces) -> Result<LinearEnsemble, OracleError> {
        let weights: Vec<f32> =
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        match weights.as_chunks::<2>() {
            (members, []) if !members.is_empty() && bytes.len().is_multiple_of(4) => {
                Ok(LinearEnsemble(members.into()))
            }
            _ => Err(OracleError::Other("not an ensemble".into())),
        }
    }
}

pub(crate) fn lanes() -> SyncVectorEnv<PointMass> {
    SyncVectorEnv::new(vec![PointMass::default(); 4]).unwrap()
}

pub(crate) fn schedule(seed: u64) -> Schedule {
    Schedule { rounds: 4, states_per_round: 6, stream: Stream::new(seed) }
}
