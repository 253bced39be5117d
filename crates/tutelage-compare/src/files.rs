//! A comparison as files.

use std::io;
use std::path::{Path, PathBuf};

use tutelage_draw::plot::{Figure, FigureError};

use crate::tables::{curves_csv, pairs_csv, ratios_csv};
use crate::{Comparison, figure};

const FIGURES: [&str; 3] = ["curves", "losses", "summary"];
const TABLES: [&str; 3] = ["table.csv", "pairs.csv", "ratios.csv"];

/// Why the files of a comparison could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A file or folder could not be written.
    #[error("cannot write {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A figure could not be drawn.
    #[error(transparent)]
    Figure(#[from] FigureError),
}

impl Comparison {
    /// Returns all files that [`Comparison::save`] may write or replace.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let of_figure = |name| ["svg", "png", "csv"].map(|ending| format!("{name}.{ending}"));
        let figures = FIGURES.into_iter().flat_map(of_figure);
        figures.chain(TABLES.map(str::to_owned)).map(|file| folder.join(file)).collect()
    }

    /// Writes figures (SVG, PNG, CSV) and tables (CSV) to a folder, each file atomically. Returns their names.
    pub fn save(&self, folder: &Path) -> Result<Vec<String>, SaveError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| SaveError::Io { path, source }
        };
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            tutelage_files::replace(&path, bytes).map_err(failed(&path))
        };
        let mut written = Vec::new();
        let figures: [Option<Figure>; 3] =
            [Some(figure::curves(self)), figure::losses(self), figure::summary(self)];
        for (name, figure) in FIGURES.iter().zip(&figures) {
            let Some(figure) = figure else { continue };
            for (extension, bytes) in figure.files()? {
                put(&format!("{name}.{extension}"), &bytes)?;
            }
            written.push(format!("{name}.svg, .png, .csv"));
        }
        let pairs = self.pairs();
        let tables =
            [curves_csv(&self.curves()), pairs_csv(&pairs), ratios_csv(&pairs.over_panels)];
        for (name, text) in TABLES.iter().zip(tables) {
            put(name, text.as_bytes())?;
        }
        written.push(TABLES.join(", "));
        Ok(written)
    }
}
