//! `tutelage theory`: the finite world.

mod limitation;
mod plan;
mod proof;
mod regret;
mod sweep;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tutelage_draw::plot::Figure;
use tutelage_theory::{
    CoveringDistribution, ImitationProblem, Lambda, Mean, ProblemFamily, ProblemSize,
};

use crate::arguments::Force;
use crate::output::{Output, note};

/// What the theory has to show.
#[derive(clap::Subcommand)]
pub(crate) enum Theory {
    /// Exact regret curves of all algorithms on a finite MDP, beside the theorem's bound
    Regret(regret::Regret),
    /// Annotations needed for a cost gap as epsilon and H vary: the measured counterpart of the paper's Table 1
    Table(table::Table),
    /// MFTPL-P's regret as one quantity of the theorem varies: the measured slope beside the predicted one
    Sweep(sweep::SweepCommand),
    /// The quantities that the theorem's proof bounds one by one, measured beside their bounds
    Proof(proof::Proof),
    /// Proposition 1 played out: learners without regret that end up with the worse policy
    Limitation(limitation::Limitation),
    /// Rounds, annotations and oracle calls that the regret theorem asks for
    Plan(plan::Plan),
}

impl Theory {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Regret(command) => command.run(output),
            Self::Table(command) => command.run(output),
            Self::Sweep(command) => command.run(output),
            Self::Proof(command) => command.run(output),
            Self::Limitation(command) => command.run(output),
            Self::Plan(command) => command.run(output),
        }
    }
}

/// How large the finite problem is.
#[derive(clap::Args)]
struct ProblemArgs {
    /// States S of a random, gridworld (a square number) or chain MDP [default: 16]
    #[arg(long, value_name = "S")]
    states: Option<usize>,
    /// Actions A of a random or chain MDP [default: 4]
    #[arg(long, value_name = "A")]
    actions: Option<usize>,
    /// Policies B of a random, gridworld or chain MDP's class [default: 32]
    #[arg(long, value_name = "B")]
    class_size: Option<usize>,
    /// Covering distribution d0: uniform, expert (its own states), or mix(w) with weight w on the expert's [default: the problem's own]
    #[arg(long, value_name = "D0")]
    d0: Option<CoveringDistribution>,
}

impl ProblemArgs {
    /// The problem; one of another size than was asked for is refused.
    fn problem(&self, mdp: &str, horizon: usize, seed: u64) -> anyhow::Result<ImitationProblem> {
        let usual = ProblemSize::default();
        let problem = ProblemFamily::named(mdp)?.problem(ProblemSize {
            states: self.states.unwrap_or(usual.states),
            actions: self.actions.unwrap_or(usual.actions),
            horizon,
            class_size: self.class_size.unwrap_or(usual.class_size),
            seed,
        })?;
        for (option, asked, has) in [
            ("states", self.states, problem.mdp.states()),
            ("actions", self.actions, problem.mdp.actions()),
            ("class-size", self.class_size, problem.class.size()),
        ] {
            if let Some(asked) = asked.filter(|&asked| asked != has) {
                bail!(
                    "--{option} is {asked}, but --mdp {mdp} would play {has}; leave it out or ask for that"
                );
            }
        }
        Ok(match self.d0 {
            Some(covering) => problem.with_covering(covering)?,
            None => problem,
        })
    }
}

/// Which lambda MFTPL-P plays with.
#[derive(clap::Args)]
struct LambdaArgs {
    /// MFTPL-P's lambda, or several [default: the proof's, with its constants and logarithms]
    #[arg(long, value_delimiter = ',', value_name = "LAMBDA")]
    lambda: Vec<f64>,
    /// MFTPL-P's lambda as a multiple of the theorem's rate NK sqrt(A/sigma) + NK^2 sqrt(A/(sigma ln B)), or several
    #[arg(long, value_delimiter = ',', value_name = "C")]
    lambda_scale: Vec<f64>,
}

impl LambdaArgs {
    /// What was asked for; the proof's where nothing was.
    fn choices(&self, problem: &ImitationProblem) -> anyhow::Result<Vec<Lambda>> {
        let scaled = self.lambda_scale.iter().map(|&scale| Lambda::Rate(scale));
        let mut choices: Vec<Lambda> =
            self.lambda.iter().map(|&lambda| Lambda::Fixed(lambda)).chain(scaled).collect();
        if let Some(bad) = self.lambda.iter().chain(&self.lambda_scale).find(|x| !usable(**x)) {
            bail!("lambda (or its scale) is {bad}; allowed are numbers >= 0");
        }
        if choices.is_empty() {
            choices.push(Lambda::Proof);
        }
        if problem.sigma == 0.0 && choices.iter().any(|choice| !matches!(choice, Lambda::Fixed(_)))
        {
            bail!(
                "sigma is 0: d0 leaves out states that a policy of the class visits, so the theorem has no lambda to offer; give one with --lambda"
            );
        }
        Ok(choices)
    }
}

fn usable(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

/// A mean with its standard error, for people.
fn shown(mean: Mean) -> String {
    format!("{:.3} ± {:.3}", mean.value, mean.error)
}

/// Where pictures and numbers go.
#[derive(clap::Args)]
struct Out {
    /// Directory for the CSV, SVG and PNG [default: runs/theory, whose files are replaced]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl Out {
    fn folder(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new("runs/theory"))
    }

    /// Whether a figure of this name would replace nothing that somebody named: to be asked before anything is computed.
    fn check(&self, name: &str) -> anyhow::Result<()> {
        let mut endings = ["csv", "svg", "png"].iter().filter(|_| self.out.is_some());
        endings.try_for_each(|ending| {
            self.force.check(&self.folder().join(format!("{name}.{ending}")))
        })
    }

    /// Writes a figure as CSV, SVG and PNG and says where.
    fn save(&self, name: &str, figure: &Figure) -> anyhow::Result<()> {
        self.check(name)?;
        let out = self.folder();
        std::fs::create_dir_all(out)
            .with_context(|| format!("cannot make the directory {}", out.display()))?;
        let path = |extension: &str| out.join(format!("{name}.{extension}"));
        figure.save_csv(path("csv"))?;
        figure.save_svg(path("svg"))?;
        figure.save_png(path("png"))?;
        note(&format!("wrote {} (and .svg, .csv)", path("png").display()));
        Ok(())
    }
}
