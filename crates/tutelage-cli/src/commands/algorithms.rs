//! `tutelage algorithms`: the families of algorithms and their four choices.

use tutelage::algorithm::{DEFAULT_ALGORITHM, FAMILIES, LOGGER_M, logger_m};
use tutelage::choice::ExpertActs;
use tutelage::{Algorithm, AlgorithmName, Sampling};

use crate::output::{Field, Output};

pub(crate) fn run(output: &Output) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for family in &FAMILIES {
        let named: AlgorithmName = family.example.parse()?;
        let algorithm = named.algorithm(Sampling::Stride(20), ExpertActs::Sampled);
        let (asks, command) = match named.is_offline() {
            true => ("–", "retrain"),
            false => (algorithm.ask.describe(), "learn"),
        };
        let names = [&*family.form(), family.example, family.citation, command];
        rows.push(fields(&algorithm, asks, names));
    }
    // Only `theory` has the oracle that takes costs, which this algorithm needs.
    let algorithm = logger_m(25, 1.0, Sampling::Independent);
    let names = [LOGGER_M, "–", "Li & Zhang 2022", "theory"];
    rows.push(fields(&algorithm, algorithm.ask.describe(), names));
    output.fields(rows)?;
    output.say(&format!("\nThe default algorithm is `{DEFAULT_ALGORITHM}`."))
}

/// A family of algorithms: its form, an example, a citation, and the command that executes it.
fn fields(
    algorithm: &Algorithm,
    asks: &'static str,
    [form, example, citation, command]: [&str; 4],
) -> Vec<Field> {
    let (drives, trains_on) = (algorithm.drive.describe(), algorithm.train_on.describe());
    vec![
        Field::new("algorithm", form),
        Field::new("drives", drives),
        Field::both("asks", asks, "asked about", asks),
        Field::both("trains_on", trains_on, "each member trains on", trains_on),
        Field::entry("deploys", algorithm.deploy.describe()),
        Field::new("example", example),
        Field::entry("citation", citation),
        Field::new("command", command),
    ]
}
