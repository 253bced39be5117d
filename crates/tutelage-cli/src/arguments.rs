//! Argument types that several commands share.

use std::path::Path;
use std::str::FromStr;

use anyhow::{bail, ensure};

use tutelage::AlgorithmName;
use tutelage::algorithm::{AlgorithmNameError, DEFAULT_ALGORITHM};
use tutelage_reproduce::{BadSeeds, parse_seeds};

/// Whether a file that will be written is named for what it will be; said before any work is done.
pub(crate) fn check_ending(file: &Path, endings: &[&str]) -> anyhow::Result<()> {
    let ending = file.extension().unwrap_or_default();
    if endings.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let known: Vec<String> = endings.iter().map(|known| format!(".{known}")).collect();
    bail!("{}: the file's name must end in {}", file.display(), known.join(" or "))
}

/// A file that is written only where none is, unless replacing it was asked for.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Force {
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

impl Force {
    /// Whether this file may be written; said before any work is done.
    pub(crate) fn check(self, file: &Path) -> anyhow::Result<()> {
        ensure!(self.force || !file.exists(), "{} exists; --force replaces it", file.display());
        Ok(())
    }
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

/// The parts of a list; commas inside parentheses belong to their part.
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
    fn commas_inside_parentheses_belong_to_the_algorithm() {
        let text = "dagger, ensemble-dagger-5(0.05,0.2),mp-25(15)";
        let Algorithms(names) = text.parse().unwrap();
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["dagger", "ensemble-dagger-5(0.05,0.2)", "mp-25(15)"]);
        assert!("dagger,bd-5(".parse::<Algorithms>().is_err());
        assert!("dagger,".parse::<Algorithms>().is_err());
    }

    #[test]
    fn a_file_is_named_for_what_it_is() {
        assert!(check_ending(Path::new("a/run.GIF"), &["gif"]).is_ok());
        let error = check_ending(Path::new("run.zip"), &["safetensors", "npz"]).unwrap_err();
        let expected = "run.zip: the file's name must end in .safetensors or .npz";
        assert_eq!(error.to_string(), expected);
        assert!(check_ending(Path::new("gif"), &["gif"]).is_err());
    }
}
