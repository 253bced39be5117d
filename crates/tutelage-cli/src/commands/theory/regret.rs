//! `tutelage theory regret`.

use serde::Serialize;
use tutelage_reproduce::theory::{
    GameRules, PlayedGame, bound, by_player, describe, play_all, regret_figure,
};
use tutelage_theory::{Bound, Game, GameSchedule, ImitationProblem, Mean, Player};

use super::{LambdaArgs, Out, ProblemArgs, shown};
use crate::arguments::Seeds;
use crate::output::{Output, Row};

/// Arguments of `tutelage theory regret`.
#[derive(clap::Args)]
pub(crate) struct Regret {
    /// The MDP: trap, limitation, random, gridworld, chain or ledge
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
    /// List the eight terms of the theorem's bound
    #[arg(long)]
    terms: bool,
    /// Seed that a random MDP and class are drawn from
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    mdp_seed: u64,
    #[command(flatten)]
    lambda: LambdaArgs,
    #[command(flatten)]
    problem: ProblemArgs,
    #[command(flatten)]
    out: Out,
}

/// What was played, as every JSON object says.
#[derive(Clone, Serialize)]
struct Conditions {
    mdp: String,
    mdp_seed: u64,
    states: usize,
    actions: usize,
    horizon: usize,
    class_size: usize,
    mu: f64,
    sigma: f64,
    rounds: usize,
    states_per_round: usize,
    annotations: usize,
    delta: f64,
}

/// An algorithm's game, or the mean of its games.
#[derive(Serialize)]
struct GameRow {
    algorithm: String,
    /// None for the mean over all seeds.
    seed: Option<u64>,
    #[serde(flatten)]
    setting: Conditions,
    members: usize,
    lambda: Option<f64>,
    regret: f64,
    regret_low: f64,
    regret_high: f64,
    regret_per_round: f64,
    regret_per_round_se: f64,
    /// Only MFTPL-P has one, and only where d0 covers what it must.
    bound: Option<f64>,
    bound_holds: Option<bool>,
    bound_vacuous: Option<bool>,
    bias: f64,
    estimation_gap: f64,
    cost_gap: f64,
    cost_gap_to_best: f64,
    theorem_1_bound: f64,
    sigma_played: f64,
    #[serde(skip)]
    shown_regret: String,
}

impl Row for GameRow {
    const HEADINGS: &'static [&'static str] = &[
        "algorithm",
        "E",
        "lambda",
        "Reg(N)",
        "Reg(N)/N",
        "bound on Reg(N)",
        "EstGap",
        "J(pi)-J(expert)",
        "<= Theorem 1",
        "J(pi)-min J",
        "sigma played",
    ];

    fn cells(&self) -> Vec<String> {
        let bound = match (self.bound, self.bound_holds, self.bound_vacuous) {
            (Some(bound), Some(true), Some(true)) => format!("{bound:.0} (vacuous: > N)"),
            (Some(bound), Some(true), _) => format!("{bound:.0}"),
            (Some(_), ..) => "– (lambda too small)".into(),
            _ => "–".into(),
        };
        vec![
            self.algorithm.clone(),
            self.members.to_string(),
            self.lambda.map_or("–".into(), |lambda| format!("{lambda:.1}")),
            format!("{:.2} [{:.2}, {:.2}]", self.regret, self.regret_low, self.regret_high),
            self.shown_regret.clone(),
            bound,
            format!("{:.4}", self.estimation_gap),
            format!("{:.4}", self.cost_gap),
            format!("{:.4}", self.theorem_1_bound),
            format!("{:.4}", self.cost_gap_to_best),
            format!("{:.3}", self.sigma_played),
        ]
    }
}

#[derive(Serialize)]
struct TermRow {
    algorithm: String,
    term: &'static str,
    formula: &'static str,
    value: f64,
    share: f64,
}

impl Row for TermRow {
    const HEADINGS: &'static [&'static str] = &["algorithm", "term", "formula", "value", "share"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.algorithm.clone(),
            self.term.into(),
            self.formula.into(),
            format!("{:.1}", self.value),
            format!("{:.1} %", 100.0 * self.share),
        ]
    }
}

impl Regret {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let problem = self.problem.problem(&self.mdp, self.horizon, self.mdp_seed)?;
        self.out.check(&format!("regret-{}", problem.name))?;
        let mut checked = problem.theorem(self.delta);
        checked.sigma = if checked.sigma == 0.0 { 1.0 } else { checked.sigma };
        checked.check()?;
        let rules = GameRules {
            schedule: GameSchedule {
                rounds: self.rounds,
                states_per_round: self.states_per_round,
                max_members: self.max_members,
            },
            lambdas: self.lambda.choices(&problem)?,
            seeds: self.seeds.0.clone(),
            delta: self.delta,
        };
        let played = play_all(&problem, &rules)?;
        self.report(output, &problem, &rules, &played)?;
        let figure = regret_figure(&problem, &rules, &played);
        self.out.save(&format!("regret-{}", problem.name), &figure)
    }

    fn report(
        &self,
        output: &Output,
        problem: &ImitationProblem,
        rules: &GameRules,
        played: &[PlayedGame],
    ) -> anyhow::Result<()> {
        let seeds = rules.seeds.len();
        output.say(&format!(
            "{}, N = {}, K = {}; means [ranges] over {seeds} seeds\n",
            describe(problem),
            self.rounds,
            self.states_per_round
        ))?;
        if output.is_json() {
            let games = played.iter().map(|one| {
                self.row(problem, rules, &one.label, one.player, Some(one.seed), &[&one.game])
            });
            output.rows(&games.collect::<Vec<_>>())?;
        }
        let means = by_player(played);
        let means = means
            .iter()
            .map(|(label, player, games)| self.row(problem, rules, label, *player, None, games));
        output.rows(&means.collect::<Vec<_>>())?;
        if problem.sigma == 0.0 {
            output.say(
                "\nsigma = 0: d0 leaves out states that a policy visits, so there is no bound.",
            )?;
        }
        if self.terms { self.list_terms(output, problem, rules, played) } else { Ok(()) }
    }

    fn list_terms(
        &self,
        output: &Output,
        problem: &ImitationProblem,
        rules: &GameRules,
        played: &[PlayedGame],
    ) -> anyhow::Result<()> {
        let mut rows = Vec::new();
        for (label, player, _) in by_player(played) {
            let Some((lambda, bound)) =
                player.lambda().zip(bound(problem, player, rules, self.rounds))
            else {
                continue;
            };
            let (n, k) = (self.rounds as f64, self.states_per_round as f64);
            let terms = problem.theorem(self.delta).terms(n, k, lambda, player.members() as f64);
            rows.extend(terms.iter().map(|term| TermRow {
                algorithm: label.into(),
                term: term.name,
                formula: term.formula,
                value: term.value,
                share: term.value / bound.value,
            }));
        }
        output.say("\nThe bound is the sum of these:")?;
        output.rows(&rows)
    }

    fn row(
        &self,
        problem: &ImitationProblem,
        rules: &GameRules,
        label: &str,
        player: Player,
        seed: Option<u64>,
        games: &[&Game],
    ) -> GameRow {
        let n = self.rounds;
        let mean = |of: &dyn Fn(&Game) -> f64| {
            Mean::of(&games.iter().map(|game| of(game)).collect::<Vec<_>>())
        };
        let regrets = || games.iter().map(|game| game.regret[n - 1]);
        let average = mean(&|game| game.regret[n - 1] / n as f64);
        let bound: Option<Bound> = bound(problem, player, rules, n);
        GameRow {
            algorithm: label.into(),
            seed,
            setting: self.setting(problem),
            members: player.members(),
            lambda: player.lambda(),
            regret: mean(&|game| game.regret[n - 1]).value,
            regret_low: regrets().fold(f64::INFINITY, f64::min),
            regret_high: regrets().fold(f64::NEG_INFINITY, f64::max),
            regret_per_round: average.value,
            regret_per_round_se: average.error,
            bound: bound.map(|bound| bound.value),
            bound_holds: bound.map(|bound| bound.holds),
            bound_vacuous: bound.map(|bound| bound.vacuous),
            bias: mean(&|game| game.bias).value,
            estimation_gap: mean(&|game| game.estimation_gap(n)).value,
            cost_gap: settled(mean(&|game| game.theorem_one().0).value),
            cost_gap_to_best: settled(mean(&|game| game.mean_cost() - game.best_cost).value),
            theorem_1_bound: settled(mean(&|game| game.theorem_one().1).value),
            sigma_played: games.iter().map(|game| game.sigma_played).fold(1.0, f64::min),
            shown_regret: shown(average),
        }
    }

    fn setting(&self, problem: &ImitationProblem) -> Conditions {
        Conditions {
            mdp: problem.name.clone(),
            mdp_seed: self.mdp_seed,
            states: problem.mdp.states(),
            actions: problem.mdp.actions(),
            horizon: problem.mdp.horizon(),
            class_size: problem.class.size(),
            mu: problem.mu,
            sigma: problem.sigma,
            rounds: self.rounds,
            states_per_round: self.states_per_round,
            annotations: self.rounds * self.states_per_round,
            delta: self.delta,
        }
    }
}

/// Without the last bits, and without the sign of a zero: where Theorem 1 holds with equality, they would make it look
/// violated.
fn settled(value: f64) -> f64 {
    (value * 1e9).round() / 1e9 + 0.0
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
        assert_eq!(format!("{:.4}", settled(-1e-12)), "0.0000");
    }
}
