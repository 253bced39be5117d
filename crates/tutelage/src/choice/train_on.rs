//! Choice 3: what member e trains on.

use crate::cover::Cover;
use crate::space::{SpaceError, check_rows};
use crate::{Batch, Element, Inputs, Spaces};

/// What each member of the ensemble trains on; drawn independently for every member and round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrainOn {
    /// D itself.
    Data,
    /// |D| draws from D with replacement.
    Bootstrap,
    /// D ∪ Q, where Q holds X draws from d₀ ⊗ Unif(𝒜).
    Perturbed(PerturbationSize),
    /// D ∪ Q, where Q holds this many draws s̃ ~ d₀, each with the label of a random example of D.
    Shuffled(usize),
    /// D and, for each state x of a separator set, a cost N(0, scale²) for every action. Discrete actions only.
    RandomCosts {
        /// The standard deviation of a cost, in units of one example's loss.
        scale: f64,
    },
}

/// The number X of perturbation examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PerturbationSize {
    /// Always this many.
    Fixed(usize),
    /// This many times n: Q grows with D.
    Growing(usize),
    /// X ~ Poisson(λ).
    Poisson(f64),
}

/// Why training sets cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainOnError {
    /// A required input is missing.
    #[error("this algorithm needs {0}")]
    Missing(&'static str),
    /// λ is not a valid rate.
    #[error("lambda is {0}, expected a number from 0 to 1e15")]
    Lambda(f64),
    /// Too many perturbation examples.
    #[error("{what} is {value}, expected at most {MAX_DRAWN} perturbation examples")]
    TooMany {
        /// X or λ.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The scale is not a valid standard deviation.
    #[error("the scale of the random costs is {0}, expected a finite number ≥ 0")]
    Scale(f64),
    /// Costs per action need discrete actions.
    #[error("random costs need discrete actions, but this task's are continuous")]
    Continuous,
    /// States do not belong to the state space.
    #[error("{what}")]
    States {
        /// Which states.
        what: &'static str,
        /// The cause.
        source: SpaceError,
    },
}

/// The largest number of perturbation examples that are drawn one by one.
const MAX_DRAWN: usize = 10_000_000;

impl TrainOn {
    /// A short description, for tables.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Data => "D",
            Self::Bootstrap => "bootstrap(D)",
            Self::Perturbed(PerturbationSize::Fixed(_)) => "D ∪ Q, Q = X draws from d₀ ⊗ Unif(𝒜)",
            Self::Perturbed(PerturbationSize::Growing(_)) => "D ∪ Q, X·n draws in round n",
            Self::Perturbed(PerturbationSize::Poisson(_)) => "D ∪ Q, X ~ Poisson(λ)",
            Self::Shuffled(_) => "D ∪ Q, Q = X states from d₀ with labels from D",
            Self::RandomCosts { .. } => "D and Gaussian costs on a separator set",
        }
    }

    /// Checks that this choice is valid for these inputs and spaces in every round up to `rounds`.
    pub fn check<S: Element, A: Element>(
        &self,
        inputs: &Inputs<'_, S, A>,
        spaces: Spaces,
        rounds: usize,
    ) -> Result<(), TrainOnError> {
        match *self {
            Self::Data | Self::Bootstrap => Ok(()),
            Self::Perturbed(size) => {
                let cover = inputs.cover.ok_or(TrainOnError::Missing("d0"))?;
                size.check(rounds, splits::<S, A>(size, cover, spaces))?;
                cover.states().map_or(Ok(()), |states| {
                    check_states("covering distribution d0", states, spaces)
                })
            }
            Self::Shuffled(count) => {
                Self::Perturbed(PerturbationSize::Fixed(count)).check(inputs, spaces, rounds)
            }
            Self::RandomCosts { scale } => {
                if !(scale.is_finite() && scale >= 0.0) {
                    return Err(TrainOnError::Scale(scale));
                }
                if A::all(spaces.actions).is_none() {
                    return Err(TrainOnError::Continuous);
                }
                let separator = inputs.separator;
                let separator = separator.ok_or(TrainOnError::Missing("the separator set"))?;
                check_states("separator set", separator, spaces)
            }
        }
    }
}

impl PerturbationSize {
    /// Sizes that are split into counts per state may be far larger than sizes whose examples are drawn.
    fn check(self, rounds: usize, split: bool) -> Result<(), TrainOnError> {
        let too_many = |what, value| Err(TrainOnError::TooMany { what, value });
        match self {
            Self::Poisson(lambda) if !(0.0..=1e15).contains(&lambda) => {
                Err(TrainOnError::Lambda(lambda))
            }
            Self::Poisson(lambda) if !split && lambda > MAX_DRAWN as f64 => {
                too_many("lambda", lambda)
            }
            Self::Fixed(x) if x > MAX_DRAWN => too_many("X", x as f64),
            Self::Growing(x) if x.saturating_mul(rounds) > MAX_DRAWN => {
                too_many("X n", x as f64 * rounds as f64)
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
    check_rows(states, states.len(), spaces.states)
        .map_err(|source| TrainOnError::States { what, source })
}

/// Whether X ~ Poisson(λ) splits into independent counts for every state and action.
fn splits<S: Element, A: Element>(
    size: PerturbationSize,
    cover: &dyn Cover<S>,
    spaces: Spaces,
) -> bool {
    let finite = cover.support().is_some() && A::all(spaces.actions).is_some();
    matches!(size, PerturbationSize::Poisson(_)) && finite
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::{StoredStates, UniformBox, Weighted};

    const SPACES: Spaces = Spaces { states: 3, actions: 2 };

    #[test]
    fn invalid_choices_are_refused() {
        let check = |train_on: TrainOn, cover: Option<&dyn Cover<f32>>| {
            let inputs: Inputs<'_, f32, f32> = Inputs { cover, ..Inputs::none() };
            train_on.check(&inputs, SPACES, 100)
        };
        let cover = UniformBox::new(-2.0, 2.0).unwrap();
        let perturbed = |size| check(TrainOn::Perturbed(size), Some(&cover));
        assert_eq!(perturbed(PerturbationSize::Poisson(-1.0)), Err(TrainOnError::Lambda(-1.0)));
        assert!(perturbed(PerturbationSize::Poisson(f64::NAN)).is_err());
        let too_many = |what, value| Err(TrainOnError::TooMany { what, value });
        assert_eq!(perturbed(PerturbationSize::Poisson(1e9)), too_many("lambda", 1e9));
        assert_eq!(perturbed(PerturbationSize::Fixed(1_000_000_000)), too_many("X", 1e9));
        assert_eq!(perturbed(PerturbationSize::Growing(100_001)), too_many("X n", 10_000_100.0));
        assert_eq!(perturbed(PerturbationSize::Growing(100_000)), Ok(()));
        let missing = check(TrainOn::Perturbed(PerturbationSize::Fixed(1)), None);
        assert_eq!(missing, Err(TrainOnError::Missing("d0")));
        let narrow = StoredStates::new(Batch::<f32>::zeros(4, 2)).unwrap();
        let source = SpaceError::Width { expected: 3, found: 2 };
        let width = TrainOnError::States { what: "covering distribution d0", source };
        assert_eq!(
            check(TrainOn::Perturbed(PerturbationSize::Fixed(1)), Some(&narrow)),
            Err(width)
        );
        assert_eq!(check(TrainOn::RandomCosts { scale: 1.0 }, None), Err(TrainOnError::Continuous));
    }

    #[test]
    fn listed_states_must_be_in_the_state_space() {
        let check =
            |train_on: TrainOn, inputs: Inputs<'_, u32, u32>| train_on.check(&inputs, SPACES, 1);
        let listed = Weighted::new(Batch::from_vec(1, vec![0]).unwrap(), vec![1.0]).unwrap();
        let inputs = Inputs { cover: Some(&listed), ..Inputs::none() };
        let counted = check(TrainOn::Perturbed(PerturbationSize::Poisson(1e9)), inputs);
        assert_eq!(counted, Ok(()), "counts take no memory");
        let separator = Batch::from_vec(1, vec![0u32, 3]).unwrap();
        let inputs = Inputs { separator: Some(&separator), ..Inputs::none() };
        let costs = |scale| check(TrainOn::RandomCosts { scale }, inputs);
        let source =
            SpaceError::Value { row: 1, index: 0, value: "3".into(), expected: "0 to 2".into() };
        assert_eq!(costs(1.0), Err(TrainOnError::States { what: "separator set", source }));
        assert_eq!(costs(-1.0), Err(TrainOnError::Scale(-1.0)));
    }
}
