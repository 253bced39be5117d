//! Mismatched memory, parameters and rows: safe functions panic and never access memory out of bounds.
//!
//! `tools/soundness.sh` runs these tests under Miri, the address sanitizer or Valgrind.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tutelage_net::{
    Adam, AdamSettings, Backprop, ExampleSource, Isa, Layout, Loss, LossGradient, Network,
    Parameters, Tape, TransposedWeights,
};

const SHAPES: [&[usize]; 5] = [&[3, 5, 2], &[3, 9, 2], &[8, 8], &[1, 1], &[3, 5, 5, 2]];
/// More rows than a block; fewer under Miri, which is slow.
const MANY: usize = if cfg!(miri) { 3 } else { 60 };
const ROWS: [usize; 3] = [0, 1, MANY];

fn networks() -> impl Iterator<Item = Network> {
    Isa::available().flat_map(|isa| {
        SHAPES.iter().filter_map(move |shape| Some(Network::new(shape).ok()?.with_isa(isa)))
    })
}

/// Returns all pairs of layouts.
fn pairs() -> impl Iterator<Item = (Layout, Layout)> {
    let layouts = || SHAPES.iter().filter_map(|shape| Layout::new(shape).ok());
    layouts().flat_map(move |first| layouts().map(move |second| (first.clone(), second)))
}

/// Checks that `work` panics if and only if its arguments do not match.
fn check(matching: bool, what: &str, work: impl FnOnce()) {
    assert_eq!(catch_unwind(AssertUnwindSafe(work)).is_ok(), matching, "{what}");
}

fn tape(layout: &Layout, rows: usize) -> Tape {
    let mut tape = Tape::new(layout, 2);
    tape.set_rows(rows);
    tape
}

#[test]
fn passes_reject_tapes_and_parameters_of_others() {
    for network in networks() {
        let own = network.layout();
        for (other, params) in pairs() {
            for rows in ROWS {
                // Without rows there is nothing to multiply, and parameters are not checked.
                let good = other == *own && (params.len() == own.len() || rows == 0);
                let (values, mut memory) = (params.zeros(), tape(&other, rows));
                check(good, "forward", || network.forward_tape(&values, &mut memory));
                let mut tangents = tape(own, 1);
                check(good, "tangent", || {
                    network.tangent(&values, &values, &memory, &mut tangents);
                });
            }
        }
    }
}

#[test]
fn backward_rejects_exchanged_memory() {
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
            // Transposed weights of another network may have the same size: results are wrong, but sound.
            assert!(outcome.is_err() || put_in == *own);
            assert!(outcome.is_ok() || made_for != *own || put_in != *own);
        }
        let mut backprop = Backprop::new(own);
        backprop.deltas(2);
        let (memory, mut gradient) = (tape(own, 3), own.zeros());
        check(false, "rows", || network.backward(&params, &memory, &mut backprop, &mut gradient));
        backprop.deltas(3);
        check(false, "gradient", || {
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
fn gradients_reject_memory_and_parameters_of_others() {
    for network in networks() {
        let own = network.layout();
        for (other, params) in pairs() {
            let (values, transposed) = (params.zeros(), TransposedWeights::new(&other));
            let mut gradient = LossGradient::new(&other);
            let parameters = Parameters { params: &values, transposed: &transposed };
            let good = other == *own && params.len() == own.len();
            let mut memory = transposed.clone();
            let updated = catch_unwind(AssertUnwindSafe(|| memory.update(&network, &own.zeros())));
            assert!(updated.is_ok() || other != *own);
            check(good, "gradient", || {
                gradient.add(&network, parameters, &ZeroExamples, &[0; MANY], 1.0);
            });
        }
    }
}

#[test]
fn adam_rejects_wrong_lengths() {
    for (made_for, given) in [(16, 16), (16, 24), (24, 16), (16, 15), (15, 15), (0, 8)] {
        for isa in Isa::available() {
            let mut adam = Adam::new(AdamSettings::default(), made_for, isa);
            let (mut params, mut part) = (vec![0.0; given], vec![0.0; given]);
            let good = made_for == given && given % 8 == 0;
            check(good, "step", || adam.step(&mut params, [&mut part]));
            check(made_for == given, "restore", || adam.restore(1, &params, &part));
        }
    }
}
