//! What a comparison says, as tables in words, for whoever prints them.

use crate::format::{p_value, reward, share};
use crate::{Aggregate, CostRatio, CurveRow, PairInPanel, PairOverPanels};

/// A table: its headings, and a cell for each in every row.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTable {
    /// What stands above each column.
    pub headings: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// RunCurves in numbers; with the expert's steps where it drives.
pub fn curves(rows: &[&CurveRow]) -> TextTable {
    let drives = rows.iter().any(|row| row.expert_steps.is_some_and(|steps| steps > 0.0));
    let mut headings =
        vec!["", "seeds", "last five rounds", "average", "loss", "to 50 %", "75 %", "90 %", "95 %"];
    if drives {
        headings.push("expert steps");
    }
    let cells = |row: &&CurveRow| {
        let loss = row.imitation_loss.map_or("–".into(), |loss| format!("{:.3}", loss.estimate));
        let reach =
            row.to_reach.map(|to| to.map_or("–".into(), |to| format!("{:.0}", to.estimate)));
        let steps = row.expert_steps.map_or("–".into(), |steps| format!("{steps:.0}"));
        let fixed = [
            row.curve.clone(),
            row.seeds.to_string(),
            reward(row.last_five),
            reward(row.average),
            loss,
        ];
        fixed.into_iter().chain(reach).chain(drives.then_some(steps)).collect()
    };
    TextTable { headings, rows: rows.iter().map(cells).collect() }
}

/// Interquartile means over panels, the expert being 1.
pub fn aggregates(rows: &[Aggregate]) -> TextTable {
    let cells = |row: &Aggregate| {
        vec![row.curve.clone(), row.runs.to_string(), share(row.last_five), share(row.average)]
    };
    let headings = vec!["", "runs", "last five rounds", "average"];
    TextTable { headings, rows: rows.iter().map(cells).collect() }
}

/// One curve against another in each panel.
pub fn pairs(rows: &[PairInPanel]) -> TextTable {
    let cells = |row: &PairInPanel| {
        vec![
            row.panel.clone(),
            format!("{} – {}", row.curve, row.against),
            row.score.into(),
            reward(row.difference),
            share(row.improvement),
            p_value(row.p),
            p_value(row.p_holm),
        ]
    };
    let headings = vec!["panel", "", "score", "difference", "P(above)", "p", "p (Holm)"];
    TextTable { headings, rows: rows.iter().map(cells).collect() }
}

/// One curve against another over panels.
pub fn over_panels(rows: &[PairOverPanels]) -> TextTable {
    let cells = |row: &PairOverPanels| {
        vec![
            format!("{} – {}", row.curve, row.against),
            row.panels.to_string(),
            row.score.into(),
            share(row.difference),
            share(row.improvement),
            p_value(row.p),
            p_value(row.p_holm),
        ]
    };
    let headings = vec!["", "panels", "score", "difference", "P(above)", "p", "p (Holm)"];
    TextTable { headings, rows: rows.iter().map(cells).collect() }
}

/// What one curve costs in units of another's; once for each pair, by whatever score it is there several times.
pub fn cost_ratios(rows: &[PairOverPanels]) -> TextTable {
    let cells = |row: &PairOverPanels| {
        let fixed = [format!("{} / {}", row.curve, row.against), row.panels.to_string()];
        let costs = row.cost_ratio.into_iter().chain([row.cost_of_its_level]);
        fixed.into_iter().chain(costs.map(|cost| cost_ratio(cost, row.panels))).collect()
    };
    let mut told: Vec<&PairOverPanels> = Vec::new();
    for row in rows {
        if told.iter().all(|other| (&other.curve, &other.against) != (&row.curve, &row.against)) {
            told.push(row);
        }
    }
    let headings = vec!["", "panels", "to 50 %", "75 %", "90 %", "95 %", "to where the other ends"];
    TextTable { headings, rows: told.into_iter().map(cells).collect() }
}

/// What [`cost_ratios`] says, for those who read it.
pub const ABOUT_COST_RATIOS: &str = "Cost to reach that share of the expert's reward for good, in units of the other's: the geometric mean over the panels in which both mean \
    curves get there (all, or *in* so many), and in how many only one does. An end that is … cannot be told: a curve does not get there in some resamples of the runs.";

fn cost_ratio(CostRatio { panels, alone, ratio }: CostRatio, all: usize) -> String {
    let ratio = ratio.map(|ratio| match panels == all {
        true => share(ratio),
        false => format!("{} in {panels}", share(ratio)),
    });
    let [one, other] = [(alone[0], "alone in"), (alone[1], "only the other in")];
    let only = [one, other].into_iter().filter(|(count, _)| *count > 0);
    let words = ratio.into_iter().chain(only.map(|(count, words)| format!("{words} {count}")));
    match words.collect::<Vec<_>>() {
        none if none.is_empty() => "–".into(),
        words => words.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;

    #[test]
    fn what_cannot_be_told_is_left_open_and_who_is_alone_is_counted() {
        let interval = |low, high| Some(Interval { estimate: 0.8, low, high });
        let words = |panels, alone, ratio| cost_ratio(CostRatio { panels, alone, ratio }, 8);
        assert_eq!(words(8, [0, 0], interval(0.7, 0.9)), "0.80 [0.70, 0.90]");
        let open = interval(f64::NEG_INFINITY, 0.9);
        assert_eq!(words(6, [1, 0], open), "0.80 […, 0.90] in 6; alone in 1");
        assert_eq!(words(0, [0, 3], None), "only the other in 3");
        assert_eq!(words(0, [0, 0], None), "–");
    }
}
