//! The finite world's figures.

use rayon::prelude::*;
use tutelage::{Algorithm, Size, TrainOn};
use tutelage_figures::{Color, Curve, Figure, Level, Panel, Scale, Style};
use tutelage_theory::{Dimensions, Family, Game, Problem, contestants, play, theorem};

use crate::{Experiment, Profile, Selection};

/// Why a game could not be played.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TheoryError(Box<dyn std::error::Error + Send + Sync>);

/// One algorithm's game with one seed.
pub struct Played {
    /// Who played.
    pub algorithm: Algorithm<u32, u32>,
    /// With which seed.
    pub seed: u64,
    /// How it went.
    pub game: Game,
}

/// How games are played.
#[derive(Clone, Debug)]
pub struct Rules {
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The largest ensemble.
    pub max_members: usize,
    /// The probability with which the theorem's bound may fail.
    pub delta: f64,
}

/// Every algorithm's games on a problem.
pub fn play_all(problem: &Problem, rules: &Rules) -> Result<Vec<Played>, TheoryError> {
    let Rules { rounds, states_per_round, max_members, .. } = *rules;
    let algorithms = contestants(problem, rounds.max(1), states_per_round.max(1), max_members);
    let jobs: Vec<_> = algorithms
        .iter()
        .flat_map(|algorithm| rules.seeds.iter().map(move |&seed| (algorithm, seed)))
        .collect();
    let games = jobs.into_par_iter().map(|(algorithm, seed)| {
        let game = play(problem, algorithm, rounds, states_per_round, seed)
            .map_err(|error| TheoryError(error.into()))?;
        Ok(Played { algorithm: algorithm.clone(), seed, game })
    });
    games.collect()
}

/// The theorem's bound on Reg(n) for MFTPL-P with the parameters that it ran with.
pub fn bound(
    problem: &Problem,
    algorithm: &Algorithm<u32, u32>,
    rules: &Rules,
    rounds: usize,
) -> Option<f64> {
    let TrainOn::Perturbed { size: Size::Poisson(lambda), .. } = algorithm.train_on else {
        return None;
    };
    let (n, k) = (rounds as f64, rules.states_per_round as f64);
    Some(theorem(problem, rules.delta).bound(n, k, lambda, algorithm.members as f64))
}

/// What a problem is, in one line.
pub fn describe(problem: &Problem, rules: &Rules) -> String {
    format!(
        "{}: S = {}, A = {}, H = {}, B = {}, mu = {:.3}, sigma = {:.3}, K = {}",
        problem.name,
        problem.mdp.states(),
        problem.mdp.actions(),
        problem.mdp.horizon(),
        problem.class.size(),
        problem.mu,
        problem.sigma,
        rules.states_per_round
    )
}

/// The average regret Reg(n)/n, mean and range over seeds.
pub fn regret_panel(title: &str, rules: &Rules, played: &[Played]) -> Panel {
    let mut panel =
        Panel::new(title).x("round n", Scale::Log).y("average regret Reg(n) / n", Scale::Linear);
    for (index, (algorithm, games)) in by_algorithm(played).into_iter().enumerate() {
        let average = |game: &Game, n: usize| game.regret[n - 1] / n as f64;
        panel = panel.curve(over_seeds(&games, rules.rounds, average, algorithm, index));
    }
    panel
}

/// The theorem's bound on MFTPL-P's average regret. No loss is above 1, so a bound above 1 says nothing: it is drawn from
/// where it does.
pub fn with_bound(mut panel: Panel, problem: &Problem, rules: &Rules, played: &[Played]) -> Panel {
    for (index, (algorithm, _)) in by_algorithm(played).into_iter().enumerate() {
        let bounds = plotted_rounds(rules.rounds)
            .into_iter()
            .filter_map(|n| Some((n as f64, bound(problem, algorithm, rules, n)? / n as f64)));
        let bounds: Vec<(f64, f64)> = bounds.filter(|(_, y)| *y <= 1.0).collect();
        if !bounds.is_empty() {
            let curve = Curve::new("MFTPL-P's bound", bounds).style(Style::Dashed);
            panel = panel.curve(curve.color(Color::palette(index)));
        }
    }
    panel
}

/// What each round's policy costs, J(πₙ), mean and range over seeds.
pub fn cost_panel(title: &str, rules: &Rules, played: &[Played]) -> Panel {
    let mut panel = Panel::new(title).x("round n", Scale::Log).y("cost J", Scale::Linear);
    for (index, (algorithm, games)) in by_algorithm(played).into_iter().enumerate() {
        let cost = |game: &Game, n: usize| game.costs[n - 1];
        panel = panel.curve(over_seeds(&games, rules.rounds, cost, algorithm, index));
    }
    panel
}

/// The figure of the regret theorem: two finite problems.
pub(crate) fn regret(
    experiment: &Experiment,
    selection: &Selection,
) -> Result<Figure, TheoryError> {
    let rules = rules(experiment, selection, 1);
    let mut figure = Figure::new(&experiment.title);
    for name in ["trap", "random"] {
        let problem = problem(name)?;
        let played = play_all(&problem, &rules)?;
        let title = format!("{} MDP, {} states", problem.name, problem.mdp.states());
        let panel = regret_panel(&title, &rules, &played);
        figure = figure.panel(with_bound(panel, &problem, &rules, &played));
    }
    Ok(figure)
}

/// The figure of Proposition 1: no regret, and the worse policy.
pub(crate) fn limitation(
    experiment: &Experiment,
    selection: &Selection,
) -> Result<Figure, TheoryError> {
    let rules = rules(experiment, selection, 5);
    let problem = problem("limitation")?;
    let played = play_all(&problem, &rules)?;
    let mut costs =
        cost_panel("what the policy costs", &rules, &played).level("the class's best", 1.0);
    costs.levels.push(Level {
        name: "expert".into(),
        color: Color::GREY,
        style: Style::Dotted,
        y: played.first().map_or(0.0, |played| played.game.expert_cost),
    });
    let regret = regret_panel("while its regret vanishes", &rules, &played);
    Ok(Figure::new(&experiment.title).panel(costs).panel(regret))
}

fn rules(experiment: &Experiment, selection: &Selection, states_per_round: usize) -> Rules {
    let (rounds, max_members) = match selection.profile {
        Profile::Quick => (300, 500),
        Profile::Paper => (1000, 2000),
    };
    let seeds = selection.seeds(experiment);
    Rules { rounds, states_per_round, seeds, max_members, delta: 0.05 }
}

fn problem(name: &str) -> Result<Problem, TheoryError> {
    let dimensions = Dimensions { states: 16, actions: 4, horizon: 10, class_size: 32, seed: 1 };
    let family = Family::named(name).map_err(|error| TheoryError(error.into()))?;
    family.problem(dimensions).map_err(|error| TheoryError(error.into()))
}

/// The games of each algorithm, in the order in which algorithms first appear.
fn by_algorithm(played: &[Played]) -> Vec<(&Algorithm<u32, u32>, Vec<&Game>)> {
    let mut groups: Vec<(&Algorithm<u32, u32>, Vec<&Game>)> = Vec::new();
    for one in played {
        match groups.iter_mut().find(|(algorithm, _)| algorithm.name == one.algorithm.name) {
            Some((_, games)) => games.push(&one.game),
            None => groups.push((&one.algorithm, vec![&one.game])),
        }
    }
    groups
}

fn over_seeds(
    games: &[&Game],
    rounds: usize,
    value: impl Fn(&Game, usize) -> f64,
    algorithm: &Algorithm<u32, u32>,
    index: usize,
) -> Curve {
    let values = |n: usize| games.iter().map(|game| value(game, n)).collect::<Vec<_>>();
    let mean = |n: usize| values(n).iter().sum::<f64>() / games.len() as f64;
    let range = |n: usize| {
        let values = values(n);
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        (low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let plotted = plotted_rounds(rounds);
    let points = plotted.iter().map(|&n| (n as f64, mean(n))).collect();
    let curve = Curve::new(&algorithm.name, points)
        .color(Color::palette(index))
        .style(STYLES[index % STYLES.len()]);
    curve.band(plotted.iter().map(|&n| range(n)).collect())
}

/// Curves of these games often lie on each other: broken lines let those below be seen.
const STYLES: [Style; 5] =
    [Style::Solid, Style::Dashed, Style::DashDotted, Style::Solid, Style::Dotted];

/// Rounds to draw, close together at first and then ever further apart.
fn plotted_rounds(rounds: usize) -> Vec<usize> {
    let mut plotted: Vec<usize> =
        (0..).map(|i| 1.08f64.powi(i).round() as usize).take_while(|n| *n < rounds).collect();
    plotted.push(rounds);
    plotted.dedup();
    plotted
}
