//! AVX-512 and AVX2 give the same bits for every shape and pass.
//!
//! Runs can therefore be resumed on another machine, and records of both can be compared.

#![allow(clippy::unwrap_used)] // a failed step fails the test

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tutelage_net::{
    Adam, AdamSettings, AlignedVec, Backprop, ExampleSource, Isa, Layout, Loss, LossGradient,
    Network, Parameters, Tape, TransposedWeights,
};

const SHAPES: [&[usize]; 9] = [
    &[28, 64, 64, 8],
    &[26, 64, 64, 6],
    &[15, 4, 3],
    &[26, 12, 6],
    &[22, 24, 6],
    &[5, 9, 17, 33, 1],
    &[3, 2],
    &[40, 100, 48, 20],
    &[1, 200, 1],
];

/// Returns the two instruction sets if this CPU has both.
fn both() -> Option<[Isa; 2]> {
    if !Isa::Avx512.is_available() {
        eprintln!("NOT TESTED: this CPU has no AVX-512");
        return None;
    }
    Some([Isa::Avx2Fma, Isa::Avx512])
}

/// Returns shapes with every width from 1 to 70 as input, hidden layer and output, and typical shapes.
fn shapes() -> Vec<Vec<usize>> {
    let widths = (1..=70).flat_map(|w| [vec![w, 7], vec![3, w, 2], vec![5, 71 - w, w]]);
    widths.chain(SHAPES.iter().map(|shape| shape.to_vec())).collect()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..len).map(|_| rng.random_range(-1.5..1.5)).collect()
}

/// Returns random parameters with zero padding.
fn parameters(layout: &Layout, seed: u64) -> AlignedVec {
    let mut params = layout.orthogonal(2.0, 1.0, &mut ChaCha8Rng::seed_from_u64(seed));
    for layer in layout.layers() {
        let bias = &mut params[layer.bias.clone()][..layer.outputs];
        bias.copy_from_slice(&numbers(layer.outputs, seed + 1));
    }
    params
}

/// Returns all numbers of a tape.
fn levels(network: &Network, tape: &Tape) -> Vec<u32> {
    let rows = (0..network.layout().widths().len())
        .flat_map(|l| (0..tape.rows()).flat_map(move |i| bits(tape.row(l, i))));
    rows.collect()
}

/// Returns activations, gradient and tangents.
fn passes(widths: &[usize], rows: usize, isa: Isa) -> [Vec<u32>; 3] {
    let network = Network::new(widths).unwrap().with_isa(isa);
    let layout = network.layout();
    let params = parameters(layout, 1);
    let (mut tape, mut tangents) = (Tape::new(layout, rows), Tape::new(layout, rows));
    network.forward(&params, &numbers(rows * widths[0], 2), &mut tape);
    network.tangent(&params, &parameters(layout, 3), &tape, &mut tangents);

    let mut backprop = Backprop::new(layout);
    let deltas = backprop.deltas(rows);
    let values = numbers(rows * layout.outputs(), 4);
    for (i, row) in values.chunks_exact(layout.outputs()).enumerate() {
        deltas.output_mut(i).copy_from_slice(row);
    }
    let mut gradient = parameters(layout, 5);
    network.backward(&params, &tape, &mut backprop, &mut gradient);
    // The input has no tangent, so its level is unspecified.
    let tangents: Vec<u32> = (0..rows).flat_map(|i| bits(tangents.output(i))).collect();
    [levels(&network, &tape), bits(&gradient), tangents]
}

#[test]
fn passes_agree_for_all_widths_and_batch_sizes() {
    let Some([narrow, wide]) = both() else { return };
    for shape in shapes() {
        for rows in [1, 2, 3, 13, 50, 51, 87, 200] {
            let names = ["activations", "gradient", "tangents"];
            let results = passes(&shape, rows, narrow).into_iter().zip(passes(&shape, rows, wide));
            for (name, (expected, found)) in names.iter().zip(results) {
                assert!(expected == found, "{name} of {shape:?}, {rows} rows");
            }
        }
    }
}

/// Random rows with labels beyond the clip. As classes, the largest label is the target.
struct RandomRows<const CLASSES: bool> {
    inputs: Vec<f32>,
    labels: Vec<f32>,
}

impl<const CLASSES: bool> ExampleSource for RandomRows<CLASSES> {
    const LOSS: Loss = if CLASSES { Loss::CrossEntropy } else { Loss::ClippedSquares };

    #[inline(always)]
    fn write(&self, example: u32, input: &mut [f32], target: &mut [f32]) {
        let (row, width, outputs) = (example as usize, input.len(), target.len());
        input.copy_from_slice(&self.inputs[row * width..][..width]);
        target.copy_from_slice(&self.labels[row * outputs..][..outputs]);
        if CLASSES {
            let largest = target.iter().copied().fold(f32::MIN, f32::max);
            target.iter_mut().for_each(|y| *y = f32::from(*y == largest));
        }
    }
}

/// Returns the parameters and the moments after `steps` steps on minibatches of `batch` rows.
fn trained<const CLASSES: bool>(
    widths: &[usize],
    (batch, steps): (usize, u32),
    isa: Isa,
) -> [Vec<u32>; 3] {
    let network = Network::new(widths).unwrap().with_isa(isa);
    let layout = network.layout();
    let count = 2 * batch + 1;
    let source: RandomRows<CLASSES> = RandomRows {
        inputs: numbers(count * widths[0], 6),
        labels: numbers(count * layout.outputs(), 7),
    };
    let (mut params, mut transposed) = (parameters(layout, 8), TransposedWeights::new(layout));
    let mut adam = Adam::new(AdamSettings::default(), layout.len(), isa);
    let [mut first, mut second] = [LossGradient::new(layout), LossGradient::new(layout)];
    for step in 0..steps {
        let rows: Vec<u32> =
            (0..batch as u32).map(|i| (i * 7 + step * 11) % count as u32).collect();
        transposed.update(&network, &params);
        let (front, back) = rows.split_at(batch.div_ceil(2));
        let parameters = Parameters { params: &params, transposed: &transposed };
        first.add(&network, parameters, &source, front, 1.0 / batch as f32);
        second.add(&network, parameters, &source, back, 1.0 / batch as f32);
        adam.step(&mut params, [first.sum_mut(), second.sum_mut()]);
    }
    let (_, mean, square) = adam.state();
    [bits(&params), bits(mean), bits(square)]
}

fn check_training<const CLASSES: bool>(widths: &[usize], batch: usize, steps: u32) {
    let Some(isas) = both() else { return };
    let [expected, found] = isas.map(|isa| trained::<CLASSES>(widths, (batch, steps), isa));
    assert!(expected == found, "{widths:?}, {steps} steps of {batch} rows, classes: {CLASSES}");
}

#[test]
fn training_agrees_after_hundreds_of_steps() {
    for shape in SHAPES {
        check_training::<false>(shape, 200, 300);
        check_training::<true>(shape, 57, 100);
    }
}

#[test]
fn training_agrees_for_all_widths() {
    for shape in shapes() {
        check_training::<false>(&shape, 31, 5);
    }
}
