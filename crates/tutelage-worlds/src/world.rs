//! What every world here has besides being an environment.

use tutelage::{Env, Expert};
use tutelage_draw::render::Picture;

/// What can be drawn as shapes in a plane.
///
/// ```
/// use tutelage_worlds::{CartPoleEnv, Draw};
///
/// assert!(!CartPoleEnv::default().picture().marks.is_empty());
/// ```
pub trait Draw {
    /// How it looks now.
    fn picture(&self) -> Picture;
}

/// A world with a name, an expert and settings to learn it with.
///
/// Its default value is the world as it is meant; cloning it gives as many environments as there are lanes.
///
/// ```
/// use tutelage::Env;
/// use tutelage_worlds::{GridEnv, World};
///
/// /// What stands on a line of a list of worlds.
/// fn line<W: World>() -> String {
///     format!("{}: {} rounds, horizon {}", W::NAME, W::DEFAULTS.rounds, W::default().horizon())
/// }
/// assert!(line::<GridEnv>().starts_with("grid: "));
/// ```
pub trait World: Env<State = f32> + Draw + Clone + Default {
    /// What it is called on a command line.
    const NAME: &'static str;

    /// Settings under which a network learns it in a few seconds.
    const DEFAULTS: Defaults;

    /// Who knows how to act in it.
    type Expert: Expert<State = f32, Action = Self::Action>;

    /// The expert of this very world.
    fn expert(&self) -> Self::Expert;
}

/// How to learn a world with networks: DAgger, BD-5 and MFTPL-P reach 95 % of the expert's reward so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defaults {
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// Every how many steps of a trajectory a state is asked about.
    pub stride: usize,
    /// Widths of the network's hidden layers.
    pub hidden: &'static [usize],
    /// Iterations of each training.
    pub iterations: usize,
    /// Rows of a minibatch.
    pub batch: usize,
    /// Adam's.
    pub learning_rate: f64,
    /// T, the episodes of an evaluation.
    pub episodes: usize,
    /// X, or the mean λ of X: how many perturbation examples a member sees.
    pub perturbations: usize,
    /// The ends b and c of d₀, which is uniform over [b, c]ᵈ.
    pub cover: [f32; 2],
}
