//! Regret curves and the theorem's bound.

use rayon::prelude::*;
use tutelage_draw::plot::{Colour, Curve, Figure, Panel, Scale, Style};
use tutelage_theory::{
    Bound, Game, GameSchedule, ImitationProblem, Lambda, Player, contestants, play,
};

use super::{TheoryError, describe, player_style, problem, rules, styled};
use crate::FigurePlan;

/// One game of an algorithm.
pub struct PlayedGame {
    /// The label, with λ if there are several.
    pub label: String,
    /// The algorithm.
    pub player: Player,
    /// The seed.
    pub seed: u64,
    /// The game.
    pub game: Game,
}

/// The rules of all games.
#[derive(Clone, Debug)]
pub struct GameRules {
    /// N, K and the maximum ensemble size.
    pub schedule: GameSchedule,
    /// The values of λ for MFTPL-P.
    pub lambdas: Vec<Lambda>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The failure probability δ of the theorem's bound.
    pub delta: f64,
}

/// Plays all algorithms with all seeds on a problem.
pub fn play_all(
    problem: &ImitationProblem,
    rules: &GameRules,
) -> Result<Vec<PlayedGame>, TheoryError> {
    let players = contestants(problem, rules.schedule, &rules.lambdas);
    let jobs: Vec<_> = players
        .iter()
        .flat_map(|&player| rules.seeds.iter().map(move |&seed| (player, seed)))
        .collect();
    let GameSchedule { rounds, states_per_round, .. } = rules.schedule;
    let games = jobs.into_par_iter().map(|(player, seed)| {
        let game =
            play(problem, player, rounds, states_per_round, seed).map_err(TheoryError::of)?;
        Ok(PlayedGame { label: label(player, rules), player, seed, game })
    });
    games.collect()
}

fn label(player: Player, rules: &GameRules) -> String {
    match player.lambda().filter(|_| rules.lambdas.len() > 1) {
        Some(lambda) if lambda < 10.0 => format!("{}, λ = {lambda:.2}", player.name()),
        Some(lambda) => format!("{}, λ = {lambda:.0}", player.name()),
        None => player.name(),
    }
}

/// Groups games by player, in order of first appearance.
pub fn by_player(played: &[PlayedGame]) -> Vec<(&str, Player, Vec<&Game>)> {
    let mut groups: Vec<(&str, Player, Vec<&Game>)> = Vec::new();
    for one in played {
        match groups.iter_mut().find(|(label, ..)| *label == one.label) {
            Some((.., games)) => games.push(&one.game),
            None => groups.push((&one.label, one.player, vec![&one.game])),
        }
    }
    groups
}

/// Returns the theorem's bound on MFTPL-P's Reg(n) for the parameters of its game.
///
/// Returns `None` for other algorithms, for losses other than 0–1, and if d₀ covers nothing.
pub fn bound(
    problem: &ImitationProblem,
    player: Player,
    rules: &GameRules,
    rounds: usize,
) -> Option<Bound> {
    let lambda = player.lambda()?;
    let has_bound = problem.sigma > 0.0 && problem.loss == tutelage_theory::ImitationLoss::ZeroOne;
    let (n, k) = (rounds as f64, rules.schedule.states_per_round as f64);
    let bound = || problem.theorem(rules.delta).bound(n, k, lambda, player.members() as f64);
    has_bound.then(bound)
}

const BESIDE: &str = "MFTPL-P's regret beside its bound";

/// Draws the average regret of all algorithms, and MFTPL-P's regret with its bound.
pub fn regret_figure(
    problem: &ImitationProblem,
    rules: &GameRules,
    played: &[PlayedGame],
) -> Figure {
    let k = rules.schedule.states_per_round;
    let title = format!("{}, K = {k}", describe(problem));
    let average = regret_panel("average regret", rules, played);
    Figure::new(title).panel(average).panel(bound_panel(BESIDE, problem, rules, played))
}

/// The average regret Reg(n)/n, mean and range over seeds.
pub(super) fn regret_panel(title: &str, rules: &GameRules, played: &[PlayedGame]) -> Panel {
    let panel = Panel::new(title).x("round n", Scale::Log).y("Reg(n) / n", Scale::Linear);
    with_curves(panel, rules, played, |game, n| game.regret[n - 1] / n as f64)
}

/// The cost J(πₙ) of each round's policy, mean and range over seeds.
pub(super) fn cost_panel(title: &str, rules: &GameRules, played: &[PlayedGame]) -> Panel {
    let panel = Panel::new(title).x("round n", Scale::Log).y("cost J", Scale::Linear);
    with_curves(panel, rules, played, |game, n| game.costs[n - 1])
}

/// MFTPL-P's Reg(n) and its bound where the conditions hold. Reg(n) cannot exceed n, so a larger bound is vacuous
/// and dotted.
fn bound_panel(
    title: &str,
    problem: &ImitationProblem,
    rules: &GameRules,
    played: &[PlayedGame],
) -> Panel {
    let note = format!("{}\na bound is drawn where its conditions on λ hold", seeds_note(rules));
    let mut panel = Panel::new(title).note(note).x("round n", Scale::Log).y("Reg(n)", Scale::Log);
    let rounds = plotted_rounds(rules.schedule.rounds);
    let perturbed =
        by_player(played).into_iter().filter(|(_, player, _)| player.lambda().is_some());
    for (turn, (label, player, games)) in perturbed.enumerate() {
        let (colour, style) = player_style(player, turn);
        let regret = over_seeds(label, &games, &rounds, |game, n| game.regret[n - 1].max(0.0));
        panel = panel.curve(styled(regret, (colour, style)));
        for vacuous in [false, true] {
            let bounds = rounds.iter().filter_map(|&n| {
                let bound = bound(problem, player, rules, n)?;
                (bound.holds && bound.vacuous == vacuous).then_some((n as f64, bound.value))
            });
            let points: Vec<(f64, f64)> = bounds.collect();
            if !points.is_empty() {
                let (name, style) = match vacuous {
                    true => (format!("{label}: bound, vacuous"), Style::Dotted),
                    false => (format!("{label}: bound"), Style::Dashed),
                };
                panel = panel.curve(Curve::new(name, points).colour(colour).style(style));
            }
        }
    }
    let most = rounds.iter().map(|&n| (n as f64, n as f64)).collect();
    let most = Curve::new("n: no regret is larger", most).colour(Colour::GREY);
    panel.curve(most.style(Style::DashDotted))
}

/// Draws the figure of the regret theorem: two finite problems, one row each.
pub(crate) fn regret(plan: &FigurePlan<'_>) -> Result<Figure, TheoryError> {
    let rules = rules(plan, 1);
    let mut figure = Figure::new(&plan.experiment.title).columns(2);
    for name in ["trap", "random"] {
        let problem = problem(name)?;
        let mut played = play_all(&problem, &rules)?;
        let lambdas = named_by_rule(&mut played, &rules);
        let title = format!("{name} MDP, {} states", problem.mdp.states());
        let beside = format!("{name} MDP: {BESIDE}");
        let mut panels = [
            regret_panel(&title, &rules, &played),
            bound_panel(&beside, &problem, &rules, &played),
        ];
        panels[0].note += &format!("; {lambdas}");
        figure.panels.extend(panels);
    }
    Ok(figure)
}

/// Labels the players by the rule of their λ, which is the same on every problem; returns the values of λ.
fn named_by_rule(played: &mut [PlayedGame], rules: &GameRules) -> String {
    let mut lambdas: Vec<f64> = Vec::new();
    for one in played {
        let Some(lambda) = one.player.lambda() else { continue };
        let turn = lambdas.iter().position(|other| *other == lambda).unwrap_or(lambdas.len());
        if turn == lambdas.len() {
            lambdas.push(lambda);
        }
        let rule = match rules.lambdas.get(turn) {
            Some(Lambda::Proof) => "λ of the proof".into(),
            Some(Lambda::Rate(share)) => format!("λ = {share}·Θ"),
            Some(Lambda::Fixed(_)) | None => format!("λ = {lambda}"),
        };
        one.label = format!("{}, {rule}", one.player.name());
    }
    let numbers: Vec<String> = lambdas.iter().map(|lambda| format!("{lambda:.0}")).collect();
    format!("λ = {}", numbers.join(" and "))
}

fn with_curves(
    mut panel: Panel,
    rules: &GameRules,
    played: &[PlayedGame],
    value: impl Fn(&Game, usize) -> f64,
) -> Panel {
    let rounds = plotted_rounds(rules.schedule.rounds);
    panel.note = seeds_note(rules);
    let mut turn = 0;
    for (label, player, games) in by_player(played) {
        let curve = over_seeds(label, &games, &rounds, &value);
        panel = panel.curve(styled(curve, player_style(player, turn)));
        turn += usize::from(player.lambda().is_some());
    }
    panel
}

fn over_seeds(
    name: &str,
    games: &[&Game],
    rounds: &[usize],
    value: impl Fn(&Game, usize) -> f64,
) -> Curve {
    let values = |n: usize| games.iter().map(|game| value(game, n)).collect::<Vec<_>>();
    let mean = |n: usize| values(n).iter().sum::<f64>() / games.len() as f64;
    let range = |n: usize| {
        let values = values(n);
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        (low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let curve = Curve::new(name, rounds.iter().map(|&n| (n as f64, mean(n))).collect());
    match games.len() {
        1 => curve,
        _ => curve.band(rounds.iter().map(|&n| range(n)).collect()),
    }
}

fn seeds_note(rules: &GameRules) -> String {
    match rules.seeds.len() {
        1 => "1 seed".into(),
        seeds => format!("mean and range of {seeds} seeds"),
    }
}

/// Returns the rounds to draw, in a geometric progression.
fn plotted_rounds(rounds: usize) -> Vec<usize> {
    let mut plotted: Vec<usize> =
        (0..).map(|i| 1.08f64.powi(i).round() as usize).take_while(|n| *n < rounds).collect();
    plotted.push(rounds);
    plotted.dedup();
    plotted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(lambdas: &[Lambda]) -> GameRules {
        let schedule = GameSchedule { rounds: 12, states_per_round: 1, max_members: 5 };
        GameRules { schedule, lambdas: lambdas.to_vec(), seeds: vec![1, 2], delta: 0.05 }
    }

    #[test]
    fn all_seeds_enter_the_mean_and_the_band() {
        let problem = problem("trap").unwrap();
        let rules = rules(&[Lambda::Proof, Lambda::Fixed(2.0)]);
        let played = play_all(&problem, &rules).unwrap();
        let groups = by_player(&played);
        assert_eq!(groups.len(), 7, "MFTPL-P twice");
        let panel = regret_panel("", &rules, &played);
        for (curve, (.., games)) in panel.curves.iter().zip(&groups) {
            let last = [0, 1].map(|i: usize| games[i].regret[11] / 12.0);
            assert!((curve.points.last().unwrap().1 - (last[0] + last[1]) / 2.0).abs() < 1e-12);
            let band = curve.band.as_ref().unwrap().last().unwrap();
            assert_eq!(*band, (last[0].min(last[1]), last[0].max(last[1])));
        }
    }

    #[test]
    fn a_bound_is_drawn_where_it_holds_and_dotted_if_vacuous() {
        let problem = problem("trap").unwrap();
        let names = |lambda| {
            let rules = rules(&[lambda]);
            let played = play_all(&problem, &rules).unwrap();
            let panel = bound_panel("", &problem, &rules, &played);
            panel.curves.into_iter().map(|curve| curve.name).collect::<Vec<_>>()
        };
        let few = names(Lambda::Proof);
        assert_eq!(few, ["MFTPL-P", "MFTPL-P: bound, vacuous", "n: no regret is larger"]);
        let little = names(Lambda::Fixed(1.0));
        assert!(
            !little.iter().any(|name| name.contains("bound")),
            "no condition holds: {little:?}"
        );
    }

    #[test]
    fn players_are_labeled_by_the_rule_of_their_lambda() {
        let rules = rules(&[Lambda::Proof, Lambda::Rate(0.1)]);
        let labels = |name: &str| {
            let mut played = play_all(&problem(name).unwrap(), &rules).unwrap();
            let numbers = named_by_rule(&mut played, &rules);
            let labels = by_player(&played).into_iter().map(|(label, ..)| label.to_owned());
            (labels.collect::<Vec<_>>(), numbers)
        };
        let (trap, random) = (labels("trap"), labels("random"));
        assert_eq!(trap.0, random.0);
        assert!(trap.0.contains(&"MFTPL-P, λ of the proof".into()), "{trap:?}");
        assert!(trap.0.contains(&"MFTPL-P, λ = 0.1·Θ".into()) && trap.1 != random.1, "{trap:?}");
    }
}
