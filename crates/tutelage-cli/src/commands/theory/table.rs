//! `tutelage theory table`.

use anyhow::bail;
use serde::Serialize;
use tutelage_reproduce::theory::table_figure;
use tutelage_theory::{
    AnnotationsNeeded, ComplexityExponents, Contender, ImitationProblem, Lambda,
    MIN_FITTED_ANNOTATIONS, MeasurementLimits, Slope, TableOneRow, fewest, growth, table_one,
};

use super::{Out, ProblemArgs, usable};
use crate::arguments::Seeds;
use crate::output::{Output, Row, note};

/// Arguments of `tutelage theory table`.
#[derive(clap::Args)]
pub(crate) struct Table {
    /// The MDP: trap, limitation, random, gridworld, chain or ledge
    #[arg(long, default_value = "ledge")]
    mdp: String,
    /// Horizons H to compare
    #[arg(long, value_delimiter = ',', default_value = "10,20,40,80", value_name = "H")]
    horizons: Vec<usize>,
    /// Cost gaps J(pi) - min J to reach
    #[arg(long, value_delimiter = ',', default_value = "2,1.4,1,0.7,0.5,0.35,0.25")]
    epsilons: Vec<f64>,
    /// Multiples of the theorem's rate to take as MFTPL-P's lambda; "proof" is the proof's own lambda
    #[arg(long, value_delimiter = ',', default_value = "0.1,1", value_name = "C")]
    lambda_scales: Vec<String>,
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

#[derive(Serialize)]
struct TableRow {
    algorithm: &'static str,
    lambda_scale: Option<LambdaScale>,
    mdp: String,
    horizon: usize,
    mu: f64,
    sigma: f64,
    epsilon: f64,
    /// None where even the most annotations tried are too few, or the fewest are more than enough.
    annotations: Option<f64>,
    annotations_by_guarantee: Option<f64>,
    order: Option<f64>,
    #[serde(skip)]
    cells: Vec<String>,
}

impl Row for TableRow {
    const HEADINGS: &'static [&'static str] =
        &["algorithm", "H", "epsilon", "annotations for J", "for the guarantee", "Table 1's order"];

    fn cells(&self) -> Vec<String> {
        self.cells.clone()
    }
}

/// How lambda was chosen: a multiple of the rate, or "proof".
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum LambdaScale {
    Rate(f64),
    Proof(&'static str),
}

#[derive(Serialize)]
struct FitRow {
    fit: &'static str,
    lambda_scale: Option<LambdaScale>,
    h: Option<f64>,
    h_se: Option<f64>,
    epsilon: Option<f64>,
    epsilon_se: Option<f64>,
    predicted_h: Option<f64>,
    predicted_epsilon: Option<f64>,
    guarantee_h: Option<f64>,
    guarantee_h_se: Option<f64>,
    guarantee_epsilon: Option<f64>,
    guarantee_epsilon_se: Option<f64>,
    points: usize,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    shown: [String; 4],
}

impl Row for FitRow {
    const HEADINGS: &'static [&'static str] = &[
        "C(epsilon) fitted",
        "exponent of H",
        "predicted",
        "exponent of 1/epsilon",
        "predicted",
        "points",
        "guarantee: H",
        "1/epsilon",
    ];

    fn cells(&self) -> Vec<String> {
        let predicted = |x: Option<f64>| x.map_or("–".into(), |x| x.to_string());
        let [h, epsilon, by_h, by_epsilon] = self.shown.clone();
        vec![
            self.name.clone(),
            h,
            predicted(self.predicted_h),
            epsilon,
            predicted(self.predicted_epsilon),
            self.points.to_string(),
            by_h,
            by_epsilon,
        ]
    }
}

impl Table {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        if let Some(bad) =
            self.epsilons.iter().find(|epsilon| !usable(**epsilon) || **epsilon == 0.0)
        {
            bail!("--epsilons holds {bad}; allowed are numbers > 0");
        }
        self.out.check(&format!("table-{}", self.mdp))?;
        let contenders = self.contenders()?;
        let seen = |line: &TableOneRow| {
            let last = line.curve.last().map_or((0, 0.0), |p| (p.annotations, p.cost_gap.value));
            let (name, h) = (line.contender.name(), line.horizon());
            note(&format!("{name}, H = {h}: gap {:.3} after {} annotations", last.1, last.0));
        };
        let lines = table_one(&self.problems()?, &contenders, &self.effort(), &seen)?;
        let cells = lines.iter().flat_map(|line| self.epsilons.iter().map(move |&e| (line, e)));
        let rows: Vec<TableRow> = cells.map(|(line, epsilon)| row(line, epsilon)).collect();
        let figure = table_figure(&lines, &contenders, &self.epsilons);
        self.out.save(&format!("table-{}", self.mdp), &figure)?;
        output.rows(&rows)?;
        explain(output, &lines)?;
        let fits = contenders.iter().map(|&c| fit_row(c, growth(&lines, c, &self.epsilons)));
        output.rows(&fits.collect::<Vec<_>>())?;
        let (won, reached) = fewest(&lines, Contender::Dagger, &self.epsilons);
        output.say(&format!(
            "\nDAgger needed the fewest annotations at {won} of {reached} points. Table 1 is not about it, because nothing bounds its regret: see `theory regret --mdp trap`."
        ))
    }

    fn contenders(&self) -> anyhow::Result<Vec<Contender>> {
        let mut contenders = vec![Contender::Bc, Contender::Dagger];
        for scale in &self.lambda_scales {
            let lambda = match (scale.as_str(), scale.parse()) {
                ("proof", _) => Lambda::Proof,
                (_, Ok(scale)) if usable(scale) => Lambda::Rate(scale),
                _ => bail!("--lambda-scales holds '{scale}'; allowed are numbers >= 0 and proof"),
            };
            contenders.push(Contender::MftplP(lambda));
        }
        contenders.push(Contender::LoggerM);
        Ok(contenders)
    }

    fn problems(&self) -> anyhow::Result<Vec<Vec<ImitationProblem>>> {
        let mut horizons = self.horizons.clone();
        horizons.sort_unstable();
        horizons.dedup();
        let group = |horizon: usize| -> anyhow::Result<Vec<ImitationProblem>> {
            let seeds = self.mdp_seed.0.iter();
            seeds.map(|&seed| self.problem.problem(&self.mdp, horizon, seed)).collect()
        };
        let problems = horizons.into_iter().map(group).collect::<anyhow::Result<Vec<_>>>()?;
        if problems.iter().flatten().any(|problem| problem.sigma == 0.0) {
            bail!(
                "sigma is 0: d0 leaves out states that a policy visits, and the theorem has no lambda then"
            );
        }
        Ok(problems)
    }

    fn effort(&self) -> MeasurementLimits {
        MeasurementLimits {
            max_rounds: self.max_rounds,
            max_demonstrations: self.max_demonstrations,
            max_members: self.max_members,
            seeds: self.seeds.0.clone(),
            min_gap: self.epsilons.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }
}

fn row(line: &TableOneRow, epsilon: f64) -> TableRow {
    let (by_cost, by_guarantee) = (line.needed(epsilon), line.needed_by_guarantee(epsilon));
    let (algorithm, lambda_scale) = named(line.contender);
    let order = line.contender.order(&line.problem, epsilon);
    TableRow {
        algorithm,
        lambda_scale,
        mdp: line.problem.name.clone(),
        horizon: line.horizon(),
        mu: line.problem.mu,
        sigma: line.problem.sigma,
        epsilon,
        annotations: reached(by_cost),
        annotations_by_guarantee: reached(by_guarantee),
        order,
        cells: vec![
            line.contender.name(),
            line.horizon().to_string(),
            epsilon.to_string(),
            show(by_cost),
            show(by_guarantee),
            order.map_or("–".into(), |order| format!("{order:.0}")),
        ],
    }
}

fn explain(output: &Output, lines: &[TableOneRow]) -> anyhow::Result<()> {
    let Some(TableOneRow { problem, .. }) = lines.first() else { return Ok(()) };
    output.say(&format!(
        "\nAnnotations until J(pi) - min J over the class (here {:.3}) stays at epsilon or below, and until the guarantee does: EstGap = mu H Reg(N)/N,",
        problem.best_cost
    ))?;
    output.say("for BC H^2 times its excess loss on the expert's states. BC gets all annotations at once and plays what it learned; the others get one a")?;
    output.say("round and play the policy of a random round, lambda tuned for each N. Exponents of H and 1/epsilon are fitted to all points reached with at")?;
    output.say(&format!(
        "least {MIN_FITTED_ANNOTATIONS} annotations and within what was tried; errors are those of the regression, whose points are not independent.\n"
    ))
}

fn fit_row(contender: Contender, growth: ComplexityExponents) -> FitRow {
    let ([h, epsilon], [by_h, by_epsilon]) = (growth.cost, growth.guarantee);
    let value = |slope: Option<Slope>| slope.map(|slope| slope.value);
    let error = |slope: Option<Slope>| slope.map(|slope| slope.error).filter(|e| e.is_finite());
    let (fit, lambda_scale) = named(contender);
    FitRow {
        fit,
        lambda_scale,
        h: value(h),
        h_se: error(h),
        epsilon: value(epsilon),
        epsilon_se: error(epsilon),
        predicted_h: contender.predicted().map(|[h, _]| h),
        predicted_epsilon: contender.predicted().map(|[_, epsilon]| epsilon),
        guarantee_h: value(by_h),
        guarantee_h_se: error(by_h),
        guarantee_epsilon: value(by_epsilon),
        guarantee_epsilon_se: error(by_epsilon),
        points: growth.points,
        name: contender.name(),
        shown: [h, epsilon, by_h, by_epsilon].map(show_slope),
    }
}

fn named(contender: Contender) -> (&'static str, Option<LambdaScale>) {
    match contender {
        Contender::Bc => ("BC", None),
        Contender::Dagger => ("DAgger", None),
        Contender::LoggerM => ("LOGGER-M", None),
        Contender::MftplP(Lambda::Rate(scale)) => ("MFTPL-P", Some(LambdaScale::Rate(scale))),
        Contender::MftplP(_) => ("MFTPL-P", Some(LambdaScale::Proof("proof"))),
    }
}

fn reached(needed: Option<AnnotationsNeeded>) -> Option<f64> {
    match needed? {
        AnnotationsNeeded::About(annotations) => Some(annotations.round()),
        AnnotationsNeeded::AtMost(_) | AnnotationsNeeded::MoreThan(_) => None,
    }
}

fn show(needed: Option<AnnotationsNeeded>) -> String {
    match needed {
        None => "–".into(),
        Some(AnnotationsNeeded::AtMost(n)) => format!("<= {n}"),
        Some(AnnotationsNeeded::About(n)) => format!("{n:.0}"),
        Some(AnnotationsNeeded::MoreThan(n)) => format!("> {n}"),
    }
}

fn show_slope(slope: Option<Slope>) -> String {
    slope.map_or("–".into(), |Slope { value, error }| format!("{value:.2} ± {error:.2}"))
}
