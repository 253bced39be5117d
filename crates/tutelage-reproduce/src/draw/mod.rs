//! Draws figures from records.

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
    /// A record could not be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The runs cannot be compared.
    #[error(transparent)]
    Compare(#[from] ComparisonError),
    /// The picture could not be made.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// A game on a finite MDP failed.
    #[error(transparent)]
    Theory(#[from] tutelage_theory::TheoryError),
    /// The map of states could not be made.
    #[error(transparent)]
    States(#[from] states::StatesError),
    /// No run of this figure is finished.
    #[error("no run of {0} is finished yet")]
    Nothing(String),
}

/// Draws the finished part of a figure and saves it as SVG, PNG and CSV.
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
