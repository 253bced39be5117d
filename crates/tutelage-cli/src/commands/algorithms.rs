//! `tutelage algorithms`: the families of algorithms and their four choices.

use serde::Serialize;
use tutelage::algorithm::{DEFAULT_ALGORITHM, FAMILIES, Family, LOGGER_M, logger_m};
use tutelage::choice::ExpertActs;
use tutelage::{AlgorithmName, Sampling};

use crate::output::{Output, Row};

pub(crate) fn run(output: &Output) -> anyhow::Result<()> {
    let lines: Result<Vec<Line>, _> = FAMILIES.iter().map(Line::of).collect();
    let mut lines = lines?;
    lines.push(Line::logger_m());
    output.rows(&lines)?;
    output.say(&format!("\nThe default algorithm is `{DEFAULT_ALGORITHM}`."))
}

/// A family of algorithms.
#[derive(Serialize)]
struct Line {
    algorithm: String,
    drives: &'static str,
    asks: &'static str,
    trains_on: &'static str,
    deploys: &'static str,
    example: &'static str,
    citation: &'static str,
    command: &'static str,
}

impl Line {
    fn of(family: &'static Family) -> anyhow::Result<Self> {
        let named: AlgorithmName = family.example.parse()?;
        let algorithm = named.algorithm(Sampling::Stride(20), ExpertActs::Sampled);
        Ok(Self {
            algorithm: family.form(),
            drives: algorithm.drive.describe(),
            asks: if named.is_offline() { "–" } else { algorithm.ask.describe() },
            trains_on: algorithm.train_on.describe(),
            deploys: algorithm.deploy.describe(),
            example: family.example,
            citation: family.citation,
            command: if named.is_offline() { "retrain" } else { "learn" },
        })
    }

    /// Needs an oracle that takes costs, which only `theory` has.
    fn logger_m() -> Self {
        let algorithm = logger_m(25, 1.0, Sampling::Independent);
        Self {
            algorithm: LOGGER_M.into(),
            drives: algorithm.drive.describe(),
            asks: algorithm.ask.describe(),
            trains_on: algorithm.train_on.describe(),
            deploys: algorithm.deploy.describe(),
            example: "–",
            citation: "Li & Zhang 2022",
            command: "theory",
        }
    }
}

impl Row for Line {
    const HEADINGS: &'static [&'static str] =
        &["algorithm", "drives", "asked about", "each member trains on", "example", "command"];

    fn cells(&self) -> Vec<String> {
        let Self { algorithm, drives, asks, trains_on, example, command, .. } = self;
        let rest = [drives, asks, trains_on, example, command].map(|cell| (*cell).to_owned());
        [algorithm.clone()].into_iter().chain(rest).collect()
    }
}
