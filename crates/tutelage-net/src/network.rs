//! A network shape with its passes over batches.

use crate::passes::{backward, forward, tangent, transpose_weights, transposed_len};
use crate::simd::{Isa, Simd, SimdKernel, run};
use crate::tile::balanced;
use crate::{AlignedVec, BLOCK, Layout, LayoutError, Tape};

/// The function `f_θ(x)` of a tanh network with a linear output layer, and its derivatives.
///
/// The parameters `θ` are a flat vector of the network's [`Layout`]. They are an argument of every
/// method, so that one `Network` serves all members of an ensemble.
///
/// ```
/// use tutelage_net::{Backprop, Network, Tape};
/// # use rand::SeedableRng;
/// # let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let network = Network::new(&[3, 16, 2])?;
/// let params = network.layout().orthogonal(2f64.sqrt(), 1.0, &mut rng);
/// let states = [0.1, 0.2, 0.3, -1.0, 0.0, 1.0]; // two rows
///
/// let mut tape = Tape::new(network.layout(), 2);
/// network.forward(&params, &states, &mut tape);
/// let first_action = tape.output(0).to_vec();
///
/// // The gradient of ½Σ‖f(x)‖²: the delta of an output is the output itself.
/// let mut backprop = Backprop::new(network.layout());
/// let deltas = backprop.deltas(2);
/// (0..2).for_each(|i| deltas.output_mut(i).copy_from_slice(tape.output(i)));
/// let mut gradient = network.layout().zeros();
/// network.backward(&params, &tape, &mut backprop, &mut gradient);
/// # assert_eq!(first_action.len(), 2);
/// # Ok::<(), tutelage_net::LayoutError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    layout: Layout,
    isa: Isa,
}

/// Working memory of [`Network::backward`]: the deltas of every level and the transposed weights.
#[derive(Debug, Clone)]
pub struct Backprop {
    deltas: Tape,
    transposed: AlignedVec,
}

impl Backprop {
    /// Allocates working memory for networks of this layout.
    pub fn new(layout: &Layout) -> Self {
        Self { deltas: Tape::new(layout, 0), transposed: AlignedVec::zeros(transposed_len(layout)) }
    }

    /// Returns the deltas of a batch. Set the output rows to `∂loss/∂f(x_i)`, times row weights if any.
    pub fn deltas(&mut self, rows: usize) -> &mut Tape {
        self.deltas.set_rows(rows);
        &mut self.deltas
    }
}

impl Network {
    /// Creates a network of these widths, input first, with the best instruction set of this CPU.
    pub fn new(widths: &[usize]) -> Result<Self, LayoutError> {
        Ok(Self { layout: Layout::new(widths)?, isa: Isa::detect() })
    }

    /// Uses another instruction set; falls back to the best available one if the CPU lacks it.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Returns the layout of the parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Computes `f_θ` of every row of `states`, dense `[rows][inputs]`, and keeps all levels on the tape.
    pub fn forward(&self, params: &[f32], states: &[f32], tape: &mut Tape) {
        let width = self.layout.inputs();
        assert!(tape.fits(&self.layout), "tape of another network");
        assert!(
            states.len().is_multiple_of(width),
            "{} numbers do not form rows of width {width}",
            states.len()
        );
        tape.set_rows(states.len() / width);
        for (i, state) in states.chunks_exact(width).enumerate() {
            tape.row_mut(0, i).copy_from_slice(state);
        }
        self.forward_tape(params, tape);
    }

    /// Like [`forward`](Self::forward), for inputs that are already on level 0 of the tape.
    pub fn forward_tape(&self, params: &[f32], tape: &mut Tape) {
        assert!(tape.fits(&self.layout), "tape of another network");
        run(self.isa, Forward { layout: &self.layout, params, tape });
    }

    /// Adds `Σ_i δ_iᵀ ∂f_θ(x_i)/∂θ` to `gradient`, for the rows of the last forward pass and the output deltas in `backprop`.
    pub fn backward(
        &self,
        params: &[f32],
        tape: &Tape,
        backprop: &mut Backprop,
        gradient: &mut [f32],
    ) {
        assert!(
            tape.fits(&self.layout) && backprop.deltas.fits(&self.layout),
            "tape of another network"
        );
        assert_eq!(tape.rows(), backprop.deltas.rows(), "numbers of rows differ");
        run(self.isa, Backward { layout: &self.layout, params, tape, backprop, gradient });
    }

    /// Computes `∂f_θ(x_i)/∂θ · direction` for the last forward pass, in the output rows of `tangents`.
    pub fn tangent(&self, params: &[f32], direction: &[f32], tape: &Tape, tangents: &mut Tape) {
        assert!(tape.fits(&self.layout) && tangents.fits(&self.layout), "tape of another network");
        tangents.set_rows(tape.rows());
        run(self.isa, Tangent { layout: &self.layout, params, direction, tape, tangents });
    }
}

struct Forward<'a> {
    layout: &'a Layout,
    params: &'a [f32],
    tape: &'a mut Tape,
}

impl SimdKernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let rows = self.tape.rows();
        let levels = self.tape.levels_mut();
        for (first, rows) in balanced(rows, BLOCK) {
            // SAFETY: the tape fits the layout, has these rows and is borrowed mutably.
            unsafe { forward::<S>(self.layout, self.params, &levels, first, rows) };
        }
    }
}

struct Backward<'a> {
    layout: &'a Layout,
    params: &'a [f32],
    tape: &'a Tape,
    backprop: &'a mut Backprop,
    gradient: &'a mut [f32],
}

impl SimdKernel for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Backprop { deltas, transposed } = self.backprop;
        transpose_weights::<S>(self.layout, self.params, transposed);
        let levels = (&self.tape.levels(), &deltas.levels_mut());
        for block in balanced(self.tape.rows(), BLOCK) {
            // SAFETY: both tapes fit the layout and hold these rows; the deltas are borrowed mutably, activations are only read.
            unsafe { backward::<S>(self.layout, transposed, levels, block, self.gradient) };
        }
    }
}

struct Tangent<'a> {
    layout: &'a Layout,
    params: &'a [f32],
    direction: &'a [f32],
    tape: &'a Tape,
    tangents: &'a mut Tape,
}

impl SimdKernel for Tangent<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let levels = (&self.tape.levels(), &self.tangents.levels_mut());
        for block in balanced(self.tape.rows(), BLOCK) {
            // SAFETY: both tapes fit the layout and hold these rows; the tangents are borrowed mutably, activations are only read.
            unsafe { tangent::<S>(self.layout, (self.params, self.direction), levels, block) };
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::reference::{reference_output, to_f64};

    const SHAPES: [&[usize]; 5] =
        [&[28, 64, 64, 8], &[15, 4, 3], &[22, 24, 6], &[3, 2], &[5, 9, 17, 33, 1]];

    fn setup(widths: &[usize], isa: Isa, rows: usize) -> (Network, AlignedVec, Vec<f32>) {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let network = Network::new(widths).unwrap().with_isa(isa);
        let mut params = network.layout().orthogonal(2f64.sqrt(), 1.0, &mut rng);
        for layer in network.layout().layers() {
            params[layer.bias.clone()][..layer.outputs].fill(0.1);
        }
        let states = (0..rows * widths[0]).map(|i| ((i * 37 % 101) as f32 - 50.0) / 40.0).collect();
        (network, params, states)
    }

    #[test]
    fn forward_agrees_with_f64_reference() {
        for isa in Isa::available() {
            for widths in SHAPES {
                for rows in [1, 7, 50, 123] {
                    let (network, params, states) = setup(widths, isa, rows);
                    let mut tape = Tape::new(network.layout(), 4);
                    network.forward(&params, &states, &mut tape);
                    for (i, state) in states.chunks_exact(widths[0]).enumerate() {
                        let expected =
                            reference_output(network.layout(), &to_f64(&params), &to_f64(state));
                        for (z, e) in tape.output(i).iter().zip(expected) {
                            assert!(
                                (f64::from(*z) - e).abs() < 3e-6,
                                "{isa:?} {widths:?} row {i}: {z} against {e}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// Returns `Σ_i c_i·f(x_i)` in f64; its gradient is the backward pass with deltas `c`.
    fn weighted_sum(
        network: &Network,
        params: &[f64],
        states: &[f32],
        coefficient: impl Fn(usize, usize) -> f32,
    ) -> f64 {
        let rows = states.chunks_exact(network.layout().inputs()).enumerate();
        rows.map(|(i, state)| {
            let output = reference_output(network.layout(), params, &to_f64(state));
            output.iter().enumerate().map(|(j, z)| z * f64::from(coefficient(i, j))).sum::<f64>()
        })
        .sum()
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let coefficient = |i: usize, j: usize| ((i * 5 + j * 3) % 7) as f32 / 7.0 - 0.4;
        for isa in Isa::available() {
            for widths in SHAPES {
                let rows = 61;
                let (network, params, states) = setup(widths, isa, rows);
                let layout = network.layout();
                let (mut tape, mut backprop) = (Tape::new(layout, rows), Backprop::new(layout));
                network.forward(&params, &states, &mut tape);
                let deltas = backprop.deltas(rows);
                for i in 0..rows {
                    deltas
                        .output_mut(i)
                        .iter_mut()
                        .enumerate()
                        .for_each(|(j, d)| *d = coefficient(i, j));
                }
                let mut gradient = layout.zeros();
                network.backward(&params, &tape, &mut backprop, &mut gradient);

                let params64 = to_f64(&params);
                let mut direction = layout.zeros();
                for p in (0..layout.len()).filter(|p| is_parameter(layout, *p)) {
                    direction[p] = ((p * 13) % 17) as f32 / 17.0 - 0.5;
                }
                for p in (0..layout.len()).step_by(1 + layout.len() / 97) {
                    let shifted = |h: f64| {
                        let mut q = params64.clone();
                        q[p] += h;
                        weighted_sum(&network, &q, &states, coefficient)
                    };
                    let slope = if is_parameter(layout, p) {
                        (shifted(1e-5) - shifted(-1e-5)) / 2e-5
                    } else {
                        0.0
                    };
                    let error = (f64::from(gradient[p]) - slope).abs();
                    assert!(
                        error < 1e-5 * (1.0 + slope.abs()),
                        "{isa:?} {widths:?}: parameter {p}: {} against {slope}",
                        gradient[p]
                    );
                }

                let mut tangents = Tape::new(layout, 0);
                network.tangent(&params, &direction, &tape, &mut tangents);
                let along = |h: f64| -> Vec<f64> {
                    params64.iter().zip(&*direction).map(|(p, d)| p + h * f64::from(*d)).collect()
                };
                for (i, state) in states.chunks_exact(widths[0]).enumerate() {
                    let [plus, minus] =
                        [1e-5, -1e-5].map(|h| reference_output(layout, &along(h), &to_f64(state)));
                    for (j, t) in tangents.output(i).iter().enumerate() {
                        let slope = (plus[j] - minus[j]) / 2e-5;
                        assert!(
                            (f64::from(*t) - slope).abs() < 2e-5 * (1.0 + slope.abs()),
                            "{isa:?} {widths:?} row {i}: {t} against {slope}"
                        );
                    }
                }
            }
        }
    }

    fn is_parameter(layout: &Layout, p: usize) -> bool {
        layout.layers().iter().any(|l| {
            let within = |range: &std::ops::Range<usize>| {
                range.contains(&p) && (p - range.start) % l.stride < l.outputs
            };
            within(&l.weights) || within(&l.bias)
        })
    }

    #[test]
    fn backward_accumulates_and_keeps_activations() {
        let (network, params, states) = setup(&[15, 4, 3], Isa::detect(), 9);
        let (mut tape, mut backprop) =
            (Tape::new(network.layout(), 9), Backprop::new(network.layout()));
        network.forward(&params, &states, &mut tape);
        let hidden = tape.row(1, 8).to_vec();
        let mut gradient = network.layout().zeros();
        let mut once = network.layout().zeros();
        for round in 0..2 {
            let deltas = backprop.deltas(9);
            (0..9).for_each(|i| deltas.output_mut(i).fill(0.5));
            network.backward(&params, &tape, &mut backprop, &mut gradient);
            if round == 0 {
                once.copy_from_slice(&gradient);
            }
        }
        assert_eq!(tape.row(1, 8), hidden);
        assert!(
            gradient
                .iter()
                .zip(&*once)
                .all(|(twice, once)| (twice - 2.0 * once).abs() <= 1e-5 * (1.0 + once.abs()))
        );
    }
}
