//! Learning curves with bands over seeds.

use std::collections::HashSet;

use tutelage_figures::{Color, Curve, Figure, Level, Panel, Scale, Style};
use tutelage_lab::Task;
use tutelage_runs::stats::{Bootstrap, mean};

use super::DrawError;
use crate::paper::{look, series_name, task_name};
use crate::sheet::FinishedPanel;
use crate::{Archive, Row, RunList, RunRecord, Series, Sheet, Show};

pub(super) fn figure(
    sheet: &Sheet<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Figure, DrawError> {
    let mut panels = sheet.finished(runs, archive)?;
    let begun: HashSet<Task> =
        panels.iter().filter(|panel| !panel.curves.is_empty()).map(|panel| panel.task).collect();
    if begun.is_empty() {
        return Err(DrawError::Nothing(sheet.experiment.name.clone()));
    }
    panels.retain(|panel| begun.contains(&panel.task));
    // A task is a column; the rows of a single one stand side by side.
    let columns = if begun.len() == 1 { panels.len().min(3) } else { begun.len() };
    let mut figure = Figure::new(&sheet.experiment.title).columns(columns);
    for FinishedPanel { task, row, curves } in panels {
        figure = figure.panel(panel(task, row, &curves));
    }
    Ok(figure)
}

fn panel(task: Task, row: &Row, finished: &[(Series, Vec<RunRecord>)]) -> Panel {
    let counts = || finished.iter().map(|(_, records)| records.len());
    let seeds = match (counts().min(), counts().max()) {
        (None, _) | (_, None) => "no runs yet".into(),
        (Some(fewest), Some(most)) if fewest == most => format!("{most} seeds"),
        (Some(fewest), Some(most)) => format!("{fewest}–{most} seeds"),
    };
    let seeds = if seeds == "1 seeds" { "1 seed".into() } else { seeds };
    let (label, scale) = match row.show {
        Show::Reward | Show::MeanAndRandom => ("average reward", Scale::Linear),
        Show::ImitationLoss => ("imitation loss", Scale::Log),
    };
    let mut panel = Panel::new(format!("{}, {} ({seeds})", task_name(task), row.name))
        .x("expert annotations", Scale::Linear)
        .y(label, scale);
    for (series, records) in finished {
        let (color, style) = look(&series.algorithm);
        let name = series_name(series);
        match row.show {
            Show::Reward => {
                panel.curves.extend(curve(name, color, style, records, |r| Some(&r.reward)));
            }
            Show::ImitationLoss => {
                let loss = curve(name, color, style, records, |r| r.imitation_loss.as_ref());
                panel.curves.extend(loss);
            }
            Show::MeanAndRandom => {
                let random = format!("{name} random");
                panel.curves.extend(curve(name, color, style, records, |r| Some(&r.reward)));
                let broken = if style == Style::Marked { Style::Dotted } else { Style::Dashed };
                let random = curve(random, color, broken, records, |r| r.reward_random.as_ref());
                panel.curves.extend(random);
            }
        }
    }
    if scale == Scale::Linear {
        show_expert(&mut panel, finished);
    }
    panel
}

/// The expert as a level. One so far above all curves that they could not be told apart beside it is named instead.
fn show_expert(panel: &mut Panel, finished: &[(Series, Vec<RunRecord>)]) {
    let experts = finished.iter().flat_map(|(_, records)| records);
    let experts: Vec<f64> = experts.filter_map(|record| record.expert_reward).collect();
    let Some(expert) = mean(&experts) else { return };
    let points = panel.curves.iter().flat_map(|curve| &curve.points);
    let highest = points.map(|&(_, y)| y).fold(f64::NEG_INFINITY, f64::max);
    if expert > 4.0 * highest {
        panel.y_label = format!("{} (expert: {expert:.0})", panel.y_label);
    } else {
        let level =
            Level { name: "expert".into(), color: Color::GREY, style: Style::Dashed, y: expert };
        panel.levels.push(level);
    }
}

/// The mean over runs with its band; nothing where no run has the value.
fn curve(
    name: String,
    color: Color,
    style: Style,
    records: &[RunRecord],
    values: impl Fn(&RunRecord) -> Option<&Vec<f64>>,
) -> Option<Curve> {
    let annotations = &records.first()?.annotations;
    let runs: Vec<Vec<f64>> = records
        .iter()
        .filter_map(|record| values(record).cloned())
        .filter(|run| run.len() == annotations.len())
        .collect();
    let band = Bootstrap::default().band(&runs).ok()?;
    let points = annotations.iter().zip(&band.points).map(|(&n, p)| (n as f64, p.estimate));
    let curve = Curve::new(name, points.collect()).color(color).style(style);
    Some(match runs.len() {
        1 => curve,
        _ => curve.band(band.points.iter().map(|point| (point.low, point.high)).collect()),
    })
}
