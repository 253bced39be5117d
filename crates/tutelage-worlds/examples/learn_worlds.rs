//! Learns every world with DAgger, BD-5 and MFTPL-P under its defaults and prints each policy's share of the expert's reward.
//!
//! `cargo run --release -p tutelage-worlds --example learn_worlds -- [WORLD ..]`

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use tutelage::{
    Acting, Action, Actor, Algorithm, Batch, Bounds, Env, EnvError, Event, Expert, ExpertActs,
    ExpertError, Flow, Lanes, Plan, Progress, Rng, Sampling, Setting, Spaces, Step, Stream,
    UniformBox, bootstrap_dagger, dagger, evaluate, learn, mftpl_p,
};
use tutelage_oracles::mlp::{Budget, Ensemble, Head, Mlp, MlpSettings};
use tutelage_oracles::net::AdamSettings;
use tutelage_worlds::{CartPole, Defaults, Drive, DriveFive, Grid, Pendulum, World};

const SEEDS: u64 = 3;
const MEMBERS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    println!("share of the expert's reward, {SEEDS} seeds; seconds per run");
    table::<CartPole>(&wanted)?;
    table::<Pendulum>(&wanted)?;
    table::<Drive>(&wanted)?;
    table::<DriveFive>(&wanted)?;
    table::<Grid>(&wanted)
}

fn table<W: World>(wanted: &[String]) -> Result<(), Box<dyn Error>>
where
    W::Action: Head + Units,
{
    if !wanted.is_empty() && !wanted.iter().any(|name| name == W::NAME) {
        return Ok(());
    }
    let [low, high] = W::DEFAULTS.cover;
    let cover = Arc::new(UniformBox::new(low, high)?);
    let perturbations = W::DEFAULTS.perturbations as f64;
    for algorithm in [dagger(), bootstrap_dagger(MEMBERS), mftpl_p(MEMBERS, perturbations, cover)] {
        print!("{:<10} {:<8}", W::NAME, algorithm.name);
        let start = Instant::now();
        for seed in 1..=SEEDS {
            let share = share_of_expert::<W>(&algorithm, Stream::new(seed))?;
            print!(" {share:6.3}");
        }
        println!("   {:5.1} s", start.elapsed().as_secs_f64() / SEEDS as f64);
    }
    Ok(())
}

/// The reward of the last policy's mean as a share of the expert's, over the same first states.
fn share_of_expert<W: World>(
    algorithm: &Algorithm<f32, W::Action>,
    stream: Stream,
) -> Result<f64, Box<dyn Error>>
where
    W::Action: Head + Units,
{
    let defaults = W::DEFAULTS;
    let oracle = Mlp::<W::Action>::new(settings(&defaults))?;
    let (world, mut expert) = (W::default(), InUnits::expert::<W>());
    let mut lanes = Lanes::new(vec![InUnits { inner: world, bounds: W::default().bounds() }; 20])?;
    let plan = Plan {
        rounds: defaults.rounds,
        states_per_round: defaults.states_per_round,
        sampling: Sampling::Stride(defaults.stride),
        stream,
    };
    let progress = Progress::none(lanes.spaces());
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &oracle };
    let observer = &mut |_: Event<'_, f32, W::Action, Ensemble<W::Action>>| Ok(Flow::Continue);
    let learned = learn(setting, algorithm, &plan, progress, observer)?;

    let stream = stream.fork("evaluate", 0);
    let mut reward = |actor| -> Result<f64, Box<dyn Error>> {
        Ok(evaluate(&mut lanes, actor, None, defaults.episodes, &stream)?.mean_reward())
    };
    let learner = reward(Actor::policy(&learned.last, Acting::Mean))?;
    Ok(learner / reward(Actor::expert(&mut expert, ExpertActs::Mean))?)
}

fn settings(defaults: &Defaults) -> MlpSettings {
    MlpSettings {
        hidden: defaults.hidden.to_vec(),
        budget: Budget::Iterations(defaults.iterations),
        batch: defaults.batch,
        adam: AdamSettings { learning_rate: defaults.learning_rate, ..AdamSettings::default() },
    }
}

/// A world or an expert whose actions are in [-1, 1]ⁿ where they are vectors.
#[derive(Clone)]
struct InUnits<T> {
    inner: T,
    bounds: Bounds,
}

/// Actions that go to [-1, 1]ⁿ and back where they are vectors.
trait Units: Action {
    fn to_unit(bounds: &Bounds, action: &mut [Self]);
    fn from_unit(bounds: &Bounds, action: &mut [Self]);
}

impl Units for f32 {
    fn to_unit(bounds: &Bounds, action: &mut [f32]) {
        bounds.to_unit(action);
    }

    fn from_unit(bounds: &Bounds, action: &mut [f32]) {
        bounds.from_unit(action);
    }
}

impl Units for u32 {
    fn to_unit(_: &Bounds, _: &mut [u32]) {}

    fn from_unit(_: &Bounds, _: &mut [u32]) {}
}

impl InUnits<()> {
    fn expert<W: World>() -> InUnits<W::Expert> {
        let world = W::default();
        InUnits { inner: world.expert(), bounds: world.bounds() }
    }
}

impl<E: Env<Action: Units>> Env for InUnits<E> {
    type State = E::State;
    type Action = E::Action;

    fn spaces(&self) -> Spaces {
        self.inner.spaces()
    }

    fn horizon(&self) -> usize {
        self.inner.horizon()
    }

    fn reset(&mut self, rng: Rng, state: &mut [E::State]) -> Result<(), EnvError> {
        self.inner.reset(rng, state)
    }

    fn step(&mut self, action: &[E::Action], state: &mut [E::State]) -> Result<Step, EnvError> {
        let mut action = action.to_vec();
        E::Action::from_unit(&self.bounds, &mut action);
        self.inner.step(&action, state)
    }
}

impl<X: Expert<Action: Units>> Expert for InUnits<X> {
    type State = X::State;
    type Action = X::Action;

    fn annotate(
        &mut self,
        states: &Batch<X::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<X::Action>,
    ) -> Result<(), ExpertError> {
        self.inner.annotate(states, rngs, actions)?;
        (0..actions.len()).for_each(|i| X::Action::to_unit(&self.bounds, actions.row_mut(i)));
        Ok(())
    }

    fn mean(
        &mut self,
        states: &Batch<X::State>,
        actions: &mut Batch<X::Action>,
    ) -> Result<(), ExpertError> {
        self.inner.mean(states, actions)?;
        (0..actions.len()).for_each(|i| X::Action::to_unit(&self.bounds, actions.row_mut(i)));
        Ok(())
    }
}
