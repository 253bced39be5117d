//! `tutelage retrain`: train on what an earlier run was told, round by round, without collecting anything.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tutelage_lab::spec::{Class, Draft, RunSpec};
use tutelage_lab::{check_cast, round_sizes, spec_of};

use super::learn::{carry_out, folder};
use crate::output::Output;
use crate::progress::Unread;

/// Train on a stored run's annotations: after 1, 2, … of its rounds.
#[derive(clap::Args)]
pub(crate) struct Retrain {
    /// The stored run's folder
    dir: PathBuf,
    /// bagging-E or supervised
    #[arg(long, short)]
    algorithm: String,
    /// Policy class [default: the stored run's]
    #[arg(long, short)]
    class: Option<String>,
    /// Rounds of the stored run to use [default: all that are annotated]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    rounds: Option<i64>,
    /// Where all randomness comes from [default: the stored run's seed]
    #[arg(long, allow_negative_numbers = true)]
    seed: Option<i64>,
    /// The new run's folder [default: runs/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the complete spec as TOML and stop
    #[arg(long)]
    dry_run: bool,
}

impl Retrain {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let spec = self.spec(&spec_of(&self.dir)?)?;
        check_cast(&spec)?;
        if self.dry_run {
            return output.verbatim(&spec.to_toml());
        }
        carry_out(&folder(self.out, &spec), &spec, output, Unread::GoOn)
    }

    /// The stored run's spec with another algorithm, on its data.
    fn spec(&self, stored: &RunSpec) -> anyhow::Result<RunSpec> {
        let sizes = round_sizes(&self.dir)?;
        let (rounds, dir) = (sizes.len() as i64, self.dir.display());
        match (rounds, self.rounds.unwrap_or(rounds)) {
            (0, _) => bail!("{dir} holds no annotated round to train on"),
            (1, 2..) => bail!("{dir}: only 1 round is annotated"),
            (_, wanted) if wanted > rounds => bail!("{dir}: only {rounds} rounds are annotated"),
            _ => {}
        }
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).context("the folder's name is not UTF-8")
        };
        let flags = Draft {
            algorithm: Some(self.algorithm.clone()),
            class: self.class.clone(),
            rounds: self.rounds.or(Some(rounds)),
            seed: self.seed,
            data: Some(text(&self.dir)?),
            ..Draft::default()
        };
        let mut base = Draft::parse(&stored.to_toml())?;
        (base.d0, base.deploy) = (None, None);
        let class = self.class.as_deref().map(|class| Class::parse(class, stored.task));
        if class.transpose()? == Some(Class::Linear) {
            base.oracle = None; // least squares has nothing to set
        }
        Ok(flags.or(base).with_absolute_paths().check()?)
    }
}
