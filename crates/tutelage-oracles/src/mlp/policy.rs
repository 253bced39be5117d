//! An ensemble of networks as a policy.

use std::cell::RefCell;
use std::marker::PhantomData;

use rayon::prelude::*;
use tutelage::{Batch, Policy, PolicyError};
use tutelage_net::{AlignedVec, Isa, Network, Tape, copy_row};

use super::head::OutputHead;
use crate::standardize::Standardizer;

/// An ensemble of E networks of one shape.
///
/// The action of a member is its clipped output (vectors) or the index of its largest output (discrete
/// actions). If the oracle standardized states, the statistics are part of the policy, which always
/// takes raw states.
///
/// ```
/// use tutelage::{Batch, Dataset, Oracle, Policy, Spaces, Stream};
/// use tutelage::choice::TrainOn;
/// use tutelage::oracle::TrainingSets;
/// use tutelage_oracles::mlp::{TrainingBudget, MlpOracle, MlpPolicy, MlpSettings};
///
/// let spaces = Spaces { states: 2, actions: 1 };
/// let mut data = Dataset::empty(spaces);
/// data.states.push(&[0.5, -1.0]);
/// data.actions.push(&[0.25]);
/// let sets = TrainingSets::new(&data, TrainOn::Bootstrap, spaces, 3, Stream::new(1))?;
/// let settings = MlpSettings { budget: TrainingBudget::Iterations(10), ..MlpSettings::new(&[8]) };
/// let policy: MlpPolicy = MlpOracle::new(settings)?.fit(&sets, &Stream::new(2))?;
///
/// let states = Batch::from_vec(2, vec![0.5, -1.0, 0.0, 0.0])?;
/// let mut actions = Batch::zeros(2, 1);
/// policy.act_mean(&states, &mut actions)?; // the members' mean
/// policy.act_members(&states, &[0, 2], &mut actions)?; // the first member in the first state, the third in the second
/// policy.act_each(&states, &mut actions)?; // all three members in both states
/// assert_eq!(actions.len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble<A> {
    network: Network,
    members: Vec<AlignedVec>,
    standardizer: Option<Standardizer>,
    action: PhantomData<fn() -> A>,
}

/// A policy with action vectors.
pub type MlpPolicy = Ensemble<f32>;
/// A policy with discrete actions.
pub type MlpClassifierPolicy = Ensemble<u32>;

/// Rows per parallel task.
const CHUNK: usize = 16;
/// The fewest multiply-adds for which a call uses several threads.
const WORTH_SHARING: usize = 2_000_000;

impl<A: OutputHead> Ensemble<A> {
    /// `members` are parameters of the network's layout, at least one of them; a standardiser has the width of its input.
    pub(crate) fn new(
        network: Network,
        members: Vec<AlignedVec>,
        standardizer: Option<Standardizer>,
    ) -> Self {
        Self { network, members, standardizer, action: PhantomData }
    }

    /// Uses another instruction set.
    pub(crate) fn with_isa(self, isa: Isa) -> Self {
        Self { network: self.network.with_isa(isa), ..self }
    }

    /// Returns the network shape of all members.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the parameters of each member.
    pub fn parameters(&self) -> &[AlignedVec] {
        &self.members
    }

    /// Returns the statistics with which states are standardized, if they are.
    pub fn standardizer(&self) -> Option<&Standardizer> {
        self.standardizer.as_ref()
    }

    /// Writes the raw network outputs (for discrete actions, the logits).
    ///
    /// Row `i·E + e` is the output of member e in state i.
    pub fn outputs(
        &self,
        states: &Batch<f32>,
        outputs: &mut Batch<f32>,
    ) -> Result<(), PolicyError> {
        let (layout, members) = (self.network.layout(), self.members.len());
        PolicyError::check_width("states", layout.inputs(), states.width())?;
        PolicyError::check_width("outputs", layout.outputs(), outputs.width())?;
        outputs.resize(states.len() * members);
        self.by_chunks(states, outputs, members, |outputs, _, rows| rows.copy_from_slice(outputs));
        Ok(())
    }

    fn check_widths(&self, states: &Batch<f32>, actions: &Batch<A>) -> Result<(), PolicyError> {
        let layout = self.network.layout();
        PolicyError::check_width("states", layout.inputs(), states.width())?;
        PolicyError::check_width("actions", A::width(layout.outputs()), actions.width())
    }

    /// Writes a state as the networks see it.
    #[inline]
    fn write_input(&self, state: &[f32], input: &mut [f32]) {
        match &self.standardizer {
            None => copy_row(state, input),
            Some(standardizer) => standardizer.write(state, input),
        }
    }

    /// Runs all members on chunks of states.
    ///
    /// For each state, `finish` gets the outputs of all members, working memory, and its `per_state` rows
    /// of results.
    fn by_chunks<T: tutelage::space::Element>(
        &self,
        states: &Batch<f32>,
        results: &mut Batch<T>,
        per_state: usize,
        finish: impl Fn(&[f32], &mut Vec<u32>, &mut [T]) + Sync,
    ) {
        let layout = self.network.layout();
        let (inputs, row) = (states.width(), results.width() * per_state);
        let chunk = |(states, results): (&[f32], &mut [T])| {
            with_scratch(&self.network, |Scratch { tape, outputs, votes }| {
                self.all_outputs(states, tape, outputs);
                let of_row = layout.outputs() * self.members.len();
                for (z, a) in outputs.chunks_exact(of_row).zip(results.chunks_exact_mut(row)) {
                    finish(z, votes, a);
                }
            });
        };
        if states.len() > CHUNK
            && states.len() * self.members.len() * layout.weight_count() >= WORTH_SHARING
        {
            let states = states.as_slice().par_chunks(CHUNK * inputs);
            states.zip(results.as_mut_slice().par_chunks_mut(CHUNK * row)).for_each(chunk);
        } else {
            let states = states.as_slice().chunks(CHUNK * inputs);
            states.zip(results.as_mut_slice().chunks_mut(CHUNK * row)).for_each(chunk);
        }
    }

    /// Computes the outputs of all members for a few rows, as `[row][member][output]`.
    fn all_outputs(&self, states: &[f32], tape: &mut Tape, outputs: &mut Vec<f32>) {
        let (inputs, width, members) =
            (self.network.layout().inputs(), self.network.layout().outputs(), self.members.len());
        let rows = states.len() / inputs;
        outputs.resize(rows * members * width, 0.0);
        tape.set_rows(rows);
        states
            .chunks_exact(inputs)
            .enumerate()
            .for_each(|(i, state)| self.write_input(state, tape.row_mut(0, i)));
        for (e, params) in self.members.iter().enumerate() {
            self.network.forward_tape(params, tape);
            for i in 0..rows {
                copy_row(tape.output(i), &mut outputs[(i * members + e) * width..][..width]);
            }
        }
    }
}

impl Ensemble<u32> {
    /// Writes the action probabilities, the softmax of the [`outputs`](Self::outputs).
    ///
    /// Row `i·E + e` has the probabilities of member e in state i.
    pub fn probabilities(
        &self,
        states: &Batch<f32>,
        probabilities: &mut Batch<f32>,
    ) -> Result<(), PolicyError> {
        self.outputs(states, probabilities)?;
        let actions = probabilities.width();
        probabilities.as_mut_slice().chunks_exact_mut(actions).for_each(softmax);
        Ok(())
    }
}

/// `z ← exp z / Σ exp z`; subtracting the largest logit first avoids overflow.
fn softmax(z: &mut [f32]) {
    let largest = z.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    z.iter_mut().for_each(|z| *z = (*z - largest).exp());
    let sum: f32 = z.iter().sum();
    z.iter_mut().for_each(|z| *z /= sum);
}

impl<A: OutputHead> Policy for Ensemble<A> {
    type State = f32;
    type Action = A;

    fn members(&self) -> usize {
        self.members.len()
    }

    fn act_members(
        &self,
        states: &Batch<f32>,
        members: &[u32],
        actions: &mut Batch<A>,
    ) -> Result<(), PolicyError> {
        self.check_widths(states, actions)?;
        PolicyError::check_rows("members", states.len(), members.len())?;
        PolicyError::check_rows("actions", states.len(), actions.len())?;
        let count = self.members.len();
        if let Some(&member) = members.iter().find(|&&member| member as usize >= count) {
            return Err(PolicyError::Member { member, members: count });
        }
        with_scratch(&self.network, |Scratch { tape, .. }| {
            for (e, params) in self.members.iter().enumerate() {
                let rows = || (0..members.len()).filter(|&i| members[i] as usize == e);
                tape.set_rows(rows().count());
                if tape.rows() == 0 {
                    continue;
                }
                rows()
                    .enumerate()
                    .for_each(|(at, i)| self.write_input(states.row(i), tape.row_mut(0, at)));
                self.network.forward_tape(params, tape);
                rows()
                    .enumerate()
                    .for_each(|(at, i)| A::write_action(tape.output(at), actions.row_mut(i)));
            }
        });
        Ok(())
    }

    fn act_mean(&self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), PolicyError> {
        self.check_widths(states, actions)?;
        PolicyError::check_rows("actions", states.len(), actions.len())?;
        let width = self.network.layout().outputs();
        self.by_chunks(states, actions, 1, |z, votes, action| A::combine(z, width, votes, action));
        Ok(())
    }

    fn act_each(&self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), PolicyError> {
        self.check_widths(states, actions)?;
        let (outputs, width) = (self.network.layout().outputs(), actions.width());
        actions.resize(states.len() * self.members.len());
        self.by_chunks(states, actions, self.members.len(), |of_state, _, actions| {
            for (z, a) in of_state.chunks_exact(outputs).zip(actions.chunks_exact_mut(width)) {
                A::write_action(z, a);
            }
        });
        Ok(())
    }
}

/// Working memory for acting.
struct Scratch {
    tape: Tape,
    outputs: Vec<f32>,
    votes: Vec<u32>,
}

/// Runs `work` with this thread's working memory, which is kept between calls to avoid allocations.
fn with_scratch<R>(network: &Network, work: impl FnOnce(&mut Scratch) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<Option<Scratch>> = const { RefCell::new(None) };
    }
    // Taken out while in use: rayon may run another task on this thread, which then gets new memory.
    let kept = SCRATCH.take().filter(|scratch| scratch.tape.fits(network.layout()));
    let mut scratch = kept.unwrap_or_else(|| {
        let tape = Tape::new(network.layout(), CHUNK);
        Scratch { tape, outputs: Vec::new(), votes: Vec::new() }
    });
    let result = work(&mut scratch);
    SCRATCH.set(Some(scratch));
    result
}
