//! `tutelage algorithms`: the table of the three choices.

use serde::Serialize;

use crate::output::{Output, Row};

pub(crate) fn run(output: &Output) -> anyhow::Result<()> {
    output.rows(&TABLE)
}

/// An algorithm as three choices and an ensemble size.
#[derive(Serialize)]
struct Line {
    algorithm: &'static str,
    drives: &'static str,
    trains_on: &'static str,
    acts: &'static str,
    members: &'static str,
    command: &'static str,
}

const fn line(columns: [&'static str; 6]) -> Line {
    let [algorithm, drives, trains_on, acts, members, command] = columns;
    Line { algorithm, drives, trains_on, acts, members, command }
}

const TABLE: [Line; 8] = [
    line(["bc", "expert", "D", "–", "1", "learn"]),
    line(["dagger", "learner", "D", "–", "1", "learn"]),
    line(["bd-E", "learner", "bootstrap of D", "mean", "E", "learn"]),
    line(["mp-E(X)", "learner", "D and X draws from d0 with random labels", "mean", "E", "learn"]),
    line([
        "mftpl-p-E(λ)",
        "learner",
        "the same, X ~ Poisson(λ)",
        "mean",
        "E or 25",
        "learn, theory",
    ]),
    line([
        "logger-m",
        "learner",
        "D and random costs on a separator set",
        "random round",
        "E",
        "theory",
    ]),
    line(["bagging-E", "stored data", "bootstrap of D", "mean", "E", "retrain"]),
    line(["supervised", "stored data", "D", "–", "1", "retrain"]),
];

impl Row for Line {
    const HEADINGS: &'static [&'static str] =
        &["algorithm", "who drives", "a member trains on", "members act as", "members", "command"];

    fn cells(&self) -> Vec<String> {
        [self.algorithm, self.drives, self.trains_on, self.acts, self.members, self.command]
            .map(Into::into)
            .to_vec()
    }
}
