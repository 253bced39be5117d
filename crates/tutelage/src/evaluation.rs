//! What a policy is worth: its return and its imitation loss.

use std::ops::Range;

use crate::actor::rollout::Rollouts;
use crate::actor::{Actor, RolloutError};
use crate::{ActionSpace, Batch, Element, Expert, Stream, VectorEnv};

/// One full episode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Episode {
    /// The sum of its rewards.
    pub reward: f64,
    /// |τ|, its number of steps.
    pub length: usize,
    /// (1/|τ|) Σ_s ℓ(π(s), mean expert action in s), where there is an expert to compare with.
    pub imitation_loss: Option<f64>,
}

/// T full episodes of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// τ₁ … τ_T, in the order of their streams.
    pub episodes: Vec<Episode>,
}

impl Evaluation {
    /// The average return.
    pub fn mean_reward(&self) -> f64 {
        self.episodes.iter().map(|episode| episode.reward).sum::<f64>() / self.episodes.len() as f64
    }

    /// The standard deviation of the returns over episodes.
    pub fn sd_reward(&self) -> f64 {
        let mean = self.mean_reward();
        let squares = self.episodes.iter().map(|episode| (episode.reward - mean).powi(2));
        (squares.sum::<f64>() / (self.episodes.len().max(2) - 1) as f64).sqrt()
    }

    /// The average number of steps.
    pub fn mean_length(&self) -> f64 {
        self.episodes.iter().map(|episode| episode.length as f64).sum::<f64>()
            / self.episodes.len() as f64
    }

    /// The imitation loss (1/T) Σᵢ (1/|τᵢ|) Σ_s ℓ(π(s), mean expert action in s).
    pub fn imitation_loss(&self) -> Option<f64> {
        let sum =
            self.episodes.iter().map(|episode| episode.imitation_loss).sum::<Option<f64>>()?;
        Some(sum / self.episodes.len() as f64)
    }
}

/// Plays exactly `episodes` full episodes and reports each of them, long or short.
///
/// Episode i is a function of `stream` and i, so its result does not depend on the lanes. Without `reference` the imitation
/// loss is not measured.
///
/// ```
/// use tutelage::{Batch, Stream, SyncVectorEnv, VectorEnv};
/// use tutelage::actor::DeployedPolicy;
/// use tutelage::choice::Deploy;
/// use tutelage::evaluation::evaluate;
/// # use tutelage::{algorithm::*, check::*, env::*, evaluation::*, expert::*, lesson::*, oracle::*, policy::*, space::*, *};
/// # struct Coin(usize);
/// # impl Env for Coin {
/// #     type State = u32;
/// #     type Action = u32;
/// #     fn spaces(&self) -> Spaces { Spaces { states: 1, actions: 2 } }
/// #     fn horizon(&self) -> usize { 10 }
/// #     fn reset(&mut self, _: Rng, state: &mut [u32]) -> Result<(), EnvError> {
/// #         (self.0, state[0]) = (0, 0);
/// #         Ok(())
/// #     }
/// #     fn step(&mut self, action: &[u32], _: &mut [u32]) -> Result<Step, EnvError> {
/// #         self.0 += 1;
/// #         Ok(Step { reward: f64::from(action[0]), terminated: false, truncated: self.0 == 10 })
/// #     }
/// # }
/// # struct Ones;
/// # impl Policy for Ones {
/// #     type State = u32;
/// #     type Action = u32;
/// #     fn members(&self) -> usize { 1 }
/// #     fn act_members(&self, _: &Batch<u32>, _: &[u32], a: &mut Batch<u32>) -> Result<(), PolicyError> {
/// #         a.as_mut_slice().fill(1);
/// #         Ok(())
/// #     }
/// # }
/// // Ten steps with a reward for every 1 that is played, and a policy that always plays it.
/// let mut envs = SyncVectorEnv::new(vec![Coin(0), Coin(0)])?;
/// let mut actor = DeployedPolicy::new(&Ones, Deploy::Mean);
/// let evaluation = evaluate(&mut envs, &mut actor, None, 5, &Stream::new(1))?;
/// assert_eq!(evaluation.mean_reward(), 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate<W: VectorEnv>(
    envs: &mut W,
    actor: &mut dyn Actor<W::State, W::Action>,
    reference: Option<&mut dyn Expert<State = W::State, Action = W::Action>>,
    episodes: usize,
    stream: &Stream,
) -> Result<Evaluation, RolloutError> {
    if episodes == 0 {
        return Err(RolloutError::NoEpisodes);
    }
    let (count, size) = (envs.count(), envs.spaces().actions);
    let space = ActionSpace { size, bounds: envs.bounds().clone() };
    let mut reference = reference.map(|expert| Reference::new(expert, space));
    let mut playlist = Playlist::new(episodes, count, reference.is_some());
    let mut rollouts = Rollouts::new(envs, actor);
    let begin = |rollouts: &mut Rollouts<'_, W>, lane: usize, episode: Option<usize>| {
        let Some(episode) = episode else { return Ok(()) };
        rollouts.begin(lane, stream.fork("episode", episode as u64))
    };
    for lane in 0..count {
        begin(&mut rollouts, lane, playlist.next(lane))?;
    }
    while playlist.is_under_way() {
        rollouts.advance()?;
        if let Some(reference) = &mut reference {
            let (lanes, states, actions) = rollouts.acted();
            playlist.add_losses(lanes, reference.losses(states, actions)?);
        }
        for lane in 0..count {
            let Some(episode) = playlist.episode(lane) else { continue };
            let step = rollouts.last_step(lane);
            episode.reward += step.reward;
            episode.length += 1;
            if step.is_last() {
                rollouts.end(lane);
                begin(&mut rollouts, lane, playlist.next(lane))?;
            }
        }
    }
    Ok(playlist.evaluation())
}

/// The episodes of an evaluation: those that are over, those under way, and those that wait for a lane.
struct Playlist {
    /// What each episode has come to; a loss is a sum over steps so far.
    episodes: Vec<Episode>,
    waiting: Range<usize>,
    /// The episode that each lane plays.
    playing: Vec<Option<usize>>,
}

impl Playlist {
    fn new(episodes: usize, lanes: usize, measures_loss: bool) -> Self {
        let start = Episode { imitation_loss: measures_loss.then_some(0.0), ..Episode::default() };
        Self { episodes: vec![start; episodes], waiting: 0..episodes, playing: vec![None; lanes] }
    }

    /// Gives a lane the next episode to play.
    fn next(&mut self, lane: usize) -> Option<usize> {
        self.playing[lane] = self.waiting.next();
        self.playing[lane]
    }

    fn is_under_way(&self) -> bool {
        self.playing.iter().any(Option::is_some)
    }

    /// The episode that a lane plays.
    fn episode(&mut self, lane: usize) -> Option<&mut Episode> {
        Some(&mut self.episodes[self.playing[lane]?])
    }

    fn add_losses(&mut self, lanes: &[usize], losses: impl Iterator<Item = f64>) {
        for (&lane, loss) in lanes.iter().zip(losses) {
            if let Some(total) = self.episode(lane).and_then(|e| e.imitation_loss.as_mut()) {
                *total += loss;
            }
        }
    }

    fn evaluation(mut self) -> Evaluation {
        for Episode { imitation_loss, length, .. } in &mut self.episodes {
            *imitation_loss = imitation_loss.map(|total| total / *length as f64);
        }
        Evaluation { episodes: self.episodes }
    }
}

/// The expert's mean action, to compare with.
struct Reference<'a, S, A> {
    expert: &'a mut dyn Expert<State = S, Action = A>,
    actions: Batch<A>,
    space: ActionSpace,
}

impl<'a, S: Element, A: Element> Reference<'a, S, A> {
    fn new(expert: &'a mut dyn Expert<State = S, Action = A>, space: ActionSpace) -> Self {
        Self { expert, actions: Batch::new(A::width(space.size)), space }
    }

    fn losses<'b>(
        &'b mut self,
        states: &Batch<S>,
        actions: &'b Batch<A>,
    ) -> Result<impl Iterator<Item = f64> + 'b, RolloutError> {
        self.actions.resize(states.len());
        self.expert.mean(states, &mut self.actions)?;
        let misfit = |source| RolloutError::InvalidActions { who: "the expert's mean", source };
        self.space.check(&self.actions, states.len()).map_err(misfit)?;
        A::to_unit(&self.space.bounds, &mut self.actions);
        Ok(actions.rows().zip(self.actions.rows()).map(|(a, b)| A::loss(a, b)))
    }
}
