//! `tutelage theory regret`.

use serde_json::{Value, json};
use tutelage_reproduce::theory::{PlayedGame, by_player, describe, play_all, regret_figure};
use tutelage_theory::{Game, GameSettings, ImitationProblem, Mean, lambda_of};

use super::{LambdaArgs, Out, StudyArgs, StudyRow, or_dash, print_rows, shown, shown_bound};
use crate::output::{Output, Record};

/// Arguments of `tutelage theory regret`.
#[derive(clap::Args)]
#[command(mut_arg("rounds", |arg| arg.default_value("1000")))]
#[command(mut_arg("max_members", |arg| arg.default_value("2000")))]
pub(crate) struct Regret {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    lambda: LambdaArgs,
    /// List the eight terms of the theorem's bound
    #[arg(long)]
    terms: bool,
    #[command(flatten)]
    out: Out,
}

impl Regret {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let (problem, settings) = self.study.study(self.lambda.rules())?;
        let name = format!("regret-{}", problem.name);
        self.out.check(&name)?;
        let played = play_all(&problem, &settings)?;
        let GameSettings { rounds, states_per_round, .. } = settings;
        output.say(&format!(
            "{}, N = {rounds}, K = {states_per_round}; means [ranges] over {} seeds\n",
            describe(&problem),
            settings.seeds.len()
        ))?;
        let row = |games: &[PlayedGame], seed| self.row(&problem, &settings, games, seed);
        if output.is_json() {
            let games = played.chunks(1).map(|games| row(games, Some(games[0].seed)));
            print_rows(output, games.collect())?;
        }
        let groups = by_player(&played);
        print_rows(output, groups.iter().map(|games| row(games, None)).collect())?;
        if problem.sigma == 0.0 {
            output
                .say("\nsigma = 0: d0 omits states that a policy visits, so there is no bound.")?;
        }
        if self.terms {
            let terms = groups.iter().flat_map(|games| term_rows(&problem, &settings, &games[0]));
            output.say("\nThe bound is the sum of these terms:")?;
            let headings = ["algorithm", "term", "formula", "value", "share"];
            output.records(&headings, terms.collect())?;
        }
        self.out.save(&name, &regret_figure(&problem, &settings, &played))
    }

    /// The means over the games of a player, or a single game if a seed is given.
    fn row(
        &self,
        problem: &ImitationProblem,
        settings: &GameSettings,
        games: &[PlayedGame],
        seed: Option<u64>,
    ) -> StudyRow {
        let (first, n) = (&games[0], settings.rounds);
        let mean = |of: fn(&Game) -> f64| Mean::of(games, |played| of(&played.game));
        let all = |of: fn(&Game) -> f64| games.iter().map(move |played| of(&played.game));
        let regret = mean(Game::final_regret).value;
        let low = all(Game::final_regret).fold(f64::INFINITY, f64::min);
        let high = all(Game::final_regret).fold(f64::NEG_INFINITY, f64::max);
        let average = mean(Game::mean_regret);
        let bound = first.bound(problem, settings, n);
        let [gap, theorem_1, to_best] = [
            mean(|game| game.theorem_one().0),
            mean(|game| game.theorem_one().1),
            mean(|game| game.mean_cost() - game.best_cost),
        ]
        .map(|mean| rounded(mean.value));
        let estimation_gap = mean(Game::estimation_gap).value;
        let sigma_played = all(|game| game.sigma_played).fold(1.0, f64::min);
        let (lambda, members) = (lambda_of(&first.algorithm), first.algorithm.members);
        let mut object = self.setting(problem, settings);
        extend(
            &mut object,
            json!({
                "algorithm": first.label(settings), "seed": seed,
                "members": members, "lambda": lambda,
                "regret": regret, "regret_low": low, "regret_high": high,
                "regret_per_round": average.value, "regret_per_round_se": average.error,
                "bias": mean(|game| game.bias).value, "estimation_gap": estimation_gap,
                "cost_gap": gap, "cost_gap_to_best": to_best, "theorem_1_bound": theorem_1,
                "sigma_played": sigma_played,
            }),
        );
        let cells = vec![
            ("algorithm", first.label(settings)),
            ("E", members.to_string()),
            ("lambda", or_dash(lambda.map(|lambda| format!("{lambda:.1}")))),
            ("Reg(N)", format!("{regret:.2} [{low:.2}, {high:.2}]")),
            ("Reg(N)/N", shown(average)),
            ("bound on Reg(N)", shown_bound(bound)),
            ("EstGap", format!("{estimation_gap:.4}")),
            ("J(pi)-J(expert)", format!("{gap:.4}")),
            ("<= Theorem 1", format!("{theorem_1:.4}")),
            ("J(pi)-min J", format!("{to_best:.4}")),
            ("sigma played", format!("{sigma_played:.3}")),
        ];
        let bound = json!({
            "bound": bound.map(|bound| bound.value), "bound_holds": bound.map(|bound| bound.holds),
            "bound_vacuous": bound.map(|bound| bound.vacuous),
        });
        extend(&mut object, bound);
        (object, cells)
    }

    fn setting(&self, problem: &ImitationProblem, settings: &GameSettings) -> Value {
        let GameSettings { rounds, states_per_round, delta, .. } = settings;
        json!({
            "mdp": problem.name, "mdp_seed": self.study.mdp_seed,
            "states": problem.mdp.states(), "actions": problem.mdp.actions(),
            "horizon": problem.mdp.horizon(), "class_size": problem.class.size(),
            "mu": problem.mu, "sigma": problem.sigma,
            "rounds": rounds, "states_per_round": states_per_round,
            "annotations": rounds * states_per_round, "delta": delta,
        })
    }
}

/// Adds the fields of another object.
fn extend(object: &mut Value, more: Value) {
    if let (Value::Object(fields), Value::Object(more)) = (object, more) {
        fields.extend(more);
    }
}

/// The terms of a player's bound, if it has one.
fn term_rows(
    problem: &ImitationProblem,
    settings: &GameSettings,
    played: &PlayedGame,
) -> Vec<Record> {
    let bound = played.bound(problem, settings, settings.rounds);
    let Some((lambda, bound)) = lambda_of(&played.algorithm).zip(bound) else { return vec![] };
    let (n, k) = (settings.rounds as f64, settings.states_per_round as f64);
    let members = played.algorithm.members as f64;
    let algorithm = played.label(settings);
    let row = |term: tutelage_theory::BoundTerm| {
        let share = term.value / bound.value;
        let object = json!({
            "algorithm": algorithm, "term": term.name, "formula": term.formula,
            "value": term.value, "share": share,
        });
        let (value, share) = (format!("{:.1}", term.value), format!("{:.1} %", 100.0 * share));
        (object, vec![algorithm.clone(), term.name.into(), term.formula.into(), value, share])
    };
    problem.theorem(settings.delta).terms(n, k, lambda, members).map(row).into()
}

/// Drops the last bits and the sign of a zero, which would make Theorem 1 look violated if it holds
/// with equality.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sides_are_printed_alike() {
        let (left, right) = (5.835_25, 5.835_25 - 2e-15);
        assert_ne!(format!("{left:.4}"), format!("{right:.4}"), "without rounding");
        assert_eq!(rounded(left), rounded(right));
        assert_eq!(rounded(-0.123_456_789_4), -0.123_456_789);
        assert_eq!(format!("{:.4}", rounded(-1e-12)), "0.0000");
    }
}
