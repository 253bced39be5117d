//! Which runs figures need, which are finished, and their names.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tutelage::Sampling;
use tutelage::choice::{Deploy, ExpertActs};
use tutelage_reproduce::{
    Archive, Experiment, ExperimentError, ExperimentFault, PlanError, Profile, RunList, RunRecord,
    Selection,
};
use tutelage_runs::store::AnyHistory;
use tutelage_spec::Task;
use tutelage_spec::spec::{CoverSpec, RunSpec, TextValue, TrainingBudget};

fn hopper() -> Task {
    "hopper".parse().unwrap()
}

fn named(name: &str) -> Experiment {
    Experiment::named(name).unwrap()
}

fn quick() -> Selection {
    Selection { profile: Profile::Quick, ..Selection::default() }
}

fn quick_hopper() -> Selection {
    Selection { tasks: Some(vec![hopper()]), ..quick() }
}

/// Plans a figure; returns its runs and the indices of those that it shows.
fn plan(experiment: &Experiment, selection: &Selection) -> (RunList, Vec<usize>) {
    let mut runs = RunList::default();
    let shown = runs.plan(experiment, selection).unwrap().runs();
    (runs, shown)
}

/// Returns the values of `of` for the specs of these runs, without `None`, sorted, each once.
fn values<T: Ord>(runs: &RunList, shown: &[usize], of: impl Fn(&RunSpec) -> Option<T>) -> Vec<T> {
    let mut values: Vec<T> = shown.iter().filter_map(|&run| of(&runs[run].spec)).collect();
    values.sort();
    values.dedup();
    values
}

fn archive(dir: &Path) -> Archive {
    Archive::new(dir.join("results"), dir.join("runs"))
}

/// Writes the record of an empty run.
fn finish(runs: &RunList, run: usize, archive: &Archive) -> RunRecord {
    let nothing = AnyHistory::Vectors(Default::default());
    let record = runs[run].record(&nothing, &[], 1);
    archive.save(&runs[run], &record).unwrap();
    record
}

#[test]
fn runs_come_after_what_they_need_and_figures_share_them() {
    let (mut runs, main) = plan(&named("main"), &quick());
    assert_eq!(main.len(), (4 * 2 + 1) * 6 * 2); // and Ant with the paper's 4 units
    let all = runs.runs().iter().enumerate();
    assert!(all.into_iter().all(|(i, run)| run.needs.iter().all(|&need| need < i)));
    let before = runs.runs().len();
    let ablation = runs.plan(&named("ablation"), &quick()).unwrap().runs();
    assert_eq!(ablation.len(), 2 * 4 * 2);
    assert_eq!(runs.runs().len() - before, 2 * 2 * 2); // bagging and supervised alone are new
}

#[test]
fn a_plan_lists_panels_curves_and_runs() {
    let main = named("main");
    let mut runs = RunList::default();
    let plan = runs.plan(&main, &quick()).unwrap();
    let (realizable, other) = (&plan.panels[0], &plan.panels[4]);
    assert_eq!((realizable.task.name(), other.task.name()), ("ant", "ant"), "rows of four tasks");
    assert_eq!((realizable.row.name.as_str(), realizable.curves.len()), ("realizable", 6));
    let seeds = |runs: &RunList| -> Vec<u64> {
        realizable.curves[1].runs.iter().map(|&run| runs[run].spec.seed).collect()
    };
    assert_eq!(seeds(&runs), [1, 2]);
    assert_eq!(runs[realizable.curves[1].runs[0]].spec.algorithm.to_string(), "dagger");
    // Later plans do not change a plan.
    let copy = plan.clone();
    runs.plan(&named("full-realizable"), &quick()).unwrap();
    assert_eq!(seeds(&runs), [1, 2]);
    assert_eq!(plan, copy);
}

#[test]
fn dependencies_are_at_most_one_level_deep() {
    let mut runs = RunList::default();
    for experiment in Experiment::all().unwrap() {
        runs.plan(&experiment, &Selection::default()).unwrap();
    }
    let needed = runs.runs().iter().flat_map(|run| &run.needs);
    assert!(needed.into_iter().all(|&need| runs[need].needs.is_empty()));
}

#[test]
fn d0_is_made_of_ten_runs_whatever_seeds_are_shown() {
    let one = Selection {
        tasks: Some(vec![hopper()]),
        algorithms: Some(vec!["mp-25(15)".parse().unwrap()]),
        seeds: Some(vec![3]),
        ..Selection::default()
    };
    let (runs, shown) = plan(&named("main"), &one);
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|&run| runs[run].needs.len() == 10));
    assert_eq!(runs.runs().len(), 2 * 11);
}

#[test]
fn the_study_plans_ten_seeds_and_three_of_large_ensembles() {
    let study = named("fewest");
    let (runs, shown) = plan(&study, &Selection::default());
    let seeds = |algorithm: &str| {
        let is_its = |spec: &RunSpec| spec.algorithm.to_string() == algorithm;
        values(&runs, &shown, |spec| is_its(spec).then_some(spec.seed))
    };
    assert_eq!(seeds("handover-bd-5"), (11..=20).collect::<Vec<_>>());
    assert_eq!(seeds("mp-25(15)"), [11, 12, 13]);
    // Eight panels: seven algorithms with ten seeds, three with three. DAgger's first ten runs make d₀ and are not shown.
    assert_eq!(shown.len(), 8 * (7 * 10 + 3 * 3));
    assert_eq!(runs.runs().len(), shown.len() + 8 * 10);
    let request = |seeds: Vec<u64>| {
        let selection = Selection { seeds: Some(seeds), ..Selection::default() };
        plan(&study, &selection).1.len()
    };
    assert_eq!(request(vec![13, 14]), 8 * (10 + 7), "large ensembles leave out seed 14");
    assert_eq!(request(vec![21]), 8 * 10, "other seeds apply to all curves");
    let (_, whole) = plan(&study, &Selection::default().whole(&study));
    assert_eq!(whole.len(), shown.len(), "the whole figure is planned");
}

#[test]
fn a_row_sets_sampling_and_the_experts_actions() {
    let (runs, shown) = plan(&named("settings"), &quick());
    let of = |acts: ExpertActs, sampling: Sampling| {
        let is_it = |spec: &RunSpec| spec.expert_acts == acts && spec.sampling == sampling;
        values(&runs, &shown, |spec| is_it(spec).then(|| spec.algorithm.to_string()))
    };
    assert_eq!(of(ExpertActs::Mean, Sampling::Stride(20)), ["bc"]); // the expert drives only in BC
    assert_eq!(of(ExpertActs::Sampled, Sampling::Independent), ["bc", "bd-5", "dagger"]);
}

const OWN: &str = "
title = 'My own'
draw = 'curves'
tasks = ['hopper']
seeds = '1'

[[rows]]
name = 'all by itself'
class = 'mlp:16'
rounds = 5
states_per_round = 30
sampling = 'stride(7)'
deploy = 'member'
keep = 'all'
oracle = { budget = 'iterations=123', learning_rate = 0.01, batch = 64, states = 'standardised' }
evaluation = { episodes = 4 }
algorithms = ['bd-5', 'mp-25(7)']

[[rows]]
name = 'as usual'
algorithms = ['bd-5']
";

#[test]
fn a_row_sets_any_field_and_quick_keeps_it() {
    let own = Experiment::parse("own", OWN).unwrap();
    let (runs, shown) = plan(&own, &quick());
    let specs: Vec<&RunSpec> = shown.iter().map(|&run| &runs[run].spec).collect();
    let own = specs[0];
    let oracle = own.oracle.unwrap();
    assert_eq!((own.rounds, own.states_per_round, own.evaluation.episodes), (5, 30, 4));
    assert_eq!((own.sampling, own.deploy), (Sampling::Stride(7), Deploy::UniformMember));
    assert_eq!((oracle.budget, oracle.learning_rate), (TrainingBudget::Iterations(123), 0.01));
    assert_eq!((oracle.batch, own.keep), (64, tutelage_runs::Keep::All));
    let usual = specs[2];
    // Quick replaces fields that the row leaves unset.
    assert_eq!((usual.rounds, usual.evaluation.episodes), (8, 3));
    assert_eq!(usual.oracle.unwrap().budget, TrainingBudget::Iterations(500));
}

#[test]
fn d0_is_the_one_that_learn_takes_unless_a_row_says_dagger() {
    let own = Experiment::parse("own", OWN).unwrap();
    let (runs, shown) = plan(&own, &Selection::default());
    let d0 = runs[shown[1]].spec.d0.clone();
    let learn = RunSpec::parse("task = 'hopper'\nalgorithm = 'mp-25(7)'").unwrap().d0;
    assert_eq!(d0, learn);
    assert!(matches!(d0, Some(CoverSpec::Uniform { .. })), "{d0:?}");
    let dagger = OWN.replace("class = 'mlp:16'", "class = 'mlp:16'\nd0 = 'dagger'");
    let (runs, shown) = plan(&Experiment::parse("own", &dagger).unwrap(), &Selection::default());
    assert!(matches!(runs[shown[1]].spec.d0, Some(CoverSpec::Runs(_))));
}

#[test]
fn an_invalid_field_is_an_error_that_names_it() {
    let error = |from: &str, to: &str| {
        let text = OWN.replace(from, to);
        match Experiment::parse("own", &text) {
            Err(ExperimentError::Invalid {
                source: ExperimentFault::Row { row, source }, ..
            }) => (row, source.to_string()),
            Ok(own) => match RunList::default().plan(&own, &quick()) {
                Err(PlanError { row, source, .. }) => (row, source.to_string()),
                Ok(_) => panic!("{to} is valid"),
            },
            Err(error) => panic!("{error}"),
        }
    };
    for (from, to, words) in [
        ("rounds = 5", "round = 5", "`round`"),
        ("rounds = 5", "rounds = 0", "rounds = 0"),
        ("rounds = 5", "seed = 3", "seed"),
        ("rounds = 5", "task = 'ant'", "task"),
        ("rounds = 5", "expert = 'elves'", "elves"),
        ("batch = 64", "batch = 0", "oracle.batch"),
    ] {
        let (row, error) = error(from, to);
        assert!(error.contains(words) && row == "all by itself", "{to}: {error}");
    }
}

#[test]
fn names_do_not_depend_on_paths() {
    let (runs, shown) = plan(&named("ablation"), &quick_hopper());
    let bagging = &runs[shown[4]];
    assert_eq!(bagging.spec.algorithm.to_string(), "bagging-5");
    let with_absolute_paths = bagging.with_absolute_paths(Path::new("somewhere"));
    assert_eq!(with_absolute_paths.data.unwrap().parent(), Some(Path::new("somewhere")));
    assert!(bagging.name.starts_with("hopper-bagging-5-mlp-64-64-seed-1-"), "{}", bagging.name);
}

#[test]
fn the_solver_is_part_of_the_name_of_affine_runs() {
    let one = Selection { tasks: Some(vec![hopper()]), ..Selection::default() };
    let (runs, shown) = plan(&named("linear"), &one);
    assert!(shown.iter().all(|&run| runs[run].name.ends_with("-qr-jacobi")));
    // The task's own expert and the forgiving one, by the fingerprints of their weights.
    let of = |expert: &str| {
        shown.iter().filter(|&&run| runs[run].name.contains(&format!("-{expert}-"))).count()
    };
    assert_eq!((of("675f6cb7"), of("675f6cb7") * 2), (shown.len() / 2, shown.len()));
}

#[test]
fn a_timed_run_counts_in_every_figure() {
    let dir = tempfile::tempdir().unwrap();
    let archive = archive(dir.path());
    let selection = Selection {
        algorithms: Some(vec!["bc".parse().unwrap()]),
        seeds: Some(vec![1]),
        ..quick_hopper()
    };
    let (cost, main) = (named("cost"), named("main"));
    let mut runs = RunList::default();
    let plans = [&cost, &main].map(|figure| runs.plan(figure, &selection).unwrap());
    let [timed] = plans[0].runs()[..] else { panic!("one run is timed") };
    let shown = plans[1].runs();
    assert!(!runs.outstanding(&plans, &archive).unwrap().contains(&shown[0]), "once is enough");
    let record = finish(&runs, timed, &archive);
    assert_eq!(archive.record(&runs[shown[0]]).unwrap(), Some(record));
    assert_eq!(runs.outstanding(&plans[1..], &archive).unwrap(), shown[1..]);
}

#[test]
fn a_recorded_run_is_repeated_only_if_its_data_is_needed() {
    let dir = tempfile::tempdir().unwrap();
    let archive = archive(dir.path());
    let ablation = named("ablation");
    let mut runs = RunList::default();
    let plan = runs.plan(&ablation, &quick_hopper()).unwrap();
    let shown = plan.runs();
    let plans = [plan.clone()];
    assert_eq!(runs.outstanding(&plans, &archive).unwrap().len(), 8);
    for &run in &shown {
        let record = finish(&runs, run, &archive);
        assert_eq!(archive.record(&runs[run]).unwrap(), Some(record));
    }
    assert!(runs.outstanding(&plans, &archive).unwrap().is_empty());
    let bagging = &runs[shown[4]];
    let path = archive.record_path(bagging);
    let text = std::fs::read_to_string(&path).unwrap();
    let others = text.lines().filter(|line| !line.contains(&bagging.name));
    std::fs::write(&path, others.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    // Bagging must run, and DAgger before it, because DAgger's annotations are missing. DAgger still counts as finished.
    let outstanding = runs.outstanding(&plans, &archive).unwrap();
    assert_eq!(outstanding, [bagging.needs[0], shown[4]]);
    assert_eq!(runs.unfinished(&plan, &archive).unwrap(), [shown[4]]);
}

#[test]
fn a_map_of_states_replaces_the_states() {
    let dir = tempfile::tempdir().unwrap();
    let archive = archive(dir.path());
    let states = named("states-expert-dagger");
    let mut runs = RunList::default();
    let plan = runs.plan(&states, &quick()).unwrap();
    let shown = plan.runs();
    shown.iter().for_each(|&run| drop(finish(&runs, run, &archive)));
    assert_eq!(runs.unfinished(&plan, &archive).unwrap(), shown, "records contain no states");
    let names: Vec<&str> = shown.iter().map(|&run| runs[run].name.as_str()).collect();
    let map = format!("# {}\nseries,round,x,y\n", names.join(" "));
    archive.write(&archive.map_path("states-expert-dagger"), map.as_bytes()).unwrap();
    assert!(runs.unfinished(&plan, &archive).unwrap().is_empty());
}

#[test]
fn the_name_of_the_expert_is_part_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("expert.safetensors");
    let expert = tutelage_spec::load_expert("hopper", None).unwrap();
    expert.write(&file).unwrap();
    let text = OWN.replace("rounds = 5", &format!("expert = '{}'", file.display()));
    let (runs, shown) = plan(&Experiment::parse("own", &text).unwrap(), &quick());
    let [own, usual] = [shown[0], shown[2]].map(|run| &runs[run]);
    assert_eq!(own.expert, usual.expert, "the same weights under another name");
    assert_ne!(own.name, usual.name);
    assert_eq!(own.spec.expert, file.display().to_string());
}

#[test]
fn a_curve_can_have_its_own_budget() {
    let (runs, shown) = plan(&named("questions"), &Selection::default());
    let budgets = |algorithm: &str| {
        let is_it = |spec: &RunSpec| {
            (spec.algorithm.to_string(), spec.seed, spec.task) == (algorithm.into(), 1, hopper())
        };
        let budget = |spec: &RunSpec| Some(spec.oracle?.budget.text());
        values(&runs, &shown, |spec| is_it(spec).then(|| budget(spec)).flatten())
    };
    assert_eq!(budgets("dagger"), ["epochs=1000", "epochs=2000", "epochs=4000"]);
    assert_eq!(budgets("mp-25(15)"), ["epochs=2000"]);
}

/// The committed records.
fn committed() -> (PathBuf, Archive) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/paper");
    let archive = Archive::new(&root, root.join("no-runs"));
    (root, archive)
}

/// A change of how specs are written would leave records behind that no figure finds.
#[test]
fn every_committed_record_belongs_to_a_planned_run() {
    let seeds = Selection { seeds: Some((1..=20).collect()), ..Selection::default() };
    let ((root, archive), mut runs) = (committed(), RunList::default());
    for experiment in Experiment::all().unwrap() {
        runs.plan(&experiment, &seeds).unwrap();
    }
    let mut needed = runs.runs().iter().flat_map(|run| &run.needs);
    assert!(needed.all(|&need| runs[need].needs.is_empty()), "one level of dependencies");
    let planned: HashSet<&str> = runs.runs().iter().map(|run| run.name.as_str()).collect();
    let mut found = 0;
    for task in Task::all() {
        let text = std::fs::read_to_string(root.join(format!("{task}.jsonl"))).unwrap_or_default();
        let records: Vec<RunRecord> =
            text.lines().map(|line| RunRecord::parse(line).unwrap()).collect();
        assert!(records.is_sorted_by(|a, b| a.run < b.run), "{task}");
        for record in &records {
            // Ant's BC without noise is in no figure; `tutelage compare` shows it.
            let is_extra = task.name() == "ant" && record.spec.contains("expert_acts = \"mean\"");
            assert!(planned.contains(record.run.as_str()) || is_extra, "{}", record.run);
        }
        found += records.len();
    }
    assert_eq!(found, 2138);
    let read = runs.runs().iter().filter(|run| archive.record(run).unwrap().is_some());
    assert!(read.count() >= 2000, "the archive reads them");
}

/// Finished runs of each figure, as `tutelage reproduce --list` counts them.
#[test]
fn every_committed_record_counts_in_its_figure() {
    let (_, archive) = committed();
    for (figure, runs, done) in [
        ("linear", 330, 330),
        ("main", 540, 437),
        ("ablation", 80, 60),
        ("oracle-budget", 180, 78),
        ("cost", 24, 24),
        ("mean-vs-random", 80, 66),
        ("full-linear", 300, 220),
        ("full-realizable", 440, 217),
        ("full-nonrealizable", 500, 225),
        ("full-ablation", 160, 120),
        ("states-expert-dagger", 2, 2),
        ("states-ant", 6, 6),
        ("states-half-cheetah", 6, 6),
        ("states-hopper", 6, 6),
        ("states-walker2d", 6, 6),
        ("settings", 80, 80),
        ("questions", 70, 25),
        ("fewest", 632, 632),
        ("fewest-steps", 632, 632),
        ("fewest-held-out", 500, 500),
        ("fewest-ablation", 42, 42),
        ("fewest-limits", 36, 36),
    ] {
        let experiment = named(figure);
        let mut list = RunList::default();
        let plan = list.plan(&experiment, &Selection::default()).unwrap();
        let shown = plan.runs().len();
        let left = list.unfinished(&plan, &archive).unwrap().len();
        assert_eq!((shown, shown - left), (runs, done), "{figure}");
    }
}

#[test]
fn records_in_single_files_are_still_read() {
    let dir = tempfile::tempdir().unwrap();
    let archive = archive(dir.path());
    let (runs, shown) = plan(&named("ablation"), &quick_hopper());
    let record = finish(&runs, shown[0], &archive);
    let text = std::fs::read(archive.record_path(&runs[shown[0]])).unwrap();
    std::fs::remove_file(archive.record_path(&runs[shown[0]])).unwrap();
    assert_eq!(archive.record(&runs[shown[0]]).unwrap(), None);
    let single = dir.path().join("results/hopper").join(format!("{}.json", record.run));
    archive.write(&single, &text).unwrap();
    assert_eq!(archive.record(&runs[shown[0]]).unwrap(), Some(record));
}

#[test]
fn concurrent_writers_keep_all_records() {
    let dir = tempfile::tempdir().unwrap();
    let (runs, shown) = plan(&named("ablation"), &quick_hopper());
    std::thread::scope(|scope| {
        for &run in &shown {
            let (runs, path) = (&runs, dir.path());
            scope.spawn(move || finish(runs, run, &archive(path)));
        }
    });
    let archive = archive(dir.path());
    assert!(shown.iter().all(|&run| archive.record(&runs[run]).unwrap().is_some()));
}
