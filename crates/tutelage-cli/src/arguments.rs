//! Argument types that several commands share.

use std::path::Path;
use std::str::FromStr;

use anyhow::ensure;

use tutelage::AlgorithmName;
use tutelage::algorithm::{AlgorithmNameError, DEFAULT_ALGORITHM};
use tutelage_reproduce::{BadSeeds, parse_seeds};
use tutelage_spec::{Task, UnknownTask};
use tutelage_tasks::bullet::Robot;

use crate::output::usage;

/// Checks the extension of an output file, before any work is done.
pub(crate) fn check_ending(file: &Path, endings: &[&str]) -> anyhow::Result<()> {
    let ending = file.extension().unwrap_or_default();
    if endings.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let known: Vec<String> = endings.iter().map(|known| format!(".{known}")).collect();
    let known = known.join(" or ");
    Err(usage(format!("{}: unknown file extension; expected {known}", file.display())))
}

/// Whether to replace existing files.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Force {
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Force {
    /// Checks that a file may be written, before any work is done.
    pub(crate) fn check(self, file: &Path) -> anyhow::Result<()> {
        ensure!(
            self.force || !file.exists(),
            "{} already exists; use --force to overwrite it",
            file.display()
        );
        Ok(())
    }
}

/// Parses the name of a task with a robot.
pub(crate) fn robot(name: &str) -> Result<Robot, String> {
    let task: Task = name.parse().map_err(|error: UnknownTask| error.to_string())?;
    task.robot().ok_or(format!("{task} has no robot"))
}

/// Seeds: `3`, `1-10`, `1,2,5-7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

impl FromStr for Seeds {
    type Err = BadSeeds;

    fn from_str(text: &str) -> Result<Self, BadSeeds> {
        parse_seeds(text).map(Self)
    }
}

/// Help on an option that names an algorithm, with the default.
pub(crate) fn algorithm_help(about: &str) -> String {
    format!("{about} [default: {DEFAULT_ALGORITHM}]")
}

/// Algorithms: `dagger,bd-5,ensemble-dagger-5(0.05,0.2)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Algorithms(pub(crate) Vec<AlgorithmName>);

impl FromStr for Algorithms {
    type Err = AlgorithmNameError;

    fn from_str(text: &str) -> Result<Self, AlgorithmNameError> {
        split(text).into_iter().map(|name| name.trim().parse()).collect::<Result<_, _>>().map(Self)
    }
}

/// Splits at commas outside parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_parentheses_do_not_split() {
        let text = "dagger, ensemble-dagger-5(0.05,0.2),mp-25(15)";
        let Algorithms(names) = text.parse().unwrap();
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["dagger", "ensemble-dagger-5(0.05,0.2)", "mp-25(15)"]);
        assert!("dagger,bd-5(".parse::<Algorithms>().is_err());
        assert!("dagger,".parse::<Algorithms>().is_err());
    }

    #[test]
    fn output_files_need_a_known_extension() {
        assert!(check_ending(Path::new("a/run.GIF"), &["gif"]).is_ok());
        assert!(check_ending(Path::new("run.zip"), &["safetensors", "npz"]).is_err());
        assert!(check_ending(Path::new("gif"), &["gif"]).is_err());
    }
}
