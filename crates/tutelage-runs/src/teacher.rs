//! Teachers: whoever answers a run's questions, at once or when they come to it.

use tutelage::{Batch, Bounds, Driver, Element, Expert, Lesson, Policy, Queries, Round};

use crate::observer::Observer;
use crate::runner::RunError;
use crate::store::{Record, RunDir};

/// Whoever answers a run's questions.
///
/// Every [`Expert`] is one that answers at once ([`Immediate`]). A person reads a question, goes back to an earlier one, skips a
/// third, and comes back tomorrow; each answer goes to the [`LabelSink`], where it is durable before it counts.
///
/// ```
/// use tutelage::{Batch, Driver, Policy};
/// use tutelage_runs::{LabelSink, RunError, Teacher};
///
/// /// Steers back to the origin, and has nothing to say about places near it.
/// struct Brief;
///
/// impl<P: Policy<State = f32, Action = f32>> Teacher<f32, f32, P> for Brief {
///     fn teach(&mut self, desk: &mut LabelSink<'_, '_, f32, f32, P>) -> Result<(), RunError> {
///         let questions = desk.queries().clone();
///         for (&row, state) in questions.rows.iter().zip(questions.states.rows()) {
///             let mut action = Batch::zeros(1, 1);
///             action.row_mut(0)[0] = -state[0].signum();
///             let go_on = if state[0].abs() < 0.1 { desk.skip(&[row])? } else { desk.label(&[row], &action)? };
///             if !go_on {
///                 break; // the run is to stop; the rest is asked when it goes on
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
/// impl Driver<f32, f32> for Brief {} // it only answers
/// ```
pub trait Teacher<S, A, P> {
    /// StoredQueries lie on the desk. The teacher returns when it has no more to say for now; while any is left the run asks
    /// again, unless it is to stop.
    fn teach(&mut self, desk: &mut LabelSink<'_, '_, S, A, P>) -> Result<(), RunError>;

    /// Who drives where the algorithm lets the expert drive; where nobody can, [`tutelage::NoDriver`].
    fn driver(&mut self) -> &mut dyn Driver<S, A>;

    /// The expert whose mean action the imitation loss is measured against, where there is one.
    fn expert(&mut self) -> Option<&mut dyn Expert<State = S, Action = A>> {
        None
    }

    /// The policy that was trained after a round (0: before the first), durable and evaluated by now.
    fn trained(&mut self, round: usize, policy: &P) {
        let _ = (round, policy);
    }
}

/// Where a teacher finds a round's questions and leaves the answers: on disk first, then in the lesson.
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
    /// The questions that waited when the teacher was called.
    pub fn queries(&self) -> &Queries<S, A> {
        self.queries
    }

    /// The round as it stands, earlier answers included.
    pub fn round(&self) -> Option<&Round<S, A>> {
        self.lesson.open()
    }

    /// πₙ, whose states these are.
    pub fn policy(&self) -> Option<&P> {
        self.lesson.policy()
    }

    /// How many answers the run has in all.
    pub fn annotations(&self) -> usize {
        self.dir.history().annotations()
    }

    /// The box that actions lie in, where they are vectors.
    pub fn bounds(&self) -> &Bounds {
        self.lesson.bounds()
    }

    /// Whether these are answers to rows of the round, in the task's own units.
    pub fn check(&self, rows: &[u32], actions: &Batch<A>) -> Result<(), RunError> {
        Ok(self.lesson.check_labels(rows, actions)?)
    }

    /// Takes answers, in the task's own units; a row answered before is revised. Says whether to go on.
    pub fn label(&mut self, rows: &[u32], actions: &Batch<A>) -> Result<bool, RunError> {
        self.lesson.check_labels(rows, actions)?;
        self.log(rows, Some(actions.clone()))?;
        self.lesson.label(rows, actions)?;
        Ok(!self.wants_stop())
    }

    /// Skips these rows: they are not learned from. A later answer undoes the skip. Says whether to go on.
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

    /// Whether the run is to stop.
    pub fn wants_stop(&mut self) -> bool {
        *self.stopping = *self.stopping || self.observer.wants_stop();
        *self.stopping
    }
}

/// An expert as a teacher: it answers at once, as many questions at a time as it wants to see.
pub struct Immediate<'a, X>(pub &'a mut X);

impl<X, P> Teacher<X::State, X::Action, P> for Immediate<'_, X>
where
    X: Expert,
    P: Policy<State = X::State, Action = X::Action>,
{
    fn teach(
        &mut self,
        desk: &mut LabelSink<'_, '_, X::State, X::Action, P>,
    ) -> Result<(), RunError> {
        desk.queries.ask(self.0, |rows, actions| desk.label(rows, actions))
    }

    fn driver(&mut self) -> &mut dyn Driver<X::State, X::Action> {
        self.0
    }

    fn expert(&mut self) -> Option<&mut dyn Expert<State = X::State, Action = X::Action>> {
        Some(self.0)
    }
}
