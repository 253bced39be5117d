//! `tutelage theory`: the finite world.

mod limitation;
mod plan;
mod regret;
mod table;

use std::path::{Path, PathBuf};

use anyhow::Context;
use tutelage_figures::Figure;
use tutelage_theory::{Dimensions, Family, Problem};

use crate::output::Output;

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
    /// States S of a random, gridworld or chain MDP
    #[arg(long, default_value_t = 16, value_name = "S")]
    states: usize,
    /// Actions A of a random or chain MDP
    #[arg(long, default_value_t = 4, value_name = "A")]
    actions: usize,
    /// Policies B of the class
    #[arg(long, default_value_t = 32, value_name = "B")]
    class_size: usize,
    /// Seed that a random MDP and class are drawn from
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    mdp_seed: u64,
}

impl ProblemArgs {
    fn problem(&self, mdp: &str, horizon: usize) -> anyhow::Result<Problem> {
        let Self { states, actions, class_size, mdp_seed: seed } = *self;
        Ok(Family::named(mdp)?.problem(Dimensions {
            states,
            actions,
            horizon,
            class_size,
            seed,
        })?)
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
        eprintln!("wrote {} (and .svg, .csv)", path("png").display());
        Ok(())
    }
}
