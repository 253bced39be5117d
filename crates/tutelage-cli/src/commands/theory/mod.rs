//! `tutelage theory`: the finite world.

mod limitation;
mod plan;
mod proof;
mod regret;
mod sweep;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::Value;
use tutelage_draw::plot::Figure;
use tutelage_theory::{
    Bound, ExpertWeight, GameSettings, ImitationProblem, Lambda, Mean, ProblemFamily, ProblemSize,
    Slope, Theorem,
};

use crate::arguments::{Force, Seeds};
use crate::output::{Output, note};

/// The studies of the theory.
#[derive(clap::Subcommand)]
pub(crate) enum Theory {
    /// Exact regret curves of all algorithms on a finite MDP, with the theorem's bound
    Regret(regret::Regret),
    /// Annotations needed for a cost gap as epsilon and H vary: the measured counterpart of the paper's Table 1
    Table(table::Table),
    /// MFTPL-P's regret as one quantity of the theorem varies: the measured and the predicted slope
    Sweep(sweep::Sweep),
    /// The quantities that the theorem's proof bounds one by one, with their bounds
    Proof(proof::Proof),
    /// Proposition 1: learners without regret that end up with the worse policy
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

/// The finite problem.
#[derive(clap::Args)]
struct ProblemArgs {
    /// The MDP: trap, limitation, random, gridworld, chain or ledge
    #[arg(long, default_value = "trap")]
    mdp: ProblemFamily,
    /// States S of a random, gridworld (a square number) or chain MDP [default: 16]
    #[arg(long, value_name = "S")]
    states: Option<usize>,
    /// Actions A of a random or chain MDP [default: 4]
    #[arg(long, value_name = "A")]
    actions: Option<usize>,
    /// Policies B of a random, gridworld or chain MDP's class [default: 32]
    #[arg(long, value_name = "B")]
    class_size: Option<usize>,
    /// Covering distribution d0: uniform, expert (its own states), or mix(w) with weight w on the expert's [default: by MDP]
    #[arg(long, value_name = "D0")]
    d0: Option<ExpertWeight>,
}

impl ProblemArgs {
    /// Creates the problem. Fails if its family ignores a size that was given.
    fn problem(&self, horizon: usize, seed: u64) -> anyhow::Result<ImitationProblem> {
        let default = ProblemSize::default();
        let problem = (self.mdp.problem)(ProblemSize {
            states: self.states.unwrap_or(default.states),
            actions: self.actions.unwrap_or(default.actions),
            horizon,
            class_size: self.class_size.unwrap_or(default.class_size),
            seed,
        })?;
        for (option, asked, has) in [
            ("states", self.states, problem.mdp.states()),
            ("actions", self.actions, problem.mdp.actions()),
            ("class-size", self.class_size, problem.class.size()),
        ] {
            let asked = asked.unwrap_or(has);
            let name = &problem.name;
            ensure!(
                asked == has,
                "--{option} is {asked}, but --mdp {name} has {has}; omit it or use that"
            );
        }
        Ok(match self.d0 {
            Some(weight) => problem.with_expert_weight(weight)?,
            None => problem,
        })
    }
}

/// The games.
#[derive(clap::Args)]
struct GameArgs {
    /// Horizon H
    #[arg(long, default_value_t = 10, value_name = "H")]
    horizon: usize,
    /// Rounds N
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// States annotated per round, K
    #[arg(long, default_value_t = 1, value_name = "K")]
    states_per_round: usize,
    /// Largest ensemble; the theorem asks for E = N A ln(N S)
    #[arg(long, value_name = "E")]
    max_members: Option<usize>,
    /// Seeds to play with: 3, 1-10 or 1,2,5-7
    #[arg(long, default_value = "1-3")]
    seeds: Seeds,
}

impl GameArgs {
    fn settings(&self) -> GameSettings {
        let default = GameSettings::default();
        GameSettings {
            rounds: self.rounds.unwrap_or(default.rounds),
            states_per_round: self.states_per_round,
            max_members: self.max_members.unwrap_or(default.max_members),
            seeds: self.seeds.0.clone(),
            ..default
        }
    }
}

/// A study of games on one problem.
#[derive(clap::Args)]
struct StudyArgs {
    #[command(flatten)]
    problem: ProblemArgs,
    #[command(flatten)]
    game: GameArgs,
    /// Seed that a random MDP and class are drawn from
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    mdp_seed: u64,
    /// Failure probability of the theorem's bound
    #[arg(long, default_value_t = 0.05)]
    delta: f64,
}

impl StudyArgs {
    /// The problem, and the settings with these rules for lambda.
    fn study(&self, lambdas: Vec<Lambda>) -> anyhow::Result<(ImitationProblem, GameSettings)> {
        let problem = self.problem.problem(self.game.horizon, self.mdp_seed)?;
        check_sigma(&problem, &lambdas)?;
        // A problem with sigma = 0 has no bound, but can be played.
        Theorem { sigma: 1.0, ..problem.theorem(self.delta) }.check()?;
        let settings = GameSettings { lambdas, delta: self.delta, ..self.game.settings() };
        Ok((problem, settings))
    }
}

fn check_sigma(problem: &ImitationProblem, lambdas: &[Lambda]) -> anyhow::Result<()> {
    let is_fixed = |lambda: &Lambda| matches!(lambda, Lambda::Fixed(_));
    ensure!(
        problem.sigma > 0.0 || lambdas.iter().all(is_fixed),
        "sigma is 0: d0 omits states that a policy of the class visits, so the theorem has no lambda; give one with --lambda"
    );
    Ok(())
}

/// MFTPL-P's lambda.
#[derive(clap::Args)]
struct LambdaArgs {
    /// MFTPL-P's lambda, or several [default: that of the proof, with its constants and logarithms]
    #[arg(long, value_delimiter = ',', value_name = "LAMBDA", value_parser = number)]
    lambda: Vec<f64>,
    /// MFTPL-P's lambda as a multiple of the theorem's rate NK sqrt(A/sigma) + NK^2 sqrt(A/(sigma ln B)), or several
    #[arg(long, value_delimiter = ',', value_name = "C", value_parser = number)]
    lambda_scale: Vec<f64>,
}

impl LambdaArgs {
    fn rules(&self) -> Vec<Lambda> {
        let fixed = self.lambda.iter().map(|&lambda| Lambda::Fixed(lambda));
        let rules = fixed.chain(self.lambda_scale.iter().map(|&scale| Lambda::Rate(scale)));
        let rules: Vec<Lambda> = rules.collect();
        if rules.is_empty() { vec![Lambda::Proof] } else { rules }
    }
}

/// Parses a number that is at least 0.
fn number(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0);
    number.ok_or_else(|| "expected a number >= 0".into())
}

/// Parses a number above 0.
fn positive(text: &str) -> Result<f64, String> {
    number(text).ok().filter(|x| *x > 0.0).ok_or_else(|| "expected a number > 0".into())
}

/// The directory for results.
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

    /// Checks, before any computation, that a figure of this name would replace no file.
    fn check(&self, name: &str) -> anyhow::Result<()> {
        let mut endings = ["csv", "svg", "png"].iter().filter(|_| self.out.is_some());
        endings.try_for_each(|ending| {
            self.force.check(&self.folder().join(format!("{name}.{ending}")))
        })
    }

    /// Writes a figure as CSV, SVG and PNG.
    fn save(&self, name: &str, figure: &Figure) -> anyhow::Result<()> {
        self.check(name)?;
        let out = self.folder();
        std::fs::create_dir_all(out)
            .with_context(|| format!("cannot make the directory {}", out.display()))?;
        figure.save(&out.join(name))?;
        note(&format!("wrote {}.png (and .svg, .csv)", out.join(name).display()));
        Ok(())
    }
}

/// A row: an object for programs, and cells with their headings for people.
type StudyRow = (Value, Vec<(&'static str, String)>);

/// Prints rows, which all have the same headings.
fn print_rows(output: &Output, rows: Vec<StudyRow>) -> anyhow::Result<()> {
    let first = rows.first().map_or(&[][..], |(_, cells)| cells);
    let headings: Vec<&str> = first.iter().map(|(heading, _)| *heading).collect();
    let text = |cells: Vec<_>| cells.into_iter().map(|(_, cell)| cell).collect();
    let rows = rows.into_iter().map(|(object, cells)| (object, text(cells)));
    output.records(&headings, rows.collect())
}

/// A mean with its standard error.
fn shown(Mean { value, error }: Mean) -> String {
    format!("{value:.3} ± {error:.3}")
}

/// A bound, if its conditions hold.
fn shown_bound(bound: Option<Bound>) -> String {
    match bound {
        None => "–".into(),
        Some(Bound { holds: false, .. }) => "– (lambda too small)".into(),
        Some(Bound { value, vacuous: true, .. }) => format!("{value:.0} (vacuous: > N)"),
        Some(Bound { value, .. }) => format!("{value:.0}"),
    }
}

/// A slope and its standard error as JSON; without degrees of freedom the error is null.
fn slope_values(slope: Option<Slope>) -> (Value, Value) {
    (slope.map(|slope| slope.value).into(), slope.map(|slope| slope.error).into())
}

/// A number that may be missing.
fn or_dash(text: Option<impl ToString>) -> String {
    text.map_or("–".into(), |text| text.to_string())
}
