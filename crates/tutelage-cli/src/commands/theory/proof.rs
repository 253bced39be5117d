//! `tutelage theory proof`.

use rayon::prelude::*;
use serde_json::json;
use tutelage_reproduce::theory::describe;
use tutelage_theory::{
    Condition, GameSettings, ImitationProblem, Lambda, Mean, Player, lambda_of, proof_terms,
};

use super::{LambdaArgs, StudyArgs, shown};
use crate::output::{Output, Record};

/// Arguments of `tutelage theory proof`.
#[derive(clap::Args)]
#[command(mut_arg("rounds", |arg| arg.default_value("200")))]
#[command(mut_arg("max_members", |arg| arg.default_value("200")))]
pub(crate) struct Proof {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    lambda: LambdaArgs,
    /// Draws of the perturbation that estimate the expectation over it
    #[arg(long, default_value_t = 4000)]
    draws: usize,
}

impl Proof {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let (problem, mut settings) = self.study.study(self.lambda.rules())?;
        settings.draws = self.draws.max(1);
        let mut rows = Vec::new();
        for &lambda in &settings.lambdas {
            rows.extend(measure(&problem, lambda, &settings)?);
        }
        let GameSettings { rounds, states_per_round, draws, .. } = settings;
        output.say(&format!("{}, N = {rounds}, K = {states_per_round}", describe(&problem)))?;
        output.say(&format!(
            "u* is the expectation of u over the perturbation Q, u** also over the round's states; {draws} draws estimate them.\n"
        ))?;
        output.records(&["lambda", "quantity", "what it is", "measured", "bound", "of it"], rows)
    }
}

fn measure(
    problem: &ImitationProblem,
    lambda: Lambda,
    settings: &GameSettings,
) -> anyhow::Result<Vec<Record>> {
    let game = |&seed: &u64| proof_terms(problem, lambda, settings, seed);
    let games = settings.seeds.par_iter().map(game).collect::<Result<Vec<_>, _>>()?;
    let algorithm = Player::MftplP(lambda).algorithm(problem, settings);
    let (lambda, members) = (lambda_of(&algorithm).unwrap_or(0.0), algorithm.members);
    let (n, k) = (settings.rounds as f64, settings.states_per_round as f64);
    let conditions = problem.theorem(settings.delta).conditions(n, k, lambda);
    let conditions_hold = conditions.iter().all(Condition::holds);
    let row = |index: usize| {
        let (term, mean) = (games[0].terms[index], Mean::of(&games, |g| g.terms[index].value));
        let holds = conditions_hold || !term.is_conditional;
        let object = json!({
            "lambda": lambda, "members": members, "rounds": settings.rounds,
            "conditions_hold": holds, "quantity": term.name, "formula": term.formula,
            "measured": mean.value, "measured_se": mean.error, "bound": term.bound,
        });
        let remark = if holds { "" } else { " (lambda too small)" };
        let cells = vec![
            format!("{lambda:.1}"),
            term.name.into(),
            term.formula.into(),
            shown(mean),
            format!("{:.2}{remark}", term.bound),
            format!("{:.1} %", 100.0 * mean.value / term.bound),
        ];
        (object, cells)
    };
    Ok((0..games[0].terms.len()).map(row).collect())
}
