//! Algorithms are values of four choices: `cargo run -p tutelage --example four_choices`.
//!
//! Three named algorithms and a custom one learn to steer a point mass from a noisy expert.

use tutelage::actor::DeployedPolicy;
use tutelage::algorithm::{behavior_cloning, bootstrap_dagger, dagger};
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::evaluate;
use tutelage::testing::{Damper, LinearOracle, point_masses};
use tutelage::{Algorithm, Inputs, Participants, Sampling, Schedule, Stream, learn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sampling = Sampling::Stride(10);
    let algorithms = [
        ("BC", behavior_cloning(ExpertActs::Sampled, sampling)),
        ("DAgger", dagger(sampling)),
        ("BD-5", bootstrap_dagger(5, sampling)),
        // A custom algorithm is another value of the same choices.
        (
            "BD-5, one member per step",
            Algorithm { deploy: Deploy::UniformMember, ..bootstrap_dagger(5, sampling) },
        ),
    ];
    println!("{:26} {:>6} {:>8} {:>15}", "", "labels", "return", "imitation loss");
    for (name, algorithm) in algorithms {
        let (mut envs, mut expert) = (point_masses(20), Damper::default());
        let schedule = Schedule { rounds: 4, states_per_round: 5, stream: Stream::new(1) };
        let participants =
            Participants { envs: &mut envs, expert: &mut expert, oracle: &LinearOracle };
        let learned = learn(participants, algorithm, schedule, Inputs::none())?;

        let mut actor = DeployedPolicy::new(learned.deployed(), algorithm.deploy);
        let stream = Stream::new(2);
        let evaluation = evaluate(&mut envs, &mut actor, Some(&mut expert), 200, &stream)?;
        let loss = evaluation.imitation_loss().unwrap_or_default();
        let (labels, reward) = (learned.data.len(), evaluation.mean_reward());
        println!("{name:26} {labels:>6} {reward:>8.2} {loss:>15.4}");
    }
    Ok(())
}
