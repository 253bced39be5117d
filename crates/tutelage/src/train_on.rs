//! Choice 2: what member e trains on.

use std::sync::Arc;

use crate::{Action, Batch, Cover, Element, Spaces};

/// What each member of the ensemble trains on; drawn anew for every member in every round.
#[derive(Clone, Debug)]
pub enum TrainOn<S> {
    /// D itself.
    Data,
    /// |D| draws from D with replacement.
    Bootstrap,
    /// D ∪ Q, where Q holds X draws from d₀ ⊗ Unif(𝒜).
    Perturbed {
        /// X.
        size: Size,
        /// d₀.
        cover: Arc<dyn Cover<S>>,
    },
    /// D and, on each state x of a separator set, a cost N(0, scale²) for every action. Finite action spaces only.
    RandomCosts {
        /// The separator set.
        separator: Arc<Batch<S>>,
        /// Standard deviation of a cost, in units of one example's loss.
        scale: f64,
    },
}

/// The number X of perturbation examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// Always this many.
    Fixed(usize),
    /// X ~ Poisson(λ).
    Poisson(f64),
}

/// A choice of training set that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainOnError {
    /// λ is no rate.
    #[error("lambda is {0}; allowed is a finite number from 0 to 1e15")]
    Lambda(f64),
    /// More perturbation examples than memory should be asked for.
    #[error("{what} is {value}; allowed are at most {MAX_DRAWN} perturbation examples")]
    TooMany {
        /// X or λ.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The scale is no standard deviation.
    #[error("scale of the random costs is {0}; allowed is a finite number >= 0")]
    Scale(f64),
    /// Costs per action need finitely many actions.
    #[error(
        "random costs on a separator set need a finite action space, and this task's is continuous"
    )]
    Continuous,
    /// The states given are not of this task.
    #[error("{what} has states of width {found}, this task's have width {expected}")]
    Width {
        /// Which states.
        what: &'static str,
        /// The task's width.
        expected: usize,
        /// The width found.
        found: usize,
    },
    /// A listed state is not in the state space.
    #[error("{what}: state {row} has value {value}, which is not in a state space of size {size}")]
    State {
        /// Which states.
        what: &'static str,
        /// The row.
        row: usize,
        /// The value.
        value: String,
        /// The size of the state space.
        size: usize,
    },
}

/// The most perturbation examples that are drawn one by one.
const MAX_DRAWN: usize = 10_000_000;

impl<S: Element> TrainOn<S> {
    /// Whether this choice makes sense in these spaces.
    pub fn check<A: Action>(&self, spaces: Spaces) -> Result<(), TrainOnError> {
        match self {
            Self::Data | Self::Bootstrap => Ok(()),
            Self::Perturbed { size, cover } => {
                size.check(splits::<S, A>(*size, &**cover, spaces))?;
                cover.states().map_or(Ok(()), |states| {
                    check_states("covering distribution d0", states, spaces)
                })
            }
            Self::RandomCosts { separator, scale } => {
                if !(scale.is_finite() && *scale >= 0.0) {
                    return Err(TrainOnError::Scale(*scale));
                }
                if A::all(spaces.actions).is_none() {
                    return Err(TrainOnError::Continuous);
                }
                check_states("separator set", separator, spaces)
            }
        }
    }
}

impl Size {
    /// A size that is split into counts per state may be far larger than one whose examples are drawn.
    fn check(self, split: bool) -> Result<(), TrainOnError> {
        match self {
            Self::Poisson(lambda) if !(0.0..=1e15).contains(&lambda) => {
                Err(TrainOnError::Lambda(lambda))
            }
            Self::Poisson(lambda) if !split && lambda > MAX_DRAWN as f64 => {
                Err(TrainOnError::TooMany { what: "lambda", value: lambda })
            }
            Self::Fixed(x) if x > MAX_DRAWN => {
                Err(TrainOnError::TooMany { what: "X", value: x as f64 })
            }
            _ => Ok(()),
        }
    }
}

fn check_states<S: Element>(
    what: &'static str,
    states: &Batch<S>,
    spaces: Spaces,
) -> Result<(), TrainOnError> {
    let expected = S::width(spaces.states);
    if states.width() != expected {
        return Err(TrainOnError::Width { what, expected, found: states.width() });
    }
    match states.misfit(spaces.states) {
        None => Ok(()),
        Some((row, _, value)) => {
            Err(TrainOnError::State { what, row, value: value.to_string(), size: spaces.states })
        }
    }
}

/// Whether X ~ Poisson(λ) falls apart into a count for every state and action.
fn splits<S: Element, A: Action>(size: Size, cover: &dyn Cover<S>, spaces: Spaces) -> bool {
    let finite = cover.support().is_some() && A::all(spaces.actions).is_some();
    matches!(size, Size::Poisson(_)) && finite
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StoredStates, UniformBox, Weighted};

    const SPACES: Spaces = Spaces { states: 3, actions: 2 };

    #[test]
    fn impossible_choices_are_named() {
        let cover = Arc::new(UniformBox::new(-2.0, 2.0).unwrap());
        let perturbed =
            |lambda| TrainOn::Perturbed { size: Size::Poisson(lambda), cover: cover.clone() };
        assert_eq!(perturbed(-1.0).check::<f32>(SPACES), Err(TrainOnError::Lambda(-1.0)));
        assert!(perturbed(f64::NAN).check::<f32>(SPACES).is_err());
        let too_many = |what, value| Err(TrainOnError::TooMany { what, value });
        assert_eq!(perturbed(1e9).check::<f32>(SPACES), too_many("lambda", 1e9));
        let fixed = TrainOn::Perturbed { size: Size::Fixed(1_000_000_000), cover: cover.clone() };
        assert_eq!(fixed.check::<f32>(SPACES), too_many("X", 1e9));
        let listed = Weighted::new(Batch::from_vec(1, vec![0]).unwrap(), vec![1.0]).unwrap();
        let counted = TrainOn::Perturbed { size: Size::Poisson(1e9), cover: Arc::new(listed) };
        assert_eq!(counted.check::<u32>(SPACES), Ok(()), "counts take no memory");
        let narrow = StoredStates::new(Batch::<f32>::zeros(4, 2)).unwrap();
        let stored = TrainOn::Perturbed { size: Size::Fixed(1), cover: Arc::new(narrow) };
        let width = TrainOnError::Width { what: "covering distribution d0", expected: 3, found: 2 };
        assert_eq!(stored.check::<f32>(SPACES), Err(width));
        let separator = Arc::new(Batch::from_vec(1, vec![0u32, 3]).unwrap());
        let costs = TrainOn::RandomCosts { separator, scale: 1.0 };
        assert!(matches!(costs.check::<u32>(SPACES), Err(TrainOnError::State { row: 1, .. })));
        assert_eq!(costs.check::<f32>(SPACES), Err(TrainOnError::Continuous));
    }
}
