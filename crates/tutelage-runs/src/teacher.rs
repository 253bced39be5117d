//! Teachers: label a run's queries, immediately or later.

use tutelage::expert::Driver;
use tutelage::lesson::{Queries, Round};
use tutelage::{Batch, Bounds, Element, Expert, Lesson, Policy};

use crate::observer::Observer;
use crate::runner::RunError;
use crate::store::{Record, RunDir};

/// Labels a run's queries.
///
/// Every [`Expert`] is a teacher that labels immediately ([`Immediate`]). A person may answer in any order, revise a label,
/// skip a query and come back tomorrow. Each label goes to the [`LabelSink`], which makes it durable before it counts.
///
/// ```
/// use tutelage::{Batch, Policy};
/// use tutelage::expert::Driver;
/// use tutelage_runs::{LabelSink, RunError, Teacher};
///
/// /// Steers back to the origin, and skips states near it.
/// struct Steer;
///
/// impl<P: Policy<State = f32, Action = f32>> Teacher<f32, f32, P> for Steer {
///     fn teach(&mut self, sink: &mut LabelSink<'_, '_, f32, f32, P>) -> Result<(), RunError> {
///         let queries = sink.queries().clone();
///         for (&row, state) in queries.rows.iter().zip(queries.states.rows()) {
///             let mut action = Batch::zeros(1, 1);
///             action.row_mut(0)[0] = -state[0].signum();
///             let proceed = if state[0].abs() < 0.1 { sink.skip(&[row])? } else { sink.label(&[row], &action)? };
///             if !proceed {
///                 break; // the run should stop; it asks for the other labels when it resumes
///             }
///         }
///         Ok(())
///     }
///
///     fn driver(&mut self) -> &mut dyn Driver<f32, f32> {
///         self
///     }
/// }
///
/// impl Driver<f32, f32> for Steer {} // it only labels
/// ```
pub trait Teacher<S, A, P> {
    /// Labels the sink's queries, or some of them. The run calls again while any is open, unless it should stop.
    fn teach(&mut self, sink: &mut LabelSink<'_, '_, S, A, P>) -> Result<(), RunError>;

    /// The driver for algorithms that let the expert act; [`tutelage::expert::NoDriver`] if this teacher cannot drive.
    fn driver(&mut self) -> &mut dyn Driver<S, A>;

    /// The expert whose mean action the imitation loss compares with, if there is one.
    fn expert(&mut self) -> Option<&mut dyn Expert<State = S, Action = A>> {
        None
    }

    /// The policy trained after a round (0: before the first) is durable and evaluated.
    fn trained(&mut self, _round: usize, _policy: &P) {}
}

/// The open queries of a round. Writes each label to disk before the lesson gets it.
pub struct LabelSink<'a, 'j, S, A, P> {
    pub(crate) lesson: &'a mut Lesson<'j, S, A, P>,
    pub(crate) queries: &'a Queries<S, A>,
    pub(crate) dir: &'a mut RunDir<S, A>,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) stopping: &'a mut bool,
}

impl<S, A, P> LabelSink<'_, '_, S, A, P>
where
    S: Element,
    A: Element,
    P: Policy<State = S, Action = A>,
{
    /// The queries that were open when the teacher was called.
    pub fn queries(&self) -> &Queries<S, A> {
        self.queries
    }

    /// The current round, with all labels so far.
    pub fn round(&self) -> Option<&Round<S, A>> {
        self.lesson.open()
    }

    /// The learner's current policy πₙ.
    pub fn policy(&self) -> Option<&P> {
        self.lesson.policy()
    }

    /// The number of labels in the whole run so far.
    pub fn annotations(&self) -> usize {
        self.dir.history().annotations()
    }

    /// The bounds of vector actions.
    pub fn bounds(&self) -> &Bounds {
        self.lesson.bounds()
    }

    /// Checks that these are valid labels for rows of the round, in the task's own units.
    pub fn check(&self, rows: &[u32], actions: &Batch<A>) -> Result<(), RunError> {
        Ok(self.lesson.check_labels(rows, actions)?)
    }

    /// Stores labels in the task's own units, replacing earlier ones. Returns whether to continue.
    pub fn label(&mut self, rows: &[u32], actions: &Batch<A>) -> Result<bool, RunError> {
        self.lesson.check_labels(rows, actions)?;
        self.log(rows, Some(actions.clone()))?;
        self.lesson.label(rows, actions)?;
        Ok(!self.wants_stop())
    }

    /// Skips rows: nothing is learned from them unless they are labeled later. Returns whether to continue.
    pub fn skip(&mut self, rows: &[u32]) -> Result<bool, RunError> {
        self.lesson.check_rows(rows)?;
        self.log(rows, None)?;
        self.lesson.skip(rows)?;
        Ok(!self.wants_stop())
    }

    fn log(&mut self, rows: &[u32], actions: Option<Batch<A>>) -> Result<(), RunError> {
        let round = self.queries.round as u32;
        Ok(self.dir.append(Record::Replies { round, rows: rows.to_vec(), actions })?)
    }

    /// Returns whether the run should stop.
    pub fn wants_stop(&mut self) -> bool {
        *self.stopping = *self.stopping || self.observer.wants_stop();
        *self.stopping
    }
}

/// An expert as a teacher: labels immediately, in batches of [`Expert::batch`].
pub struct Immediate<'a, X>(pub &'a mut X);

impl<X, P> Teacher<X::State, X::Action, P> for Immediate<'_, X>
where
    X: Expert,
    P: Policy<State = X::State, Action = X::Action>,
{
    fn teach(
        &mut self,
        sink: &mut LabelSink<'_, '_, X::State, X::Action, P>,
    ) -> Result<(), RunError> {
        sink.queries.ask(self.0, |rows, actions| sink.label(rows, actions))
    }

    fn driver(&mut self) -> &mut dyn Driver<X::State, X::Action> {
        self.0
    }

    fn expert(&mut self) -> Option<&mut dyn Expert<State = X::State, Action = X::Action>> {
        Some(self.0)
    }
}
