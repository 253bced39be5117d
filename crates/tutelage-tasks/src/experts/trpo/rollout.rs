//! Whole episodes of a Gaussian policy.

use crate::bullet::Normalizer;
use rand::RngExt;
use rayon::prelude::*;
use tutelage::evaluation::Episode;
use tutelage::{Batch, Env, EnvError, Rng, Stream};
use tutelage_net::Tape;

use super::moments::Moments;
use crate::experts::GaussianPolicy;

/// Consecutive episodes: row t of states, actions and rewards belong together.
pub(crate) struct Rollouts {
    /// Normalized states.
    pub(crate) states: Batch<f32>,
    /// Actions before clipping.
    pub(crate) actions: Batch<f32>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) episodes: Vec<Episode>,
    /// The episodes, split into pieces without stumbles.
    pub(crate) pieces: Vec<Piece>,
    /// The states in which pieces were cut.
    pub(crate) cut_states: Batch<f32>,
    /// The moments of the states before normalization.
    pub(crate) moments: Moments,
}

/// Consecutive steps of the policy.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) length: usize,
    /// The row of `cut_states` if a time limit or a stumble cut it; `None` if the episode
    /// terminated.
    pub(crate) cut: Option<usize>,
}

/// The share of a lane: episodes of at most `episode` steps, until it has at least `steps`.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub(crate) steps: usize,
    pub(crate) episode: usize,
    /// The maximum steps of a stumble; 0 for no stumbles.
    pub(crate) stumble: usize,
}

/// Plays whole episodes in every environment until each has its share.
///
/// Because episodes are whole, a checkpoint between iterations needs no simulator state. Each lane
/// draws from its fork of `stream`, and the parts are joined in the order of the lanes.
pub(crate) fn collect<E: Env<State = f32, Action = f32>>(
    envs: &mut [E],
    policy: &GaussianPolicy,
    normalizer: &Normalizer,
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
                rollouts.play(env, policy, normalizer, share, &stream)?;
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
            pieces: Vec::new(),
            cut_states: Batch::new(states),
            moments: Moments::new(states),
        }
    }

    /// Plays an episode, cut after `share.episode` steps.
    fn play<E: Env<State = f32, Action = f32>>(
        &mut self,
        env: &mut E,
        policy: &GaussianPolicy,
        normalizer: &Normalizer,
        share: Share,
        stream: &Stream,
    ) -> Result<(), EnvError> {
        let mut tape = Tape::new(policy.network().layout(), 1);
        let mut noise = stream.fork("act", 0).rng();
        let mut stumbles = Stumbles::new(share.stumble, stream.fork("stumble", 0).rng());
        let (mut state, mut action) =
            (vec![0.0; self.states.width()], vec![0.0; self.actions.width()]);
        let mut episode = Episode::default();
        let mut piece = 0;
        env.reset(stream.fork("env", 0).rng(), &mut state)?;
        loop {
            self.moments.add(&state);
            normalizer.apply(&mut state);
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
            piece += 1;
            let mut over = step.is_last() || episode.length == share.episode;
            let stumble = if over { 0 } else { stumbles.next() };
            if over || stumble > 0 {
                self.close(piece, (!step.terminated).then_some(&state), normalizer);
                piece = 0;
            }
            if stumble > 0 {
                over = stumbles.fall(stumble, env, &mut action, &mut state)?;
            }
            if over {
                self.episodes.push(episode);
                return Ok(());
            }
        }
    }

    /// Ends a piece; `cut` is the state in which it was cut.
    fn close(&mut self, length: usize, cut: Option<&Vec<f32>>, normalizer: &Normalizer) {
        let cut = cut.map(|state| {
            let mut state = state.clone();
            normalizer.apply(&mut state);
            self.cut_states.push(&state);
            self.cut_states.len() - 1
        });
        self.pieces.push(Piece { length, cut });
    }

    fn append(&mut self, other: &Self) {
        let earlier = self.cut_states.len();
        self.states.extend(&other.states);
        self.actions.extend(&other.actions);
        self.rewards.extend(&other.rewards);
        self.episodes.extend(&other.episodes);
        let later = |piece: &Piece| Piece { cut: piece.cut.map(|row| row + earlier), ..*piece };
        self.pieces.extend(other.pieces.iter().map(later));
        self.cut_states.extend(&other.cut_states);
        self.moments.merge(&other.moments);
    }
}

/// Occasional overrides of the policy by one random action for several steps.
///
/// If falling does not end an episode, a policy without stumbles never learns to get up, and cannot
/// teach it.
struct Stumbles {
    longest: usize,
    rng: Rng,
}

/// The mean number of steps between stumbles.
const STEPS_BETWEEN: u32 = 200;

impl Stumbles {
    fn new(longest: usize, rng: Rng) -> Self {
        Self { longest, rng }
    }

    /// Returns the length of the stumble that starts now, or 0.
    fn next(&mut self) -> usize {
        let begins = self.longest > 0 && self.rng.random_ratio(1, STEPS_BETWEEN);
        if begins { self.rng.random_range(1..=self.longest) } else { 0 }
    }

    /// Holds a random action; returns whether the episode ended.
    fn fall<E: Env<State = f32, Action = f32>>(
        &mut self,
        steps: usize,
        env: &mut E,
        action: &mut [f32],
        state: &mut [f32],
    ) -> Result<bool, EnvError> {
        action.iter_mut().for_each(|a| *a = self.rng.random_range(-1.0..=1.0));
        for _ in 0..steps {
            if env.step(action, state)?.is_last() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::{Spaces, Step};

    /// The state is the time.
    struct Clock(f32);

    impl Env for Clock {
        type State = f32;
        type Action = f32;

        fn spaces(&self) -> Spaces {
            Spaces { states: 1, actions: 1 }
        }

        fn horizon(&self) -> usize {
            5000
        }

        fn reset(&mut self, _: Rng, state: &mut [f32]) -> Result<(), EnvError> {
            self.0 = 0.0;
            state[0] = 0.0;
            Ok(())
        }

        fn step(&mut self, _: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
            self.0 += 1.0;
            state[0] = self.0;
            let truncated = self.0 as usize == self.horizon();
            Ok(Step { reward: 1.0, terminated: false, truncated })
        }
    }

    #[test]
    fn stumbles_cut_episodes_and_are_not_in_the_samples() {
        let policy = GaussianPolicy::random(&[1, 4, 1], 0.0, &mut Stream::new(1).rng()).unwrap();
        let identity = Normalizer::new(vec![0.0], vec![1e12]).unwrap();
        let share = Share { steps: 1, episode: 5000, stumble: 10 };
        let played =
            collect(&mut [Clock(0.0)], &policy, &identity, share, &Stream::new(2)).unwrap();
        let time = |row: &[f32]| (row[0] * 1e6).round();
        assert!(played.pieces.len() > 5, "{}", played.pieces.len());
        let lengths = played.pieces.iter().map(|piece| piece.length);
        assert_eq!(lengths.sum::<usize>(), played.rewards.len());
        let (mut first, mut after) = (0, 0.0);
        for piece in &played.pieces {
            let begins = time(played.states.row(first));
            assert!(first == 0 || (1.0..=10.0).contains(&(begins - after)), "{begins} {after}");
            first += piece.length;
            let last = time(played.states.row(first - 1));
            assert_eq!(last - begins, (piece.length - 1) as f32);
            after = time(played.cut_states.row(piece.cut.unwrap()));
            assert_eq!(after, last + 1.0);
        }
    }
}
