//! What a comparison says, as tables in words, for whoever prints them.

use crate::words::{p_value, reward, share};
use crate::{Aggregate, CostRatio, CurveRow, PairInPanel, PairOverPanels};

/// A table: its headings, and a cell for each in every row.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What stands above each column.
    pub headings: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// Curves in numbers; with the expert's steps where it drives.
pub fn curves(rows: &[&CurveRow]) -> Table {
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
    Table { headings, rows: rows.iter().map(cells).collect() }
}

/// Interquartile means over panels, the expert being 1.
pub fn aggregates(rows: &[Aggregate]) -> Table {
    let cells = |row: &Aggregate| {
        vec![row.curve.clone(), row.runs.to_string(), share(row.last_five), share(row.average)]
    };
    let headings = vec!["", "runs", "last five rounds", "average"];
    Table { headings, rows: rows.iter().map(cells).collect() }
}

/// One curve against another in each panel.
pub fn pairs(rows: &[PairInPanel]) -> Table {
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
    Table { headings, rows: rows.iter().map(cells).collect() }
}

/// One curve against another over panels, and what it costs in units of the other's.
pub fn over_panels(rows: &[PairOverPanels]) -> Table {
    let cells = |row: &PairOverPanels| {
        let ratio = |cost: Option<CostRatio>| match cost {
            None => "–".into(),
            Some(CostRatio { panels, ratio }) if panels == row.panels => share(ratio),
            Some(CostRatio { panels, ratio }) => format!("{} in {panels}", share(ratio)),
        };
        vec![
            format!("{} – {}", row.curve, row.against),
            row.panels.to_string(),
            row.score.into(),
            share(row.difference),
            share(row.improvement),
            p_value(row.p),
            p_value(row.p_holm),
            ratio(row.cost_ratio[0]),
            ratio(row.cost_ratio[1]),
            ratio(row.cost_ratio[2]),
            ratio(row.cost_ratio[3]),
            ratio(row.cost_of_its_level),
        ]
    };
    let headings = vec![
        "",
        "panels",
        "score",
        "difference",
        "P(above)",
        "p",
        "p (Holm)",
        "cost of 50 %",
        "75 %",
        "90 %",
        "95 %",
        "of its level",
    ];
    Table { headings, rows: rows.iter().map(cells).collect() }
}
