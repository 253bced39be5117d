//! Whole episodes of a Gaussian policy.

use rayon::prelude::*;
use tutelage::{Batch, Env, EnvError, Episode, Stream};
use tutelage_envs::Normaliser;
use tutelage_oracles::net::Tape;

use super::Moments;
use crate::GaussianPolicy;

/// Episodes one after the other: row t of states, actions and rewards belong together.
pub(crate) struct Rollouts {
    /// Normalised states.
    pub(crate) states: Batch<f32>,
    /// Actions as drawn, before they are clipped.
    pub(crate) actions: Batch<f32>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) episodes: Vec<Episode>,
    /// For each episode the row of `cut_states` that a time limit cut it in; none where it terminated.
    pub(crate) cuts: Vec<Option<usize>>,
    pub(crate) cut_states: Batch<f32>,
    /// Of the states before they were normalised.
    pub(crate) moments: Moments,
}

/// How much to play: episodes of at most `episode` steps, until a lane has made at least `steps`.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub(crate) steps: usize,
    pub(crate) episode: usize,
}

/// Plays whole episodes in every environment, until each has had its share.
///
/// Whole episodes leave nothing half-done between iterations, so a checkpoint needs no state of a simulator. Lane l draws
/// from its own fork of `stream`, and the parts are joined in the order of the lanes.
pub(crate) fn collect<E: Env<State = f32, Action = f32>>(
    envs: &mut [E],
    policy: &GaussianPolicy,
    normaliser: &Normaliser,
    share: Share,
    stream: &Stream,
) -> Result<Rollouts, EnvError> {
    let parts: Vec<Result<Rollouts, EnvError>> = envs
        .par_iter_mut()
        .enumerate()
        .with_max_len(1)
        .map(|(lane, env)| {
            let stream = stream.fork("lane", lane as u64);
            let mut rollouts = Rollouts::new(policy);
            for episode in 0.. {
                if rollouts.rewards.len() >= share.steps {
                    break;
                }
                let stream = stream.fork("episode", episode);
                rollouts.play(env, policy, normaliser, share.episode, &stream)?;
            }
            Ok(rollouts)
        })
        .collect();
    let mut all = Rollouts::new(policy);
    for part in parts {
        all.append(&part?);
    }
    Ok(all)
}

impl Rollouts {
    fn new(policy: &GaussianPolicy) -> Self {
        let layout = policy.network().layout();
        let (states, actions) = (layout.inputs(), layout.outputs());
        Self {
            states: Batch::new(states),
            actions: Batch::new(actions),
            rewards: Vec::new(),
            episodes: Vec::new(),
            cuts: Vec::new(),
            cut_states: Batch::new(states),
            moments: Moments::new(states),
        }
    }

    /// Adds one episode, cut after `limit` steps.
    fn play<E: Env<State = f32, Action = f32>>(
        &mut self,
        env: &mut E,
        policy: &GaussianPolicy,
        normaliser: &Normaliser,
        limit: usize,
        stream: &Stream,
    ) -> Result<(), EnvError> {
        let mut tape = Tape::new(policy.network().layout(), 1);
        let mut noise = stream.fork("act", 0).rng();
        let (mut state, mut action) =
            (vec![0.0; self.states.width()], vec![0.0; self.actions.width()]);
        let mut episode = Episode::default();
        env.reset(stream.fork("env", 0).rng(), &mut state)?;
        loop {
            self.moments.add(&state);
            normaliser.apply(&mut state);
            policy.network().forward(policy.params(), &state, &mut tape);
            action.copy_from_slice(tape.output(0));
            policy.add_noise(&mut action, &mut noise);
            self.states.push(&state);
            self.actions.push(&action);
            action.iter_mut().for_each(|a| *a = a.clamp(-1.0, 1.0));
            let step = env.step(&action, &mut state)?;
            self.rewards.push(step.reward as f32);
            episode.reward += step.reward;
            episode.length += 1;
            if step.is_last() || episode.length == limit {
                let cut = !step.terminated;
                if cut {
                    normaliser.apply(&mut state);
                    self.cut_states.push(&state);
                }
                self.cuts.push(cut.then(|| self.cut_states.len() - 1));
                self.episodes.push(episode);
                return Ok(());
            }
        }
    }

    fn append(&mut self, other: &Self) {
        let earlier = self.cut_states.len();
        self.states.extend(&other.states);
        self.actions.extend(&other.actions);
        self.rewards.extend(&other.rewards);
        self.episodes.extend(&other.episodes);
        self.cuts.extend(other.cuts.iter().map(|cut| cut.map(|row| row + earlier)));
        self.cut_states.extend(&other.cut_states);
        self.moments.merge(&other.moments);
    }
}
