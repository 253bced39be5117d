//! `tutelage watch`: films of episodes.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tutelage::actor::{Actor, DeployedPolicy, ExpertActor, RolloutError};
use tutelage::{ActionSpace, Batch, Element, Env, Rng, Stream, dispatch};
use tutelage_draw::render::{Render, Renderer};
use tutelage_oracles::mlp::OutputHead;
use tutelage_spec::spec::RunSpec;
use tutelage_spec::{Learner, Task, learner_of, spec_of, stage};

use super::evaluate;
use super::show::note_truncated_log;
use crate::arguments::{Force, check_ending};
use crate::film::Film;
use crate::output::{self, Field, Output, ensure_usage};

/// Film an episode of a run's policy, of an expert, or of random actions.
#[derive(clap::Args)]
pub(crate) struct Watch {
    /// Run folder (its policy acts), task (its expert acts) or expert file
    target: String,
    /// Film the policy after this round [default: the policy that the run returns]
    #[arg(long, value_name = "N")]
    round: Option<usize>,
    /// How to act [default: as the run deploys its policy; mean for experts]
    #[arg(long, value_enum)]
    act: Option<How>,
    /// Task of an expert, if its file does not name it
    #[arg(long)]
    task: Option<Task>,
    /// Output .gif file; a strip of stills is written with the ending .png
    #[arg(long, default_value = "run.gif", value_name = "FILE")]
    out: PathBuf,
    /// Seed of the initial state and of random actions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Maximum number of steps
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    steps: u16,
    /// Width in pixels
    #[arg(long, default_value_t = 480)]
    width: usize,
    /// Height in pixels [default: 3/4 of the width]
    #[arg(long)]
    height: Option<usize>,
    #[command(flatten)]
    force: Force,
}

/// How to act.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum How {
    /// The mean action (or vote) of a policy's members; the mean action of an expert
    Mean,
    /// Policies only: a random member at every step
    Member,
    /// Experts only: a labeled action, with noise
    Sampled,
    /// The center of the action box, or action 0
    Zero,
    /// Uniformly random actions
    Uniform,
}

impl How {
    /// Returns how the policy or expert acts, or `None` if neither acts.
    fn act(self) -> Option<evaluate::Act> {
        match self {
            Self::Mean => Some(evaluate::Act::Mean),
            Self::Member => Some(evaluate::Act::Member),
            Self::Sampled => Some(evaluate::Act::Sampled),
            Self::Zero | Self::Uniform => None,
        }
    }
}

impl Watch {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        check_ending(&self.out, &["gif"])?;
        self.force.check(&self.out)?;
        self.force.check(&self.out.with_extension("png"))?;
        let is_run = Path::new(&self.target).is_dir();
        ensure_usage!(
            self.round.is_none() || is_run,
            "--round is for runs; {} is not a run folder",
            self.target
        );
        let act = match self.act {
            Some(how) if how.act().is_none() => return self.film_baseline(output),
            how => how.and_then(How::act),
        };
        if is_run {
            ensure!(self.task.is_none(), "--task is for experts; {} is a run", self.target);
            let spec = spec_of(Path::new(&self.target))?;
            note_truncated_log(Path::new(&self.target));
            return dispatch!(spec.task.actions(), A => self.film_run::<A>(&spec, act, output));
        }
        let task = self.target.parse::<Task>().ok().filter(|task| task.robot().is_none());
        match task.map(Task::actions) {
            Some(kind) => dispatch!(kind, A => self.film_rule::<A>(act, output)),
            None => self.film_expert(act, output),
        }
    }

    /// Films the policy of a run.
    fn film_run<A: OutputHead>(
        &self,
        spec: &RunSpec,
        act: Option<evaluate::Act>,
        output: &Output,
    ) -> anyhow::Result<()> {
        let Learner { policy, deploy, .. } =
            learner_of::<A>(Path::new(&self.target), spec, self.round)?;
        let deploy = act.map_or(Ok(deploy), evaluate::Act::deploy)?;
        let mut actor = DeployedPolicy::new(&policy, deploy);
        let env = stage::<A>(spec, Path::new(&self.target))?;
        self.film(output, spec.task, env, &mut actor)
    }

    /// Films the expert of a world.
    fn film_rule<A: OutputHead>(
        &self,
        act: Option<evaluate::Act>,
        output: &Output,
    ) -> anyhow::Result<()> {
        ensure!(self.task.is_none(), "--task is for experts in files");
        let acts = act.unwrap_or(evaluate::Act::Mean).expert_acts()?;
        let spec = RunSpec::of(self.target.parse()?)?;
        let (envs, mut expert, _) = tutelage_spec::teachers::<A>(&spec, Path::new("."))?;
        let space = ActionSpace { size: envs.spaces().actions, bounds: envs.bounds().clone() };
        let mut actor = ExpertActor::new(&mut expert, acts, &space);
        self.film(output, spec.task, stage::<A>(&spec, Path::new("."))?, &mut actor)
    }

    /// Films the expert of a robot.
    fn film_expert(&self, act: Option<evaluate::Act>, output: &Output) -> anyhow::Result<()> {
        let acts = act.unwrap_or(evaluate::Act::Mean).expert_acts()?;
        let mut expert = super::expert::load(&self.target, self.task)?;
        let env = expert.robot().env(expert.observation())?;
        let (size, bounds) = (env.spaces().actions, env.bounds());
        let space = ActionSpace { size, bounds };
        let mut actor = ExpertActor::new(&mut expert, acts, &space);
        self.film(output, Task::of_robot(env.env().robot()), Box::new(env), &mut actor)
    }

    /// Films zero or random actions.
    fn film_baseline(&self, output: &Output) -> anyhow::Result<()> {
        let task: Task = match self.target.parse() {
            Ok(task) => task,
            Err(unknown) if Path::new(&self.target).exists() => {
                return Err(unknown).context("zero and uniform actions need a task");
            }
            Err(unknown) => return Err(unknown.into()),
        };
        ensure!(self.task.is_none(), "--task is for experts in files");
        let mut baseline =
            Baseline { uniform: self.act == Some(How::Uniform), size: task.shape().0.actions };
        let spec = RunSpec::of(task)?;
        dispatch!(task.actions(), A => {
            self.film(output, task, stage::<A>(&spec, Path::new("."))?, &mut baseline)
        })
    }

    fn film<A: Element>(
        &self,
        output: &Output,
        task: Task,
        mut env: Box<dyn Render<Action = A>>,
        actor: &mut dyn Actor<f32, A>,
    ) -> anyhow::Result<()> {
        const LANE: usize = 0;
        let episode = Stream::new(self.seed).fork("watch", 0);
        let mut rngs = [episode.fork("act", 0).rng()];
        let mut states = Batch::zeros(1, env.spaces().states);
        let mut actions = Batch::zeros(1, A::width(env.spaces().actions));
        env.reset(episode.fork("env", 0).rng(), states.row_mut(0))?;
        actor.begin(LANE, episode);
        let renderer = Renderer::new(self.width, self.height.unwrap_or(self.width * 3 / 4))?;
        // Browsers show at most fifty frames per second.
        let steps_per_frame = usize::from(3u16.div_ceil(task.pace()));
        let mut film = Film::new(&self.out, task.pace().max(3));
        let (mut steps, mut reward) = (0, 0.0);
        loop {
            if steps % steps_per_frame == 0 {
                let caption = format!("{task}  step {steps}  return {reward:.0}");
                film.push(renderer.draw(&env.render())?, &caption)?;
            }
            actor.act(&[LANE], &states, &mut rngs, &mut actions)?;
            A::from_unit(&env.bounds(), &mut actions);
            let step = env.step(actions.row(0), states.row_mut(0))?;
            steps += 1;
            reward += step.reward;
            if step.is_last() || steps == usize::from(self.steps) {
                break;
            }
        }
        let strip = film.finish()?.display().to_string();
        let gif = self.out.display().to_string();
        output.fields(vec![vec![
            Field::new("task", task.name()),
            Field::new("steps", steps),
            Field::both("reward", reward, "reward", output::reward(reward)),
            Field::both("gif", gif.clone(), "film", gif),
            Field::both("strip", strip.clone(), "stills", strip),
        ]])
    }
}

/// Acts with zeros, or uniformly at random.
struct Baseline {
    uniform: bool,
    size: usize,
}

impl<A: Element> Actor<f32, A> for Baseline {
    fn act(
        &mut self,
        _: &[usize],
        states: &Batch<f32>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), RolloutError> {
        for (row, rng) in rngs.iter_mut().enumerate().take(states.len()) {
            match self.uniform {
                true => A::draw_uniform(self.size, rng, actions.row_mut(row)),
                false => actions.row_mut(row).fill(A::default()),
            }
        }
        Ok(())
    }
}
