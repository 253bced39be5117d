//! An environment of one's own: a cart that should stop at the origin, learned with Bootstrap-DAgger in a durable run.
//!
//! `cargo run --release -p tutelage-lab --example own_environment -- [DIR]`; interrupt it and run it again: it goes on.

use std::path::PathBuf;
use std::sync::Arc;

use rand::RngExt;
use tutelage::{
    Batch, Env, EnvError, Expert, ExpertError, Lanes, Plan, Rng, Sampling, Setting, Spaces, Step,
    Stream, bootstrap_dagger, check_env,
};
use tutelage_lab::spec::{BudgetSpec, Class, OracleSpec};
use tutelage_lab::store::{OsDisk, RunDir};
use tutelage_lab::{ClassOracle, Job, Keep, RoundLine, Silent, run};

/// Place and speed of a cart; the action pushes it.
#[derive(Clone, Default)]
struct Cart {
    place: f32,
    speed: f32,
    time: usize,
}

impl Cart {
    const HORIZON: usize = 100;

    fn write(&self, state: &mut [f32]) {
        state.copy_from_slice(&[self.place, self.speed]);
    }
}

impl Env for Cart {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 2, actions: 1 }
    }

    fn horizon(&self) -> usize {
        Self::HORIZON
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        *self = Self { place: rng.random_range(-1.0..1.0), ..Self::default() };
        self.write(state);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.speed += 0.2 * action[0].clamp(-1.0, 1.0);
        self.place += 0.1 * self.speed;
        self.time += 1;
        self.write(state);
        let reward = 1.0 - f64::from(self.place.abs().min(1.0));
        Ok(Step {
            reward,
            terminated: self.place.abs() > 3.0,
            truncated: self.time == Self::HORIZON,
        })
    }
}

/// Steers back and brakes: not linear, so that a network has something to learn.
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

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), ExpertError> {
        for (i, state) in states.rows().enumerate() {
            actions.row_mut(i)[0] = (-3.0 * state[0] - 2.0 * state[1]).tanh();
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // This tells whether the environment keeps its contract.
    check_env(Cart::default, Stream::new(1))?;

    let dir =
        std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("cart"), PathBuf::from);
    let rule = OracleSpec { budget: BudgetSpec::Iterations(500), learning_rate: 1e-2, batch: 50 };
    let oracle = ClassOracle::new(&Class::Mlp(vec![16]), rule)?;
    let algorithm = bootstrap_dagger(5);
    let plan = Plan {
        rounds: 8,
        states_per_round: 10,
        sampling: Sampling::Stride(10),
        stream: Stream::new(1),
    };
    let job = Job { algorithm: &algorithm, plan, episodes: 10, keep: Keep::Last };

    let spec = "task = \"cart\"\nalgorithm = \"bd-5\"\nseed = 1\n";
    let mut run_dir = RunDir::open(&dir, spec, Arc::new(OsDisk))?;
    let (mut lanes, mut expert) = (Lanes::new(vec![Cart::default(); 10])?, Driver);
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &oracle };
    run(setting, &job, &mut run_dir, &mut Silent)?;

    for line in RoundLine::all(run_dir.history(), plan.states_per_round, &[]) {
        println!("{:>3} annotations: reward {:.1}", line.annotations, line.reward);
    }
    if let Some(expert) = &run_dir.history().expert {
        println!("         the expert: {:.1}", expert.mean_reward());
    }
    println!("everything is in {}", dir.display());
    Ok(())
}
