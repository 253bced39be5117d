//! `tutelage completions` and `tutelage man`: shell completions and manual pages.

use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use tutelage_runs::store::{Disk, OsDisk};

use crate::Cli;
use crate::arguments::Force;
use crate::output::Output;

/// Print a completion script for a shell.
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tutelage", &mut script);
        output.verbatim(&String::from_utf8(script)?)
    }
}

/// Write manual pages, one per command.
#[derive(clap::Args)]
pub(crate) struct Man {
    /// Output directory, e.g. ~/.local/share/man/man1
    dir: PathBuf,
    #[command(flatten)]
    force: Force,
}

impl Man {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let cannot = || format!("cannot write to {}", self.dir.display());
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let pages = pages(&command).with_context(cannot)?;
        pages.iter().try_for_each(|(name, _)| self.force.check(&self.dir.join(name)))?;
        std::fs::create_dir_all(&self.dir).with_context(cannot)?;
        for (name, page) in &pages {
            OsDisk.replace(&self.dir.join(name), page).with_context(cannot)?;
        }
        output.say(&format!("{} pages in {}", pages.len(), self.dir.display()))
    }
}

/// The file names and pages of a command and its subcommands.
fn pages(command: &clap::Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let man = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    let mut all = vec![(man.get_filename(), page)];
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        all.extend(pages(subcommand)?);
    }
    Ok(all)
}
