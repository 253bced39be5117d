//! A figure of six short runs.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use tutelage_reproduce::{Archive, Experiment, RunList, Selection};

const FIGURE: &str = "
title = 'Small'
draw = 'curves'
tasks = ['cart-pole']
seeds = '1-2'

[[rows]]
name = 'small'
class = 'mlp:4'
rounds = 2
states_per_round = 4
oracle = { budget = 'iterations=5' }
evaluation = { episodes = 1 }
algorithms = ['dagger', 'supervised on dagger', 'bd-2']
";

/// Returns the figure's runs and the indices of those that it shows.
pub(crate) fn figure() -> (RunList, Vec<usize>) {
    let experiment = Experiment::parse("small", FIGURE).unwrap();
    let mut runs = RunList::default();
    let shown = runs.plan(&experiment, &Selection::default()).unwrap().runs();
    (runs, shown)
}

pub(crate) fn archive(dir: &Path) -> Archive {
    Archive::new(dir.join("results"), dir.join("runs"))
}
