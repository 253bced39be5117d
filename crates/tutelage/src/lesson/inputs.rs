//! The data that an algorithm needs besides its choices.

use crate::cover::Cover;
use crate::{Batch, Dataset};

/// Data for an [`Algorithm`](crate::Algorithm). Algorithms ignore what they do not need.
///
/// ```
/// use tutelage::Inputs;
/// use tutelage::cover::UniformBox;
/// let d0 = UniformBox::new(-2.0, 2.0)?;
/// let inputs: Inputs<'_, f32, f32> = Inputs { cover: Some(&d0), ..Inputs::none() };
/// # Ok::<(), tutelage::cover::CoverError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, S, A> {
    /// d₀, which perturbation examples are drawn from.
    pub cover: Option<&'a dyn Cover<S>>,
    /// The separator set, for random costs.
    pub separator: Option<&'a Batch<S>>,
    /// Stored rounds of any sizes, for algorithms that collect no states. Actions are in the task's units.
    pub stored: Option<&'a [Dataset<S, A>]>,
}

impl<S, A> Inputs<'_, S, A> {
    /// No data.
    pub fn none() -> Self {
        Self { cover: None, separator: None, stored: None }
    }
}
