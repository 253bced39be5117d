//! A record of the person's actions while the learner drives, so that an interrupted round can be driven again.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tutelage::Element;

use crate::lines::Lines;
use crate::show::{action_of_numbers, numbers};

/// The file, next to the log.
pub(crate) const FILE: &str = "takeover.jsonl";

/// Consecutive steps of an episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Stretch {
    round: usize,
    episode: u64,
    /// The first step.
    time: u32,
    /// The person's action in each step, or `None` if the learner drove.
    steps: Vec<Option<Vec<f64>>>,
}

/// A moment of a round: the episode, and the step in it.
pub(crate) type Moment = (u64, u32);

/// The trace of a run, open for appending.
pub(crate) struct Trace<A> {
    lines: Lines<Stretch>,
    /// The steps of the current round.
    done: HashMap<Moment, Option<Vec<A>>>,
    round: usize,
    /// The steps that are not on disk yet.
    open: Stretch,
}

impl<A: Element> Trace<A> {
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let lines = Lines::open(&folder.join(FILE))?;
        Ok(Self { lines, done: HashMap::new(), round: 0, open: Stretch::default() })
    }

    /// Starts or resumes a round.
    pub(crate) fn begin(&mut self, round: usize) {
        (self.round, self.open) = (round, Stretch::default());
        self.done.clear();
        for stretch in self.lines.all().iter().filter(|stretch| stretch.round == round) {
            for (time, step) in (stretch.time..).zip(&stretch.steps) {
                let action = step.as_deref().and_then(action_of_numbers);
                self.done.insert((stretch.episode, time), action);
            }
        }
    }

    pub(crate) fn round(&self) -> usize {
        self.round
    }

    /// The step at a moment: the person's action, `Some(None)` if the learner drove, or `None` if it was not reached.
    pub(crate) fn at(&self, moment: Moment) -> Option<Option<&[A]>> {
        self.done.get(&moment).map(Option::as_deref)
    }

    /// Records a step; [`Trace::save`] makes it durable.
    pub(crate) fn note(&mut self, moment: Moment, action: Option<&[A]>) {
        if self.open.steps.is_empty() {
            let (episode, time) = moment;
            self.open = Stretch { round: self.round, episode, time, steps: vec![] };
        }
        self.open.steps.push(action.map(numbers));
        self.done.insert(moment, action.map(<[A]>::to_vec));
    }

    /// The number of steps that are not on disk yet.
    pub(crate) fn unsaved(&self) -> usize {
        self.open.steps.len()
    }

    /// The number of steps of this round that the person drove.
    pub(crate) fn driven(&self) -> usize {
        self.done.values().filter(|action| action.is_some()).count()
    }

    /// Makes the recorded steps durable.
    pub(crate) fn save(&mut self) -> io::Result<()> {
        if self.open.steps.is_empty() {
            return Ok(());
        }
        self.lines.add(std::mem::take(&mut self.open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_steps_survive_an_interruption() {
        let dir = tempfile::tempdir().unwrap();
        let mut trace = Trace::<f32>::open(dir.path()).unwrap();
        trace.begin(2);
        trace.note((0, 0), None);
        trace.note((0, 1), Some(&[0.1, -1.0]));
        trace.save().unwrap();
        trace.note((0, 2), Some(&[0.5, 0.5]));
        assert_eq!((trace.unsaved(), trace.driven()), (1, 2));
        drop(trace); // killed before the last step was saved
        let mut trace = Trace::<f32>::open(dir.path()).unwrap();
        trace.begin(1);
        assert_eq!(trace.at((0, 0)), None, "a step of another round");
        trace.begin(2);
        assert_eq!(trace.at((0, 0)), Some(None));
        assert_eq!(trace.at((0, 1)), Some(Some(&[0.1, -1.0][..])), "bit-identical");
        assert_eq!(trace.at((0, 2)), None);
    }
}
