//! What sits on top of a network, by the kind of action: the target a label stands for, the loss, and the action an output stands for.

use tutelage::Action;

/// The loss that a network is trained with, on output `z` and target `y` of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// `mean_j (clip(z_j) − clip(y_j))²` with clip to [-1, 1]; the gradient is zero where `z_j` lies outside.
    ClippedSquares,
    /// `−Σ_j y_j log softmax(z)_j`.
    CrossEntropy,
}

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

/// Copies a short row eight numbers at a time (the last eight may overlap the ones before): no call to `memcpy`, no scalar tail.
#[inline(always)]
pub(crate) fn copy_row(from: &[f32], to: &mut [f32]) {
    let width = from.len();
    let to = &mut to[..width];
    let mut copy = |at: usize| {
        if let Some(eight) = from[at..].first_chunk::<8>() {
            to[at..at + 8].copy_from_slice(eight);
        }
    };
    if width < 8 {
        (0..width).for_each(|j| to[j] = from[j]);
        return;
    }
    (0..width - 8).step_by(8).for_each(&mut copy);
    copy(width - 8);
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

    #[test]
    fn rows_of_every_width_are_copied_exactly() {
        for width in 0..40 {
            let from: Vec<f32> = (0..width).map(|i| i as f32 + 1.0).collect();
            let mut to = vec![0.0; width + 3];
            copy_row(&from, &mut to);
            assert_eq!((&to[..width], &to[width..]), (&from[..], &[0.0; 3][..]));
        }
    }
}
