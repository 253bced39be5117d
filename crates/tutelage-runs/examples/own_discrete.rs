//! A custom environment with discrete actions: a mouse that should run to the cheese and avoid the cat, learned with DAgger
//! and a classifier.
//!
//! `cargo run --release -p tutelage-runs --example own_discrete -- [DIR]`. After Ctrl-C, a kill or a power cut, the same command
//! resumes with bit-identical results.

use std::error::Error;
use std::path::{Path, PathBuf};

use tutelage::algorithm::dagger;
use tutelage::check::check_env;
use tutelage::rand::RngExt;
use tutelage::{
    Batch, Env, EnvError, Expert, ExpertError, Inputs, Participants, Rng, Sampling, Schedule,
    Spaces, Step, Stream, SyncVectorEnv,
};
use tutelage_oracles::mlp::{AdamSettings, MlpClassifier, MlpSettings, TrainingBudget};
use tutelage_runs::{Keep, Observer, RunConfig, Terminal, run};

/// The state contains the positions of the cheese and the cat relative to the mouse. The action is a direction.
#[derive(Clone, Default)]
struct Meadow {
    mouse: [f32; 2],
    cheese: [f32; 2],
    cat: [f32; 2],
    time: usize,
}

/// The step of each action 0 to 3.
const WAYS: [[f32; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
const ROUNDS: usize = 10;
const HORIZON: usize = 60;

impl Meadow {
    fn write(&self, state: &mut [f32]) {
        let [cheese, cat] = [self.cheese, self.cat].map(|place| minus(place, self.mouse));
        state.copy_from_slice(&[cheese[0], cheese[1], cat[0], cat[1]]);
    }
}

fn minus(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn length(a: [f32; 2]) -> f32 {
    a[0].hypot(a[1])
}

impl Env for Meadow {
    type State = f32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 4, actions: WAYS.len() }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        let mut place =
            |from: f32, to: f32| [rng.random_range(from..to), rng.random_range(-2.0..2.0)];
        *self = Self {
            mouse: place(-3.0, -2.0),
            cheese: place(2.0, 3.0),
            cat: place(-1.0, 1.0),
            time: 0,
        };
        self.write(state);
        Ok(())
    }

    fn step(&mut self, action: &[u32], state: &mut [f32]) -> Result<Step, EnvError> {
        let way = WAYS[action[0] as usize];
        self.mouse = [0, 1].map(|i| self.mouse[i] + 0.2 * way[i]);
        self.time += 1;
        self.write(state);
        let [cheese, cat] = [self.cheese, self.cat].map(|place| length(minus(place, self.mouse)));
        let (fed, caught) = (cheese < 0.3, cat < 0.5);
        let reward = if fed {
            10.0
        } else if caught {
            -10.0
        } else {
            -0.1
        };
        Ok(Step { reward, terminated: fed || caught, truncated: self.time == HORIZON })
    }
}

/// Approaches the cheese and avoids the cat.
struct OldMouse;

impl OldMouse {
    fn way(state: &[f32]) -> u32 {
        let appeal = |way: [f32; 2]| {
            let [cheese, cat] =
                [0, 2].map(|i| minus([state[i], state[i + 1]], way.map(|x| 0.2 * x)));
            -length(cheese) - 4.0 * (-2.0 * length(cat)).exp()
        };
        let better = |a: &usize, b: &usize| appeal(WAYS[*a]).total_cmp(&appeal(WAYS[*b]));
        (0..WAYS.len()).max_by(better).unwrap_or_default() as u32
    }
}

impl Expert for OldMouse {
    type State = f32;
    type Action = u32;

    // A run that was started with another rule is not resumed with this one.
    fn describe(&self) -> String {
        "keeps away from the cat by exp(-2 d), version 1".into()
    }

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<u32>,
    ) -> Result<(), ExpertError> {
        self.mean(states, actions)
    }

    // With discrete actions, the mean is the most likely action; the imitation loss is the share of other actions.
    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<u32>) -> Result<(), ExpertError> {
        for (i, state) in states.rows().enumerate() {
            actions.row_mut(i)[0] = Self::way(state);
        }
        Ok(())
    }
}

/// Learns in this folder, or resumes the run there. Returns the learning curve as a table.
pub(crate) fn learn(dir: &Path, observer: &mut dyn Observer) -> Result<String, Box<dyn Error>> {
    // Report violations of the environment's contract.
    check_env(Meadow::default, Stream::new(1))?;

    let oracle = MlpClassifier::new(MlpSettings {
        budget: TrainingBudget::Iterations(1000),
        adam: AdamSettings { learning_rate: 5e-3, ..AdamSettings::default() },
        ..MlpSettings::new(&[32, 32])
    })?;
    let job = RunConfig {
        algorithm: dagger(Sampling::Stride(3)),
        schedule: Schedule { rounds: ROUNDS, states_per_round: 50, stream: Stream::new(1) },
        inputs: Inputs::none(),
        episodes: 25,
        keep: Keep::Last,
    };
    let (mut envs, mut expert) = (SyncVectorEnv::new(vec![Meadow::default(); 25])?, OldMouse);
    let mut run_dir = job.open(dir, "meadow", &expert, &oracle)?;
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
    run(participants, &job, &mut run_dir, observer)?;
    Ok(job.table(&run_dir))
}

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args_os().nth(1).map_or(std::env::temp_dir().join("meadow"), PathBuf::from);
    println!("{}", learn(&dir, &mut Terminal::new(ROUNDS)?)?);
    println!("The run is in {0}. Try `tutelage show {0}`", dir.display());
    println!("and `tutelage export {} --out meadow.npz`.", dir.display());
    Ok(())
}
