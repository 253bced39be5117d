//! `tutelage theory`: the finite world.

mod limitation;
mod plan;
mod regret;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tutelage_figures::Figure;
use tutelage_theory::{Dimensions, Family, Problem};

use crate::output::{Output, note};

/// What the theory has to show.
#[derive(clap::Subcommand)]
pub(crate) enum Theory {
    /// Exact regret curves of all algorithms on a finite MDP, beside the theorem's bound
    Regret(regret::Regret),
    /// Annotations needed for an estimation gap as epsilon and H vary: the measured counterpart of the paper's Table 1
    Table(table::Table),
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
            Self::Limitation(command) => command.run(output),
            Self::Plan(command) => command.run(output),
        }
    }
}

/// Which finite problem to play.
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
    /// Seed that a random MDP and class are drawn from
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    mdp_seed: u64,
}

impl ProblemArgs {
    /// The problem; one of another size than was asked for is refused.
    fn problem(&self, mdp: &str, horizon: usize) -> anyhow::Result<Problem> {
        let usual = Dimensions::default();
        let problem = Family::named(mdp)?.problem(Dimensions {
            states: self.states.unwrap_or(usual.states),
            actions: self.actions.unwrap_or(usual.actions),
            horizon,
            class_size: self.class_size.unwrap_or(usual.class_size),
            seed: self.mdp_seed,
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
        Ok(problem)
    }
}

/// Where pictures and numbers go.
#[derive(clap::Args)]
struct Out {
    /// Directory for the CSV, SVG and PNG
    #[arg(long, default_value = "runs/theory", value_name = "DIR")]
    out: PathBuf,
}

impl Out {
    /// Writes a figure as CSV, SVG and PNG and says where.
    fn save(&self, name: &str, figure: &Figure) -> anyhow::Result<()> {
        std::fs::create_dir_all(&self.out)
            .with_context(|| format!("cannot make the directory {}", self.out.display()))?;
        let path = |extension: &str| -> PathBuf {
            Path::new(&self.out).join(format!("{name}.{extension}"))
        };
        figure.save_csv(path("csv"))?;
        figure.save_svg(path("svg"))?;
        figure.save_png(path("png"))?;
        note(&format!("wrote {} (and .svg, .csv)", path("png").display()));
        Ok(())
    }
}
