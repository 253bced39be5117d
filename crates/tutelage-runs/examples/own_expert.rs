//! A custom expert: a person at the keyboard who steers a point on a line.
//!
//! `cargo run --release -p tutelage-runs --example own_expert -- [DIR]`. Every answer is on disk before the next question, so
//! the same command resumes after Ctrl-D, Ctrl-C or a power cut.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use tutelage::algorithm::dagger;
use tutelage::rand::RngExt;
use tutelage::{
    Batch, Env, EnvError, Expert, ExpertError, Inputs, Participants, Rng, Sampling, Schedule,
    Spaces, Step, Stream, SyncVectorEnv,
};
use tutelage_oracles::LeastSquares;
use tutelage_runs::{Ending, Keep, Observer, RunConfig, Terminal, run};

/// A person who reads questions and types answers.
struct Person<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Person<R, W> {
    /// Asks until there is a valid answer. Returns `None` at the end of the input.
    fn ask(&mut self, place: f32) -> io::Result<Option<f32>> {
        loop {
            write!(
                self.output,
                "the point is at {place:+.2}; how hard to push it, from -1 to 1? "
            )?;
            self.output.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            match line.trim().parse() {
                Ok(push @ -1.0..=1.0) => return Ok(Some(push)),
                _ => writeln!(self.output, "{:?} is not a number from -1 to 1", line.trim())?,
            }
        }
    }
}

impl<R: BufRead, W: Write> Expert for Person<R, W> {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        for (i, state) in states.rows().enumerate() {
            let answer = self.ask(state[0]).map_err(|error| ExpertError::Other(error.into()))?;
            actions.row_mut(i)[0] = answer.ok_or(ExpertError::Left)?;
        }
        Ok(())
    }

    // A person has no mean action, so `mean` is not implemented and there is no imitation loss.

    fn batch(&self) -> usize {
        1 // one question at a time, because a batch becomes durable as a whole
    }
}

/// A point on a line that should stay near the origin.
#[derive(Clone, Default)]
struct Line {
    place: f32,
    time: usize,
}

const HORIZON: usize = 50;

impl Env for Line {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 1, actions: 1 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        *self = Self { place: rng.random_range(-1.0..1.0), time: 0 };
        state[0] = self.place;
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.place += 0.1 * action[0];
        self.time += 1;
        state[0] = self.place;
        let reward = 1.0 - f64::from(self.place.abs());
        Ok(Step { reward, terminated: self.place.abs() > 2.0, truncated: self.time == HORIZON })
    }
}

/// Starts or resumes the lesson in a folder.
pub(crate) fn teach(
    dir: &Path,
    input: impl BufRead,
    mut output: impl Write,
    observer: &mut dyn Observer,
) -> Result<(), Box<dyn Error>> {
    let oracle = LeastSquares::default();
    let job = RunConfig {
        algorithm: dagger(Sampling::Stride(5)),
        schedule: Schedule { rounds: 3, states_per_round: 4, stream: Stream::new(1) },
        inputs: Inputs::none(),
        episodes: 10,
        keep: Keep::Last,
    };
    let mut envs = SyncVectorEnv::new(vec![Line::default(); 10])?;
    let mut expert = Person { input, output: &mut output };
    let mut run_dir = job.open(dir, "line", &expert, &oracle)?;
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
    let ending = run(participants, &job, &mut run_dir, observer)?;

    writeln!(output, "\n{}", job.table(&run_dir))?;
    let (answers, dir) = (run_dir.history().annotations(), dir.display());
    match ending {
        Ending::Finished => writeln!(output, "Thank you: all {answers} questions are answered.")?,
        Ending::Stopped => writeln!(
            output,
            "{answers} questions are answered and saved in {dir}; the same command resumes."
        )?,
    }
    writeln!(output, "See `tutelage show {dir}`, and `tutelage export {dir} --out line.npz`.")?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args_os().nth(1).map_or(std::env::temp_dir().join("line"), PathBuf::from);
    teach(&dir, io::stdin().lock(), io::stdout(), &mut Terminal::new(3)?)
}
