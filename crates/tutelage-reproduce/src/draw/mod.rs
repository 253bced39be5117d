//! Figures from records.

mod cost;
mod curves;
mod states;

use tutelage_draw::plot::{Figure, FigureError};

use crate::{Archive, ArchiveError, ComparisonError, Draw, Profile, RunList, Sheet, theory};

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

/// Draws a figure from what is finished of its sheet, and saves it as SVG, PNG and CSV.
pub fn draw(sheet: &Sheet<'_>, runs: &RunList, archive: &Archive) -> Result<Figure, DrawError> {
    let mut figure = match sheet.experiment.draw {
        Draw::Curves => curves::figure(sheet, runs, archive)?,
        Draw::Cost => cost::figure(sheet, runs, archive)?,
        Draw::States | Draw::TwoStates => states::figure(sheet, runs, archive)?,
        Draw::Regret => theory::regret(sheet)?,
        Draw::Limitation => theory::limitation(sheet)?,
    };
    if sheet.profile == Profile::Quick {
        figure.title += " (quick profile: short runs, short training)";
    }
    let name = &sheet.experiment.name;
    archive.write(&archive.figure_path(name, "svg"), figure.svg().as_bytes())?;
    archive.write(&archive.figure_path(name, "png"), &figure.png()?)?;
    archive.write(&archive.figure_path(name, "csv"), figure.csv().as_bytes())?;
    Ok(figure)
}
