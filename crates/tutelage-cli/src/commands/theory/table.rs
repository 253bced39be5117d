//! `tutelage theory table`.

use std::str::FromStr;

use serde_json::{Value, json};
use tutelage_reproduce::theory::table_figure;
use tutelage_theory::{
    AnnotationsNeeded, ImitationProblem, Lambda, MIN_FITTED_ANNOTATIONS, MeasurementLimits, Player,
    Slope, TableOneRow, fewest, growth, table_one,
};

use super::{
    Out, ProblemArgs, StudyRow, check_sigma, number, or_dash, positive, print_rows, slope_values,
};
use crate::arguments::Seeds;
use crate::output::{Output, note};

/// Arguments of `tutelage theory table`.
#[derive(clap::Args)]
#[command(mut_arg("mdp", |arg| arg.default_value("ledge")))]
pub(crate) struct Table {
    /// Horizons H to compare
    #[arg(long, value_delimiter = ',', default_value = "10,20,40,80", value_name = "H")]
    horizons: Vec<usize>,
    /// Cost gaps J(pi) - min J to reach
    #[arg(long, value_delimiter = ',', default_value = "2,1.4,1,0.7,0.5,0.35,0.25", value_parser = positive)]
    epsilons: Vec<f64>,
    /// Multiples of the theorem's rate as MFTPL-P's lambda; "proof" is the lambda of the proof
    #[arg(long, value_delimiter = ',', default_value = "0.1,1", value_name = "C")]
    lambda_scales: Vec<LambdaScale>,
    /// Seeds to play with: 3, 1-10 or 1,2,5-7
    #[arg(long, default_value = "1")]
    seeds: Seeds,
    /// Seeds that MDPs and classes are drawn from, to average over
    #[arg(long, default_value = "1-4", value_name = "SEEDS")]
    mdp_seed: Seeds,
    /// Most rounds of one annotation each that an interactive learner plays
    #[arg(long, default_value_t = 4096, value_name = "N")]
    max_rounds: usize,
    /// Most annotations of BC, which gets them in one round
    #[arg(long, default_value_t = 1 << 16, value_name = "N")]
    max_demonstrations: usize,
    /// Largest ensemble; the theorem asks for E = N A ln(N S)
    #[arg(long, default_value_t = 25, value_name = "E")]
    max_members: usize,
    #[command(flatten)]
    problem: ProblemArgs,
    #[command(flatten)]
    out: Out,
}

/// A rule for lambda: a number, which multiplies the theorem's rate, or `proof`.
#[derive(Clone, Copy)]
struct LambdaScale(Lambda);

impl FromStr for LambdaScale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "proof" => Ok(Self(Lambda::Proof)),
            _ => number(text).map(|scale| Self(Lambda::Rate(scale))).map_err(|e| e + " or proof"),
        }
    }
}

impl Table {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let name = format!("table-{}", self.problem.mdp.name);
        self.out.check(&name)?;
        let perturbed = self.lambda_scales.iter().map(|scale| Player::MftplP(scale.0));
        let players: Vec<Player> = [Player::Bc, Player::Dagger]
            .into_iter()
            .chain(perturbed)
            .chain([Player::LoggerM])
            .collect();
        let seen = |row: &TableOneRow| {
            let last = row.curve.last().map_or((0, 0.0), |p| (p.annotations, p.cost_gap.value));
            let (name, h) = (row.player.label(), row.horizon());
            note(&format!("{name}, H = {h}: gap {:.3} after {} annotations", last.1, last.0));
        };
        let limits = MeasurementLimits {
            max_rounds: self.max_rounds,
            max_demonstrations: self.max_demonstrations,
            max_members: self.max_members,
            seeds: self.seeds.0.clone(),
            min_gap: self.epsilons.iter().copied().fold(f64::INFINITY, f64::min),
        };
        let rows = table_one(&self.problems()?, &players, &limits, &seen)?;
        self.out.save(&name, &table_figure(&rows, &players, &self.epsilons))?;
        let pairs = rows.iter().flat_map(|row| self.epsilons.iter().map(move |&e| (row, e)));
        print_rows(output, pairs.map(|(row, e)| needed_row(row, e)).collect())?;
        explain(output, &rows)?;
        let fits = players.iter().map(|&player| fit_row(player, &rows, &self.epsilons));
        print_rows(output, fits.collect())?;
        let (won, reached) = fewest(&rows, Player::Dagger, &self.epsilons);
        output.say(&format!(
            "\nDAgger needed the fewest annotations at {won} of {reached} points. Table 1 has no row for it, because nothing bounds its regret: see `theory regret --mdp trap`."
        ))
    }

    fn problems(&self) -> anyhow::Result<Vec<Vec<ImitationProblem>>> {
        let mut horizons = self.horizons.clone();
        horizons.sort_unstable();
        horizons.dedup();
        let problem = |horizon, seed| {
            let problem = self.problem.problem(horizon, seed)?;
            check_sigma(&problem, &[Lambda::Proof])?;
            Ok(problem)
        };
        let group =
            |horizon: usize| self.mdp_seed.0.iter().map(|&seed| problem(horizon, seed)).collect();
        horizons.into_iter().map(group).collect()
    }
}

fn needed_row(row: &TableOneRow, epsilon: f64) -> StudyRow {
    let (player, problem, horizon) = (row.player, &row.problem, row.horizon());
    let needed = [row.needed(epsilon), row.needed_by_guarantee(epsilon)];
    let [annotations, by_guarantee] = needed.map(|needed| needed?.interpolated().map(f64::round));
    let order = player.predicted_annotations(problem, epsilon);
    let object = json!({
        "algorithm": player.name(), "lambda_scale": scale(player),
        "mdp": problem.name, "horizon": horizon, "mu": problem.mu, "sigma": problem.sigma,
        "epsilon": epsilon, "annotations": annotations, "annotations_by_guarantee": by_guarantee,
        "order": order,
    });
    let [annotations, by_guarantee] = needed.map(|needed| {
        or_dash(needed.map(|needed| match needed {
            AnnotationsNeeded::AtMost(n) => format!("<= {n}"),
            AnnotationsNeeded::About(n) => format!("{n:.0}"),
            AnnotationsNeeded::MoreThan(n) => format!("> {n}"),
        }))
    });
    let order = or_dash(order.map(|order| format!("{order:.0}")));
    let cells = vec![
        ("algorithm", player.label()),
        ("H", horizon.to_string()),
        ("epsilon", epsilon.to_string()),
        ("annotations for J", annotations),
        ("for the guarantee", by_guarantee),
        ("Table 1's order", order),
    ];
    (object, cells)
}

fn explain(output: &Output, rows: &[TableOneRow]) -> anyhow::Result<()> {
    let Some(TableOneRow { problem, .. }) = rows.first() else { return Ok(()) };
    output.say(&format!(
        "\nAnnotations until J(pi) - min J over the class (here {:.3}) stays at epsilon or below, and until the guarantee does: EstGap = mu H Reg(N)/N,",
        problem.best_cost
    ))?;
    output.say("for BC H^2 times its excess loss on the expert's states. BC gets all annotations at once and plays what it learned; the others get one a")?;
    output.say("round and play the policy of a random round, with lambda tuned for each N. Exponents of H and 1/epsilon are fitted to all points that took")?;
    output.say(&format!(
        "at least {MIN_FITTED_ANNOTATIONS} annotations and were reached; errors are those of the regression, whose points are not independent.\n"
    ))
}

fn fit_row(player: Player, rows: &[TableOneRow], epsilons: &[f64]) -> StudyRow {
    let growth = growth(rows, player, epsilons);
    let predicted = player.predicted_exponents();
    let [predicted_h, predicted_epsilon] =
        [0, 1].map(|i: usize| predicted.map(|exponents| exponents[i]));
    let slopes = [growth.cost, growth.guarantee].concat();
    let [(h, h_se), (epsilon, epsilon_se), (by_h, by_h_se), (by_epsilon, by_epsilon_se)] =
        [0, 1, 2, 3].map(|i: usize| slope_values(slopes[i]));
    let object = json!({
        "fit": player.name(), "lambda_scale": scale(player),
        "h": h, "h_se": h_se, "epsilon": epsilon, "epsilon_se": epsilon_se,
        "predicted_h": predicted_h, "predicted_epsilon": predicted_epsilon,
        "guarantee_h": by_h, "guarantee_h_se": by_h_se,
        "guarantee_epsilon": by_epsilon, "guarantee_epsilon_se": by_epsilon_se,
        "points": growth.points,
    });
    let shown = |index: usize| {
        or_dash(slopes[index].map(|Slope { value, error }| format!("{value:.2} ± {error:.2}")))
    };
    let cells = vec![
        ("C(epsilon) fitted", player.label()),
        ("exponent of H", shown(0)),
        ("predicted", or_dash(predicted_h)),
        ("exponent of 1/epsilon", shown(1)),
        ("predicted", or_dash(predicted_epsilon)),
        ("points", growth.points.to_string()),
        ("guarantee: H", shown(2)),
        ("1/epsilon", shown(3)),
    ];
    (object, cells)
}

/// The rule for lambda: a multiple of the rate, `proof`, or null for other algorithms.
fn scale(player: Player) -> Value {
    match player.lambda() {
        Some(Lambda::Rate(scale) | Lambda::Fixed(scale)) => scale.into(),
        Some(Lambda::Proof) => "proof".into(),
        None => Value::Null,
    }
}
