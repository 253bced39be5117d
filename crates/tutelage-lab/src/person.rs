//! A person in the expert's place.

use std::marker::PhantomData;

use tutelage::{Batch, Element, Expert, ExpertError, Rng};

/// The expert of a run that a person teaches.
pub const PERSON: &str = "person";

/// A teacher who is not here: whoever comes by a page answers in their place.
pub(crate) struct Absent<A>(PhantomData<A>);

impl<A> Absent<A> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<A: Element> Expert for Absent<A> {
    type State = f32;
    type Action = A;

    fn annotate(
        &mut self,
        _: &Batch<f32>,
        _: &mut [Rng],
        _: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        Err(ExpertError::Other(
            "the teacher of this run is a person; go on with `tutelage teach DIR`".into(),
        ))
    }
}
