//! `tutelage retrain`: train on what an earlier run was told, round by round, without collecting anything.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tutelage_lab::spec::{Class, Draft, RunSpec};
use tutelage_lab::{check_cast, round_sizes, spec_of};

use super::learn::{carry_out, folder};
use super::spec_args::RetrainingArgs;
use crate::live_reporter::Unread;
use crate::output::Output;

/// Train on a stored run's annotations: after 1, 2, … of its rounds.
#[derive(clap::Args)]
pub(crate) struct Retrain {
    /// The stored run's folder
    dir: PathBuf,
    /// bagging-E or supervised
    #[arg(long, short)]
    algorithm: String,
    /// Rounds of the stored run to use [default: all that are annotated]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    rounds: Option<i64>,
    #[command(flatten)]
    training: RetrainingArgs,
    /// The new run's folder [default: runs/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the complete spec as TOML and stop
    #[arg(long)]
    dry_run: bool,
}

impl Retrain {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let typed = self.training.0.typed();
        let typed = typed.and(&[
            (true, "algorithm", "--algorithm"),
            (self.rounds.is_some(), "rounds", "--rounds"),
        ]);
        let spec = self.spec(&spec_of(&self.dir)?).map_err(|error| typed.explain(error))?;
        check_cast(&spec)?;
        if self.dry_run {
            return output.verbatim(&spec.to_toml());
        }
        carry_out(&folder(self.out, &spec), &spec, output, Unread::GoOn)
    }

    /// The stored run's spec with another algorithm, on its data.
    fn spec(&self, stored: &RunSpec) -> anyhow::Result<RunSpec> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).context("the folder's name is not UTF-8")
        };
        let training = &self.training.0;
        let flags = Draft {
            algorithm: Some(self.algorithm.clone()),
            rounds: self.rounds.or(Some(self.rounds_there(stored)?)),
            data: Some(text(&self.dir)?),
            ..training.clone().draft()
        };
        let mut base = Draft::parse(&stored.to_toml())?;
        // What its own algorithm needed says nothing of one that collects nothing.
        (base.d0, base.deploy, base.expert_acts) = (None, None, None);
        let class = training.class.as_deref().map(|class| Class::parse(class, stored.task));
        if class.transpose()? == Some(Class::Linear) {
            base.oracle = None; // least squares has nothing to set
        }
        let spec = flags.or(base).with_absolute_paths().check()?;
        self.check_rounds(spec.rounds, stored)?;
        Ok(spec)
    }

    /// How many rounds there are to train on: as they were, or of as many annotations each as asked for.
    fn rounds_there(&self, stored: &RunSpec) -> anyhow::Result<i64> {
        let (sizes, dir) = (round_sizes(&self.dir)?, self.dir.display());
        let annotations = sizes.iter().sum::<usize>() as i64;
        match self.training.0.states_per_round {
            _ if annotations == 0 => bail!("{dir} holds no annotated round to train on"),
            Some(k) if k > annotations => {
                bail!("--states-per-round {k}: {dir} has {annotations} annotations in all")
            }
            Some(k) if k > 0 && k != stored.states_per_round as i64 => Ok(annotations / k),
            _ => Ok(sizes.len() as i64),
        }
    }

    fn check_rounds(&self, wanted: usize, stored: &RunSpec) -> anyhow::Result<()> {
        match (self.rounds_there(stored)?, self.dir.display()) {
            (rounds, _) if wanted as i64 <= rounds => Ok(()),
            (1, dir) => bail!("{dir}: only 1 round is annotated"),
            (rounds, dir) => bail!("{dir}: only {rounds} rounds are annotated"),
        }
    }
}
