//! Evaluation: the return and imitation loss of a policy.

use std::ops::Range;

use crate::actor::rollout::Rollouts;
use crate::actor::{Actor, RolloutError};
use crate::{ActionSpace, Batch, Element, Expert, Stream, VectorEnv};

/// One full episode.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Episode {
    /// The return: the sum of its rewards.
    pub reward: f64,
    /// |τ|, its number of steps.
    pub length: usize,
    /// (1/|τ|) Σ_s ℓ(π(s), mean expert action in s), if there is an expert to compare with.
    pub imitation_loss: Option<f64>,
}

/// Full episodes of one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The episodes τ₁ … τ_T.
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

/// Plays `episodes` full episodes.
///
/// Episode i is a function of `stream` and i, so the result does not depend on the lanes. The imitation loss is measured
/// against the mean of the `reference` expert, if given.
///
/// ```
/// use tutelage::Stream;
/// use tutelage::actor::DeployedPolicy;
/// use tutelage::choice::Deploy;
/// use tutelage::evaluation::evaluate;
/// use tutelage::testing::{Damper, LinearPolicy, point_masses};
///
/// let policy = LinearPolicy(vec![[-1.5, -2.0]]);
/// let mut actor = DeployedPolicy::new(&policy, Deploy::Mean);
/// let (envs, expert) = (&mut point_masses(2), &mut Damper::default());
/// let evaluation = evaluate(envs, &mut actor, Some(expert), 5, &Stream::new(1))?;
/// assert_eq!(evaluation.mean_length(), 60.0);
/// assert_eq!(evaluation.imitation_loss(), Some(0.0));
/// # Ok::<(), tutelage::actor::RolloutError>(())
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
    while playlist.is_in_progress() {
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

/// The episodes of an evaluation: finished, in progress, or waiting for a lane.
struct Playlist {
    /// The episodes so far; until the end, losses are sums over steps.
    episodes: Vec<Episode>,
    waiting: Range<usize>,
    /// The current episode of each lane.
    playing: Vec<Option<usize>>,
}

impl Playlist {
    fn new(episodes: usize, lanes: usize, measures_loss: bool) -> Self {
        let start = Episode { imitation_loss: measures_loss.then_some(0.0), ..Episode::default() };
        Self { episodes: vec![start; episodes], waiting: 0..episodes, playing: vec![None; lanes] }
    }

    /// Assigns the next episode to a lane.
    fn next(&mut self, lane: usize) -> Option<usize> {
        self.playing[lane] = self.waiting.next();
        self.playing[lane]
    }

    fn is_in_progress(&self) -> bool {
        self.playing.iter().any(Option::is_some)
    }

    /// The current episode of a lane.
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

/// Compares actions with the expert's mean.
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
