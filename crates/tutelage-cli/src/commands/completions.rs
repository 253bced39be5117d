//! `tutelage completions` and `tutelage man`: what shells and `man` want to know of this command.

use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;

use crate::Cli;
use crate::output::Output;

/// Print completions for a shell.
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

/// Write manual pages, one for each command.
#[derive(clap::Args)]
pub(crate) struct Man {
    /// The folder for the pages, such as ~/.local/share/man/man1
    dir: PathBuf,
}

impl Man {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let cannot = || format!("cannot write to {}", self.dir.display());
        std::fs::create_dir_all(&self.dir).with_context(cannot)?;
        clap_mangen::generate_to(Cli::command(), &self.dir).with_context(cannot)?;
        let pages = std::fs::read_dir(&self.dir).with_context(cannot)?.count();
        output.say(&format!("{pages} pages in {}", self.dir.display()))
    }
}
