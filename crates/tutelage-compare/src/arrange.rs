//! Runs sorted into panels and curves.

use std::collections::{BTreeMap, BTreeSet};

use crate::stats::{RunCurves, mean};
use tutelage::AlgorithmName;
use tutelage_draw::plot::{Color, Style};

use crate::style::{curve_style, rank};
use crate::{CommonBudget, ComparedRun, Cost};

/// Curves with common axes, usually those of one task and one class of policies.
#[derive(Clone, Debug)]
pub struct ComparisonPanel {
    /// The title: the task, and the class if there are several.
    pub title: String,
    /// The average return of the expert's mean action. Every seed counts once.
    pub expert: Option<f64>,
    /// The reward that counts as 0 when rewards are expressed in units of the expert's.
    pub zero: f64,
    /// The curves, in display order.
    pub curves: Vec<LearningCurve>,
    /// The common range of costs, if the cost includes expert steps.
    pub budget: Option<CommonBudget>,
}

/// Runs that differ only in their seed.
#[derive(Clone, Debug)]
pub struct LearningCurve {
    /// The algorithm, and whatever else distinguishes it from other curves.
    pub name: String,
    /// The algorithm, if it belongs to a known family.
    pub algorithm: Option<AlgorithmName>,
    /// The color.
    pub color: Color,
    /// The line style.
    pub style: Style,
    /// The runs.
    pub runs: Vec<ComparedRun>,
    /// The rewards of the runs at common costs.
    pub curves: RunCurves,
}

/// The runs of a panel, sorted by curve.
#[derive(Clone, Debug, PartialEq)]
pub struct RunGroup {
    /// The title of the panel.
    pub title: String,
    /// The name of each curve and its runs, which differ only in their seed.
    pub curves: Vec<(String, Vec<ComparedRun>)>,
}

/// Fields in which the runs of a curve may differ, because they do not change the results of a round.
const FREE: [&str; 4] = ["seed", "stream", "keep", "rounds"];

/// Sorts runs into panels by these fields, and into curves by all others except the seed.
pub(crate) fn group_runs(runs: Vec<ComparedRun>, by: &[String]) -> Vec<RunGroup> {
    let distinguishing = distinguishing_fields(&runs, by);
    let shown: Vec<&String> =
        by.iter().filter(|name| *name == "task" || values(&runs, name).len() > 1).collect();
    let known = shown.iter().flat_map(|name| values(&runs, name)).flatten().map(str::to_owned);
    let known: Vec<String> = known.collect();
    let mut groups: Vec<(String, Vec<(String, Vec<ComparedRun>)>)> = Vec::new();
    for run in runs {
        let value =
            |name: &&String| run.fields.get(name).map(|value| short(task_name(value, &known)));
        let title = shown.iter().filter_map(value).collect::<Vec<_>>().join(", ");
        let title = if title.is_empty() { "runs".into() } else { title };
        let name = curve_name(&run, &distinguishing);
        let panel = entry(&mut groups, title);
        entry(panel, name).push(run);
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0));
    groups.into_iter().map(|(title, curves)| RunGroup { title, curves }).collect()
}

/// Puts the runs of each panel on common points, and adds remarks to `notes`.
pub(crate) fn arrange(
    groups: Vec<RunGroup>,
    cost: Cost,
    notes: &mut Vec<String>,
) -> Vec<ComparisonPanel> {
    let panel = |group| panel(group, cost, notes);
    let mut panels: Vec<ComparisonPanel> = groups.into_iter().filter_map(panel).collect();
    assign_styles(&mut panels);
    panels
}

/// Removes the description in braces that the task of a custom program may have behind its name, if the name is unique.
fn task_name<'a>(value: &'a str, known: &[String]) -> &'a str {
    let Some((name, _)) = value.split_once(" {") else { return value };
    let namesakes = known.iter().filter(|other| other.split(" {").next() == Some(name));
    if namesakes.count() == 1 { name } else { value }
}

fn entry<T: Default>(list: &mut Vec<(String, T)>, key: String) -> &mut T {
    let index = list.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
        list.push((key, T::default()));
        list.len() - 1
    });
    &mut list[index].1
}

fn values<'a>(runs: &'a [ComparedRun], name: &str) -> BTreeSet<Option<&'a str>> {
    runs.iter().map(|run| run.fields.get(name)).collect()
}

/// A field in which runs of one algorithm in one panel differ. The names of their curves contain it.
struct DistinguishingField {
    field: String,
    /// The most frequent value, which is omitted.
    usual: Option<String>,
    /// Whether only some of these runs have it.
    can_be_missing: bool,
}

fn distinguishing_fields(runs: &[ComparedRun], by: &[String]) -> Vec<DistinguishingField> {
    let mut found: Vec<DistinguishingField> = Vec::new();
    for kind in kinds(runs, by) {
        for field in kind.iter().flat_map(|run| run.fields.names()) {
            let is_free = FREE.contains(&field) || ["algorithm", "data"].contains(&field);
            let values: BTreeSet<Option<&str>> =
                kind.iter().map(|run| run.fields.get(field)).collect();
            if is_free || by.iter().any(|name| name == field) || values.len() < 2 {
                continue;
            }
            let can_be_missing = values.contains(&None);
            match found.iter_mut().find(|known| known.field == field) {
                Some(known) => known.can_be_missing |= can_be_missing,
                None => found.push(DistinguishingField {
                    usual: usual(runs, field),
                    field: field.into(),
                    can_be_missing,
                }),
            }
        }
    }
    found
}

/// Groups runs by panel, data and algorithm.
fn kinds<'a>(runs: &'a [ComparedRun], by: &[String]) -> Vec<Vec<&'a ComparedRun>> {
    let mut kinds: Vec<(String, Vec<&ComparedRun>)> = Vec::new();
    for run in runs {
        let panel: Vec<_> = by.iter().map(|name| run.fields.get(name)).collect();
        let data = run.fields.get("data");
        entry(&mut kinds, format!("{panel:?} {data:?} {}", run.algorithm_label())).push(run);
    }
    kinds.into_iter().map(|(_, kind)| kind).collect()
}

/// Returns the value of a field. The expert named after the task is "the task's own" for every task.
fn value<'a>(run: &'a ComparedRun, field: &str) -> Option<&'a str> {
    match run.fields.get(field) {
        Some(name) if field == "expert" && run.fields.get("task") == Some(name) => {
            Some("the task's own")
        }
        value => value,
    }
}

/// Returns the most frequent value of a field.
fn usual(runs: &[ComparedRun], field: &str) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for value in runs.iter().filter_map(|run| value(run, field)) {
        *entry(&mut counts, value.into()) += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(value, _)| value)
}

fn curve_name(run: &ComparedRun, distinguishing: &[DistinguishingField]) -> String {
    let mut name = run.algorithm_label();
    if let Some(data) = run.fields.get("data") {
        let label = data.parse::<AlgorithmName>().map_or(data.to_owned(), |named| named.label());
        name += &format!(" on {label}'s data");
    }
    for DistinguishingField { field, usual, can_be_missing } in distinguishing {
        let short_name = field.rsplit('.').next().unwrap_or(field);
        match value(run, field) {
            // If some runs lack the field, its usual value is informative.
            Some(value) if usual.as_deref() != Some(value) || *can_be_missing => {
                name += &format!(", {short_name} {}", short(value));
            }
            _ => {}
        }
    }
    name
}

/// Shortens a path to its last part.
fn short(value: &str) -> &str {
    value.rsplit('/').next().unwrap_or(value)
}

fn panel(
    RunGroup { title, curves }: RunGroup,
    cost: Cost,
    notes: &mut Vec<String>,
) -> Option<ComparisonPanel> {
    let expert = expert_reward(curves.iter().flat_map(|(_, runs)| runs));
    let curve = |(name, runs)| curve(&title, name, runs, cost, notes);
    let mut curves: Vec<LearningCurve> = curves.into_iter().filter_map(curve).collect();
    curves.sort_by_key(|curve| (rank(curve.algorithm.as_ref()), curve.name.clone()));
    let zero = zero(expert, &curves);
    if zero != 0.0 {
        notes.push(format!(
            "{title}: the expert's reward is not positive; shares are measured from {zero:.1}, the lowest point of a mean curve"
        ));
    }
    let budget = match cost {
        Cost::Annotations => None,
        _ => budget(&title, &curves, cost, notes),
    };
    let ends = curves.iter().filter_map(|curve| curve.curves.costs.last());
    let ends: BTreeSet<String> = ends.map(|end| format!("{end:.0}")).collect();
    if ends.len() > 1 && cost == Cost::Annotations {
        let ends: Vec<String> = ends.into_iter().collect();
        notes.push(format!(
            "{title}: curves end at different numbers of annotations ({}), so averages and last rounds have different budgets",
            ends.join(", ")
        ));
    }
    (!curves.is_empty()).then_some(ComparisonPanel { title, expert, zero, curves, budget })
}

/// Returns the expert's mean reward over seeds.
///
/// Runs with the same seed evaluate the expert in the same episodes, so each seed counts once.
fn expert_reward<'a>(runs: impl Iterator<Item = &'a ComparedRun>) -> Option<f64> {
    let mut seeds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in runs {
        if let Some(reward) = run.expert {
            seeds.entry(run.seed()).or_default().push(reward);
        }
    }
    let of_seeds: Vec<f64> = seeds.values().filter_map(|rewards| mean(rewards)).collect();
    mean(&of_seeds)
}

/// Returns the common budget of a panel, and adds a note about it.
fn budget(
    title: &str,
    curves: &[LearningCurve],
    cost: Cost,
    notes: &mut Vec<String>,
) -> Option<CommonBudget> {
    let budget = CommonBudget::of(curves.iter().flat_map(|curve| &curve.runs), cost);
    notes.push(match budget {
        Some(CommonBudget { from, to, .. }) => format!(
            "{title}: averages and last rounds are computed between costs {from:.0} and {to:.0}, which all runs cover"
        ),
        None => format!(
            "{title}: no range of costs is covered by all runs, so each run's own rounds count"
        ),
    });
    budget
}

/// Returns the reward that counts as 0: 0, or the lowest point of a mean curve if the expert's reward is not positive.
fn zero(expert: Option<f64>, curves: &[LearningCurve]) -> f64 {
    if expert.is_none_or(|expert| expert > 0.0) {
        return 0.0;
    }
    curves.iter().flat_map(|curve| curve.curves.mean()).fold(f64::INFINITY, f64::min)
}

fn curve(
    panel: &str,
    name: String,
    mut runs: Vec<ComparedRun>,
    cost: Cost,
    notes: &mut Vec<String>,
) -> Option<LearningCurve> {
    let mut note = |text: String| notes.push(format!("{panel}, {name}: {text}"));
    let all = runs.len();
    let mut seen = BTreeSet::new();
    runs.retain(|run| seen.insert(run.seed()));
    if runs.len() < all {
        note(format!("{} found twice, counted once", runs_are(all - runs.len())));
    }
    let known = runs.len();
    runs.retain(|run| run.points(cost).is_some_and(|points| !points.is_empty()));
    if runs.len() < known {
        let left = runs_are(known - runs.len());
        note(format!("{left} left out, because expert steps were not counted"));
    }
    let lengths: BTreeSet<usize> = runs.iter().map(|run| run.lines.len()).collect();
    if let (Some(&shortest), true) = (lengths.first(), lengths.len() > 1) {
        note(format!("runs have different lengths, all cut to {shortest} rounds"));
        runs.iter_mut().for_each(|run| run.lines.truncate(shortest));
    }
    let points: Vec<_> = runs.iter().filter_map(|run| run.points(cost)).collect();
    let curves = match RunCurves::on_common_points(&points) {
        Ok(curves) => curves,
        Err(_) if runs.is_empty() => return None,
        Err(error) => {
            note(format!("{error}, left out"));
            return None;
        }
    };
    let algorithm = runs.first().and_then(ComparedRun::algorithm);
    let (color, style) = algorithm.as_ref().map_or((Color::BLACK, Style::Solid), curve_style);
    Some(LearningCurve { name, algorithm, color, style, runs, curves })
}

fn runs_are(count: usize) -> String {
    if count == 1 { "1 run is".into() } else { format!("{count} runs are") }
}

/// Gives a palette color to each curve without a style, or with the same style as an earlier curve.
fn assign_styles(panels: &mut [ComparisonPanel]) {
    const STYLES: [Style; 4] = [Style::Solid, Style::Dashed, Style::Dotted, Style::DashDotted];
    let mut looks: Vec<(String, (Color, Style))> = Vec::new();
    let mut next = 0;
    for curve in panels.iter_mut().flat_map(|panel| &mut panel.curves) {
        let known = looks.iter().find(|(name, _)| *name == curve.name).map(|(_, look)| *look);
        let look = known.unwrap_or_else(|| {
            let own = (curve.color, curve.style);
            if curve.algorithm.is_some() && looks.iter().all(|(_, look)| *look != own) {
                return own;
            }
            next += 1;
            (Color::palette(next - 1), STYLES[(next - 1) / 8 % STYLES.len()])
        });
        (curve.color, curve.style) = look;
        looks.push((curve.name.clone(), look));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_own_expert_is_not_named() {
        let run = |task: &str, expert: &str| {
            let spec = format!("task = '{task}'\nexpert = '{expert}'\nalgorithm = 'bd-5'");
            ComparedRun::new(expert.into(), &spec, vec![], None)
        };
        let names = |runs: Vec<ComparedRun>| -> Vec<(String, Vec<String>)> {
            let groups = group_runs(runs, &["task".into()]).into_iter();
            let names = |group: RunGroup| group.curves.into_iter().map(|(name, _)| name).collect();
            groups.map(|group| (group.title.clone(), names(group))).collect()
        };
        let (ant, hopper) = (run("ant", "ant"), run("hopper", "hopper"));
        let noisy = run("hopper", "hopper:noise=0.25");
        let found = names(vec![hopper.clone(), hopper.clone(), noisy.clone(), ant.clone()]);
        assert_eq!(found[0], ("ant".into(), vec!["BD-5".into()]));
        let expected = ["BD-5", "BD-5, expert hopper:noise=0.25"];
        assert_eq!(found[1].1, expected, "the same name for both tasks");
        let found = names(vec![noisy.clone(), noisy, hopper]);
        assert_eq!(found[0].1, ["BD-5", "BD-5, expert the task's own"]);
    }

    #[test]
    fn the_experts_reward_counts_each_seed_once() {
        let run = |seed: u64, expert: Option<f64>| {
            ComparedRun::new(seed.to_string().into(), &format!("seed = {seed}"), vec![], expert)
        };
        let two_seeds = [run(1, Some(8.0)), run(2, Some(4.0))];
        assert_eq!(expert_reward(two_seeds.iter()), Some(6.0));
        let joined = [two_seeds.to_vec(), vec![run(1, Some(8.0)), run(3, None)]].concat();
        let reward = expert_reward(joined.iter());
        assert_eq!(reward, Some(6.0), "seed 1 counts once, seed 3 is unknown");
        assert_eq!(expert_reward([run(1, None)].iter()), None);
    }
}
