//! An ensemble of networks as a policy.

use std::cell::RefCell;
use std::marker::PhantomData;

use rayon::prelude::*;
use tutelage::{Batch, Policy, PolicyError};
use tutelage_net::{AlignedVec, Network, Tape, copy_row};

use super::head::Head;

/// E networks of one shape: h_e(s) is the clipped output (vectors) or the index of the largest output. A network without hidden layers
/// is an affine policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble<A> {
    network: Network,
    members: Vec<AlignedVec>,
    action: PhantomData<fn() -> A>,
}

/// Networks whose actions are vectors.
pub type MlpPolicy = Ensemble<f32>;
/// Networks whose actions are indices.
pub type MlpClassifierPolicy = Ensemble<u32>;

/// Rows that one thread takes at a time.
const CHUNK: usize = 16;
/// From this many multiply–adds on, a call is shared between threads.
const WORTH_SHARING: usize = 2_000_000;

impl<A: Head> Ensemble<A> {
    /// `members` are parameters of the network's layout, at least one of them.
    pub(crate) fn new(network: Network, members: Vec<AlignedVec>) -> Self {
        Self { network, members, action: PhantomData }
    }

    /// The shape that all members share.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The parameters of each member.
    #[must_use]
    pub fn parameters(&self) -> &[AlignedVec] {
        &self.members
    }

    /// Every member's action in every state: row `i·E + e` is h_e(s_i).
    pub fn act_all(&self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), PolicyError> {
        self.check_widths(states, actions)?;
        let (outputs, width) = (self.network.layout().outputs(), actions.width());
        actions.resize(states.len() * self.members.len());
        self.by_chunks(states, actions, self.members.len(), |outputs_of_row, actions_of_row| {
            for (z, a) in
                outputs_of_row.chunks_exact(outputs).zip(actions_of_row.chunks_exact_mut(width))
            {
                A::write_action(z, a);
            }
        });
        Ok(())
    }

    fn check_widths(&self, states: &Batch<f32>, actions: &Batch<A>) -> Result<(), PolicyError> {
        let layout = self.network.layout();
        PolicyError::check_width("states", layout.inputs(), states.width())?;
        PolicyError::check_width("actions", A::width(layout.outputs()), actions.width())
    }

    /// Runs all members on chunks of rows; `finish` gets, for one row, the outputs of all members and the `per_state` rows of actions
    /// that belong to it.
    fn by_chunks(
        &self,
        states: &Batch<f32>,
        actions: &mut Batch<A>,
        per_state: usize,
        finish: impl Fn(&[f32], &mut [A]) + Sync,
    ) {
        let layout = self.network.layout();
        let (inputs, row) = (states.width(), actions.width() * per_state);
        let chunk = |(states, actions): (&[f32], &mut [A])| {
            with_scratch(&self.network, |tape, outputs| {
                self.all_outputs(states, tape, outputs);
                let of_row = layout.outputs() * self.members.len();
                for (z, a) in outputs.chunks_exact(of_row).zip(actions.chunks_exact_mut(row)) {
                    finish(z, a);
                }
            });
        };
        if states.len() > CHUNK
            && states.len() * self.members.len() * layout.weight_count() >= WORTH_SHARING
        {
            let states = states.as_slice().par_chunks(CHUNK * inputs);
            states.zip(actions.as_mut_slice().par_chunks_mut(CHUNK * row)).for_each(chunk);
        } else {
            let states = states.as_slice().chunks(CHUNK * inputs);
            states.zip(actions.as_mut_slice().chunks_mut(CHUNK * row)).for_each(chunk);
        }
    }

    /// The outputs of all members for each of a few rows, `[row][member][output]`.
    fn all_outputs(&self, states: &[f32], tape: &mut Tape, outputs: &mut Vec<f32>) {
        let (inputs, width, members) =
            (self.network.layout().inputs(), self.network.layout().outputs(), self.members.len());
        let rows = states.len() / inputs;
        outputs.resize(rows * members * width, 0.0);
        tape.set_rows(rows);
        states
            .chunks_exact(inputs)
            .enumerate()
            .for_each(|(i, state)| copy_row(state, tape.row_mut(0, i)));
        for (e, params) in self.members.iter().enumerate() {
            self.network.forward_tape(params, tape);
            for i in 0..rows {
                copy_row(tape.output(i), &mut outputs[(i * members + e) * width..][..width]);
            }
        }
    }
}

impl<A: Head> Policy for Ensemble<A> {
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
        let count = self.members.len();
        if let Some(&member) = members.iter().find(|&&member| member as usize >= count) {
            return Err(PolicyError::Member { member, members: count });
        }
        assert_eq!(states.len(), members.len(), "every state has one member");
        assert_eq!(states.len(), actions.len(), "every state has one action");
        with_scratch(&self.network, |tape, _| {
            for (e, params) in self.members.iter().enumerate() {
                let rows = || (0..members.len()).filter(|&i| members[i] as usize == e);
                tape.set_rows(rows().count());
                if tape.rows() == 0 {
                    continue;
                }
                rows()
                    .enumerate()
                    .for_each(|(at, i)| tape.row_mut(0, at).copy_from_slice(states.row(i)));
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
        assert_eq!(states.len(), actions.len(), "every state has one action");
        let width = self.network.layout().outputs();
        self.by_chunks(states, actions, 1, |outputs, action| A::combine(outputs, width, action));
        Ok(())
    }
}

/// Lends this thread's working memory, which lives on between calls: acting allocates nothing once it is warm.
fn with_scratch<R>(network: &Network, work: impl FnOnce(&mut Tape, &mut Vec<f32>) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<Option<(Tape, Vec<f32>)>> = const { RefCell::new(None) };
    }
    // Taken out while in use, so that work which another task on this thread interrupts finds a scratch of its own.
    let kept = SCRATCH.take().filter(|(tape, _)| tape.fits(network.layout()));
    let (mut tape, mut outputs) =
        kept.unwrap_or_else(|| (Tape::new(network.layout(), CHUNK), Vec::new()));
    let result = work(&mut tape, &mut outputs);
    SCRATCH.set(Some((tape, outputs)));
    result
}
