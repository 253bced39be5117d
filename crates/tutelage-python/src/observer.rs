//! Progress reports to Python.

use pyo3::prelude::*;
use tutelage::evaluation::Evaluation;
use tutelage_runs::store::TruncatedTail;
use tutelage_runs::{Observer, RoundLine, Stage};

use crate::errors::PyErrorSlot;

/// A `tutelage._progress.Progress`. The run stops at the next safe point after Ctrl-C, after an exception, and if `round`
/// returns `False`.
pub(crate) struct PyObserver {
    object: Py<PyAny>,
    errors: PyErrorSlot,
    stops: bool,
}

impl PyObserver {
    pub(crate) fn new(object: Py<PyAny>, errors: PyErrorSlot) -> Self {
        Self { object, errors, stops: false }
    }

    pub(crate) fn errors(&self) -> &PyErrorSlot {
        &self.errors
    }

    /// Calls Python, which returns `False` to stop the run and anything else to continue it.
    fn call(&mut self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<bool>) {
        Python::attach(|py| {
            let result = py.check_signals().and_then(|()| call(self.object.bind(py)));
            self.stops |= result.map_or_else(
                |error| {
                    self.errors.keep(py, error);
                    true
                },
                |continues| !continues,
            );
        });
    }
}

impl Observer for PyObserver {
    fn started(&mut self, expert: Option<&Evaluation>, _: &[RoundLine]) {
        let reward = expert.map(Evaluation::mean_reward);
        self.call(|object| object.call_method1("started", (reward,)).map(|_| true));
    }

    fn stage(&mut self, round: usize, stage: Stage) {
        let name = format!("{stage:?}").to_lowercase();
        self.call(|object| object.call_method1("stage", (round, name)).map(|_| true));
    }

    fn expert(&mut self, expert: &Evaluation) {
        let rewards = (expert.mean_reward(), expert.sd_reward());
        self.call(|object| object.call_method1("expert", rewards).map(|_| true));
    }

    fn round(&mut self, line: &RoundLine) {
        let values = (
            line.round,
            line.annotations,
            line.expert_steps,
            line.reward,
            line.reward_random,
            line.imitation_loss,
            line.seconds,
        );
        self.call(|object| object.call_method1("round", values)?.extract());
    }

    fn truncated(&mut self, tail: &TruncatedTail) {
        self.call(|object| object.call_method1("note", (tail.to_string(),)).map(|_| true));
    }

    fn wants_stop(&mut self) -> bool {
        self.call(|_| Ok(true));
        self.stops
    }
}
