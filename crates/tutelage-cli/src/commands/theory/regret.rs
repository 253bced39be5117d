//! `tutelage theory regret`.

use rayon::prelude::*;
use serde::Serialize;
use tutelage::{Algorithm, Size, TrainOn};
use tutelage_figures::{Color, Curve, Figure, Panel, Scale, Style};
use tutelage_theory::{Game, Problem, contestants, play, theorem};

use super::{Out, ProblemArgs};
use crate::arguments::Seeds;
use crate::output::{Output, Row};

/// Arguments of `tutelage theory regret`.
#[derive(clap::Args)]
pub(crate) struct Regret {
    /// The MDP: trap, limitation, random, gridworld or chain
    #[arg(long, default_value = "trap")]
    mdp: String,
    /// Horizon H
    #[arg(long, default_value_t = 10, value_name = "H")]
    horizon: usize,
    /// Rounds N
    #[arg(long, default_value_t = 1000, value_name = "N")]
    rounds: usize,
    /// States annotated per round, K
    #[arg(long, default_value_t = 1, value_name = "K")]
    states_per_round: usize,
    /// Seeds to play with: 3, 1-10 or 1,2,5-7
    #[arg(long, default_value = "1-3")]
    seeds: Seeds,
    /// Largest ensemble; the theorem asks for E = N A ln(N S)
    #[arg(long, default_value_t = 2000, value_name = "E")]
    max_members: usize,
    /// Probability with which the theorem's bound may fail
    #[arg(long, default_value_t = 0.05)]
    delta: f64,
    #[command(flatten)]
    problem: ProblemArgs,
    #[command(flatten)]
    out: Out,
}

#[derive(Serialize)]
struct GameRow {
    algorithm: String,
    seed: u64,
    rounds: usize,
    annotations: usize,
    members: usize,
    regret: f64,
    regret_per_round: f64,
    /// Only MFTPL-P has one.
    bound: Option<f64>,
    estimation_gap: f64,
    cost_gap: f64,
    theorem_1_bound: f64,
}

impl Row for GameRow {
    const HEADINGS: &'static [&'static str] = &[
        "algorithm",
        "seed",
        "E",
        "annotations",
        "Reg(N)",
        "Reg(N)/N",
        "bound on Reg(N)",
        "EstGap",
        "J(pi)-J(expert)",
        "<= Theorem 1",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.algorithm.clone(),
            self.seed.to_string(),
            self.members.to_string(),
            self.annotations.to_string(),
            format!("{:.3}", self.regret),
            format!("{:.4}", self.regret_per_round),
            self.bound.map_or("–".into(), |bound| format!("{bound:.0}")),
            format!("{:.4}", self.estimation_gap),
            format!("{:.4}", self.cost_gap),
            format!("{:.4}", self.theorem_1_bound),
        ]
    }
}

struct Played {
    algorithm: Algorithm<u32, u32>,
    seed: u64,
    game: Game,
}

impl Regret {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let problem = self.problem.problem(&self.mdp, self.horizon)?;
        let algorithms = contestants(
            &problem,
            self.rounds.max(1),
            self.states_per_round.max(1),
            self.max_members,
        );
        let jobs = algorithms
            .iter()
            .flat_map(|algorithm| self.seeds.0.iter().map(move |&seed| (algorithm, seed)));
        let games = jobs.collect::<Vec<_>>().into_par_iter().map(|(algorithm, seed)| {
            let game = play(&problem, algorithm, self.rounds, self.states_per_round, seed)?;
            Ok(Played { algorithm: algorithm.clone(), seed, game })
        });
        let games = games.collect::<anyhow::Result<Vec<Played>>>()?;
        let title = format!(
            "{}: S = {}, A = {}, H = {}, B = {}, mu = {:.3}, sigma = {:.3}, K = {}",
            problem.name,
            problem.mdp.states(),
            problem.mdp.actions(),
            problem.mdp.horizon(),
            problem.class.size(),
            problem.mu,
            problem.sigma,
            self.states_per_round
        );
        output.say(&title)?;
        output.rows(&games.iter().map(|played| self.row(&problem, played)).collect::<Vec<_>>())?;
        self.out.save(
            &format!("regret-{}", problem.name),
            &self.figure(&problem, &title, &algorithms, &games),
        )
    }

    fn row(&self, problem: &Problem, Played { algorithm, seed, game }: &Played) -> GameRow {
        let regret = game.regret[self.rounds - 1];
        let (cost_gap, theorem_1_bound) = game.theorem_one();
        GameRow {
            algorithm: algorithm.name.clone(),
            seed: *seed,
            rounds: self.rounds,
            annotations: self.rounds * self.states_per_round,
            members: algorithm.members,
            regret,
            regret_per_round: regret / self.rounds as f64,
            bound: self.bound(problem, algorithm, self.rounds),
            estimation_gap: game.estimation_gap(self.rounds),
            cost_gap,
            theorem_1_bound,
        }
    }

    /// The theorem's bound on Reg(n) for MFTPL-P with the parameters that it ran with.
    fn bound(
        &self,
        problem: &Problem,
        algorithm: &Algorithm<u32, u32>,
        rounds: usize,
    ) -> Option<f64> {
        let TrainOn::Perturbed { size: Size::Poisson(lambda), .. } = algorithm.train_on else {
            return None;
        };
        let (n, k) = (rounds as f64, self.states_per_round as f64);
        Some(theorem(problem, self.delta).bound(n, k, lambda, algorithm.members as f64))
    }

    /// The average regret Reg(n)/n, mean and range over seeds.
    fn figure(
        &self,
        problem: &Problem,
        title: &str,
        algorithms: &[Algorithm<u32, u32>],
        games: &[Played],
    ) -> Figure {
        let rounds = plotted_rounds(self.rounds);
        let mut panel =
            Panel::new("").x("round n", Scale::Log).y("average regret Reg(n) / n", Scale::Linear);
        for (index, algorithm) in algorithms.iter().enumerate() {
            let of_algorithm: Vec<&Game> = games
                .iter()
                .filter(|played| played.algorithm.name == algorithm.name)
                .map(|p| &p.game)
                .collect();
            let values =
                |n: usize| of_algorithm.iter().map(move |game| game.regret[n - 1] / n as f64);
            let mean = |n: usize| values(n).sum::<f64>() / of_algorithm.len() as f64;
            let range = |n: usize| {
                (
                    values(n).fold(f64::INFINITY, f64::min),
                    values(n).fold(f64::NEG_INFINITY, f64::max),
                )
            };
            let points = rounds.iter().map(|&n| (n as f64, mean(n))).collect();
            let curve = Curve::new(&algorithm.name, points).color(Color::palette(index));
            panel = panel.curve(curve.band(rounds.iter().map(|&n| range(n)).collect()));
            // No loss is above 1, so a bound above 1 says nothing: it is drawn from where it does.
            let bound =
                |&n: &usize| Some((n as f64, self.bound(problem, algorithm, n)? / n as f64));
            let bound: Vec<(f64, f64)> =
                rounds.iter().filter_map(bound).filter(|(_, y)| *y <= 1.0).collect();
            if !bound.is_empty() {
                panel = panel.curve(
                    Curve::new("MFTPL-P's bound", bound).color(Color::GREY).style(Style::Dashed),
                );
            }
        }
        Figure::new(title).panel(panel)
    }
}

/// Rounds to draw, close together at first and then ever further apart.
fn plotted_rounds(rounds: usize) -> Vec<usize> {
    let mut plotted: Vec<usize> =
        (0..).map(|i| 1.08f64.powi(i).round() as usize).take_while(|n| *n < rounds).collect();
    plotted.push(rounds);
    plotted.dedup();
    plotted
}
