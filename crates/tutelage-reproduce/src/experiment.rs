//! What a figure compares. Each figure is a file in `experiments/`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use tutelage::AlgorithmName;
use tutelage::suggest::{did_you_mean, nearest};
use tutelage_compare::{BadCost, Cost};
use tutelage_spec::spec::{
    CoverSpec, SpecError, SpecInput, TextValue, TrainingBudget, parse_value,
};
use tutelage_spec::{Task, UnknownTask};

use crate::{BadSeeds, experiment_file};

/// A figure: its title, tasks, seeds and curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The name on the command line.
    pub name: String,
    /// The title.
    pub title: String,
    /// The number of the figure in the paper; empty for custom figures.
    pub paper: String,
    /// The kind of figure.
    pub draw: FigureKind,
    /// The x axis of learning curves.
    pub over: Cost,
    /// The tasks, one column each.
    pub tasks: Vec<Task>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Curves with other seeds, such as fewer for large ensembles.
    pub seeds_of: Vec<(CurveSpec, Vec<u64>)>,
    /// The rows of panels.
    pub rows: Vec<PanelRow>,
}

/// The kind of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// Learning curves with bands over seeds.
    Curves,
    /// Running time and memory of single runs.
    Cost,
    /// A joint t-SNE map of the queried states, one panel per algorithm.
    States,
    /// The same map in one panel, one color per algorithm.
    TwoStates,
    /// Exact regret on finite MDPs.
    Regret,
    /// Proposition 1 on its MDP.
    Limitation,
}

/// Panels that differ only in the task.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelRow {
    /// The name next to the task's name; may be empty.
    pub name: String,
    /// The tasks of this row; empty means all tasks of the figure.
    pub tasks: Vec<Task>,
    /// The y axis.
    pub show: PlottedValue,
    /// d₀, for the algorithms that perturb.
    pub d0: PerturbFrom,
    /// The oracle's budget in the paper profile, if it is not the default. The quick profile uses a fraction.
    pub budget: Option<TrainingBudget>,
    /// Other fields of the run specs, valid in every profile.
    pub fields: SpecInput,
    /// The curves.
    pub curves: Vec<CurveSpec>,
}

/// The y axis of learning curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlottedValue {
    /// The average return.
    #[default]
    Reward,
    /// The imitation loss, on a logarithmic axis.
    ImitationLoss,
    /// The average return of the members' mean and of a random member.
    MeanAndRandom,
    /// The members' mean minus a random member of the same run.
    MeanMinusRandom,
}

/// The source of perturbation states.
#[derive(Clone, Debug, PartialEq)]
pub enum PerturbFrom {
    /// The task's default box.
    Default,
    /// `dagger`: the states of DAgger's runs with the same settings and all seeds.
    Dagger,
    /// A distribution that does not depend on runs.
    Fixed(CoverSpec),
}

/// A curve: an algorithm, the data it trains on, and its budget.
///
/// Written as `bd-5`, `bagging-5 on dagger` or `dagger for epochs=1000`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveSpec {
    /// The algorithm.
    pub algorithm: AlgorithmName,
    /// The algorithm whose data it trains on, if it collects none itself.
    pub data: Option<AlgorithmName>,
    /// The oracle's budget in the paper profile, if it is not the row's.
    pub budget: Option<TrainingBudget>,
}

/// Why a figure cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// No figure has this name.
    #[error("unknown figure `{name}`{} `tutelage reproduce --list` shows all", did_you_mean(nearest.as_deref()))]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// The file cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The name belongs to a built-in figure.
    #[error("{path}: `{name}` is the name of a built-in figure; rename the file")]
    Taken {
        /// The file.
        path: PathBuf,
        /// The figure.
        name: String,
    },
    /// The file is invalid.
    #[error("invalid figure {name}")]
    Invalid {
        /// The figure.
        name: String,
        /// What is wrong.
        source: ExperimentFault,
    },
}

/// What is wrong with the file of a figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentFault {
    /// The TOML is invalid; the message contains the line.
    #[error("{0}")]
    Toml(String),
    /// A task does not exist.
    #[error(transparent)]
    Task(#[from] UnknownTask),
    /// The seeds are invalid.
    #[error(transparent)]
    Seeds(#[from] BadSeeds),
    /// The x axis is invalid.
    #[error("invalid x axis (`over`)")]
    Over(#[from] BadCost),
    /// An algorithm, class or budget is invalid.
    #[error("invalid row \"{row}\"")]
    Row {
        /// The row.
        row: String,
        /// What is wrong.
        source: SpecError,
    },
    /// The figure is too large.
    #[error("{found} {what}; at most {most} are allowed")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number allowed.
        most: usize,
    },
    /// `seeds_of` names a curve that no row shows.
    #[error("seeds_of: no row shows `{0}`")]
    SeedsOf(String),
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../experiments/", $name, ".toml")))),*]
    };
}

/// The figures of the paper in its order, then further ones.
const SHIPPED: &[(&str, &str)] = shipped![
    "linear",
    "main",
    "ablation",
    "limitation",
    "oracle-budget",
    "cost",
    "mean-vs-random",
    "full-linear",
    "full-realizable",
    "full-nonrealizable",
    "full-ablation",
    "states-expert-dagger",
    "states-ant",
    "states-half-cheetah",
    "states-hopper",
    "states-walker2d",
    "regret",
    "settings",
    "questions",
    "fewest",
    "fewest-steps",
    "fewest-held-out",
    "fewest-ablation",
    "fewest-limits",
];

impl Experiment {
    /// Returns all built-in figures.
    pub fn all() -> Result<Vec<Self>, ExperimentError> {
        SHIPPED.iter().map(|(name, text)| Self::parse(name, text)).collect()
    }

    /// Returns a built-in figure by name, or reads a custom one from a `.toml` file.
    pub fn named(name: &str) -> Result<Self, ExperimentError> {
        if let Some((name, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            return Self::parse(name, text);
        }
        let path = Path::new(name);
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = tutelage_files::read_text(path)
                .map_err(|source| ExperimentError::Read { path: path.into(), source })?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            // Results are stored by figure name, so a custom figure must not share the name of a built-in one.
            if SHIPPED.iter().any(|(shipped, known)| *shipped == stem && *known != text) {
                return Err(ExperimentError::Taken { path: path.into(), name: stem.into() });
            }
            return Self::parse(&stem, &text);
        }
        let names: Vec<&str> = SHIPPED.iter().map(|(shipped, _)| *shipped).collect();
        let nearest = nearest(name, &names).map(Into::into);
        Err(ExperimentError::Unknown { name: name.into(), nearest })
    }

    /// Returns the seeds of a curve.
    pub fn seeds_of(&self, curve: &CurveSpec) -> &[u64] {
        let own = self.seeds_of.iter().find(|(known, _)| known == curve);
        own.map_or(&self.seeds, |(_, seeds)| seeds)
    }

    /// Parses the TOML of a figure.
    pub fn parse(name: &str, text: &str) -> Result<Self, ExperimentError> {
        experiment_file::parse(name, text)
            .map_err(|source| ExperimentError::Invalid { name: name.into(), source })
    }
}

impl FromStr for CurveSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (text, budget) = and_then(text, " for ");
        let (algorithm, data) = and_then(text, " on ");
        Ok(Self {
            algorithm: parse_value("algorithms", algorithm)?,
            data: data.map(|data| parse_value("algorithms", data)).transpose()?,
            budget: budget.map(|budget| parse_value("algorithms", budget)).transpose()?,
        })
    }
}

/// Splits a text at an optional word.
fn and_then<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    text.split_once(word).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

impl fmt::Display for CurveSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.algorithm)?;
        if let Some(data) = &self.data {
            write!(f, " on {data}")?;
        }
        self.budget.map_or(Ok(()), |budget| write!(f, " for {}", budget.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> ExperimentFault {
        match Experiment::parse("x", text) {
            Err(ExperimentError::Invalid { source, .. }) => source,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_shipped_figure_parses() {
        let all = Experiment::all().unwrap();
        assert_eq!(all.len(), SHIPPED.len());
        let main = Experiment::named("main").unwrap();
        assert_eq!((main.rows.len(), main.tasks.len(), main.seeds.len()), (3, 4, 10));
        assert!(main.rows.iter().all(|row| row.curves.len() == 6));
    }

    #[test]
    fn unknown_names_get_a_suggestion_and_errors_name_the_row() {
        let suggestion = |name: &str| match Experiment::named(name) {
            Err(ExperimentError::Unknown { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(suggestion("mian").as_deref(), Some("main"));
        assert_eq!(suggestion("everything"), None);
        let text = "title = ''\npaper = ''\ndraw = 'curves'\ntasks = ['ant']\n[[rows]]\nname = 'r'\nclass = 'linear'\nalgorithms = ['dager']";
        assert!(matches!(fault(text), ExperimentFault::Row { row, .. } if row == "r"));
        assert!(matches!(Experiment::named("none.toml"), Err(ExperimentError::Read { .. })));
    }

    #[test]
    fn a_custom_figure_cannot_take_the_name_of_a_built_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let own = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Experiment::named(&path.display().to_string()).map(|experiment| experiment.name)
        };
        let text = "title = 'mine'\ndraw = 'curves'";
        assert_eq!(own("mine.toml", text).unwrap(), "mine");
        assert!(matches!(own("main.toml", text), Err(ExperimentError::Taken { .. })));
        let (_, shipped) = SHIPPED.iter().find(|(name, _)| *name == "main").unwrap();
        assert_eq!(own("main.toml", shipped).unwrap(), "main", "the same text");
    }

    #[test]
    fn figures_of_excessive_size_are_rejected() {
        let count = |text: &str| match fault(text) {
            ExperimentFault::TooMany { found, .. } => found,
            other => panic!("{other:?}"),
        };
        let figure =
            |tasks: &str, rows: &str| format!("title = ''\ndraw = 'curves'\n{tasks}\n{rows}");
        let row = |algorithms: &str| format!("[[rows]]\nname = 'r'\nalgorithms = [{algorithms}]\n");
        let (ant, bc) = ("tasks = ['ant']", row("'bc'"));
        assert_eq!(count(&figure(ant, &row(&"'bc',".repeat(90_000)))), 90_000);
        assert_eq!(count(&figure(ant, &bc.repeat(1001))), 1001);
        let tasks = format!("tasks = [{}]", "'ant',".repeat(1001));
        assert_eq!(count(&figure(&tasks, &bc)), 1001);
        let tasks = format!("seeds = '1-200'\ntasks = [{}]", "'ant',".repeat(600));
        assert_eq!(count(&figure(&tasks, &bc)), 120_000);
        let name = "b".repeat(2000);
        let long_name = fault(&figure(ant, &row(&format!("'{name}'"))));
        assert!(matches!(long_name, ExperimentFault::Row { .. }));
        let long_task = fault(&figure(&format!("tasks = ['{name}']"), &bc));
        assert!(matches!(long_task, ExperimentFault::Task(_)));
        let long_file = fault(&format!("# {}\n", "x".repeat(2 << 20)));
        assert!(matches!(long_file, ExperimentFault::Toml { .. }));
    }

    #[test]
    fn curves_can_have_their_own_seeds() {
        let fewest = Experiment::named("fewest").unwrap();
        let seeds = |curve: &str| fewest.seeds_of(&curve.parse().unwrap()).len();
        assert_eq!((seeds("bd-5"), seeds("bd-25"), seeds("handover-bd-25")), (10, 3, 3));
        let error = |seeds_of: &str| {
            fault(&format!(
                "title = ''\ndraw = 'curves'\ntasks = ['ant']\nseeds_of = {{ {seeds_of} }}\n[[rows]]\nname = 'r'\nalgorithms = ['bd-5']"
            ))
        };
        assert!(matches!(error("bd-7 = '1-3'"), ExperimentFault::SeedsOf(_)));
        assert!(matches!(error("bd-5 = 'one'"), ExperimentFault::Seeds(_)));
    }

    #[test]
    fn the_x_axis_can_be_another_cost() {
        let text = |line: &str| format!("title = ''\ndraw = 'curves'\n{line}");
        let over = |line: &str| Experiment::parse("x", &text(line)).unwrap().over;
        assert_eq!(over(""), Cost::Annotations);
        assert_eq!(over("over = 'expert-steps'"), Cost::ExpertSteps);
        assert_eq!(over("over = 0.01"), Cost::Weighted(0.01));
        assert!(matches!(fault(&text("over = 'hours'")), ExperimentFault::Over(_)));
    }

    #[test]
    fn curves_print_what_they_parse() {
        for text in ["bd-5", "bagging-5 on dagger", "bagging-5 on dagger for epochs=9"] {
            assert_eq!(text.parse::<CurveSpec>().unwrap().to_string(), text);
        }
    }
}
