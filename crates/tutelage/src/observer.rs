//! Those who watch the loop.

use crate::{Batch, Dataset};

/// What happens in the loop, in order. Nothing that an expert said is used before the observer has seen it.
#[derive(Debug)]
pub enum Event<'a, S, A, P> {
    /// πₙ is about to drive.
    Driving {
        /// n.
        round: usize,
        /// πₙ.
        policy: &'a P,
    },
    /// The K states of the round are known.
    Collected {
        /// n.
        round: usize,
        /// The states.
        states: &'a Batch<S>,
    },
    /// The expert answered for some of them.
    Annotated {
        /// n.
        round: usize,
        /// The row of the round's states that the first answer is for.
        first: usize,
        /// The answers.
        actions: &'a Batch<A>,
    },
    /// π_{n+1} was trained on D.
    Trained {
        /// n.
        round: usize,
        /// π_{n+1}.
        policy: &'a P,
        /// D, with n·K rows.
        data: &'a Dataset<S, A>,
    },
}

/// What an observer wants to happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop here; the run can be continued later.
    Stop,
}

/// An error of an observer, such as a full disk.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Somebody who watches the loop: a store, a progress bar, an evaluation.
pub trait Observer<S, A, P> {
    /// Sees an event and says whether to go on. An error ends the loop.
    fn observe(&mut self, event: Event<'_, S, A, P>) -> Result<Flow, ObserverError>;
}

impl<S, A, P, F> Observer<S, A, P> for F
where
    F: FnMut(Event<'_, S, A, P>) -> Result<Flow, ObserverError>,
{
    fn observe(&mut self, event: Event<'_, S, A, P>) -> Result<Flow, ObserverError> {
        self(event)
    }
}

impl<S, A, P> Event<'_, S, A, P> {
    /// n.
    pub fn round(&self) -> usize {
        match *self {
            Self::Driving { round, .. }
            | Self::Collected { round, .. }
            | Self::Annotated { round, .. }
            | Self::Trained { round, .. } => round,
        }
    }
}
