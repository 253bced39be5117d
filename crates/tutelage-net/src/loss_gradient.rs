//! The gradient of a loss over a minibatch: gather, forward, loss, backward, one block at a time.

use crate::passes::{backward, forward, transpose_weights, transposed_len};
use crate::simd::{Simd, SimdKernel, run};
use crate::tile::balanced;
use crate::{AlignedVec, Layout, Loss, Network, Tape, padded};

/// Rows per block: few enough that the activations and deltas of a layer stay in the L1 cache.
pub const BLOCK: usize = 50;

/// The examples of a training set.
///
/// ```
/// use tutelage_net::{Loss, ExampleSource};
///
/// /// The function x² at the example's index.
/// struct Squares;
/// impl ExampleSource for Squares {
///     const LOSS: Loss = Loss::ClippedSquares;
///     fn write(&self, example: u32, input: &mut [f32], target: &mut [f32]) {
///         (input[0], target[0]) = (example as f32, (example * example) as f32);
///     }
/// }
/// let (mut input, mut target) = ([0.0], [0.0]);
/// Squares.write(3, &mut input, &mut target);
/// assert_eq!((input, target), ([3.0], [9.0]));
/// ```
pub trait ExampleSource {
    /// The loss of these targets.
    const LOSS: Loss;

    /// Writes the input and the target of an example.
    ///
    /// Mark implementations `#[inline(always)]`, so that they are compiled with the kernel's instructions.
    fn write(&self, example: u32, input: &mut [f32], target: &mut [f32]);
}

/// The transposed weights, as the backward pass needs them.
#[derive(Debug, Clone)]
pub struct TransposedWeights(AlignedVec);

impl TransposedWeights {
    /// Allocates memory for networks of this layout.
    pub fn new(layout: &Layout) -> Self {
        Self(AlignedVec::zeros(transposed_len(layout)))
    }

    /// Transposes the weights of `params`.
    pub fn update(&mut self, network: &Network, params: &[f32]) {
        let layout = network.layout();
        assert_eq!(self.0.len(), transposed_len(layout), "memory made for another network");
        run(network.isa(), Transpose { layout, params, transposed: &mut self.0 });
    }
}

/// A parameter vector `θ` with its transposed weights.
#[derive(Debug, Clone, Copy)]
pub struct Parameters<'a> {
    /// `θ`.
    pub params: &'a [f32],
    /// The weights of `θ`, transposed by [`TransposedWeights::update`].
    pub transposed: &'a TransposedWeights,
}

/// A sum of loss gradients, with working memory.
///
/// ```
/// use tutelage_net::{ExampleSource, Loss, LossGradient, Network, Parameters, TransposedWeights};
///
/// /// f(1) = 0.5.
/// struct OneExample;
/// impl ExampleSource for OneExample {
///     const LOSS: Loss = Loss::ClippedSquares;
///     fn write(&self, _: u32, input: &mut [f32], target: &mut [f32]) {
///         input[0] = 1.0;
///         target[0] = 0.5;
///     }
/// }
/// let network = Network::new(&[1, 1])?;
/// let params = network.layout().zeros();
/// let mut transposed = TransposedWeights::new(network.layout());
/// transposed.update(&network, &params);
///
/// let mut gradient = LossGradient::new(network.layout());
/// let parameters = Parameters { params: &params, transposed: &transposed };
/// gradient.add(&network, parameters, &OneExample, &[0], 1.0);
/// assert_eq!(network.layout().dense(gradient.sum(), 0), (vec![-0.5], vec![-0.5]));
/// # Ok::<(), tutelage_net::LayoutError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LossGradient {
    tape: Tape,
    targets: AlignedVec,
    sum: AlignedVec,
}

impl LossGradient {
    /// Creates a zero sum for networks of this layout.
    pub fn new(layout: &Layout) -> Self {
        Self {
            tape: Tape::new(layout, BLOCK),
            targets: AlignedVec::zeros(BLOCK * padded(layout.outputs())),
            sum: layout.zeros(),
        }
    }

    /// Adds the gradient of `scale · Σ loss` over these rows of the source.
    pub fn add<X: ExampleSource>(
        &mut self,
        network: &Network,
        parameters: Parameters<'_>,
        source: &X,
        rows: &[u32],
        scale: f32,
    ) {
        let layout = network.layout();
        assert!(self.tape.fits(layout), "memory made for another network");
        run(network.isa(), AddGradient { layout, parameters, source, rows, scale, into: self });
    }

    /// Returns the sum.
    pub fn sum(&self) -> &[f32] {
        &self.sum
    }

    /// Returns the sum for [`Adam::step`](crate::Adam::step), which sets it to zero.
    pub fn sum_mut(&mut self) -> &mut [f32] {
        &mut self.sum
    }
}

struct AddGradient<'a, X> {
    layout: &'a Layout,
    parameters: Parameters<'a>,
    source: &'a X,
    rows: &'a [u32],
    scale: f32,
    into: &'a mut LossGradient,
}

impl<X: ExampleSource> SimdKernel for AddGradient<'_, X> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let LossGradient { tape, targets, sum } = self.into;
        let Parameters { params, transposed } = self.parameters;
        let (inputs, outputs) = (self.layout.inputs(), self.layout.outputs());
        let (top, stride) = (self.layout.layers().len(), padded(outputs));
        for (first, count) in balanced(self.rows.len(), BLOCK) {
            tape.set_rows(count);
            let levels = tape.levels_mut();
            let rows = self.rows[first..first + count].iter();
            for ((i, &row), target) in rows.enumerate().zip(targets.chunks_exact_mut(stride)) {
                // SAFETY: level 0 of the tape has `count` rows of `inputs` numbers, and is borrowed mutably.
                let input = unsafe { std::slice::from_raw_parts_mut(levels.row(0, i), inputs) };
                self.source.write(row, input, &mut target[..outputs]);
            }
            // SAFETY: the tape fits this layout, has `count` rows, and is borrowed mutably; the top level has
            // `count · stride` numbers. Deltas overwrite activations, which saves cache.
            unsafe {
                forward::<S>(self.layout, params, &levels, 0, count);
                let z = std::slice::from_raw_parts_mut(levels.row(top, 0), count * stride);
                X::LOSS.delta::<S>(z, &targets[..count * stride], (stride, outputs), self.scale);
                let block = (0, count);
                backward::<S>(self.layout, &transposed.0, (&levels, &levels), block, sum);
            }
        }
    }
}

struct Transpose<'a> {
    layout: &'a Layout,
    params: &'a [f32],
    transposed: &'a mut [f32],
}

impl SimdKernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        transpose_weights::<S>(self.layout, self.params, self.transposed);
    }
}
