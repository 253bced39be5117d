//! The example of a person at the keyboard, with scripted labels.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "its main reads the real keyboard")]
#[path = "../examples/own_expert.rs"]
mod own_expert;

use std::path::Path;

use tutelage_runs::store::read_history;
use tutelage_runs::{Observer, Silent};

/// The output for this input.
fn lesson(dir: &Path, typed: &str, reporter: &mut dyn Observer) -> String {
    let mut seen = Vec::new();
    own_expert::teach(dir, typed.as_bytes(), &mut seen, reporter).unwrap();
    String::from_utf8(seen).unwrap()
}

const ANSWERS: [&str; 12] =
    ["-0.5", "0.25", "1", "-1", "0", "0.5", "-0.25", "0.75", "-0.75", "0.1", "-0.1", "0.3"];

fn answers(dir: &Path) -> Vec<f32> {
    let history = read_history::<f32, f32>(dir).unwrap();
    let answered = history
        .rounds
        .iter()
        .flat_map(|round| round.labeled_rows().into_iter().map(|row| round.labels.row(row)[0]));
    answered.collect()
}

#[test]
fn a_typo_asks_again_and_the_end_of_input_stops_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let seen = lesson(dir.path(), "-0.5\no.25\n0.25\n7\nNaN\n\n1\n", &mut Silent);
    for typo in ["\"o.25\"", "\"7\"", "\"NaN\"", "\"\""] {
        assert!(seen.contains(&format!("{typo} is not a number from -1 to 1")), "{typo}: {seen}");
    }
    assert!(seen.contains("3 questions are answered"), "{seen}");
    assert_eq!(answers(dir.path()), [-0.5, 0.25, 1.0]);

    let seen = lesson(dir.path(), &ANSWERS[3..].join("\n"), &mut Silent);
    assert_eq!(seen.matches("how hard").count(), 9, "nothing is asked twice: {seen}");
    assert!(seen.contains("all 12 questions are answered"), "{seen}");
    assert_eq!(answers(dir.path()), ANSWERS.map(|answer| answer.parse::<f32>().unwrap()));
}

#[test]
fn an_interrupted_lesson_writes_the_same_log() {
    let [whole, broken] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    lesson(whole.path(), &ANSWERS.join("\n"), &mut Silent);
    for part in ANSWERS.chunks(5) {
        lesson(broken.path(), &part.join("\n"), &mut Silent);
    }
    let log = |dir: &Path| std::fs::read(dir.join("log.bin")).unwrap();
    assert_eq!(log(whole.path()), log(broken.path()));
}
