//! What a figure compares, as its file in `experiments/` says it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use tutelage::{AlgorithmName, did_you_mean, nearest};
use tutelage_compare::{BadCost, Cost};
use tutelage_lab::spec::{BudgetSpec, CoverSpec, Draft, SpecError, check_name};
use tutelage_lab::{Task, UnknownTask};

use crate::{BadSeeds, experiment_file};

/// A figure and everything that it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// Where it is in the paper; empty for one's own.
    pub paper: String,
    /// How it is drawn.
    pub draw: FigureKind,
    /// What learning curves are drawn over.
    pub over: Cost,
    /// The tasks, a column each.
    pub tasks: Vec<Task>,
    /// The paper's seeds.
    pub seeds: Vec<u64>,
    /// Curves that play other seeds than these, such as fewer of large ensembles.
    pub seeds_of: Vec<(CurveSpec, Vec<u64>)>,
    /// What is shown of each task, a row each.
    pub rows: Vec<PanelRow>,
}

/// The kinds of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// Learning curves with bands over seeds.
    Curves,
    /// Running time and memory of one run each.
    Cost,
    /// A joint t-SNE map of the states that each algorithm request about.
    States,
    /// The same map in one panel, a colour for each algorithm.
    TwoStates,
    /// Exact regret in the finite world.
    Regret,
    /// Proposition 1 played out.
    Limitation,
}

/// Panels that differ in the task alone.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelRow {
    /// What stands beside the task's name; may be empty.
    pub name: String,
    /// The tasks of the figure that it shows; all where none is named.
    pub tasks: Vec<Task>,
    /// What is plotted.
    pub show: PlottedValue,
    /// d₀, for the algorithms that perturb.
    pub d0: PerturbFrom,
    /// The oracle's budget with the paper's settings, where it is not the paper's; the quick profile takes a share of it.
    pub budget: Option<BudgetSpec>,
    /// Any other fields of a run's spec, which hold in every profile.
    pub fields: Draft,
    /// What is compared.
    pub curves: Vec<CurveSpec>,
}

/// What is plotted over annotations.
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
    /// By how much the members' mean is above a random member of the same run.
    MeanMinusRandom,
}

/// Where perturbation states come from.
#[derive(Clone, Debug, PartialEq)]
pub enum PerturbFrom {
    /// Where the row does not say: the task's own box, as when a run is learned by itself.
    Default,
    /// `dagger`: the states of DAgger's runs of the same setting, all seeds.
    Dagger,
    /// A distribution that needs no runs.
    Fixed(CoverSpec),
}

/// An algorithm, on its own data or on that of another, trained as long as its row says or with a budget of its own: `bd-5`,
/// `bagging-5 on dagger`, `dagger for epochs=1000`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveSpec {
    /// The algorithm.
    pub algorithm: AlgorithmName,
    /// Whose data it trains on, where it collects none.
    pub data: Option<AlgorithmName>,
    /// The oracle's budget with the paper's settings, where it is not the row's.
    pub budget: Option<BudgetSpec>,
}

/// Why a file describes no figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// There is no figure of this name.
    #[error("there is no figure `{name}`{} `tutelage reproduce --list` shows all", did_you_mean(nearest.as_deref()))]
    Unknown {
        /// The name request for.
        name: String,
        /// The figure whose name is nearest to it, where one is near.
        nearest: Option<String>,
    },
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no TOML of this form.
    #[error("experiment {name}: {message}")]
    Toml {
        /// The figure.
        name: String,
        /// What is wrong, and where.
        message: String,
    },
    /// It names a task that does not exist.
    #[error("experiment {name}: {source}")]
    Task {
        /// The figure.
        name: String,
        /// What is wrong.
        source: UnknownTask,
    },
    /// It names an algorithm, class or budget that does not exist.
    #[error("experiment {name}, row \"{row}\": {source}")]
    Row {
        /// The figure.
        name: String,
        /// The row.
        row: String,
        /// What is wrong.
        source: SpecError,
    },
    /// It names no seeds.
    #[error("experiment {name}: {source}")]
    Seeds {
        /// The figure.
        name: String,
        /// What is wrong.
        source: BadSeeds,
    },
    /// It draws curves over something that is no cost.
    #[error("experiment {name}, over: {source}")]
    Over {
        /// The figure.
        name: String,
        /// What is wrong.
        source: BadCost,
    },
    /// It has more of something than any figure.
    #[error("experiment {name}: {found} {what}; allowed are at most {most}")]
    TooMany {
        /// The figure.
        name: String,
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A file that would replace a figure that comes with the project.
    #[error(
        "{path}: its figure would be called `{name}`, as one that comes with the project, and replace it; give the file another name"
    )]
    Taken {
        /// The file.
        path: PathBuf,
        /// The figure.
        name: String,
    },
    /// It has seeds for a curve that it does not show.
    #[error("experiment {name}, seeds_of: no row shows `{curve}`")]
    SeedsOf {
        /// The figure.
        name: String,
        /// The curve.
        curve: String,
    },
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../experiments/", $name, ".toml")))),*]
    };
}

/// The figures of the paper in its order, and those beyond it, compiled in.
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
    /// All figures that come with the project.
    pub fn all() -> Result<Vec<Self>, ExperimentError> {
        SHIPPED.iter().map(|(name, text)| Self::parse(name, text)).collect()
    }

    /// A figure that comes with the project by name, or one's own from a `.toml` file.
    pub fn named(name: &str) -> Result<Self, ExperimentError> {
        if let Some((name, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            return Self::parse(name, text);
        }
        let path = Path::new(name);
        if path.extension().is_some_and(|extension| extension == "toml") {
            let text = tutelage_files::read_text(path)
                .map_err(|source| ExperimentError::Read { path: path.into(), source })?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            // Figures are kept by their names, so that one's own would take the place of another.
            if SHIPPED.iter().any(|(shipped, known)| *shipped == stem && *known != text) {
                return Err(ExperimentError::Taken { path: path.into(), name: stem.into() });
            }
            return Self::parse(&stem, &text);
        }
        let names: Vec<&str> = SHIPPED.iter().map(|(shipped, _)| *shipped).collect();
        let nearest = nearest(name, &names).map(Into::into);
        Err(ExperimentError::Unknown { name: name.into(), nearest })
    }

    /// The seeds that a curve plays.
    pub fn seeds_of(&self, curve: &CurveSpec) -> &[u64] {
        let own = self.seeds_of.iter().find(|(known, _)| known == curve);
        own.map_or(&self.seeds, |(_, seeds)| seeds)
    }

    /// The figure that a TOML text describes.
    pub fn parse(name: &str, text: &str) -> Result<Self, ExperimentError> {
        experiment_file::parse(name, text)
    }
}

impl FromStr for CurveSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        check_name("algorithms", Some(text))?;
        let (text, budget) = and_then(text, " for ");
        let (algorithm, data) = and_then(text, " on ");
        Ok(Self {
            algorithm: algorithm.parse()?,
            data: data.map(str::parse).transpose()?,
            budget: budget.map(str::parse).transpose()?,
        })
    }
}

/// What stands before a word, and what behind it, where it is there.
fn and_then<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    text.split_once(word).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

impl fmt::Display for CurveSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.algorithm)?;
        if let Some(data) = &self.data {
            write!(f, " on {data}")?;
        }
        self.budget.map_or(Ok(()), |budget| write!(f, " for {budget}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_figure_parses() {
        let all = Experiment::all().unwrap();
        assert_eq!(all.len(), SHIPPED.len());
        let main = Experiment::named("main").unwrap();
        assert_eq!((main.rows.len(), main.tasks.len(), main.seeds.len()), (3, 4, 10));
        assert!(main.rows.iter().all(|row| row.curves.len() == 6));
    }

    #[test]
    fn a_wrong_name_gets_the_nearest_and_a_wrong_row_is_named() {
        let error = Experiment::named("mian").unwrap_err().to_string();
        assert!(error.contains("did you mean `main`"), "{error}");
        let error = Experiment::named("everything").unwrap_err().to_string();
        assert!(error.contains("`everything`. `tutelage reproduce --list`"), "{error}");
        let text = "title = ''\npaper = ''\ndraw = 'curves'\ntasks = ['ant']\n[[rows]]\nname = 'r'\nclass = 'linear'\nalgorithms = ['dager']";
        let error = Experiment::parse("x", text).unwrap_err().to_string();
        assert!(error.contains("row \"r\"") && error.contains("dagger"), "{error}");
        assert!(matches!(Experiment::named("none.toml"), Err(ExperimentError::Read { .. })));
    }

    #[test]
    fn a_file_does_not_take_the_name_of_a_figure_that_comes_with_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let own = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Experiment::named(&path.display().to_string()).map(|experiment| experiment.name)
        };
        let text = "title = 'mine'\ndraw = 'curves'";
        assert_eq!(own("mine.toml", text).unwrap(), "mine");
        let error = own("main.toml", text).unwrap_err().to_string();
        assert!(
            error.contains("would be called `main`") && error.contains("another name"),
            "{error}"
        );
        let (_, shipped) = SHIPPED.iter().find(|(name, _)| *name == "main").unwrap();
        assert_eq!(own("main.toml", shipped).unwrap(), "main", "it is that figure");
    }

    #[test]
    fn what_would_take_all_day_to_lay_out_is_refused() {
        let error = |text: &str| Experiment::parse("x", text).unwrap_err().to_string();
        let figure =
            |tasks: &str, rows: &str| format!("title = ''\ndraw = 'curves'\n{tasks}\n{rows}");
        let row = |algorithms: &str| format!("[[rows]]\nname = 'r'\nalgorithms = [{algorithms}]\n");
        let (ant, bc) = ("tasks = ['ant']", row("'bc'"));
        let expected = "experiment x: 90000 algorithms in all rows; allowed are at most 10000";
        assert_eq!(error(&figure(ant, &row(&"'bc',".repeat(90_000)))), expected);
        let expected = "experiment x: 1001 rows; allowed are at most 1000";
        assert_eq!(error(&figure(ant, &bc.repeat(1001))), expected);
        let tasks = format!("tasks = [{}]", "'ant',".repeat(1001));
        let expected = "experiment x: 1001 tasks; allowed are at most 1000";
        assert_eq!(error(&figure(&tasks, &bc)), expected);
        let tasks = format!("seeds = '1-200'\ntasks = [{}]", "'ant',".repeat(600));
        assert!(error(&figure(&tasks, &bc)).starts_with("experiment x: 120000 runs, a task"));
        let name = "b".repeat(2000);
        assert!(error(&figure(ant, &row(&format!("'{name}'")))).contains("at most 1000 bytes"));
        assert!(error(&figure(&format!("tasks = ['{name}']"), &bc)).contains("at most 1000 bytes"));
        let long = format!("# {}\n", "x".repeat(2 << 20));
        assert!(error(&figure(ant, &long)).contains("bytes of TOML; allowed are at most 1048576"));
    }

    #[test]
    fn curves_may_play_seeds_of_their_own() {
        let fewest = Experiment::named("fewest").unwrap();
        let seeds = |curve: &str| fewest.seeds_of(&curve.parse().unwrap()).len();
        assert_eq!((seeds("bd-5"), seeds("bd-25"), seeds("handover-bd-25")), (10, 3, 3));
        let error = |seeds_of: &str| {
            let text = format!(
                "title = ''\ndraw = 'curves'\ntasks = ['ant']\nseeds_of = {{ {seeds_of} }}\n[[rows]]\nname = 'r'\nalgorithms = ['bd-5']"
            );
            Experiment::parse("x", &text).unwrap_err().to_string()
        };
        assert!(error("bd-7 = '1-3'").contains("no row shows `bd-7`"));
        assert!(error("bd-5 = 'one'").contains("'one' names no seeds"));
    }

    #[test]
    fn curves_are_drawn_over_a_cost_of_ones_own() {
        let over = |line: &str| {
            let text = format!("title = ''\ndraw = 'curves'\n{line}");
            Experiment::parse("x", &text).map(|x| x.over).map_err(|error| error.to_string())
        };
        assert_eq!(over(""), Ok(Cost::Annotations));
        assert_eq!(over("over = 'expert-steps'"), Ok(Cost::ExpertSteps));
        assert_eq!(over("over = 0.01"), Ok(Cost::Weighted(0.01)));
        assert!(over("over = 'hours'").unwrap_err().contains("experiment x, over: `hours`"));
    }

    #[test]
    fn series_print_what_they_parse() {
        for text in ["bd-5", "bagging-5 on dagger", "bagging-5 on dagger for epochs=9"] {
            assert_eq!(text.parse::<CurveSpec>().unwrap().to_string(), text);
        }
    }
}
