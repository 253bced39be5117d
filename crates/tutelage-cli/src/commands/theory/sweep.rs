//! `tutelage theory sweep`.

use anyhow::bail;
use serde::Serialize;
use tutelage_reproduce::theory::{describe, sweep_figure};
use tutelage_theory::{
    EstimationSettings, ExponentComparison, GameSchedule, Lambda, RegretSweep, SweepAxis,
    SweepPoint,
};

use super::{Out, ProblemArgs, shown, usable};
use crate::arguments::Seeds;
use crate::output::{Output, Row, note};

/// Arguments of `tutelage theory sweep`.
#[derive(clap::Args)]
pub(crate) struct SweepCommand {
    /// What to vary: n, k, e, sigma, a, b or lambda
    #[arg(long)]
    over: String,
    /// Its values: N, K, E, shares of d0, A, copies of the class, multiples of the theorem's rate for lambda [default: a range]
    #[arg(long, value_delimiter = ',')]
    values: Vec<f64>,
    /// The MDP: trap, limitation, random, gridworld, chain or ledge
    #[arg(long, default_value = "trap")]
    mdp: String,
    /// Horizon H
    #[arg(long, default_value_t = 10, value_name = "H")]
    horizon: usize,
    /// Rounds N [default: 500; 100 when E is varied, which looks at every round closely]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// States annotated per round, K
    #[arg(long, default_value_t = 1, value_name = "K")]
    states_per_round: usize,
    /// Largest ensemble [default: 400; 2000 for the most rounds when N is varied, fewer for fewer]
    #[arg(long, value_name = "E")]
    max_members: Option<usize>,
    /// MFTPL-P's lambda as a multiple of the theorem's rate: small enough for its stability to be seen
    #[arg(long, default_value_t = 0.03, value_name = "C")]
    lambda_scale: f64,
    /// Draws that stand for an infinite ensemble when E is varied
    #[arg(long, default_value_t = 4000)]
    draws: usize,
    /// Seeds to play with: 3, 1-10 or 1,2,5-7
    #[arg(long, default_value = "1-6")]
    seeds: Seeds,
    /// Seed that a random MDP and class are drawn from
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    mdp_seed: u64,
    /// Probability with which the theorem's bound may fail
    #[arg(long, default_value_t = 0.05)]
    delta: f64,
    #[command(flatten)]
    problem: ProblemArgs,
    #[command(flatten)]
    out: Out,
}

#[derive(Serialize)]
struct PointRow {
    over: &'static str,
    x: f64,
    measured: f64,
    measured_se: f64,
    regret: Option<f64>,
    regret_se: Option<f64>,
    bound: f64,
    bound_holds: bool,
    bound_vacuous: bool,
    #[serde(skip)]
    cells: Vec<String>,
}

impl Row for PointRow {
    const HEADINGS: &'static [&'static str] = &["value", "measured", "Reg(N)", "bound"];

    fn cells(&self) -> Vec<String> {
        self.cells.clone()
    }
}

#[derive(Serialize)]
struct SlopeRow {
    slope_over: &'static str,
    part: &'static str,
    predicted: f64,
    measured: Option<f64>,
    measured_se: Option<f64>,
    remark: &'static str,
}

impl Row for SlopeRow {
    const HEADINGS: &'static [&'static str] =
        &["slope over", "part", "predicted", "measured", "verdict", "why"];

    fn cells(&self) -> Vec<String> {
        let measured = match (self.measured, self.measured_se) {
            (Some(value), Some(error)) => format!("{value:.3} ± {error:.3}"),
            (Some(value), None) => format!("{value:.3}"),
            _ => "–".into(),
        };
        let words = [self.slope_over, self.part].map(String::from);
        let numbers = [self.predicted.to_string(), measured];
        let rest = [self.verdict(), self.remark].map(String::from);
        words.into_iter().chain(numbers).chain(rest).collect()
    }
}

impl SlopeRow {
    /// How the measured slope lies to the predicted one, which is an upper bound's.
    fn verdict(&self) -> &'static str {
        let Some(measured) = self.measured else { return "too few points" };
        match measured - self.predicted {
            difference if difference.abs() <= 0.06 => "as predicted",
            difference if (difference > 0.0) == (self.predicted > 0.0) && self.predicted != 0.0 => {
                "steeper"
            }
            _ if self.predicted == 0.0 && measured < 0.0 => "falls where the bound is flat",
            _ => "flatter, as an upper bound allows",
        }
    }
}

impl SweepCommand {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let Some(&(name, over)) = SweepAxis::ALL.iter().find(|(name, _)| *name == self.over) else {
            let all = SweepAxis::ALL.map(|(name, _)| name).join(", ");
            bail!("--over is '{}'; allowed are {all}", self.over);
        };
        let sweep = self.sweep(over)?;
        self.out.check(&format!("sweep-{name}-{}", sweep.problem.name))?;
        let values = match self.values.is_empty() {
            true => over.default_values(),
            false => self.values.clone(),
        };
        let seen = |point: &SweepPoint| {
            note(&format!("{} = {}: {}", over.label(), point.x, shown(point.measured)));
        };
        let points = sweep.run(over, &values, &seen)?;
        let compared = over.compare(&sweep, &points);
        output.say(&format!(
            "{}\n{} against {}\n",
            describe(&sweep.problem),
            over.measures(),
            over.label()
        ))?;
        output.rows(&points.iter().map(|point| point_row(name, point)).collect::<Vec<_>>())?;
        output.say("")?;
        output.rows(&compared.iter().map(|one| slope_row(name, one)).collect::<Vec<_>>())?;
        let figure = sweep_figure(&sweep, over, &points, &compared);
        self.out.save(&format!("sweep-{name}-{}", sweep.problem.name), &figure)
    }

    fn sweep(&self, over: SweepAxis) -> anyhow::Result<RegretSweep> {
        let problem = self.problem.problem(&self.mdp, self.horizon, self.mdp_seed)?;
        problem.theorem(self.delta).check()?;
        if !usable(self.lambda_scale) || self.lambda_scale == 0.0 {
            bail!("--lambda-scale is {}; allowed is a number > 0", self.lambda_scale);
        }
        let rounds = if over == SweepAxis::Ensemble { 100 } else { 500 };
        let members = if over == SweepAxis::Rounds { 2000 } else { 400 };
        Ok(RegretSweep {
            problem,
            schedule: GameSchedule {
                rounds: self.rounds.unwrap_or(rounds),
                states_per_round: self.states_per_round,
                max_members: self.max_members.unwrap_or(members),
            },
            lambda: Lambda::Rate(self.lambda_scale),
            seeds: self.seeds.0.clone(),
            estimation: EstimationSettings { draws: self.draws.max(1), delta: self.delta },
        })
    }
}

fn point_row(over: &'static str, point: &SweepPoint) -> PointRow {
    let SweepPoint { x, measured, regret, bound } = *point;
    let verdict = match (bound.holds, bound.vacuous) {
        (false, _) => "– (lambda too small)".into(),
        (true, true) => format!("{:.0} (vacuous: > N)", bound.value),
        (true, false) => format!("{:.0}", bound.value),
    };
    let cells = vec![format!("{x:.4}"), shown(measured), regret.map_or("–".into(), shown), verdict];
    PointRow {
        over,
        x,
        measured: measured.value,
        measured_se: measured.error,
        regret: regret.map(|regret| regret.value),
        regret_se: regret.map(|regret| regret.error),
        bound: bound.value,
        bound_holds: bound.holds,
        bound_vacuous: bound.vacuous,
        cells,
    }
}

fn slope_row(over: &'static str, one: &ExponentComparison) -> SlopeRow {
    SlopeRow {
        slope_over: over,
        part: one.part,
        predicted: one.predicted,
        measured: one.measured.map(|slope| slope.value),
        measured_se: one.measured.map(|slope| slope.error).filter(|error| error.is_finite()),
        remark: one.remark,
    }
}
