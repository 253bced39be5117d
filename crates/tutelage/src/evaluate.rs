//! What a policy is worth: its return and its imitation loss.

use crate::rollout::Rollouts;
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
    let mut reference = reference.map(|expert| Reference {
        expert,
        actions: Batch::new(E::Action::width(lanes.spaces().actions)),
    });
    let mut waiting = 0..episodes;
    let mut playing: Vec<Option<usize>> = (0..lanes.count()).map(|_| waiting.next()).collect();
    let mut results =
        vec![
            Episode { imitation_loss: reference.as_ref().map(|_| 0.0), ..Episode::default() };
            episodes
        ];
    let mut rollouts = Rollouts::new(lanes, actor);
    for (lane, episode) in playing.iter().enumerate() {
        if let Some(episode) = *episode {
            rollouts.begin(lane, stream.fork("episode", episode as u64))?;
        }
    }
    while playing.iter().any(Option::is_some) {
        rollouts.advance()?;
        if let Some(reference) = &mut reference {
            let (lanes, states, actions) = rollouts.acted();
            let losses = reference.losses(states, actions)?;
            for (&lane, loss) in lanes.iter().zip(losses) {
                if let Some(total) =
                    playing[lane].and_then(|episode| results[episode].imitation_loss.as_mut())
                {
                    *total += loss;
                }
            }
        }
        for (lane, slot) in playing.iter_mut().enumerate() {
            let Some(episode) = *slot else { continue };
            let step = rollouts.last_step(lane);
            results[episode].reward += step.reward;
            results[episode].length += 1;
            if step.is_last() {
                rollouts.end(lane);
                *slot = waiting.next();
                if let Some(next) = *slot {
                    rollouts.begin(lane, stream.fork("episode", next as u64))?;
                }
            }
        }
    }
    for episode in &mut results {
        if let Some(total) = &mut episode.imitation_loss {
            *total /= episode.length as f64;
        }
    }
    Ok(Evaluation { episodes: results })
}

/// The expert's mean action, to compare with.
struct Reference<'a, X: Expert> {
    expert: &'a mut X,
    actions: Batch<X::Action>,
}

impl<X: Expert> Reference<'_, X> {
    fn losses<'a>(
        &'a mut self,
        states: &Batch<X::State>,
        actions: &'a Batch<X::Action>,
    ) -> Result<impl Iterator<Item = f64> + 'a, RolloutError> {
        self.actions.resize(states.len());
        self.expert.mean(states, &mut self.actions)?;
        Ok(actions.rows().zip(self.actions.rows()).map(|(a, b)| X::Action::loss(a, b)))
    }
}
