//! Generalized advantage estimation (Schulman, Moritz, Levine, Jordan & Abbeel 2016).

/// Aₜ = Σₖ (γλ)ᵏ δₜ₊ₖ with δₜ = rₜ + γ V(sₜ₊₁) − V(sₜ), for one episode.
///
/// `values` are V(s₀) … V(s_{T−1}). `last` is V(s_T): 0 if the episode terminated, the estimate if
/// the time limit cut it.
///
/// # Panics
/// If the three slices differ in length.
pub(crate) fn advantages(
    rewards: &[f32],
    values: &[f32],
    last: f32,
    (gamma, lambda): (f32, f32),
    advantages: &mut [f32],
) {
    assert!(rewards.len() == values.len() && rewards.len() == advantages.len());
    let (mut next, mut advantage) = (last, 0.0);
    for t in (0..rewards.len()).rev() {
        let delta = rewards[t] + gamma * next - values[t];
        advantage = delta + gamma * lambda * advantage;
        advantages[t] = advantage;
        next = values[t];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advantages_by_hand() {
        // δ = (1 + ½·2 − 1, 0 + ½·4 − 2, 2 + ½·8 − 4) = (1, 0, 2); each A is δ + ¼ of the next.
        let mut found = [0.0; 3];
        advantages(&[1.0, 0.0, 2.0], &[1.0, 2.0, 4.0], 8.0, (0.5, 0.5), &mut found);
        assert_eq!(found, [1.125, 0.5, 2.0]);
    }

    #[test]
    fn terminated_episode_has_no_value_after_its_end() {
        let mut found = [0.0; 2];
        advantages(&[1.0, 1.0], &[0.0, 0.0], 0.0, (1.0, 1.0), &mut found);
        assert_eq!(found, [2.0, 1.0]);
    }
}
