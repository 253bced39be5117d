//! The traits of the environments in this crate.

use tutelage::{Env, Expert};
use tutelage_draw::render::Picture;

/// An environment that can be drawn with two-dimensional shapes.
///
/// ```
/// use tutelage_worlds::{CartPoleEnv, Draw};
///
/// assert!(!CartPoleEnv::default().picture().marks.is_empty());
/// ```
pub trait Draw {
    /// Returns a drawing of the current state.
    fn picture(&self) -> Picture;
}

/// An environment with a name, an expert and training defaults.
///
/// Clone the default value to get several lanes.
///
/// ```
/// use tutelage::Env;
/// use tutelage_worlds::{GridEnv, World};
///
/// /// Returns one line of a list of tasks.
/// fn line<W: World>() -> String {
///     format!("{}: {} rounds, horizon {}", W::NAME, W::DEFAULTS.rounds, W::default().horizon())
/// }
/// assert!(line::<GridEnv>().starts_with("grid: "));
/// ```
pub trait World: Env<State = f32> + Draw + Clone + Default {
    /// The name on the command line.
    const NAME: &'static str;

    /// Settings with which a network learns the task in a few seconds.
    const DEFAULTS: Defaults;

    /// The type of its expert.
    type Expert: Expert<State = f32, Action = Self::Action>;

    /// Returns the expert of this environment.
    fn expert(&self) -> Self::Expert;
}

/// Training defaults. With them, DAgger, BD-5 and MFTPL-P reach 95 % of the expert's reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defaults {
    /// The number of rounds N.
    pub rounds: usize,
    /// The states per round K.
    pub states_per_round: usize,
    /// The number of steps between two queries of a trajectory.
    pub stride: usize,
    /// The widths of the hidden layers.
    pub hidden: &'static [usize],
    /// The iterations of each training.
    pub iterations: usize,
    /// The rows of a minibatch.
    pub batch: usize,
    /// The learning rate of Adam.
    pub learning_rate: f64,
    /// The episodes T of an evaluation.
    pub episodes: usize,
    /// The number X of perturbation examples per member, or its mean λ.
    pub perturbations: usize,
    /// The bounds b and c of the covering distribution d₀, which is uniform over [b, c]ᵈ.
    pub cover: [f32; 2],
}
