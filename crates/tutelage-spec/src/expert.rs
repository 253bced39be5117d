//! Experts by name.
//!
//! The expert of a spec is a shipped one (`hopper`), a file, or a person. The suffix `:noise=0.3` replaces the standard
//! deviation of an expert's actions, since the noise of an expert affects which algorithm suits it.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use tutelage::{Batch, Element, Expert, ExpertError, Rng};
use tutelage_runs::store::Fingerprint;
use tutelage_tasks::experts::{GaussianExpert, Shipped};

use crate::parts::PartsError;
use crate::registry::Task;
use crate::spec::{RunSpec, absolute};

/// The expert of a run that a person teaches.
pub const PERSON: &str = "person";

const NOISE: &str = ":noise=";

/// Loads the shipped expert of a robot's name, or an expert's file.
///
/// ```
/// let expert = tutelage_spec::load_expert("hopper:noise=0.3", None)?;
/// assert_eq!(expert.robot(), tutelage_tasks::bullet::Robot::Hopper);
/// let error = tutelage_spec::load_expert("hoper", None).unwrap_err();
/// assert!(error.to_string().contains("did you mean `hopper`?"));
/// # Ok::<(), tutelage_spec::PartsError>(())
/// ```
pub fn load_expert(name: &str, task: Option<Task>) -> Result<GaussianExpert, PartsError> {
    let (name, suffix) = split(name);
    let noise = noise(suffix)?;
    let read = |source| PartsError::Expert { name: name.into(), source: Box::new(source) };
    let expert = match Shipped::named(name) {
        Some(shipped) => shipped.expert().map_err(|source| PartsError::Shipped {
            task: Task::of_robot(shipped.task),
            source: Box::new(source),
        })?,
        None => {
            let path = Path::new(name);
            match name.parse::<Task>() {
                Ok(task) => return Err(PartsError::NoRobot(task)),
                Err(unknown) if !path.exists() && path.extension().is_none() => {
                    return Err(PartsError::UnknownExpert(unknown));
                }
                Err(_) if !path.exists() => return Err(PartsError::NoFile(name.into())),
                Err(_) => {
                    GaussianExpert::read(path, task.and_then(Task::robot), None).map_err(read)?
                }
            }
        }
    };
    let found = Task::of_robot(expert.robot());
    match task {
        Some(task) if task != found => {
            Err(PartsError::OtherTask { name: name.into(), found, task })
        }
        _ => Ok(match noise {
            Some(std) => expert.with_noise(std),
            None => expert,
        }),
    }
}

/// Returns the fingerprint of an expert's weights and noise, which distinguishes experts of the same name.
pub fn fingerprint(expert: &GaussianExpert) -> Fingerprint {
    Fingerprint::values("expert", &[expert.policy().params(), expert.policy().log_std()].concat())
}

/// Returns all fingerprints that a run records of its expert: also the statistics that normalize states.
pub(crate) fn fingerprints(expert: &GaussianExpert) -> [Fingerprint; 2] {
    let (mean, var) = (expert.normalizer().mean(), expert.normalizer().var());
    let words = |value: &f64| [value.to_bits() as u32, (value.to_bits() >> 32) as u32];
    let words: Vec<u32> = mean.iter().chain(var).flat_map(words).collect();
    [fingerprint(expert), Fingerprint::values("expert: normaliser", &words)]
}

/// Splits an expert's name and its noise suffix, which may be empty.
fn split(name: &str) -> (&str, &str) {
    name.find(NOISE).map_or((name, ""), |at| name.split_at(at))
}

fn noise(suffix: &str) -> Result<Option<f32>, PartsError> {
    let Some(text) = suffix.strip_prefix(NOISE) else { return Ok(None) };
    match text.parse::<f32>() {
        Ok(std) if std.is_finite() && std >= 0.0 => Ok(Some(std)),
        _ => Err(PartsError::Noise(text.into())),
    }
}

/// Changes the path of an expert's file; names of shipped experts remain.
fn map_path(expert: &str, change: impl Fn(&Path) -> PathBuf) -> String {
    let (name, suffix) = split(expert);
    if name == PERSON || Shipped::named(name).is_some() || name.parse::<Task>().is_ok() {
        return expert.into();
    }
    format!("{}{suffix}", change(Path::new(name)).display())
}

/// Makes the path of an expert's file absolute.
pub(crate) fn with_absolute_path(expert: &str) -> String {
    map_path(expert, absolute)
}

/// Loads the expert of a robot's run in this directory.
pub(crate) fn robot_expert(spec: &RunSpec, run: &Path) -> Result<GaussianExpert, PartsError> {
    load_expert(&map_path(&spec.expert, |path| located(path, run)), Some(spec.task))
}

/// Finds a file of a spec: relative to the current directory, to the run directory, or to a directory above it.
pub(crate) fn located(path: &Path, run: &Path) -> PathBuf {
    if path.is_absolute() || path.exists() {
        return path.into();
    }
    let run = run.canonicalize().unwrap_or_else(|_| run.into());
    let found = run.ancestors().map(|above| above.join(path)).find(|path| path.exists());
    found.unwrap_or_else(|| path.into())
}

/// A person who is not connected: the teaching page answers instead.
pub(crate) struct AbsentPerson<A>(pub(crate) PhantomData<A>);

impl<A: Element> Expert for AbsentPerson<A> {
    type State = f32;
    type Action = A;

    fn annotate(
        &mut self,
        _: &Batch<f32>,
        _: &mut [Rng],
        _: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        Err(ExpertError::Other(
            "a person teaches this run; continue with `tutelage teach DIR`".into(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffix_sets_the_noise() {
        assert_eq!(split("hopper"), ("hopper", ""));
        assert_eq!(split("a/b.npz:noise=0.5"), ("a/b.npz", ":noise=0.5"));
        assert!(matches!(noise(""), Ok(None)));
        assert!(matches!(noise(":noise=0"), Ok(Some(0.0))));
        for text in ["", "-1", "NaN", "inf", "loud"] {
            let error = noise(&format!(":noise={text}"));
            assert!(matches!(error, Err(PartsError::Noise(found)) if found == text));
        }
    }
}
