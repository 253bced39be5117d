//! Algorithms as values of four choices, in a world of one's own, with nothing but this crate:
//! `cargo run -p tutelage --example four_choices`.
//!
//! A walker crosses a bridge in gusts of wind. The oracle is a table of what the expert said, so whoever never leaves the middle
//! while it learns does not know the way back to it.

use rand::RngExt;
use tutelage::actor::DeployedPolicy;
use tutelage::algorithm::{behavior_cloning, bootstrap_dagger, dagger};
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::evaluate;
use tutelage::oracle::{TrainingSets, View};
use tutelage::{
    Algorithm, Batch, Env, EnvError, Expert, ExpertError, Inputs, Oracle, OracleError,
    Participants, Policy, PolicyError, Rng, Sampling, Schedule, Spaces, Step, Stream,
    SyncVectorEnv, learn,
};

const LENGTH: usize = 40;
/// Places across the bridge; beyond them is the river.
const WIDTH: u32 = 7;
const MIDDLE: u32 = WIDTH / 2;

/// States are places across the bridge, actions 0, 1 and 2: left, straight on, right.
#[derive(Default)]
struct Bridge {
    place: u32,
    steps: usize,
    wind: Option<Rng>,
}

impl Env for Bridge {
    type State = u32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: WIDTH as usize, actions: 3 }
    }

    fn horizon(&self) -> usize {
        LENGTH
    }

    fn reset(&mut self, rng: Rng, state: &mut [u32]) -> Result<(), EnvError> {
        *self = Bridge { place: MIDDLE, steps: 0, wind: Some(rng) };
        state[0] = self.place;
        Ok(())
    }

    fn step(&mut self, action: &[u32], state: &mut [u32]) -> Result<Step, EnvError> {
        let wind = self.wind.as_mut().ok_or(EnvError::NoEpisode)?;
        let gust = if wind.random_bool(0.04) { 2 } else { 0 };
        let place = i64::from(self.place) + i64::from(action[0]) - 1 + gust;
        let terminated = !(0..i64::from(WIDTH)).contains(&place);
        self.place = place.clamp(0, i64::from(WIDTH) - 1) as u32;
        self.steps += 1;
        state[0] = self.place;
        Ok(Step { reward: 1.0, terminated, truncated: !terminated && self.steps == LENGTH })
    }
}

/// Goes back to the middle.
struct Guide;

impl Expert for Guide {
    type State = u32;
    type Action = u32;

    fn annotate(
        &mut self,
        states: &Batch<u32>,
        _: &mut [Rng],
        actions: &mut Batch<u32>,
    ) -> Result<(), ExpertError> {
        for (index, state) in states.rows().enumerate() {
            actions.row_mut(index)[0] = match state[0].cmp(&MIDDLE) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 2,
            };
        }
        Ok(())
    }
}

/// For each member what it would do at every place.
struct Tables(Vec<[u32; WIDTH as usize]>);

impl Policy for Tables {
    type State = u32;
    type Action = u32;

    fn members(&self) -> usize {
        self.0.len()
    }

    fn act_members(
        &self,
        states: &Batch<u32>,
        members: &[u32],
        actions: &mut Batch<u32>,
    ) -> Result<(), PolicyError> {
        for (index, (state, &member)) in states.rows().zip(members).enumerate() {
            actions.row_mut(index)[0] = self.0[member as usize][state[0] as usize];
        }
        Ok(())
    }
}

/// Remembers what was said, and drifts to the right where nothing was.
struct Remember;

impl Oracle for Remember {
    type State = u32;
    type Action = u32;
    type Policy = Tables;

    fn fit(&self, sets: &TrainingSets<'_, u32, u32>, _: &Stream) -> Result<Tables, OracleError> {
        let data = sets.data();
        let table = |member: usize| {
            let rows: Vec<u32> = match sets.view(member) {
                View::Resampled(rows) => rows,
                _ => (0..data.len() as u32).collect(),
            };
            let mut table = [2; WIDTH as usize];
            for row in rows {
                let row = row as usize;
                table[data.states.row(row)[0] as usize] = data.actions.row(row)[0];
            }
            table
        };
        Ok(Tables((0..sets.members()).map(table).collect()))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let often = Sampling::Stride(4);
    let algorithms = [
        ("BC", behavior_cloning(ExpertActs::Sampled, often)),
        ("DAgger", dagger(often)),
        ("BD-5", bootstrap_dagger(5, often)),
        // An algorithm of one's own is other values of the same choices.
        (
            "BD-5 with one member a step",
            Algorithm { deploy: Deploy::UniformMember, ..bootstrap_dagger(5, often) },
        ),
    ];
    println!("{:28} {:>11} {:>18}", "", "annotations", "steps on the bridge");
    for (name, algorithm) in algorithms {
        let mut envs = SyncVectorEnv::new((0..20).map(|_| Bridge::default()).collect())?;
        let schedule = Schedule { rounds: 4, states_per_round: 5, stream: Stream::new(1) };
        let participants = Participants { envs: &mut envs, expert: &mut Guide, oracle: &Remember };
        let learned = learn(participants, algorithm, schedule, Inputs::none())?;

        let mut actor = DeployedPolicy::new(learned.deployed(), algorithm.deploy);
        let crossings = evaluate(&mut envs, &mut actor, None, 200, &Stream::new(2))?;
        let steps = crossings.mean_reward();
        println!("{name:28} {:>11} {steps:>11.1} of {LENGTH}", learned.data.len());
    }
    Ok(())
}
