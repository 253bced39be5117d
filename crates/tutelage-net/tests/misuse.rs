//! Memory, parameters and rows that do not belong together, in every combination: whatever is safe to call panics, and reads or writes
//! nothing that it should not. (`tools/soundness.sh` runs these under a checker of memory.)

use std::panic::{AssertUnwindSafe, catch_unwind};

use tutelage_net::{
    Adam, AdamSettings, Backprop, ExampleSource, Isa, Layout, Loss, LossGradient, Network,
    Parameters, Tape, TransposedWeights,
};

const SHAPES: [&[usize]; 5] = [&[3, 5, 2], &[3, 9, 2], &[8, 8], &[1, 1], &[3, 5, 5, 2]];
/// More rows than one block of a pass has; Miri is slow, and sees as much in a few.
const MANY: usize = if cfg!(miri) { 3 } else { 60 };
const ROWS: [usize; 3] = [0, 1, MANY];

fn networks() -> impl Iterator<Item = Network> {
    Isa::available().flat_map(|isa| {
        SHAPES.iter().filter_map(move |shape| Some(Network::new(shape).ok()?.with_isa(isa)))
    })
}

/// All pairs of layouts.
fn pairs() -> impl Iterator<Item = (Layout, Layout)> {
    let layouts = || SHAPES.iter().filter_map(|shape| Layout::new(shape).ok());
    layouts().flat_map(move |first| layouts().map(move |second| (first.clone(), second)))
}

/// Panics if and only if things do not belong together.
fn holds(belong_together: bool, what: &str, work: impl FnOnce()) {
    assert_eq!(catch_unwind(AssertUnwindSafe(work)).is_ok(), belong_together, "{what}");
}

fn tape(layout: &Layout, rows: usize) -> Tape {
    let mut tape = Tape::new(layout, 2);
    tape.set_rows(rows);
    tape
}

#[test]
fn passes_refuse_tapes_and_parameters_of_other_networks() {
    for network in networks() {
        let own = network.layout();
        for (other, params) in pairs() {
            for rows in ROWS {
                // Without rows there is nothing to multiply, and no parameter is looked at.
                let good = other == *own && (params.len() == own.len() || rows == 0);
                let (values, mut memory) = (params.zeros(), tape(&other, rows));
                holds(good, "forward", || network.forward_tape(&values, &mut memory));
                let mut tangents = tape(own, 1);
                holds(good, "tangent", || {
                    network.tangent(&values, &values, &memory, &mut tangents);
                });
            }
        }
    }
}

#[test]
fn a_backward_pass_refuses_memory_that_was_exchanged() {
    for network in networks() {
        let own = network.layout();
        let params = own.zeros();
        for (made_for, put_in) in pairs() {
            let mut backprop = Backprop::new(&made_for);
            *backprop.deltas(3) = tape(&put_in, 3);
            let (memory, mut gradient) = (tape(own, 3), own.zeros());
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                network.backward(&params, &memory, &mut backprop, &mut gradient);
            }));
            // Weights of another network may happen to take as much room transposed; the numbers are wrong then, not the memory.
            assert!(outcome.is_err() || put_in == *own);
            assert!(outcome.is_ok() || made_for != *own || put_in != *own);
        }
        let mut backprop = Backprop::new(own);
        backprop.deltas(2);
        let (memory, mut gradient) = (tape(own, 3), own.zeros());
        holds(false, "rows", || network.backward(&params, &memory, &mut backprop, &mut gradient));
        backprop.deltas(3);
        holds(false, "gradient", || {
            network.backward(&params, &memory, &mut backprop, &mut gradient[1..]);
        });
    }
}

struct ZeroExamples;

impl ExampleSource for ZeroExamples {
    const LOSS: Loss = Loss::CrossEntropy;

    fn write(&self, _: u32, input: &mut [f32], target: &mut [f32]) {
        input.fill(0.0);
        target.fill(0.0);
    }
}

#[test]
fn a_gradient_refuses_memory_and_parameters_of_other_networks() {
    for network in networks() {
        let own = network.layout();
        for (other, params) in pairs() {
            let (values, transposed) = (params.zeros(), TransposedWeights::new(&other));
            let mut gradient = LossGradient::new(&other);
            let parameters = Parameters { params: &values, transposed: &transposed };
            let good = other == *own && params.len() == own.len();
            holds(good, "gradient", || {
                gradient.add(&network, parameters, &ZeroExamples, &[0; MANY], 1.0);
            });
        }
    }
}

#[test]
fn an_optimiser_refuses_other_lengths_and_lengths_that_are_no_whole_vectors() {
    for (made_for, given) in [(16, 16), (16, 24), (24, 16), (16, 15), (15, 15), (0, 8)] {
        for isa in Isa::available() {
            let mut adam = Adam::new(AdamSettings::default(), made_for, isa);
            let (mut params, mut part) = (vec![0.0; given], vec![0.0; given]);
            let good = made_for == given && given % 8 == 0;
            holds(good, "step", || adam.step(&mut params, [&mut part]));
            holds(made_for == given, "restore", || adam.restore(1, &params, &part));
        }
    }
}
