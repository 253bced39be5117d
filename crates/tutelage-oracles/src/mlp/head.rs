//! What sits on top of a network, by the kind of action: the target a label stands for, the loss, and the action an output stands for.

use tutelage::Action;
use tutelage_net::{Loss, copy_row};

/// Actions that a network can stand for: vectors (the output, clipped) or indices (the largest output).
pub trait Head: Action + sealed::Sealed {
    /// The loss for labels of this kind.
    const LOSS: Loss;
    /// The kind's name in stored policies.
    const NAME: &'static str;

    /// Writes the target that a label stands for.
    fn write_target(label: &[Self], target: &mut [f32]);

    /// Writes the action that an output stands for.
    fn write_action(output: &[f32], action: &mut [Self]);

    /// Combines the outputs of all members for one row: `outputs` holds one row of `width` numbers per member.
    fn combine(outputs: &[f32], width: usize, action: &mut [Self]);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
}

impl Head for f32 {
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

    /// The mean of the clipped outputs.
    #[inline(always)]
    fn combine(outputs: &[f32], width: usize, action: &mut [f32]) {
        action.fill(0.0);
        let members = outputs.chunks_exact(width);
        let share = 1.0 / members.len() as f32;
        for output in members {
            action.iter_mut().zip(output).for_each(|(a, z)| *a += z.clamp(-1.0, 1.0));
        }
        action.iter_mut().for_each(|a| *a *= share);
    }
}

impl Head for u32 {
    const LOSS: Loss = Loss::CrossEntropy;
    const NAME: &'static str = "index";

    #[inline(always)]
    fn write_target(label: &[u32], target: &mut [f32]) {
        target
            .iter_mut()
            .enumerate()
            .for_each(|(j, y)| *y = f32::from(u8::from(j as u32 == label[0])));
    }

    /// The index of the largest output, the lowest of several such.
    #[inline(always)]
    fn write_action(output: &[f32], action: &mut [u32]) {
        action[0] = largest(output);
    }

    /// The index that most members choose, the lowest of several such.
    #[inline(always)]
    fn combine(outputs: &[f32], width: usize, action: &mut [u32]) {
        let votes = |index: u32| {
            outputs.chunks_exact(width).filter(|output| largest(output) == index).count()
        };
        let winner = (0..width as u32).map(|index| (index, votes(index)));
        action[0] = winner.fold((0, 0), |best, next| if next.1 > best.1 { next } else { best }).0;
    }
}

fn largest(output: &[f32]) -> u32 {
    let best = |best: usize, j: usize| if output[j] > output[best] { j } else { best };
    (1..output.len()).fold(0, best) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_clipped_actions() {
        let mut action = [0.0f32; 2];
        f32::combine(&[3.0, 0.5, -0.5, -0.25], 2, &mut action);
        assert_eq!(action, [0.25, 0.125]);
    }

    #[test]
    fn ties_go_to_the_lowest_index() {
        let mut action = [9u32];
        u32::write_action(&[0.0, 2.0, 2.0], &mut action);
        assert_eq!(action, [1]);
        u32::combine(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3, &mut action);
        assert_eq!(action, [1], "members vote 1, 2, 1, 2");
    }
}
