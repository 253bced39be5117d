//! How algorithms compare, over seeds.

use std::collections::BTreeMap;

use serde::Serialize;
use tutelage_runs::stats::Bootstrap;

use super::scan::Entry;

/// Runs that differ in algorithm and seed alone.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Panel {
    pub(crate) task: String,
    /// What the runs have in common beside the task.
    pub(crate) about: String,
    pub(crate) expert: Option<f64>,
    pub(crate) arms: Vec<Arm>,
}

/// The runs of one algorithm.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Arm {
    pub(crate) algorithm: String,
    pub(crate) runs: Vec<String>,
    /// Annotations, mean reward, and the ends of its band.
    pub(crate) points: Vec<[f64; 4]>,
}

/// Panels of the runs that can be compared: several algorithms, or several seeds of one.
pub(crate) fn panels(entries: &[Entry]) -> Vec<Panel> {
    let mut groups: BTreeMap<(String, String), BTreeMap<&str, Vec<&Entry>>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !entry.lines.is_empty()) {
        let arms = groups.entry((entry.task.clone(), common(&entry.spec))).or_default();
        arms.entry(&entry.algorithm).or_default().push(entry);
    }
    let several =
        |arms: &BTreeMap<&str, Vec<&Entry>>| arms.values().map(Vec::len).sum::<usize>() > 1;
    groups
        .into_iter()
        .filter(|(_, arms)| several(arms))
        .map(|((task, about), arms)| panel(task, about, arms))
        .collect()
}

fn panel(task: String, about: String, arms: BTreeMap<&str, Vec<&Entry>>) -> Panel {
    let experts: Vec<f64> = arms.values().flatten().filter_map(|entry| entry.expert).collect();
    let expert = (!experts.is_empty()).then(|| experts.iter().sum::<f64>() / experts.len() as f64);
    let arms = arms.into_iter().map(|(algorithm, runs)| arm(algorithm, &runs)).collect();
    Panel { task, about: about.replace('\n', " · "), expert, arms }
}

/// The mean over seeds as far as all runs have come, with a percentile bootstrap band.
fn arm(algorithm: &str, runs: &[&Entry]) -> Arm {
    let rounds = runs.iter().map(|run| run.lines.len()).min().unwrap_or(0);
    let rewards: Vec<Vec<f64>> = runs
        .iter()
        .map(|run| run.lines[..rounds].iter().map(|line| line.reward).collect())
        .collect();
    let annotations = |round: usize| {
        runs.iter().map(|run| run.lines[round].annotations as f64).sum::<f64>() / runs.len() as f64
    };
    let band = Bootstrap::default().band(&rewards).map_or(vec![], |band| band.points);
    let point = |(round, interval): (usize, tutelage_runs::stats::Interval)| {
        [annotations(round), interval.estimate, interval.low, interval.high]
    };
    Arm {
        algorithm: algorithm.into(),
        runs: runs.iter().map(|run| run.name.clone()).collect(),
        points: band.into_iter().enumerate().map(point).collect(),
    }
}

/// What tells runs apart that are not to be compared: their specs without algorithm, seed, and what follows from these.
fn common(spec: &str) -> String {
    const VARIES: [&str; 8] =
        ["task", "algorithm", "seed", "keep", "d0", "expert_acts", "deploy", "stream"];
    let varies = |line: &&str| {
        let name = line.split('=').next().unwrap_or("").trim();
        VARIES.contains(&name) || line.starts_with('[') || line.trim().is_empty()
    };
    spec.lines().filter(|line| !varies(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use tutelage_runs::RoundLine;

    use super::*;

    fn entry(algorithm: &str, seed: u32, rewards: &[f64]) -> Entry {
        let line = |(i, &reward): (usize, &f64)| RoundLine {
            round: i + 1,
            annotations: 10 * (i + 1),
            expert_steps: Some(0),
            reward,
            reward_sd: 0.0,
            reward_random: None,
            imitation_loss: None,
            seconds: None,
        };
        Entry {
            name: format!("{algorithm}-{seed}"),
            task: "drive".into(),
            algorithm: algorithm.into(),
            teacher: "drive".into(),
            seed: seed.to_string(),
            rounds: Some(2),
            annotations: 20,
            open_questions: 0,
            expert: Some(100.0),
            lines: rewards.iter().enumerate().map(line).collect(),
            policies: vec![],
            spec: format!(
                "task = \"drive\"\nalgorithm = \"{algorithm}\"\nrounds = 2\nseed = {seed}\n"
            ),
            trouble: None,
            changed: 0,
        }
    }

    #[test]
    fn seeds_of_an_algorithm_are_one_curve_with_a_band() {
        let entries = [
            entry("bd-5", 1, &[10.0, 30.0]),
            entry("bd-5", 2, &[20.0, 30.0, 50.0]),
            entry("dagger", 1, &[5.0]),
        ];
        let panels = panels(&entries);
        assert_eq!(panels.len(), 1);
        let [bd, dagger] = &panels[0].arms[..] else { panic!("{panels:?}") };
        assert_eq!((bd.runs.len(), dagger.runs.len()), (2, 1));
        assert_eq!(bd.points.len(), 2, "as far as both have come");
        assert_eq!(bd.points[0], [10.0, 15.0, 10.0, 20.0]);
        assert_eq!(bd.points[1], [20.0, 30.0, 30.0, 30.0]);
        assert_eq!((panels[0].expert, &*panels[0].about), (Some(100.0), "rounds = 2"));
    }

    #[test]
    fn runs_under_other_settings_are_not_compared_and_one_alone_is_no_comparison() {
        let mut other = entry("bd-5", 2, &[1.0]);
        other.spec = other.spec.replace("rounds = 2", "rounds = 3");
        assert!(panels(&[entry("bd-5", 1, &[1.0]), other]).is_empty());
        assert!(panels(&[entry("bd-5", 1, &[])]).is_empty());
    }
}
