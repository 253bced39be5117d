//! Tests whether an expert is easy to imitate: BD-5 should reach 90 % of its mean action's return.
//!
//! ```text
//! cargo run --release -p tutelage-tasks --example fitness -- EXPERT [HIDDEN [ROUNDS [SEEDS]]]
//! cargo run --release -p tutelage-tasks --example fitness -- hopper 64,64 20 3
//! cargo run --release -p tutelage-tasks --example fitness -- hopper 8 40 3
//! ```
//!
//! `EXPERT` is a task, for its shipped expert, or a file. Each round has 50 annotations.

use std::error::Error;
use std::path::Path;

use tutelage::actor::DeployedPolicy;
use tutelage::algorithm::bootstrap_dagger;
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::evaluate;
use tutelage::{Inputs, Participants, Sampling, Schedule, Stream, learn};
use tutelage_oracles::mlp::{MlpOracle, MlpPolicy, MlpSettings};
use tutelage_tasks::experts::GaussianExpert;

const EPISODES: usize = 25;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which expert? a task or a file")?;
    let hidden = arguments.next().unwrap_or("64,64".into());
    let rounds: usize = arguments.next().unwrap_or("20".into()).parse()?;
    let seeds: u64 = arguments.next().unwrap_or("3".into()).parse()?;

    let path = Path::new(&name);
    let expert = if path.exists() {
        GaussianExpert::read(path, None, None)?
    } else {
        GaussianExpert::shipped(name.parse()?)?
    };
    let widths = hidden.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let oracle = MlpOracle::new(MlpSettings::new(&widths))?;
    let own = expert.evaluate(ExpertActs::Mean, EPISODES, &Stream::new(1))?.mean_reward();
    println!("{}: mean action {own:.0}", expert.robot());

    let mut total = 0.0;
    for seed in 1..=seeds {
        let policy = imitate(&expert, &oracle, rounds, seed)?;
        let mut lanes = expert.robot().envs(expert.observation(), EPISODES)?;
        let mut actor = DeployedPolicy::new(&policy, Deploy::Mean);
        let stream = Stream::new(seed).fork("evaluate", 0);
        let earned = evaluate(&mut lanes, &mut actor, None, EPISODES, &stream)?;
        let (mean, sd) = (earned.mean_reward(), earned.sd_reward());
        println!(
            "BD-5, {hidden} units, {} annotations, seed {seed}: {mean:.0} ± {sd:.0}, {:.0} %",
            50 * rounds,
            100.0 * mean / own
        );
        total += mean / own;
    }
    println!("on average {:.0} %", 100.0 * total / seeds as f64);
    Ok(())
}

/// Trains BD-5 on the expert's labels.
fn imitate(
    expert: &GaussianExpert,
    oracle: &MlpOracle,
    rounds: usize,
    seed: u64,
) -> Result<MlpPolicy, Box<dyn Error>> {
    let mut lanes = expert.robot().envs(expert.observation(), EPISODES)?;
    let mut expert = expert.clone();
    let participants = Participants { envs: &mut lanes, expert: &mut expert, oracle };
    let schedule = Schedule { rounds, states_per_round: 50, stream: Stream::new(seed) };
    let algorithm = bootstrap_dagger(5, Sampling::Stride(20));
    let learned = learn(participants, algorithm, schedule, Inputs::none())?;
    Ok(learned.last)
}
