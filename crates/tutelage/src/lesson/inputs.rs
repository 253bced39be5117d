//! What the choices of an algorithm need from outside.

use crate::cover::Cover;
use crate::{Batch, Dataset};

/// Data beside an [`crate::Algorithm`]: each is needed by some algorithms and by the others ignored.
///
/// ```
/// use tutelage::Inputs;
/// use tutelage::cover::UniformBox;
/// let d0 = UniformBox::new(-2.0, 2.0)?;
/// let inputs: Inputs<'_, f32, f32> = Inputs { cover: Some(&d0), ..Inputs::none() };
/// # Ok::<(), tutelage::cover::CoverError>(())
/// ```
#[derive(Debug)]
pub struct Inputs<'a, S, A> {
    /// d₀, which perturbation examples are drawn from.
    pub cover: Option<&'a dyn Cover<S>>,
    /// The separator set, on which random costs are put.
    pub separator: Option<&'a Batch<S>>,
    /// The rounds that are trained on where nobody drives, of whatever sizes, actions in the task's own units.
    pub stored: Option<&'a [Dataset<S, A>]>,
}

impl<S, A> Inputs<'_, S, A> {
    /// Nothing.
    pub fn none() -> Self {
        Self { cover: None, separator: None, stored: None }
    }
}

impl<S, A> Clone for Inputs<'_, S, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, A> Copy for Inputs<'_, S, A> {}
