//! `tutelage theory regret`.

use serde::Serialize;
use tutelage_figures::Figure;
use tutelage_reproduce::theory::{
    Played, Rules, bound, describe, play_all, regret_panel, with_bound,
};
use tutelage_theory::{Problem, theorem};

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

impl Regret {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let problem = self.problem.problem(&self.mdp, self.horizon)?;
        theorem(&problem, self.delta).check()?;
        let rules = Rules {
            rounds: self.rounds,
            states_per_round: self.states_per_round,
            seeds: self.seeds.0.clone(),
            max_members: self.max_members,
            delta: self.delta,
        };
        let played = play_all(&problem, &rules)?;
        let title = describe(&problem, &rules);
        output.say(&title)?;
        let rows: Vec<_> = played.iter().map(|played| row(&problem, &rules, played)).collect();
        output.rows(&rows)?;
        let panel = regret_panel("", &rules, &played);
        let panel = with_bound(panel, &problem, &rules, &played);
        self.out.save(&format!("regret-{}", problem.name), &Figure::new(title).panel(panel))
    }
}

fn row(problem: &Problem, rules: &Rules, Played { algorithm, seed, game }: &Played) -> GameRow {
    let regret = game.regret[rules.rounds - 1];
    let (cost_gap, theorem_1_bound) = game.theorem_one();
    GameRow {
        algorithm: algorithm.name.clone(),
        seed: *seed,
        rounds: rules.rounds,
        annotations: rules.rounds * rules.states_per_round,
        members: algorithm.members,
        regret,
        regret_per_round: regret / rules.rounds as f64,
        bound: bound(problem, algorithm, rules, rules.rounds),
        estimation_gap: game.estimation_gap(rules.rounds),
        cost_gap: settled(cost_gap),
        theorem_1_bound: settled(theorem_1_bound),
    }
}

/// Without the last bits: where Theorem 1 holds with equality, they would make it look violated.
fn settled(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sides_are_printed_alike() {
        let (left, right) = (5.835_25, 5.835_25 - 2e-15);
        assert_ne!(format!("{left:.4}"), format!("{right:.4}"), "what it is for");
        assert_eq!(settled(left), settled(right));
        assert_eq!(settled(-0.123_456_789_4), -0.123_456_789);
    }
}
