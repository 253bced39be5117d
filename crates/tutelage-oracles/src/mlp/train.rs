//! Training of one member.

use rayon::join;
use tutelage::Stream;
use tutelage::oracle::FitProgress;
use tutelage_net::{
    Adam, AlignedVec, BLOCK, Layout, Loss, LossGradient, Network, Parameters, TransposedWeights,
};

use super::examples::Examples;
use super::head::OutputHead;
use super::schedule::Minibatches;
use super::settings::MlpSettings;

/// The fewest multiply-adds per half minibatch for which a second thread pays off.
const WORTH_SHARING: usize = 200_000;

/// Trains a network from random parameters with Adam and returns its parameters.
///
/// A minibatch is always split into the same two halves, whose gradients are added in the same order.
/// The result is therefore bit-identical whether or not another thread computes the second half.
pub(crate) fn train<A: OutputHead>(
    network: &Network,
    settings: &MlpSettings,
    (examples, rows): (&Examples<'_, A>, Vec<u32>),
    stream: &Stream,
    training: Option<&FitProgress>,
) -> AlignedVec {
    let layout = network.layout();
    let mut params = initial(layout, stream);
    let iterations = settings.budget.iterations(rows.len(), settings.batch);
    let mut minibatches = Minibatches::new(rows, settings.batch, stream.fork("shuffle", 0).rng());
    let mut adam = Adam::new(settings.adam, layout.len(), network.isa());
    let mut transposed = TransposedWeights::new(layout);
    let [mut first, mut second] = [LossGradient::new(layout), LossGradient::new(layout)];

    for iteration in 0..iterations {
        let rows = minibatches.next();
        let (first_rows, second_rows) = rows.split_at(halfway(rows.len()));
        transposed.update(network, &params);
        let parameters = Parameters { params: &params, transposed: &transposed };
        let scale = scale::<A>(rows.len(), layout.outputs());
        let half = |rows, gradient: &mut LossGradient| {
            gradient.add(network, parameters, examples, rows, scale);
        };
        if second_rows.len() * layout.weight_count() < WORTH_SHARING {
            half(first_rows, &mut first);
            half(second_rows, &mut second);
        } else {
            join(|| half(first_rows, &mut first), || half(second_rows, &mut second));
        }
        adam.step(&mut params, [first.sum_mut(), second.sum_mut()]);
        if let Some(training) = training {
            training.advance(parts(iteration + 1, iterations) - parts(iteration, iterations));
        }
    }
    params
}

/// Progress steps per member.
pub(crate) const PARTS: u64 = 200;

/// Converts finished iterations to progress steps.
fn parts(done: usize, all: usize) -> u64 {
    done as u64 * PARTS / all as u64
}

/// Returns initial parameters: orthogonal, with gain √2 in hidden layers and 1 in the last.
pub(crate) fn initial(layout: &Layout, stream: &Stream) -> AlignedVec {
    layout.orthogonal(2f64.sqrt(), 1.0, &mut stream.fork("init", 0).rng())
}

/// Returns where the second half of a minibatch starts. One block of rows is not split.
fn halfway(rows: usize) -> usize {
    if rows <= BLOCK { rows } else { rows.div_ceil(2) }
}

/// Returns the constant factor of the gradient.
///
/// The loss is a mean over rows (and over outputs for squares, whose derivative has a factor 2).
fn scale<A: OutputHead>(rows: usize, outputs: usize) -> f32 {
    match A::LOSS {
        Loss::ClippedSquares => 2.0 / (rows * outputs) as f32,
        Loss::CrossEntropy => 1.0 / rows as f32,
    }
}

#[cfg(test)]
mod tests {
    use tutelage::oracle::View;
    use tutelage::{Dataset, Spaces};
    use tutelage_net::Isa;
    use tutelage_net::reference::{reference_levels, to_f64};

    use super::super::examples::EncodedData;
    use super::super::schedule::TrainingBudget;
    use super::*;
    use crate::standardize::Standardize;

    /// Returns rows with labels and outputs beyond the clip, and more rows than a batch.
    fn data<A: OutputHead>(
        spaces: Spaces,
        rows: usize,
        label: impl Fn(usize, usize) -> A,
    ) -> Dataset<f32, A> {
        let mut data = Dataset::empty(spaces);
        let width = A::width(spaces.actions);
        for i in 0..rows {
            let state: Vec<f32> =
                (0..spaces.states).map(|j| ((i * 31 + j * 17) % 97) as f32 / 30.0 - 1.6).collect();
            data.states.push(&state);
            data.actions.push(&(0..width).map(|j| label(i, j)).collect::<Vec<_>>());
        }
        data
    }

    /// The same training in f64, without optimizations.
    fn reference<A: OutputHead>(
        layout: &Layout,
        settings: &MlpSettings,
        data: &Dataset<f32, A>,
        stream: &Stream,
    ) -> Vec<f64> {
        let mut params = to_f64(&initial(layout, stream));
        let (mut mean, mut square) = (vec![0.0; params.len()], vec![0.0; params.len()]);
        let mut minibatches = Minibatches::new(
            (0..data.len() as u32).collect(),
            settings.batch,
            stream.fork("shuffle", 0).rng(),
        );
        for t in 1..=settings.budget.iterations(data.len(), settings.batch) as i32 {
            let gradient = reference_gradient(layout, &params, data, minibatches.next());
            let a = settings.adam;
            for i in 0..params.len() {
                mean[i] = a.beta1 * mean[i] + (1.0 - a.beta1) * gradient[i];
                square[i] = a.beta2 * square[i] + (1.0 - a.beta2) * gradient[i] * gradient[i];
                let (m, v) =
                    (mean[i] / (1.0 - a.beta1.powi(t)), square[i] / (1.0 - a.beta2.powi(t)));
                params[i] -= a.learning_rate * m / (v.sqrt() + a.epsilon);
            }
        }
        params
    }

    fn reference_gradient<A: OutputHead>(
        layout: &Layout,
        params: &[f64],
        data: &Dataset<f32, A>,
        rows: &[u32],
    ) -> Vec<f64> {
        let mut gradient = vec![0.0; params.len()];
        for &row in rows {
            let levels = reference_levels(layout, params, &to_f64(data.states.row(row as usize)));
            let mut target = vec![0.0; layout.outputs()];
            A::write_target(data.actions.row(row as usize), &mut target);
            let mut delta =
                reference_delta(A::LOSS, &levels[layout.layers().len()], &target, rows.len());
            for (l, layer) in layout.layers().iter().enumerate().rev() {
                let mut below = vec![0.0; layer.inputs];
                for j in 0..layer.outputs {
                    gradient[layer.bias.start + j] += delta[j];
                    for i in 0..layer.inputs {
                        let at = layer.weights.start + i * layer.stride + j;
                        gradient[at] += levels[l][i] * delta[j];
                        below[i] += params[at] * delta[j] * (1.0 - levels[l][i] * levels[l][i]);
                    }
                }
                delta = below;
            }
        }
        gradient
    }

    fn reference_delta(loss: Loss, z: &[f64], target: &[f32], rows: usize) -> Vec<f64> {
        let target = to_f64(target);
        match loss {
            Loss::ClippedSquares => (0..z.len())
                .map(|j| {
                    if z[j].abs() > 1.0 {
                        0.0
                    } else {
                        2.0 * (z[j] - target[j].clamp(-1.0, 1.0)) / (rows * z.len()) as f64
                    }
                })
                .collect(),
            Loss::CrossEntropy => {
                let sum: f64 = z.iter().map(|z| z.exp()).sum();
                (0..z.len()).map(|j| (z[j].exp() / sum - target[j]) / rows as f64).collect()
            }
        }
    }

    fn trained<A: OutputHead>(
        widths: &[usize],
        isa: Isa,
        settings: &MlpSettings,
        data: &Dataset<f32, A>,
        stream: &Stream,
    ) -> AlignedVec {
        let network = Network::new(widths).unwrap().with_isa(isa);
        let spaces = Spaces { states: widths[0], actions: widths[widths.len() - 1] };
        let seen = EncodedData::new(data, spaces, Standardize::No).unwrap();
        let mut view = View::All;
        let (examples, rows) = Examples::of_view(&seen, &mut view).unwrap();
        train(&network, settings, (&examples, rows), stream, None)
    }

    fn agrees_with_the_reference<A: OutputHead>(
        widths: &[usize],
        rows: usize,
        iterations: usize,
        label: impl Fn(usize, usize) -> A,
    ) {
        let spaces = Spaces { states: widths[0], actions: widths[widths.len() - 1] };
        let data = data(spaces, rows, label);
        let mut settings = MlpSettings::new(&widths[1..widths.len() - 1]);
        settings.budget = TrainingBudget::Iterations(iterations);
        let stream = Stream::new(11);
        let layout = Layout::new(widths).unwrap();
        let expected = reference(&layout, &settings, &data, &stream);
        let start = initial(&layout, &stream);
        for isa in Isa::available() {
            let params = trained(widths, isa, &settings, &data, &stream);
            let error = params
                .iter()
                .zip(&expected)
                .map(|(p, e)| (f64::from(*p) - e).abs())
                .fold(0.0, f64::max);
            let moved = params.iter().zip(&*start).map(|(p, s)| (p - s).abs()).fold(0.0, f32::max);
            assert!(error < 1e-5, "{isa:?} {widths:?}: parameters off by {error}");
            assert!(moved > 1e-2, "{isa:?} {widths:?}: training moved nothing ({moved})");
        }
    }

    #[test]
    fn training_agrees_with_f64_reference() {
        let label = |i: usize, j: usize| ((i * 7 + j * 5) % 23) as f32 / 8.0 - 1.4;
        agrees_with_the_reference(&[28, 64, 64, 8], 450, 300, label);
        agrees_with_the_reference(&[15, 4, 3], 330, 400, label);
        agrees_with_the_reference(&[26, 12, 6], 90, 400, label);
        agrees_with_the_reference(&[5, 3], 201, 400, label);
    }

    #[test]
    fn cross_entropy_agrees_with_f64_reference() {
        agrees_with_the_reference(&[6, 10, 5], 260, 300, |i, _| (i * 3 % 5) as u32);
    }

    #[test]
    fn gradient_is_zero_only_outside_the_clip() {
        // One row and one output. With z = 3 the gradient is zero; with z = 0.5 it is not.
        let layout = Layout::new(&[1, 1]).unwrap();
        for (state, moves) in [(3.0, false), (0.5, true)] {
            let data: Dataset<f32, f32> = {
                let mut data = Dataset::empty(Spaces { states: 1, actions: 1 });
                data.states.push(&[state]);
                data.actions.push(&[0.0]);
                data
            };
            let mut settings = MlpSettings::new(&[]);
            settings.budget = TrainingBudget::Iterations(5);
            let stream = Stream::new(1);
            let start = initial(&layout, &stream);
            assert_eq!(start[0].abs(), 1.0, "an orthogonal 1 × 1 matrix");
            assert_eq!(trained(&[1, 1], Isa::detect(), &settings, &data, &stream) != start, moves);
        }
    }
}
