//! A custom environment: a cart that should come to rest at the origin, learned with Bootstrap-DAgger.
//!
//! `cargo run --release -p tutelage-runs --example own_environment -- [DIR]`. After Ctrl-C, a kill or a power cut, the same
//! command resumes with bit-identical results. A changed program with different results refuses to resume.

use std::error::Error;
use std::path::{Path, PathBuf};

use tutelage::algorithm::bootstrap_dagger;
use tutelage::check::check_env;
use tutelage::rand::RngExt;
use tutelage::{
    Batch, Bounds, Env, EnvError, Expert, ExpertError, Inputs, Participants, Rng, Sampling,
    Schedule, Spaces, Step, Stream, SyncVectorEnv,
};
use tutelage_oracles::mlp::{AdamSettings, MlpOracle, MlpSettings, TrainingBudget};
use tutelage_runs::{Keep, Observer, RunConfig, Terminal, run};

/// A cart on a rail. The state is its position and speed, the action is a force.
#[derive(Clone, Default)]
struct Cart {
    place: f32,
    speed: f32,
    time: usize,
}

const ROUNDS: usize = 8;
const HORIZON: usize = 100;
/// The strongest push, in newtons.
const FORCE: f32 = 10.0;

impl Env for Cart {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 2, actions: 1 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    // In the task's own units: the policy's actions and the expert's labels are in newtons.
    fn bounds(&self) -> Bounds {
        Bounds::new(vec![-FORCE], vec![FORCE]).expect("an interval")
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        *self = Self { place: rng.random_range(-1.0..1.0), ..Self::default() };
        state.copy_from_slice(&[self.place, self.speed]);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.speed += 0.02 * action[0];
        self.place += 0.1 * self.speed;
        self.time += 1;
        state.copy_from_slice(&[self.place, self.speed]);
        Ok(Step {
            reward: 1.0 - f64::from(self.place.abs().min(1.0)),
            terminated: self.place.abs() > 3.0,
            truncated: self.time == HORIZON,
        })
    }
}

/// Steers back and brakes. It is not linear, so that a network has something to learn.
struct Driver;

impl Expert for Driver {
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

    // With a mean action, the run also reports the expert's reward and the imitation loss.
    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), ExpertError> {
        for (i, state) in states.rows().enumerate() {
            actions.row_mut(i)[0] = FORCE * (-3.0 * state[0] - 2.0 * state[1]).tanh();
        }
        Ok(())
    }
}

/// Learns in this folder, or resumes the run there. Returns the learning curve as a table.
pub(crate) fn learn(dir: &Path, observer: &mut dyn Observer) -> Result<String, Box<dyn Error>> {
    // Report violations of the environment's contract.
    check_env(Cart::default, Stream::new(1))?;

    let oracle = MlpOracle::new(MlpSettings {
        budget: TrainingBudget::Iterations(500),
        batch: 50,
        adam: AdamSettings { learning_rate: 1e-2, ..AdamSettings::default() },
        ..MlpSettings::new(&[16])
    })?;
    let job = RunConfig {
        algorithm: bootstrap_dagger(5, Sampling::Stride(10)),
        schedule: Schedule { rounds: ROUNDS, states_per_round: 10, stream: Stream::new(1) },
        inputs: Inputs::none(),
        episodes: 10,
        keep: Keep::Last,
    };
    let (mut envs, mut expert) = (SyncVectorEnv::new(vec![Cart::default(); 10])?, Driver);
    let mut run_dir = job.open(dir, "cart", &expert, &oracle)?;
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
    run(participants, &job, &mut run_dir, observer)?;
    Ok(job.table(&run_dir))
}

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args_os().nth(1).map_or(std::env::temp_dir().join("cart"), PathBuf::from);
    println!("{}", learn(&dir, &mut Terminal::new(ROUNDS)?)?);
    println!("The run is in {0}. Try `tutelage show {0}`", dir.display());
    println!("and `tutelage export {} --out cart.npz`.", dir.display());
    Ok(())
}
