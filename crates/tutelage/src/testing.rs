//! A small task for examples and tests: steer a point mass to the origin.
//!
//! ```
//! use tutelage::algorithm::dagger;
//! use tutelage::testing::{Damper, LinearOracle, point_masses};
//! use tutelage::{Inputs, Participants, Sampling, Schedule, Stream, learn};
//!
//! let (mut envs, mut expert) = (point_masses(4), Damper::default());
//! let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &LinearOracle };
//! let schedule = Schedule { rounds: 3, states_per_round: 20, stream: Stream::new(1) };
//! let learned = learn(participants, dagger(Sampling::Stride(5)), schedule, Inputs::none())?;
//! assert_eq!(expert.asked.len(), 60);
//! let [position, velocity] = learned.deployed().0[0];
//! assert!(position < -0.5 && velocity < -0.5, "pushes back and brakes");
//! # Ok::<(), tutelage::lesson::LearnError>(())
//! ```

use rand::RngExt;

use crate::oracle::{DurableOracle, TrainingSets, View};
use crate::{
    Batch, Bounds, Env, EnvError, Expert, ExpertError, Oracle, OracleError, Policy, PolicyError,
    Rng, Spaces, Step, Stream, SyncVectorEnv,
};

/// The time limit of [`PointMass`].
const HORIZON: usize = 60;

/// A point mass on a line. The state is its position and velocity, the action a force in [-1, 1].
#[derive(Clone, Debug, Default)]
pub struct PointMass {
    position: f32,
    velocity: f32,
    time: usize,
}

impl Env for PointMass {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 2, actions: 1 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn bounds(&self) -> Bounds {
        Bounds::unit(1).clipping()
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        self.position = rng.random_range(-1.0..1.0);
        self.velocity = rng.random_range(-0.1..0.1);
        self.time = 0;
        state.copy_from_slice(&[self.position, self.velocity]);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.velocity += 0.1 * action[0].clamp(-1.0, 1.0);
        self.position += 0.1 * self.velocity;
        self.time += 1;
        state.copy_from_slice(&[self.position, self.velocity]);
        let distance = self.position.abs();
        let reward = 1.0 - f64::from(distance.min(1.0));
        Ok(Step { reward, terminated: distance > 3.0, truncated: self.time == HORIZON })
    }
}

/// Several point masses.
pub fn point_masses(count: usize) -> SyncVectorEnv<PointMass> {
    SyncVectorEnv::new(vec![PointMass::default(); count.max(1)]).expect("all of one task")
}

/// An expert that pushes the mass back to the origin, with noise, and records the states that it labels.
#[derive(Clone, Debug)]
pub struct Damper {
    /// The states labeled so far.
    pub asked: Vec<Vec<f32>>,
    /// The most states that it labels at once.
    pub batch: usize,
}

impl Default for Damper {
    fn default() -> Self {
        Self { asked: vec![], batch: usize::MAX }
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
        for (i, state) in states.rows().enumerate() {
            actions.row_mut(i)[0] = -1.5 * state[0] - 2.0 * state[1];
        }
        Ok(())
    }

    fn batch(&self) -> usize {
        self.batch
    }
}

/// Member e acts with `weights[e]` · state.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearPolicy(pub Vec<[f32; 2]>);

impl Policy for LinearPolicy {
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

/// Fits a [`LinearPolicy`] by stochastic gradient descent: fast, random, and different for every member.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearOracle;

impl Oracle for LinearOracle {
    type State = f32;
    type Action = f32;
    type Policy = LinearPolicy;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, f32>,
        stream: &Stream,
    ) -> Result<LinearPolicy, OracleError> {
        let data = sets.data();
        let member = |e: usize| {
            let mut rng = stream.fork("member", e as u64).rng();
            let rows: Vec<u32> = match sets.view(e) {
                View::Resampled(rows) => rows,
                _ => (0..data.len() as u32).collect(),
            };
            let mut w = [rng.random_range(-0.1..0.1f32), rng.random_range(-0.1..0.1f32)];
            for _ in 0..if rows.is_empty() { 0 } else { 400 } {
                let row = rows[rng.random_range(0..rows.len())] as usize;
                let (s, a) = (data.states.row(row), data.actions.row(row)[0].clamp(-1.0, 1.0));
                let error = w[0] * s[0] + w[1] * s[1] - a;
                w[0] -= 0.2 * error * s[0];
                w[1] -= 0.2 * error * s[1];
            }
            w
        };
        Ok(LinearPolicy((0..sets.members()).map(member).collect()))
    }
}

impl DurableOracle for LinearOracle {
    fn describe(&self) -> String {
        "a linear policy, by 400 gradient steps of 0.2".into()
    }

    fn encode(&self, policy: &LinearPolicy) -> Result<Vec<u8>, OracleError> {
        Ok(policy.0.iter().flatten().flat_map(|w| w.to_le_bytes()).collect())
    }

    fn decode(&self, bytes: &[u8], _: Spaces) -> Result<LinearPolicy, OracleError> {
        match bytes.as_chunks::<4>() {
            (weights, []) if !weights.is_empty() && weights.len() % 2 == 0 => {
                let weights: Vec<f32> = weights.iter().map(|w| f32::from_le_bytes(*w)).collect();
                Ok(LinearPolicy(weights.as_chunks().0.to_vec()))
            }
            _ => Err(OracleError::Other("not a whole number of members".into())),
        }
    }
}
