//! The documentation's tables agree with the code, and its links are valid.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tutelage::SpaceKind;
use tutelage::algorithm::DEFAULT_ALGORITHM;
use tutelage::algorithm::{FAMILIES, Family};
use tutelage::choice::ExpertActs;
use tutelage::{Algorithm, AlgorithmName, Sampling};
use tutelage_spec::Task;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The cells of the row whose first cell contains this name as code.
fn row<'a>(page: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let cells = |line: &'a str| line.strip_prefix('|')?.strip_suffix('|').map(|row| row.split('|'));
    let mut rows = page.lines().filter_map(cells).map(|row| row.map(str::trim).collect::<Vec<_>>());
    rows.find(|row| row[0].contains(&format!("`{name}`")))
}

/// Describes the four choices of a family. Offline algorithms ask nothing.
fn choices(family: &Family) -> [&'static str; 4] {
    let named: AlgorithmName = family.example.parse().unwrap();
    let Algorithm { drive, ask, train_on, deploy, .. } =
        named.algorithm(Sampling::Stride(20), ExpertActs::Sampled);
    let ask = if named.is_offline() { "–" } else { ask.describe() };
    [drive.describe(), ask, train_on.describe(), deploy.describe()]
}

#[test]
fn every_family_has_its_row_and_its_page() {
    let table = read("docs/algorithms/README.md");
    for family in &FAMILIES {
        let form = family.form();
        let row = row(&table, &form).unwrap_or_else(|| panic!("no row for {form}"));
        assert_eq!(row[1..5], choices(family), "{form}");
    }
    for family in &FAMILIES {
        let page = read(&format!("docs/algorithms/{}", family.page));
        assert!(page.contains(family.key), "{} does not mention {}", family.page, family.key);
    }
}

#[test]
fn pages_name_the_default_algorithm() {
    let sentence = format!("The default algorithm is `{DEFAULT_ALGORITHM}`.");
    for page in ["docs/algorithms/README.md", "docs/PYTHON.md"] {
        assert!(read(page).contains(&sentence), "{page} does not contain: {sentence}");
    }
}

#[test]
fn every_task_has_its_row() {
    let table = read("docs/TASKS.md");
    for task in Task::all() {
        let row = row(&table, task.name()).unwrap_or_else(|| panic!("no row for {task}"));
        let (spaces, _) = task.shape();
        let actions = match (task.actions(), spaces.actions) {
            (SpaceKind::Discrete, count) => format!("one of {count}"),
            (SpaceKind::Continuous, 1) => "1 number".into(),
            (SpaceKind::Continuous, width) => format!("{width} numbers"),
        };
        assert_eq!(row[1..3], [spaces.states.to_string(), actions], "{task}");
    }
}

#[test]
fn every_command_has_its_row() {
    let table = read("docs/COMMANDS.md");
    let help = Command::new(env!("CARGO_BIN_EXE_tutelage")).arg("help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut found = 0;
    for line in listed.take_while(|line| !line.is_empty()) {
        // Descriptions continue on lines that are indented further.
        let Some(command) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else {
            continue;
        };
        let command = command.split(' ').next().unwrap();
        let rows = [' ', '`'].map(|end| format!("| `tutelage {command}{end}"));
        let known = command == "help" || rows.iter().any(|row| table.contains(row));
        assert!(known, "docs/COMMANDS.md has no row for {command}");
        found += 1;
    }
    assert!(found > 15, "only {found} commands were found");
}

#[test]
fn the_tests_behind_the_invariants_exist() {
    let page = read("docs/ARCHITECTURE.md");
    let section = page.split("## Invariants").nth(1).unwrap().split("\n## ").next().unwrap();
    let tests: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|')?.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(tests.len() > 10, "only {} tests were found", tests.len());
    let sources = sources(&root().join("crates"));
    for test in tests {
        let exists = match test.strip_suffix(".sh").or(test.strip_suffix(".py")) {
            Some(_) => root().join(test).exists(),
            None => sources.contains(&format!("fn {test}(")),
        };
        assert!(exists, "there is no test {test}");
    }
}

/// All Rust sources below a folder, one after the other.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false if path.extension().is_some_and(|ending| ending == "rs") => {
            fs::read_to_string(&path).unwrap()
        }
        false => String::new(),
    };
    entries.map(text).collect()
}

/// The Markdown files of the documentation.
fn pages() -> Vec<PathBuf> {
    let of_folder = |folder: &str| {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|ending| ending == "md"))
    };
    [".", "docs", "docs/algorithms"].into_iter().flat_map(of_folder).collect()
}

/// The targets of `](…)` within the repository, outside code.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split('`').step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// The anchors of a page's headings.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let words = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        words.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_is_valid() {
    let mut followed = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            let known = anchor.is_empty()
                || anchors(&fs::read_to_string(&target).unwrap()).iter().any(|a| a == anchor);
            assert!(known, "{}: {link} has no such heading", page.display());
            followed += 1;
        }
    }
    assert!(followed > 50, "only {followed} links were found");
}
