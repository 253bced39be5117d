//! Figures about finite MDPs.

mod limitation;
mod regret;
mod sweep;
mod table;

use rayon::prelude::*;
use tutelage::{Algorithm, AlgorithmName};
use tutelage_compare::curve_style;
use tutelage_draw::plot::{Color, Curve, Style};
use tutelage_theory::{
    Bound, Game, GameSettings, ImitationLoss, ImitationProblem, Lambda, Mean, Player,
    ProblemFamily, ProblemSize, TheoryError, lambda_of, play,
};

pub(crate) use limitation::limitation;
pub use limitation::{limitation_figure, play_limitation};
pub(crate) use regret::regret;
pub use regret::regret_figure;
pub use sweep::sweep_figure;
pub use table::table_figure;

use crate::{FigurePlan, Profile};

/// A game and what it was played with.
pub struct PlayedGame {
    /// The player.
    pub player: Player,
    /// The algorithm with its parameters.
    pub algorithm: Algorithm,
    /// The seed.
    pub seed: u64,
    /// The game.
    pub game: Game,
}

impl PlayedGame {
    /// The label: the name of the player, with the rule for λ if there are several.
    pub fn label(&self, settings: &GameSettings) -> String {
        if settings.lambdas.len() > 1 { self.player.label() } else { self.player.name() }
    }

    /// The theorem's bound on MFTPL-P's Reg(n).
    ///
    /// `None` for other algorithms, for losses other than 0–1, and if d₀ covers nothing.
    pub fn bound(
        &self,
        problem: &ImitationProblem,
        settings: &GameSettings,
        rounds: usize,
    ) -> Option<Bound> {
        let lambda = lambda_of(&self.algorithm)?;
        let (n, k) = (rounds as f64, settings.states_per_round as f64);
        let has_bound = problem.sigma > 0.0 && problem.loss == ImitationLoss::ZeroOne;
        let theorem = problem.theorem(settings.delta);
        has_bound.then(|| theorem.bound(n, k, lambda, self.algorithm.members as f64))
    }
}

/// Plays all players with all seeds on a problem.
pub fn play_all(
    problem: &ImitationProblem,
    settings: &GameSettings,
) -> Result<Vec<PlayedGame>, TheoryError> {
    let with_seeds = |player| settings.seeds.iter().map(move |&seed| (player, seed));
    let jobs: Vec<_> = settings.players().into_iter().flat_map(with_seeds).collect();
    let sizes = [settings.rounds, settings.states_per_round];
    let games = jobs.into_par_iter().map(|(player, seed)| {
        let algorithm = player.algorithm(problem, settings);
        let game = play(problem, algorithm, sizes, seed)?;
        Ok(PlayedGame { player, algorithm, seed, game })
    });
    games.collect()
}

/// Groups the games of [`play_all`] by player.
pub fn by_player(played: &[PlayedGame]) -> Vec<&[PlayedGame]> {
    played.chunk_by(|a, b| a.player == b.player).collect()
}

/// Describes a problem in one line.
pub fn describe(problem: &ImitationProblem) -> String {
    let horizon = format!("H = {}, ", problem.mdp.horizon());
    format!("{}: {}", problem.name, sizes(problem, &horizon))
}

/// Lists the numbers of states and actions, the horizon if given, the size of the class, µ and σ.
fn sizes(problem: &ImitationProblem, horizon: &str) -> String {
    let ImitationProblem { mdp, class, mu, sigma, .. } = problem;
    let (states, actions, size) = (mdp.states(), mdp.actions(), class.size());
    format!("S = {states}, A = {actions}, {horizon}B = {size}, µ = {mu:.3}, σ = {sigma:.3}")
}

/// MFTPL-P's color first, then those for further λ.
const PERTURBED: [(Color, Style); 4] = [
    (Color::new(120, 60, 160), Style::Solid),
    (Color::new(200, 30, 180), Style::Dashed),
    (Color::new(250, 170, 60), Style::DashDotted),
    (Color::new(20, 120, 160), Style::Dotted),
];

/// Pairs each player with its style in all figures.
fn styles(players: impl IntoIterator<Item = Player>) -> Vec<(Player, (Color, Style))> {
    let mut perturbed = PERTURBED.into_iter().cycle();
    let plain = (Color::palette(0), Style::Solid);
    let mut style = |player: &Player| match player {
        Player::MftplP(_) => perturbed.next().unwrap_or(plain),
        Player::LoggerM => (Color::palette(6), Style::Dotted),
        other => other.name().parse().map_or(plain, |name: AlgorithmName| curve_style(&name)),
    };
    players.into_iter().map(|player| (player, style(&player))).collect()
}

/// A curve of means with a band of standard errors. Points that a logarithmic axis cannot show are
/// left out, and the band ends at a tenth of the mean.
fn with_errors(name: String, points: impl Iterator<Item = (f64, Mean)>) -> Curve {
    let points: Vec<(f64, Mean)> = points.filter(|(_, mean)| mean.value > 0.0).collect();
    let band = |&(_, Mean { value, error }): &(f64, Mean)| {
        ((value - error).max(0.1 * value), value + error)
    };
    let band = points.iter().map(band).collect();
    Curve::new(name, points.iter().map(|(x, mean)| (*x, mean.value)).collect()).band(band)
}

/// The settings of the built-in figures.
fn settings(plan: &FigurePlan<'_>, states_per_round: usize, lambdas: &[Lambda]) -> GameSettings {
    let (rounds, max_members) = match plan.profile {
        Profile::Quick => (300, 500),
        Profile::Paper => (1000, 2000),
    };
    let (lambdas, seeds, more) = (lambdas.to_vec(), plan.seeds.clone(), GameSettings::default());
    GameSettings { rounds, states_per_round, max_members, lambdas, seeds, ..more }
}

fn problem(name: &str) -> Result<ImitationProblem, TheoryError> {
    let family: ProblemFamily = name.parse()?;
    (family.problem)(ProblemSize::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short games with two seeds.
    pub(super) fn short(states_per_round: usize, lambdas: &[Lambda]) -> GameSettings {
        let (lambdas, seeds) = (lambdas.to_vec(), vec![1, 2]);
        let more = GameSettings::default();
        GameSettings { rounds: 12, states_per_round, max_members: 5, lambdas, seeds, ..more }
    }

    #[test]
    fn algorithms_have_the_same_style_in_all_figures() {
        let of = |name: &str| curve_style(&name.parse::<AlgorithmName>().unwrap());
        let players = short(1, &[Lambda::Proof, Lambda::Rate(0.1)]).players();
        let styles: Vec<_> = styles(players).into_iter().map(|(_, style)| style).collect();
        let named = ["bc", "dagger", "bd-25", "handover-bd-25"].map(of);
        assert_eq!(styles[..4], named);
        assert_eq!(styles[4].0, of("mftpl-p-1(1)").0);
        assert_eq!(styles[4..6], PERTURBED[..2]);
    }
}
