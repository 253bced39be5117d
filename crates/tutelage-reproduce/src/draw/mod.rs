//! Figures from records.

mod cost;
mod curves;
mod states;

use tutelage_figures::{Figure, FigureError};

use crate::gather::GatherError;
use crate::plan::PlanError;
use crate::{Archive, ArchiveError, Draw, Experiment, Plan, Profile, Selection, theory};

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// A record.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Records of a figure.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// A run that cannot be.
    #[error(transparent)]
    Plan(#[from] PlanError),
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

/// Draws a figure from all that is finished, whatever part of it was selected, and saves it as SVG, PNG and CSV.
pub fn draw(
    experiment: &Experiment,
    selection: &Selection,
    plan: &mut Plan,
    archive: &Archive,
) -> Result<Figure, DrawError> {
    let selection = &selection.whole(experiment);
    let mut figure = match experiment.draw {
        Draw::Curves => curves::figure(experiment, selection, plan, archive)?,
        Draw::Cost => cost::figure(experiment, selection, plan, archive)?,
        Draw::States | Draw::TwoStates => states::figure(experiment, selection, plan, archive)?,
        Draw::Regret => theory::regret(experiment, selection)?,
        Draw::Limitation => theory::limitation(experiment, selection)?,
    };
    if selection.profile == Profile::Quick {
        figure.title += " (quick profile: short runs, short training)";
    }
    let name = &experiment.name;
    archive.write(&archive.figure_path(name, "svg"), figure.svg().as_bytes())?;
    archive.write(&archive.figure_path(name, "png"), &figure.png()?)?;
    archive.write(&archive.figure_path(name, "csv"), figure.csv().as_bytes())?;
    Ok(figure)
}
