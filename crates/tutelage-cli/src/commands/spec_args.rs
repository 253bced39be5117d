//! The flags of a run's spec.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use tutelage_spec::Task;
use tutelage_spec::spec::{SpecError, SpecInput};

use crate::output::usage;

/// Flags and a file.
#[derive(Clone, clap::Args)]
pub(crate) struct SpecArgs {
    #[command(flatten, next_help_heading = "Spec (default: the task's settings)")]
    pub(crate) flags: SpecInput,
    /// A TOML file with fields of the spec; flags take precedence. `--dry-run` prints a complete file
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
}

impl SpecArgs {
    /// Returns the fields of the flags and of the file.
    pub(crate) fn input(&self, task: Option<Task>) -> anyhow::Result<SpecInput> {
        let flags = SpecInput { task, ..self.flags.clone() };
        let Some(path) = &self.config else { return Ok(flags) };
        let text = tutelage_files::read_text(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let file = SpecInput::parse(&text).with_context(|| path.display().to_string())?;
        Ok(flags.or(file))
    }
}

/// Names the flag instead of the field, if the field was set by a flag.
pub(crate) fn with_flag(error: SpecError, flags: &SpecInput) -> anyhow::Error {
    match error {
        SpecError::Conflict { field, value, reason } if flags.is_set(field) => {
            usage(format!("{} {value}: {reason}", flag(field)))
        }
        other => other.into(),
    }
}

fn flag(field: &str) -> String {
    let id = field.rsplit('.').next().unwrap_or(field);
    let command = SpecInput::augment_args(Command::new("spec"));
    let argument = command.get_arguments().find(|argument| argument.get_id() == id);
    format!("--{}", argument.and_then(|argument| argument.get_long()).unwrap_or(id))
}
