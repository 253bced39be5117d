//! A network over many rows, in blocks of fixed size. Threads take blocks in any order, and sums
//! over blocks have one order.

use rayon::prelude::*;
use tutelage::Batch;
use tutelage_net::{AlignedVec, Backprop, Network, Tape};

/// The rows of a block. Sums over blocks do not depend on the number of threads, because this does
/// not.
const ROWS: usize = 500;

/// Some rows, and the working memory of passes over them.
pub(crate) struct Block {
    /// The index of the block's first row.
    pub(crate) first: usize,
    pub(crate) tape: Tape,
    tangents: Tape,
    backprop: Backprop,
    gradient: AlignedVec,
}

/// All rows of a batch, in blocks.
pub(crate) struct Blocks<'a> {
    network: &'a Network,
    blocks: Vec<Block>,
    rows: usize,
}

impl<'a> Blocks<'a> {
    /// Every `stride`-th row of `states`.
    pub(crate) fn new(network: &'a Network, states: &Batch<f32>, stride: usize) -> Self {
        let rows: Vec<&[f32]> = states.rows().step_by(stride.max(1)).collect();
        let layout = network.layout();
        let block = |(index, rows): (usize, &[&[f32]])| {
            let mut tape = Tape::new(layout, rows.len());
            tape.set_rows(rows.len());
            rows.iter().enumerate().for_each(|(i, row)| tape.row_mut(0, i).copy_from_slice(row));
            let (tangents, backprop) = (Tape::new(layout, 0), Backprop::new(layout));
            Block { first: index * ROWS, tape, tangents, backprop, gradient: layout.zeros() }
        };
        let blocks = rows.chunks(ROWS).enumerate().map(block).collect();
        Self { network, blocks, rows: rows.len() }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Computes f_θ of every row on the tapes.
    pub(crate) fn forward(&mut self, params: &[f32]) {
        let network = self.network;
        self.blocks.par_iter_mut().for_each(|block| network.forward_tape(params, &mut block.tape));
    }

    /// The outputs of the last forward pass.
    pub(crate) fn outputs(&self) -> Batch<f32> {
        let mut outputs = Batch::new(self.network.layout().outputs());
        for block in &self.blocks {
            (0..block.tape.rows()).for_each(|i| outputs.push(block.tape.output(i)));
        }
        outputs
    }

    /// Σᵢ δᵢᵀ ∂f(xᵢ)/∂θ, where `delta(i, f(xᵢ), δᵢ)` writes the output's gradient of row i.
    pub(crate) fn gradient(
        &mut self,
        params: &[f32],
        delta: impl Fn(usize, &[f32], &mut [f32]) + Sync,
        sum: &mut [f32],
    ) {
        let network = self.network;
        self.blocks.par_iter_mut().for_each(|block| {
            let deltas = block.backprop.deltas(block.tape.rows());
            for i in 0..block.tape.rows() {
                delta(block.first + i, block.tape.output(i), deltas.output_mut(i));
            }
            block.gradient.fill(0.0);
            network.backward(params, &block.tape, &mut block.backprop, &mut block.gradient);
        });
        self.add_gradients(sum);
    }

    /// Σᵢ Jᵢᵀ diag(scale) Jᵢ v with Jᵢ = ∂f(xᵢ)/∂θ: a tangent pass along v, then a backward pass.
    pub(crate) fn gauss_newton(
        &mut self,
        params: &[f32],
        v: &[f32],
        scale: &[f32],
        sum: &mut [f32],
    ) {
        let network = self.network;
        self.blocks.par_iter_mut().for_each(|block| {
            let Block { tape, tangents, backprop, gradient, .. } = block;
            network.tangent(params, v, tape, tangents);
            let deltas = backprop.deltas(tape.rows());
            for i in 0..tape.rows() {
                let tangent = tangents.output(i).iter().zip(scale);
                deltas.output_mut(i).iter_mut().zip(tangent).for_each(|(d, (t, s))| *d = t * s);
            }
            gradient.fill(0.0);
            network.backward(params, tape, backprop, gradient);
        });
        self.add_gradients(sum);
    }

    /// Σᵢ `summand(i, f(xᵢ))`, in the order of the rows within blocks and of the blocks.
    pub(crate) fn sum<const N: usize>(
        &self,
        summand: impl Fn(usize, &[f32]) -> [f64; N] + Sync,
    ) -> [f64; N] {
        let block_sum = |block: &Block| {
            let rows = 0..block.tape.rows();
            rows.fold([0.0; N], |sum, i| plus(sum, summand(block.first + i, block.tape.output(i))))
        };
        let sums: Vec<[f64; N]> = self.blocks.par_iter().map(block_sum).collect();
        sums.into_iter().fold([0.0; N], plus)
    }

    fn add_gradients(&self, sum: &mut [f32]) {
        sum.fill(0.0);
        for block in &self.blocks {
            sum.iter_mut().zip(&*block.gradient).for_each(|(sum, part)| *sum += part);
        }
    }
}

fn plus<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
    std::array::from_fn(|k| a[k] + b[k])
}
