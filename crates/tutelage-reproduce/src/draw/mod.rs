//! Draws figures from records.

mod cost;
mod curves;
mod states;

use tutelage_draw::plot::Figure;

use crate::{Archive, FigureKind, FigurePlan, Profile, ReproduceError, RunList, theory};

/// Draws the finished part of a figure and saves it as SVG, PNG and CSV.
pub fn draw(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Figure, ReproduceError> {
    let mut figure = match plan.experiment.draw {
        FigureKind::Curves => curves::figure(plan, runs, archive)?,
        FigureKind::Cost => cost::figure(plan, runs, archive)?,
        FigureKind::States | FigureKind::TwoStates => states::figure(plan, runs, archive)?,
        FigureKind::Regret => theory::regret(plan)?,
        FigureKind::Limitation => theory::limitation(plan)?,
    };
    if plan.profile == Profile::Quick {
        figure.title += " (quick profile: short runs, short training)";
    }
    let name = &plan.experiment.name;
    for (extension, bytes) in figure.files()? {
        archive.write(&archive.figure_path(name, extension), &bytes)?;
    }
    Ok(figure)
}
