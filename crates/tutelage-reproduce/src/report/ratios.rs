//! Tables of cost ratios.

use tutelage_compare::format::share;
use tutelage_compare::stats::StatsError;
use tutelage_compare::tables::TextTable;
use tutelage_compare::{CompareError, Comparison, ComparisonPanel, LEVELS};

use super::ReportError;
use crate::ComparisonError;
use crate::cost_ratio::BoundedCostRatio;
use crate::paper::curve_name;

/// The cost ratios of every curve to the baseline over panels, or of one curve in each panel.
pub(super) fn ratios_table(
    comparison: &Comparison,
    of: Option<&str>,
) -> Result<TextTable, ReportError> {
    let Some(against) = &comparison.baseline else {
        return Err(ReportError::Curve { curve: "dagger".into() });
    };
    let mut rows = Vec::new();
    match of {
        None => {
            for curve in comparison.names().iter().filter(|name| *name != against) {
                let panels: Vec<_> = comparison.panels.iter().collect();
                rows.push(ratios(curve.clone(), &panels, curve, against)?);
            }
        }
        Some(text) => {
            let unknown = || ReportError::Curve { curve: text.into() };
            let curve = curve_name(&text.parse().map_err(|_| unknown())?);
            for panel in &comparison.panels {
                rows.push(ratios(panel.title.clone(), &[panel], &curve, against)?);
            }
        }
    }
    let headings = vec!["", "panels", "seeds", "to 50 %", "75 %", "90 %", "95 %"];
    // A single panel needs no count.
    let headings = headings.into_iter().filter(|heading| of.is_none() || *heading != "panels");
    Ok(TextTable { headings: headings.collect(), rows })
}

/// A row of ratios, one per level, with the number of panels if there are several.
fn ratios(
    name: String,
    panels: &[&ComparisonPanel],
    curve: &str,
    against: &str,
) -> Result<Vec<String>, ReportError> {
    let both = panels.iter().filter_map(|panel| Some([panel.curve(curve)?, panel.curve(against)?]));
    let counts: Vec<usize> = both.flatten().map(|curve| curve.runs.len()).collect();
    let mut cells = vec![name];
    if panels.len() > 1 {
        cells.push((counts.len() / 2).to_string());
    }
    cells.push(range(&counts));
    for level in LEVELS {
        let saving =
            BoundedCostRatio::over(panels.iter().copied(), curve, against, level).map_err(stats)?;
        cells.push(ratio_text(saving, panels.len()));
    }
    Ok(cells)
}

fn stats(error: StatsError) -> ReportError {
    ComparisonError::from(CompareError::from(error)).into()
}

/// Formats the minimum and maximum.
pub(super) fn range(counts: &[usize]) -> String {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(fewest), Some(most)) if fewest == most => most.to_string(),
        (Some(fewest), Some(most)) => format!("{fewest}–{most}"),
        _ => "–".into(),
    }
}

/// Formats a ratio: `≤` for a bound, and the number of panels if it is not all.
fn ratio_text(saving: BoundedCostRatio, panels: usize) -> String {
    let BoundedCostRatio { reached, bounded, missed, ratio } = saving;
    let Some(ratio) = ratio else {
        return if missed > 0 { "never".into() } else { "–".into() };
    };
    let mut words = share(ratio);
    if bounded > 0 {
        words = format!("≤ {words}");
    }
    if reached < panels {
        words += &format!(" in {reached}");
    }
    if missed > 0 {
        words += &format!(", never in {missed}");
    }
    words
}

#[cfg(test)]
mod tests {
    use tutelage_compare::stats::Interval;

    use super::*;

    #[test]
    fn ratios_show_bounds_and_missed_panels() {
        let ratio = Some(Interval { estimate: 0.5, low: 0.4, high: 0.6 });
        let saving =
            |reached, bounded, missed| BoundedCostRatio { reached, bounded, missed, ratio };
        assert_eq!(ratio_text(saving(8, 0, 0), 8), "0.50 [0.40, 0.60]");
        assert_eq!(ratio_text(saving(7, 2, 1), 8), "≤ 0.50 [0.40, 0.60] in 7, never in 1");
        let none = BoundedCostRatio { ratio: None, ..saving(0, 0, 1) };
        assert_eq!(ratio_text(none, 8), "never");
        assert_eq!(ratio_text(BoundedCostRatio::default(), 8), "–");
    }
}
