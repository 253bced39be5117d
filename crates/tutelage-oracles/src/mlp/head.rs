//! Output heads: the loss, the target of a label, and the action of an output, per kind of action.

use tutelage::Element;
use tutelage_net::{Loss, copy_row};

/// The kinds of actions that networks support.
///
/// `f32`: action vectors, the clipped output. `u32`: discrete actions, the index of the largest
/// output. The same settings work for both:
///
/// ```
/// use tutelage_oracles::mlp::{Mlp, MlpSettings};
///
/// let settings = MlpSettings { hidden: vec![16], ..MlpSettings::default() };
/// let regression: Mlp<f32> = Mlp::new(settings.clone())?;
/// let classification: Mlp<u32> = Mlp::new(settings)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// This trait extends [`Element`], because the core does not know networks and their losses.
pub trait OutputHead: Element {
    /// The loss for labels of this kind.
    #[doc(hidden)]
    const LOSS: Loss;
    /// The name of this kind in stored policies.
    #[doc(hidden)]
    const NAME: &'static str;

    /// Writes the training target of a label.
    #[doc(hidden)]
    fn write_target(label: &[Self], target: &mut [f32]);

    /// Writes the action of an output.
    #[doc(hidden)]
    fn write_action(output: &[f32], action: &mut [Self]);

    /// Writes the action of the ensemble in one state.
    ///
    /// `outputs` has `width` numbers per member; `votes` is working memory.
    #[doc(hidden)]
    fn combine(outputs: &[f32], width: usize, votes: &mut Vec<u32>, action: &mut [Self]);
}

impl OutputHead for f32 {
    const LOSS: Loss = Loss::ClippedSquares;
    const NAME: &'static str = "vector";

    #[inline(always)]
    fn write_target(label: &[f32], target: &mut [f32]) {
        copy_row(label, target);
    }

    #[inline(always)]
    fn write_action(output: &[f32], action: &mut [f32]) {
        action.iter_mut().zip(output).for_each(|(a, z)| *a = z.clamp(-1.0, 1.0));
    }

    /// Writes the mean of the clipped outputs.
    #[inline(always)]
    fn combine(outputs: &[f32], width: usize, _votes: &mut Vec<u32>, action: &mut [f32]) {
        action.fill(0.0);
        let members = outputs.chunks_exact(width);
        let share = 1.0 / members.len() as f32;
        for output in members {
            action.iter_mut().zip(output).for_each(|(a, z)| *a += z.clamp(-1.0, 1.0));
        }
        action.iter_mut().for_each(|a| *a *= share);
    }
}

impl OutputHead for u32 {
    const LOSS: Loss = Loss::CrossEntropy;
    const NAME: &'static str = "index";

    #[inline(always)]
    fn write_target(label: &[u32], target: &mut [f32]) {
        target
            .iter_mut()
            .enumerate()
            .for_each(|(j, y)| *y = f32::from(u8::from(Some(&(j as u32)) == label.first())));
    }

    /// Writes the index of the largest output; the lowest index on ties.
    #[inline(always)]
    fn write_action(output: &[f32], action: &mut [u32]) {
        action.fill(first_largest(output) as u32);
    }

    /// Writes the index that most members choose; the lowest index on ties.
    #[inline(always)]
    fn combine(outputs: &[f32], width: usize, votes: &mut Vec<u32>, action: &mut [u32]) {
        votes.clear();
        votes.resize(width, 0);
        outputs.chunks_exact(width).for_each(|output| votes[first_largest(output)] += 1);
        action.fill(first_largest(votes) as u32);
    }
}

/// Returns the index of the largest value; the first one on ties.
fn first_largest<T: PartialOrd>(values: &[T]) -> usize {
    let best = |best: usize, j: usize| if values[j] > values[best] { j } else { best };
    (1..values.len()).fold(0, best)
}

#[cfg(test)]
mod tests {
    use super::OutputHead;

    #[test]
    fn mean_is_taken_over_clipped_actions() {
        let mut action = [0.0f32; 2];
        f32::combine(&[3.0, 0.5, -0.5, -0.25], 2, &mut vec![], &mut action);
        assert_eq!(action, [0.25, 0.125]);
    }

    #[test]
    fn ties_go_to_the_lowest_index() {
        let (mut action, mut votes) = ([9u32], vec![]);
        u32::write_action(&[0.0, 2.0, 2.0], &mut action);
        assert_eq!(action, [1]);
        let one_two_one_two = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        u32::combine(&one_two_one_two, 3, &mut votes, &mut action);
        assert_eq!(action, [1], "members vote 1, 2, 1, 2");
        u32::combine(&one_two_one_two[3..], 3, &mut votes, &mut action);
        assert_eq!(action, [2], "members vote 2, 1, 2; earlier votes do not count");
    }
}
