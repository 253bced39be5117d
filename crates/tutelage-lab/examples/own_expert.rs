//! An expert of one's own: a person at the keyboard, teaching a point on a line where to go.
//!
//! `cargo run --release -p tutelage-lab --example own_expert -- [DIR]`. Every answer is on disk before the next question, so
//! the lesson can be broken off (Ctrl-D, Ctrl-C, a power cut) and taken up again with the same command.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use rand::RngExt;
use tutelage::{
    Batch, Env, EnvError, Expert, ExpertError, Lanes, Plan, Rng, Sampling, Setting, Spaces, Step,
    Stream, dagger,
};
use tutelage_lab::spec::{Class, OracleSpec};
use tutelage_lab::store::{OsDisk, RunDir};
use tutelage_lab::{ClassOracle, Job, Keep, RoundLine, Silent, run};

/// Somebody who is asked at the terminal.
struct Person;

impl Expert for Person {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        let failed = |error: std::io::Error| ExpertError::Other(error.into());
        for (i, state) in states.rows().enumerate() {
            print!(
                "the point is at {:+.2}; how hard should it be pushed, from -1 to 1? ",
                state[0]
            );
            std::io::stdout().flush().map_err(failed)?;
            let mut answer = String::new();
            std::io::stdin().lock().read_line(&mut answer).map_err(failed)?;
            let push = answer.trim().parse::<f32>().ok().filter(|push| push.abs() <= 1.0);
            actions.row_mut(i)[0] =
                push.ok_or_else(|| ExpertError::Other("that is no number from -1 to 1".into()))?;
        }
        Ok(())
    }

    // A person does not know a mean action, so `mean` stays as it is and no imitation loss is measured.

    fn batch(&self) -> usize {
        1 // one question at a time: what was answered together becomes durable together
    }
}

/// A point on a line that should stay near the origin.
#[derive(Clone, Default)]
struct Line {
    place: f32,
    time: usize,
}

impl Env for Line {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 1, actions: 1 }
    }

    fn horizon(&self) -> usize {
        50
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        *self = Self { place: rng.random_range(-1.0..1.0), time: 0 };
        state[0] = self.place;
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.place += 0.1 * action[0].clamp(-1.0, 1.0);
        self.time += 1;
        state[0] = self.place;
        let reward = -f64::from(self.place.abs());
        Ok(Step { reward, terminated: self.place.abs() > 2.0, truncated: self.time == 50 })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir =
        std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("line"), PathBuf::from);
    let oracle = ClassOracle::new(&Class::Linear, OracleSpec::default())?;
    let algorithm = dagger();
    let plan = Plan {
        rounds: 3,
        states_per_round: 4,
        sampling: Sampling::Stride(5),
        stream: Stream::new(1),
    };
    let job = Job { algorithm: &algorithm, plan, episodes: 10, keep: Keep::Last };

    let mut run_dir =
        RunDir::open(&dir, "task = \"line\"\nexpert = \"a person\"\n", Arc::new(OsDisk))?;
    println!("{} of 12 questions are answered", run_dir.history().annotations());
    let (mut lanes, mut expert) = (Lanes::new(vec![Line::default(); 10])?, Person);
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &oracle };
    run(setting, &job, &mut run_dir, &mut Silent)?;
    for line in RoundLine::all(run_dir.history(), plan.states_per_round, &[]) {
        println!("{:>2} answers: reward {:.2}", line.annotations, line.reward);
    }
    Ok(())
}
