//! What a policy is worth: its return and its imitation loss.

use std::ops::Range;

use crate::rollout::{Rollouts, check_shape};
use crate::{Action, Actor, Batch, Element, Env, Expert, Lanes, Policy, RolloutError, Stream};

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
pub fn evaluate<E, P, X>(
    lanes: &mut Lanes<E>,
    actor: Actor<'_, P, X>,
    reference: Option<&mut X>,
    episodes: usize,
    stream: &Stream,
) -> Result<Evaluation, RolloutError>
where
    E: Env,
    P: Policy<State = E::State, Action = E::Action>,
    X: Expert<State = E::State, Action = E::Action>,
{
    if episodes == 0 {
        return Err(RolloutError::NoEpisodes);
    }
    let (count, size) = (lanes.count(), lanes.spaces().actions);
    let mut reference = reference.map(|expert| Reference::new(expert, size));
    let mut schedule = Schedule::new(episodes, count, reference.is_some());
    let mut rollouts = Rollouts::new(lanes, actor);
    let begin = |rollouts: &mut Rollouts<'_, E, P, X>, lane: usize, episode: Option<usize>| {
        let Some(episode) = episode else { return Ok(()) };
        rollouts.begin(lane, stream.fork("episode", episode as u64))
    };
    for lane in 0..count {
        begin(&mut rollouts, lane, schedule.next(lane))?;
    }
    while schedule.is_under_way() {
        rollouts.advance()?;
        if let Some(reference) = &mut reference {
            let (lanes, states, actions) = rollouts.acted();
            schedule.add_losses(lanes, reference.losses(states, actions)?);
        }
        for lane in 0..count {
            let Some(episode) = schedule.episode(lane) else { continue };
            let step = rollouts.last_step(lane);
            episode.reward += step.reward;
            episode.length += 1;
            if step.is_last() {
                rollouts.end(lane);
                begin(&mut rollouts, lane, schedule.next(lane))?;
            }
        }
    }
    Ok(schedule.evaluation())
}

/// The episodes of an evaluation: those that are over, those under way, and those that wait for a lane.
struct Schedule {
    /// What each episode has come to; a loss is a sum over steps so far.
    episodes: Vec<Episode>,
    waiting: Range<usize>,
    /// The episode that each lane plays.
    playing: Vec<Option<usize>>,
}

impl Schedule {
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
struct Reference<'a, X: Expert> {
    expert: &'a mut X,
    actions: Batch<X::Action>,
    /// The size of the action space.
    size: usize,
}

impl<'a, X: Expert> Reference<'a, X> {
    fn new(expert: &'a mut X, size: usize) -> Self {
        Self { expert, actions: Batch::new(X::Action::width(size)), size }
    }

    fn losses<'b>(
        &'b mut self,
        states: &Batch<X::State>,
        actions: &'b Batch<X::Action>,
    ) -> Result<impl Iterator<Item = f64> + 'b, RolloutError> {
        let size = self.size;
        self.actions.resize(states.len());
        self.expert.mean(states, &mut self.actions)?;
        check_shape("the expert's mean", &self.actions, states.len(), size)?;
        if let Some((_, index, value)) = self.actions.misfit(size) {
            return Err(RolloutError::Mean { index, value: value.to_string(), size });
        }
        Ok(actions.rows().zip(self.actions.rows()).map(|(a, b)| X::Action::loss(a, b)))
    }
}
