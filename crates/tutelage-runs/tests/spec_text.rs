//! The text of `RunConfig::spec` names a run forever. `data/run_config_specs.txt` was recorded with version 0.1.

#![allow(clippy::unwrap_used)]

use tutelage::algorithm::{FAMILIES, logger_m, mftpl_p};
use tutelage::choice::ExpertActs;
use tutelage::cover::{Cover, StoredStates, UniformBox, Weighted};
use tutelage::{Algorithm, AlgorithmName, Batch, Dataset, Inputs, Sampling, Schedule, Stream};
use tutelage_runs::{Keep, RunConfig};

const RECORDED: &str = include_str!("data/run_config_specs.txt");

fn spec(algorithm: Algorithm, inputs: Inputs<'_, f32, f32>) -> String {
    let stream = Stream::new(1).fork("x", 3);
    let schedule = Schedule { rounds: 8, states_per_round: 10, stream };
    let job = RunConfig { algorithm, schedule, inputs, episodes: 5, keep: Keep::Last };
    job.spec("task", "expert", "oracle")
}

/// The recorded lines under a title, all of which `spec` must contain.
fn check(title: &str, spec: &str) {
    let title = format!("# {title}\n");
    let sections = RECORDED.split("\n\n").filter_map(|section| section.strip_prefix(&title));
    let recorded: Vec<&str> = sections.collect();
    assert!(!recorded.is_empty(), "no record of {title}");
    let same = |section: &&str| section.lines().all(|line| spec.lines().any(|own| own == line));
    assert!(recorded.iter().any(same), "{title}{spec}");
}

#[test]
fn specs_of_all_families_keep_their_recorded_text() {
    let choices =
        [(Sampling::Stride(20), ExpertActs::Mean), (Sampling::Independent, ExpertActs::Sampled)];
    for family in &FAMILIES {
        let name: AlgorithmName = family.example.parse().unwrap();
        for (sampling, acts) in choices {
            let title = format!("{} {sampling:?} {acts:?}", name.spec_text());
            check(&title, &spec(name.algorithm(sampling, acts), Inputs::none()));
        }
    }
    check("logger-m", &spec(logger_m(3, 0.5, Sampling::Stride(20)), Inputs::none()));
}

#[test]
fn specs_of_all_inputs_keep_their_recorded_text() {
    let states = |rows: usize| {
        let mut states = Batch::new(2);
        (0..rows).for_each(|row| states.push(&[row as f32, 0.5]));
        states
    };
    let algorithm = mftpl_p(3, 5.0, Sampling::Stride(20));
    let covers: [Box<dyn Cover<f32>>; 4] = [
        Box::new(UniformBox::new(-1.0, 2.0).unwrap()),
        Box::new(StoredStates::new(states(2)).unwrap()),
        Box::new(StoredStates::new(states(1000)).unwrap()),
        Box::new(Weighted::new(states(2), vec![0.25, 0.75]).unwrap()),
    ];
    for cover in &covers {
        check("cover", &spec(algorithm, Inputs { cover: Some(&**cover), ..Inputs::none() }));
    }
    let separator = states(3);
    let inputs = Inputs { separator: Some(&separator), ..Inputs::none() };
    check("separator", &spec(algorithm, inputs));
    let stored = [Dataset { states: states(2), actions: states(2) }];
    check("stored", &spec(algorithm, Inputs { stored: Some(&stored), ..Inputs::none() }));
}
