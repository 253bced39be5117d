//! `tutelage theory sweep`.

use serde_json::json;
use tutelage_reproduce::theory::{describe, sweep_figure};
use tutelage_theory::{ExponentComparison, Lambda, Slope, SweepAxis, SweepPoint, sweep};

use super::{Out, StudyArgs, or_dash, positive, shown, shown_bound, slope_values};
use crate::output::{Output, Record, note};

/// Arguments of `tutelage theory sweep`.
#[derive(clap::Args)]
#[command(mut_arg("rounds", |arg| arg.help("Rounds N [default: 500; 100 if E varies, because every round is examined closely]")))]
#[command(mut_arg("max_members", |arg| arg.help("Largest ensemble [default: 400; if N varies, 2000 for the most rounds and fewer for fewer]")))]
#[command(mut_arg("seeds", |arg| arg.default_value("1-6")))]
pub(crate) struct Sweep {
    /// The quantity to vary: n, k, e, sigma, a, b or lambda
    #[arg(long)]
    over: SweepAxis,
    /// Its values: N, K, E, shares of d0, A, copies of the class, multiples of the theorem's rate for lambda [default: a range]
    #[arg(long, value_delimiter = ',')]
    values: Vec<f64>,
    /// MFTPL-P's lambda as a multiple of the theorem's rate; the default is small enough to show its stability
    #[arg(long, default_value = "0.03", value_name = "C", value_parser = positive)]
    lambda_scale: f64,
    /// Draws that estimate an infinite ensemble if E varies
    #[arg(long, default_value_t = 4000)]
    draws: usize,
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    out: Out,
}

impl Sweep {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let axis = self.over;
        let (problem, mut settings) = self.study.study(vec![Lambda::Rate(self.lambda_scale)])?;
        let name = format!("sweep-{}-{}", axis.name(), problem.name);
        self.out.check(&name)?;
        let rounds = if axis == SweepAxis::Ensemble { 100 } else { 500 };
        let members = if axis == SweepAxis::Rounds { 2000 } else { 400 };
        settings.rounds = self.study.game.rounds.unwrap_or(rounds);
        settings.max_members = self.study.game.max_members.unwrap_or(members);
        settings.draws = self.draws.max(1);
        let values =
            if self.values.is_empty() { axis.default_values() } else { self.values.clone() };
        let seen = |point: &SweepPoint| {
            note(&format!("{} = {}: {}", axis.label(), point.x, shown(point.measured)));
        };
        let points = sweep(&problem, &settings, axis, &values, &seen)?;
        let compared = axis.compare(&problem, &settings, &points);
        output.say(&describe(&problem))?;
        output.say(&format!("{} against {}\n", axis.measures(), axis.label()))?;
        let rows = points.iter().map(|point| point_row(axis, point)).collect();
        output.records(&["value", "measured", "Reg(N)", "bound"], rows)?;
        output.say("")?;
        let rows = compared.iter().map(|slope| slope_row(axis, slope)).collect();
        output.records(&["slope over", "part", "predicted", "measured", "verdict", "why"], rows)?;
        self.out.save(&name, &sweep_figure(&problem, axis, &points, &compared))
    }
}

fn point_row(axis: SweepAxis, point: &SweepPoint) -> Record {
    let SweepPoint { x, measured, regret, bound } = *point;
    let object = json!({
        "over": axis.name(), "x": x, "measured": measured.value, "measured_se": measured.error,
        "regret": regret.map(|mean| mean.value), "regret_se": regret.map(|mean| mean.error),
        "bound": bound.value, "bound_holds": bound.holds, "bound_vacuous": bound.vacuous,
    });
    let regret = or_dash(regret.map(shown));
    (object, vec![format!("{x:.4}"), shown(measured), regret, shown_bound(Some(bound))])
}

fn slope_row(axis: SweepAxis, slope: &ExponentComparison) -> Record {
    let ExponentComparison { part, predicted, measured, remark } = *slope;
    let (value, error) = slope_values(measured);
    let object = json!({
        "slope_over": axis.name(), "part": part, "predicted": predicted,
        "measured": value, "measured_se": error, "remark": remark,
    });
    let shown = or_dash(measured.map(|Slope { value, error }| match error.is_finite() {
        true => format!("{value:.3} ± {error:.3}"),
        false => format!("{value:.3}"),
    }));
    let verdict = verdict(predicted, measured);
    let cells = [axis.name(), part, &predicted.to_string(), &shown, verdict, remark];
    (object, cells.map(String::from).into())
}

/// Compares a measured slope with the predicted slope of an upper bound.
fn verdict(predicted: f64, measured: Option<Slope>) -> &'static str {
    let Some(Slope { value: measured, .. }) = measured else { return "too few points" };
    let difference = measured - predicted;
    if difference.abs() <= 0.06 {
        "as predicted"
    } else if predicted == 0.0 && measured < 0.0 {
        "falls although the bound is flat"
    } else if predicted != 0.0 && (difference > 0.0) == (predicted > 0.0) {
        "steeper"
    } else {
        "flatter, as an upper bound allows"
    }
}
