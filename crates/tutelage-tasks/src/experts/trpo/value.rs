//! The value function V: the expected discounted reward from a state.

use rand::seq::SliceRandom;
use tutelage::{Batch, Rng};
use tutelage_net::{Adam, AdamSettings, AlignedVec, Backprop, LayoutError, Network, Tape};

use super::blocks::Blocks;

/// The training of the value function.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ValueTraining {
    /// Passes over each batch.
    pub epochs: usize,
    /// The rows of a minibatch.
    pub minibatch: usize,
    /// Adam's step size.
    pub learning_rate: f64,
}

/// A tanh network for (1 − γ)V, the discounted average reward per step, which is of order one for
/// every γ.
#[derive(Clone, Debug)]
pub(crate) struct ValueFunction {
    pub(super) network: Network,
    pub(super) params: AlignedVec,
    pub(super) adam: Adam,
    training: ValueTraining,
}

impl ValueFunction {
    /// Creates an untrained value function with orthogonal weights.
    pub(crate) fn random(
        widths: &[usize],
        training: ValueTraining,
        rng: &mut Rng,
    ) -> Result<Self, LayoutError> {
        let mut value = Self::zero(widths, training)?;
        value.params = value.network.layout().orthogonal(2f64.sqrt(), 1.0, rng);
        Ok(value)
    }

    /// Creates the value function 0, whose parameters are replaced later.
    pub(crate) fn zero(widths: &[usize], training: ValueTraining) -> Result<Self, LayoutError> {
        let network = Network::new(widths)?;
        let params = network.layout().zeros();
        let settings =
            AdamSettings { learning_rate: training.learning_rate, ..AdamSettings::default() };
        let adam = Adam::new(settings, params.len(), network.isa());
        Ok(Self { network, params, adam, training })
    }

    /// (1 − γ)V of each state.
    pub(crate) fn predict(&self, states: &Batch<f32>) -> Vec<f32> {
        let mut rows = Blocks::new(&self.network, states, 1);
        rows.forward(&self.params);
        rows.outputs().as_slice().to_vec()
    }

    /// Minimizes the mean squared difference to the targets with Adam on shuffled minibatches.
    pub(crate) fn fit(&mut self, states: &Batch<f32>, targets: &[f32], rng: &mut Rng) {
        let layout = self.network.layout();
        let most = self.training.minibatch.min(states.len());
        let (mut tape, mut backprop) = (Tape::new(layout, most), Backprop::new(layout));
        let mut gradient = layout.zeros();
        let mut order: Vec<usize> = (0..states.len()).collect();
        for _ in 0..self.training.epochs {
            order.shuffle(rng);
            for rows in order.chunks(self.training.minibatch) {
                tape.set_rows(rows.len());
                for (i, &row) in rows.iter().enumerate() {
                    tape.row_mut(0, i).copy_from_slice(states.row(row));
                }
                self.network.forward_tape(&self.params, &mut tape);
                let deltas = backprop.deltas(rows.len());
                for (i, &row) in rows.iter().enumerate() {
                    let error = tape.output(i)[0] - targets[row];
                    deltas.output_mut(i)[0] = 2.0 * error / rows.len() as f32;
                }
                self.network.backward(&self.params, &tape, &mut backprop, &mut gradient);
                self.adam.step(&mut self.params, [&mut gradient]);
            }
        }
    }
}

/// 1 − Var(target − value)/Var(target): 1 for perfect values, 0 for a constant.
pub(crate) fn explained_variance(values: &[f32], targets: &[f32]) -> f64 {
    let errors = values.iter().zip(targets).map(|(v, t)| f64::from(t - v));
    let (_, unexplained) = mean_and_variance(errors);
    let (_, total) = mean_and_variance(targets.iter().map(|&t| f64::from(t)));
    1.0 - unexplained / total.max(f64::MIN_POSITIVE)
}

pub(crate) fn mean_and_variance(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (mean, values.map(|x| (x - mean).powi(2)).sum::<f64>() / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use tutelage::Stream;

    #[test]
    fn smooth_function_is_learned() {
        let mut rng = Stream::new(1).rng();
        let training = ValueTraining { epochs: 60, minibatch: 50, learning_rate: 1e-3 };
        let mut value = ValueFunction::random(&[2, 64, 64, 1], training, &mut rng).unwrap();
        let mut states = Batch::zeros(2000, 2);
        states.as_mut_slice().fill_with(|| rng.random_range(-1.0..1.0));
        let targets: Vec<f32> = states.rows().map(|s| 2.0 + s[0] * s[1]).collect();
        assert!(explained_variance(&value.predict(&states), &targets) < 0.5);
        value.fit(&states, &targets, &mut rng);
        let explained = explained_variance(&value.predict(&states), &targets);
        assert!(explained > 0.9, "{explained}");
    }

    #[test]
    fn explained_variance_of_a_constant_is_zero() {
        assert_eq!(explained_variance(&[3.0; 4], &[1.0, 2.0, 3.0, 4.0]), 0.0);
        assert_eq!(explained_variance(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
    }
}
