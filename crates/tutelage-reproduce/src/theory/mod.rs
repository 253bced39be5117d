//! Figures about finite MDPs.

mod limitation;
mod regret;
mod sweep;
mod table;

use tutelage::AlgorithmName;
use tutelage_draw::plot::{Colour, Curve, Style};
use tutelage_theory::{
    Contender, GameSchedule, ImitationProblem, Lambda, Player, ProblemFamily, ProblemSize,
};

pub(crate) use limitation::limitation;
pub use limitation::{limitation_figure, play_limitation};
pub(crate) use regret::regret;
pub use regret::{GameRules, PlayedGame, bound, by_player, play_all, regret_figure};
pub use sweep::sweep_figure;
pub use table::table_figure;

use crate::{FigurePlan, Profile};
use tutelage_compare::curve_style;

/// A game could not be played.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TheoryError(Box<dyn std::error::Error + Send + Sync>);

impl TheoryError {
    fn of(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

/// Describes a problem in one line.
pub fn describe(problem: &ImitationProblem) -> String {
    format!(
        "{}: S = {}, A = {}, H = {}, B = {}, µ = {:.3}, σ = {:.3}",
        problem.name,
        problem.mdp.states(),
        problem.mdp.actions(),
        problem.mdp.horizon(),
        problem.class.size(),
        problem.mu,
        problem.sigma,
    )
}

/// Returns the style of an algorithm in all figures; `turn` distinguishes several λ of MFTPL-P.
fn player_style(player: Player, turn: usize) -> (Colour, Style) {
    let plain = (Colour::palette(0), Style::Solid);
    let paper = |name: &str| name.parse().map_or(plain, |named: AlgorithmName| curve_style(&named));
    match player {
        Player::Bc => paper("bc"),
        Player::Dagger => paper("dagger"),
        Player::BootstrapDagger { members } => paper(&format!("bd-{members}")),
        Player::HandOver { members } => paper(&format!("handover-bd-{members}")),
        Player::MftplP { .. } => PERTURBED[turn % PERTURBED.len()],
        Player::LoggerM { .. } => (Colour::palette(6), Style::Dotted),
    }
}

/// MFTPL-P's color first, then those for further λ.
const PERTURBED: [(Colour, Style); 4] = [
    (Colour::new(120, 60, 160), Style::Solid),
    (Colour::new(200, 30, 180), Style::Dashed),
    (Colour::new(250, 170, 60), Style::DashDotted),
    (Colour::new(20, 120, 160), Style::Dotted),
];

/// Returns the style of a line of Table 1.
fn contender_style(contender: Contender, turn: usize) -> (Colour, Style) {
    let player = match contender {
        Contender::Bc => Player::Bc,
        Contender::Dagger => Player::Dagger,
        Contender::MftplP(_) => Player::MftplP { members: 1, lambda: 0.0 },
        Contender::LoggerM => Player::LoggerM { members: 1, scale: 0.0 },
    };
    player_style(player, turn)
}

fn styled(curve: Curve, (colour, style): (Colour, Style)) -> Curve {
    curve.colour(colour).style(style)
}

/// The rules of the built-in figures.
fn rules(plan: &FigurePlan<'_>, states_per_round: usize) -> GameRules {
    let (rounds, max_members) = match plan.profile {
        Profile::Quick => (300, 500),
        Profile::Paper => (1000, 2000),
    };
    let schedule = GameSchedule { rounds, states_per_round, max_members };
    let lambdas = vec![Lambda::Proof, Lambda::Rate(0.1)];
    GameRules { schedule, lambdas, seeds: plan.seeds.clone(), delta: 0.05 }
}

fn problem(name: &str) -> Result<ImitationProblem, TheoryError> {
    let of_usual_size = |family: ProblemFamily| family.problem(ProblemSize::default());
    ProblemFamily::named(name).and_then(of_usual_size).map_err(TheoryError::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_have_the_same_style_in_all_figures() {
        let of = |name: &str| curve_style(&name.parse::<AlgorithmName>().unwrap());
        let dagger = of("dagger");
        assert_eq!(player_style(Player::Dagger, 0), dagger);
        assert_eq!(contender_style(Contender::Dagger, 3), dagger);
        assert_eq!(player_style(Player::BootstrapDagger { members: 25 }, 0), of("bd-25"));
        let violet = of("mftpl-p-1(1)");
        assert_eq!(player_style(Player::MftplP { members: 5, lambda: 2.0 }, 0).0, violet.0);
    }
}
