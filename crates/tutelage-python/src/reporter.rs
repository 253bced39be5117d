//! How a run tells Python what it is doing.

use pyo3::prelude::*;
use tutelage::evaluation::Evaluation;
use tutelage_runs::store::TruncatedTail;
use tutelage_runs::{Observer, RoundLine, Stage};

use crate::errors::Mishap;

/// A `tutelage._progress.Reporter`, which says after every round whether to go on. Ctrl-C and whatever it raises stop the run
/// at the next safe point.
pub(crate) struct Listener {
    object: Py<PyAny>,
    mishap: Mishap,
    stops: bool,
}

impl Listener {
    pub(crate) fn new(object: Py<PyAny>, mishap: Mishap) -> Self {
        Self { object, mishap, stops: false }
    }

    /// Tells Python something; it answers `False` where the run is to stop.
    fn tell(&mut self, tell: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<bool>) {
        Python::attach(|py| {
            let goes_on = py.check_signals().and_then(|()| tell(self.object.bind(py)));
            let stops = match goes_on {
                Ok(goes_on) => !goes_on,
                Err(error) => {
                    self.mishap.keep(py, error);
                    true
                }
            };
            self.stops |= stops;
        });
    }
}

impl Observer for Listener {
    fn stage(&mut self, round: usize, stage: Stage) {
        let name = format!("{stage:?}").to_lowercase();
        self.tell(|object| {
            object.call_method1("stage", (round, name))?;
            Ok(true)
        });
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.tell(|object| {
            object.call_method1("expert", (expert.mean_reward(), expert.sd_reward()))?;
            Ok(true)
        });
    }

    fn round(&mut self, line: &RoundLine) {
        let RoundLine {
            round,
            annotations,
            expert_steps,
            reward,
            reward_random,
            imitation_loss,
            seconds,
            ..
        } = *line;
        let told =
            (round, annotations, expert_steps, reward, reward_random, imitation_loss, seconds);
        self.tell(|object| object.call_method1("round", told)?.extract());
    }

    fn truncated(&mut self, tail: &TruncatedTail) {
        self.tell(|object| {
            object.call_method1("note", (tail.to_string(),))?;
            Ok(true)
        });
    }

    fn wants_stop(&mut self) -> bool {
        self.tell(|_| Ok(true));
        self.stops
    }
}
