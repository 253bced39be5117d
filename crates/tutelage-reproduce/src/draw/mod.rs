//! Figures from records.

mod cost;
mod curves;
mod states;

use tutelage_draw::plot::{Figure, FigureError};

use crate::{
    Archive, ArchiveError, ComparisonError, FigureKind, FigurePlan, Profile, RunList, theory,
};

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A record.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A comparison.
    #[error(transparent)]
    Compare(#[from] ComparisonError),
    /// The picture.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The finite world.
    #[error(transparent)]
    Theory(#[from] theory::TheoryError),
    /// A map of states.
    #[error(transparent)]
    States(#[from] states::StatesError),
    /// No run of this figure is finished.
    #[error("no run of {0} is finished yet")]
    Nothing(String),
}

/// Draws a figure from what is finished of its plan, and saves it as SVG, PNG and CSV.
pub fn draw(plan: &FigurePlan<'_>, runs: &RunList, archive: &Archive) -> Result<Figure, DrawError> {
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
    archive.write(&archive.figure_path(name, "svg"), figure.svg().as_bytes())?;
    archive.write(&archive.figure_path(name, "png"), &figure.png()?)?;
    archive.write(&archive.figure_path(name, "csv"), figure.csv().as_bytes())?;
    Ok(figure)
}
