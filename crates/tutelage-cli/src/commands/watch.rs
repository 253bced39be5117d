//! `tutelage watch`.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use rand::RngExt;
use serde::Serialize;
use tutelage::{Acting, Actor, Batch, Env, ExpertActs, Rng, Stream};
use tutelage_envs::{Locomotion, Task};
use tutelage_experts::{GaussianExpert, GaussianPolicy};
use tutelage_lab::{Pupil, load_expert, pupil_of};

use crate::arguments::check_ending;
use crate::film::{Film, STEPS_PER_FRAME};
use crate::output::{Output, Row};

/// Arguments of `tutelage watch`.
#[derive(clap::Args)]
pub(crate) struct Watch {
    /// A run's folder (what it learned acts), a task (its shipped expert acts) or an expert's file
    target: String,
    /// How to act
    #[arg(long, value_enum, default_value_t = Act::Mean)]
    act: Act,
    /// The task of an expert whose file does not say it
    #[arg(long)]
    task: Option<Task>,
    /// The .gif to write; a strip of stills goes beside it as PNG
    #[arg(long, default_value = "run.gif", value_name = "FILE")]
    out: PathBuf,
    /// Seed of the initial pose and of random actions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Most steps to show; an episode has at most 1000
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    steps: u16,
    /// Width of the picture in pixels
    #[arg(long, default_value_t = 480)]
    width: usize,
    /// Height of the picture in pixels
    #[arg(long, default_value_t = 360)]
    height: usize,
}

/// How to act while being watched.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Act {
    /// The mean action
    Mean,
    /// The expert's sampled action, or that of a random member
    Sample,
    /// No torque at all
    Zero,
    /// Uniformly random actions
    Random,
}

#[derive(Serialize)]
struct WatchRow {
    task: &'static str,
    steps: usize,
    reward: f64,
    gif: String,
    strip: String,
}

impl Row for WatchRow {
    const HEADINGS: &'static [&'static str] = &["task", "steps", "reward", "film", "stills"];

    fn cells(&self) -> Vec<String> {
        let Self { task, steps, reward, gif, strip } = self;
        vec![(*task).into(), steps.to_string(), format!("{reward:.1}"), gif.clone(), strip.clone()]
    }
}

/// An action for the one state of a batch.
type Decide<'a> = dyn FnMut(&Batch<f32>, &mut [Rng], &mut Batch<f32>) -> anyhow::Result<()> + 'a;

impl Watch {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        check_ending(&self.out, &["gif"])?;
        let acts = match self.act {
            Act::Mean => ExpertActs::Mean,
            Act::Sample => ExpertActs::Sampled,
            Act::Zero | Act::Random => return self.film_without_policy(output),
        };
        if Path::new(&self.target).is_dir() {
            return self.film_run(acts, output);
        }
        let mut expert = load_expert(&self.target, self.task)?;
        let env = expert.env()?;
        let mut actor = Actor::<GaussianPolicy, _>::expert(&mut expert, acts);
        self.film(output, env, |env| env.env().env(), &mut |states, rngs, actions| {
            Ok(actor.act(states, rngs, actions)?)
        })
    }

    fn film_run(&self, acts: ExpertActs, output: &Output) -> anyhow::Result<()> {
        ensure!(self.task.is_none(), "--task is for experts; {} is a run", self.target);
        let Pupil { expert, policy } = pupil_of(Path::new(&self.target), None)?;
        let acting = match acts {
            ExpertActs::Mean => Acting::Mean,
            ExpertActs::Sampled => Acting::UniformMember,
        };
        let mut actor = Actor::<_, GaussianExpert>::policy(&policy, acting);
        self.film(output, expert.env()?, |env| env.env().env(), &mut |states, rngs, actions| {
            Ok(actor.act(states, rngs, actions)?)
        })
    }

    fn film_without_policy(&self, output: &Output) -> anyhow::Result<()> {
        let task: Task = match self.target.parse() {
            Ok(task) => task,
            Err(unknown) if Path::new(&self.target).exists() => {
                return Err(unknown).context("zero and random actions need the name of a task");
            }
            Err(unknown) => return Err(unknown.into()),
        };
        ensure!(self.task.is_none(), "--task is for experts; nobody acts here");
        let random = self.act == Act::Random;
        self.film(output, Locomotion::new(task)?, |env| env, &mut |_, rngs, actions| {
            let draw = |rng: &mut Rng| if random { rng.random_range(-1.0..=1.0) } else { 0.0 };
            actions.as_mut_slice().fill_with(|| rngs.first_mut().map_or(0.0, draw));
            Ok(())
        })
    }

    fn film<E: Env<State = f32, Action = f32>>(
        &self,
        output: &Output,
        mut env: E,
        robot: impl Fn(&E) -> &Locomotion,
        decide: &mut Decide<'_>,
    ) -> anyhow::Result<()> {
        let episode = Stream::new(self.seed).fork("watch", 0);
        let mut rngs = [episode.fork("act", 0).rng()];
        let mut states = Batch::zeros(1, env.spaces().states);
        let mut actions = Batch::zeros(1, env.spaces().actions);
        env.reset(episode.fork("env", 0).rng(), states.row_mut(0))?;
        let mut film = Film::new(&self.out, self.width, self.height)?;
        let (mut steps, mut reward) = (0, 0.0);
        loop {
            if steps % STEPS_PER_FRAME == 0 {
                let caption = format!("{}  step {steps}  return {reward:.0}", robot(&env).task());
                film.shoot(robot(&env), &caption)?;
            }
            decide(&states, &mut rngs, &mut actions)?;
            let step = env.step(actions.row(0), states.row_mut(0))?;
            steps += 1;
            reward += step.reward;
            if step.is_last() || steps == usize::from(self.steps) {
                break;
            }
        }
        let strip = film.finish()?.display().to_string();
        let (task, gif) = (robot(&env).task().name(), self.out.display().to_string());
        output.rows(&[WatchRow { task, steps, reward, gif, strip }])
    }
}
