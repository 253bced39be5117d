//! `tutelage retrain`: trains on the annotations of a stored run, round by round, without collecting data.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use tutelage::AlgorithmName;
use tutelage_runs::store::read_any;
use tutelage_spec::spec::{Class, OracleInput, RunSpec, SpecInput, TextValue};
use tutelage_spec::{PreparedRun, spec_of};

use super::learn::{carry_out, folder};
use super::spec_args::with_flag;
use crate::live_reporter::Unread;
use crate::output::{Output, ensure_usage};

/// Train on a stored run's annotations: after 1, 2, … of its rounds.
#[derive(clap::Args)]
#[command(
    mut_arg("expert", |arg| arg.hide(true)),
    mut_arg("sampling", |arg| arg.hide(true)),
    mut_arg("expert_acts", |arg| arg.hide(true)),
    mut_arg("d0", |arg| arg.hide(true)),
)]
pub(crate) struct Retrain {
    /// The directory of the stored run
    dir: PathBuf,
    /// bagging-E or supervised
    #[arg(long, short, value_parser = AlgorithmName::read)]
    algorithm: AlgorithmName,
    #[command(
        flatten,
        next_help_heading = "Spec (default: the stored run's settings; --deploy mean)"
    )]
    flags: SpecInput,
    /// The directory of the new run [default: runs/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the complete spec as TOML and stop
    #[arg(long)]
    dry_run: bool,
}

impl Retrain {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let spec = self.spec(&spec_of(&self.dir)?)?;
        let dir = folder(self.out, &spec);
        let run = PreparedRun::new(spec, &dir)?;
        if self.dry_run {
            return output.verbatim(&run.spec().to_toml());
        }
        carry_out(run, output, Unread::GoOn)
    }

    /// Returns the stored run's spec with another algorithm, which trains on the stored run.
    fn spec(&self, stored: &RunSpec) -> anyhow::Result<RunSpec> {
        let SpecInput { expert, sampling, expert_acts, .. } = &self.flags;
        ensure_usage!(
            expert.is_none() && sampling.is_none() && expert_acts.is_none(),
            "--expert, --sampling and --expert-acts are those of the stored run"
        );
        ensure!(self.dir.to_str().is_some(), "the directory's name is not UTF-8");
        let rounds = self.rounds_there(stored)?;
        let flags = SpecInput {
            algorithm: Some(self.algorithm),
            rounds: self.flags.rounds.or(Some(rounds)),
            data: Some(self.dir.clone()),
            ..self.flags.clone()
        };
        // Settings of the stored run's algorithm do not apply to an algorithm that collects nothing.
        let mut base =
            SpecInput { d0: None, deploy: None, expert_acts: None, ..stored.clone().into() };
        let class = flags.class.clone().map(|class| class.of(stored.task.defaults()));
        if class == Some(Class::Linear) {
            base.oracle = OracleInput::default(); // least squares has no settings
        }
        let spec = flags.or(base).complete().map_err(|error| with_flag(error, &self.flags))?;
        ensure_usage!(
            spec.rounds <= rounds,
            "--rounds {}: {} has {rounds} annotated rounds",
            spec.rounds,
            self.dir.display()
        );
        Ok(spec.with_absolute_paths())
    }

    /// Returns the number of rounds to train on, each with the requested number of annotations.
    fn rounds_there(&self, stored: &RunSpec) -> anyhow::Result<usize> {
        let sizes = read_any(&self.dir).context("cannot read the stored run")?.round_sizes();
        let (annotations, dir) = (sizes.iter().sum::<usize>(), self.dir.display());
        match self.flags.states_per_round {
            _ if annotations == 0 => bail!("{dir} has no annotated round"),
            Some(k) if k > annotations => {
                bail!("--states-per-round {k}: {dir} has {annotations} annotations")
            }
            Some(k) if k != stored.states_per_round => Ok(annotations / k),
            _ => Ok(sizes.len()),
        }
    }
}
