//! A round: its states and their labels so far.

use crate::actor::Steps;
use crate::choice::ask::Collected;
use crate::lesson::{LearnError, Origin};
use crate::space::SpaceError;
use crate::space::check_rows;
use crate::{ActionSpace, Batch, Dataset, Element, Expert, ExpertError, Rng, Spaces, Stream};

/// The states of a round and their labels, in the task's units.
///
/// Until the round closes, labels can be added in any order, replaced, or skipped.
#[derive(Clone, Debug, PartialEq)]
pub struct Round<S, A> {
    /// The states to label.
    pub states: Batch<S>,
    /// The origin of each state, or empty if unknown.
    pub origins: Vec<Origin>,
    /// The return of the episode before each state, or empty if unknown.
    pub rewards: Vec<f64>,
    /// The learner's action in each state in the task's units, or empty if unknown.
    pub intended: Batch<A>,
    /// The number of steps taken to reach them.
    pub steps: Steps,
    /// The status of each state.
    pub replies: Vec<Reply>,
    /// The labels; rows without a reply are undefined.
    pub labels: Batch<A>,
}

/// The expert's reply to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// No reply yet.
    Open,
    /// The expert labeled the state.
    Labeled,
    /// The expert declined; the state is not trained on.
    Skipped,
}

/// Queries to the expert: some rows of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Queries<S, A> {
    /// n.
    pub round: usize,
    /// The rows of the round.
    pub rows: Vec<u32>,
    /// Their states.
    pub states: Batch<S>,
    /// The origin of each state, or empty if unknown.
    pub origins: Vec<Origin>,
    /// The return of the episode before each state, or empty if unknown.
    pub rewards: Vec<f64>,
    /// The learner's action in each state in the task's units, or empty if unknown.
    pub intended: Batch<A>,
    pub(crate) stream: Stream,
}

impl<S: Element, A: Element> Round<S, A> {
    /// Creates a round without labels.
    pub fn new(states: Batch<S>, action_width: usize) -> Self {
        let labels = Batch::zeros(states.len(), action_width);
        Self {
            origins: vec![],
            rewards: vec![],
            intended: Batch::new(action_width),
            steps: Steps::default(),
            replies: vec![Reply::Open; states.len()],
            states,
            labels,
        }
    }

    /// Creates a round of labeled examples.
    pub fn labeled(Dataset { states, actions }: Dataset<S, A>) -> Self {
        let replies = vec![Reply::Labeled; states.len()];
        Self { replies, labels: actions.clone(), ..Self::new(states, actions.width()) }
    }

    pub(crate) fn collected(collected: Collected<S>, intended: Batch<A>) -> Self {
        let Collected { states, origins, rewards, steps } = collected;
        let width = intended.width();
        Self { origins, rewards, steps, intended, ..Self::new(states, width) }
    }

    /// The rows without a reply.
    pub fn open_rows(&self) -> Vec<u32> {
        (0..).zip(&self.replies).filter(|(_, r)| **r == Reply::Open).map(|(row, _)| row).collect()
    }

    /// The rows with a label.
    pub fn labeled_rows(&self) -> Vec<usize> {
        (0..self.replies.len()).filter(|&row| self.replies[row] == Reply::Labeled).collect()
    }

    /// Whether every row has a reply.
    pub fn is_settled(&self) -> bool {
        !self.replies.contains(&Reply::Open)
    }

    /// Labels these rows, replacing earlier replies.
    pub fn label(&mut self, rows: &[u32], actions: &Batch<A>) {
        for (at, &row) in rows.iter().enumerate() {
            self.labels.row_mut(row as usize).copy_from_slice(actions.row(at));
            self.replies[row as usize] = Reply::Labeled;
        }
    }

    /// Marks these rows as skipped.
    pub fn skip(&mut self, rows: &[u32]) {
        rows.iter().for_each(|&row| self.replies[row as usize] = Reply::Skipped);
    }

    /// Checks that these are rows of the round.
    pub fn check_rows(&self, rows: &[u32]) -> Result<(), SpaceError> {
        let count = self.states.len();
        match rows.iter().position(|&row| row as usize >= count) {
            None => Ok(()),
            Some(index) => Err(SpaceError::Value {
                row: index,
                index: 0,
                value: rows[index].to_string(),
                expected: format!("a row from 0 to {}", count.saturating_sub(1)),
            }),
        }
    }

    /// Checks that this round belongs to the task.
    pub(crate) fn check(&self, spaces: Spaces, space: &ActionSpace) -> Result<(), SpaceError> {
        check_rows(&self.states, self.replies.len(), spaces.states)?;
        check_rows(&self.labels, self.replies.len(), spaces.actions)?;
        let rows = self.labeled_rows();
        space.check(&self.labels.select(&rows), rows.len())
    }

    /// Dₙ: the labeled states. Vector actions are in [-1, 1]ⁿ.
    pub(crate) fn examples(&self, space: &ActionSpace) -> Dataset<S, A> {
        let rows = self.labeled_rows();
        let mut actions = self.labels.select(&rows);
        A::to_unit(&space.bounds, &mut actions);
        Dataset { states: self.states.select(&rows), actions }
    }

    /// The learner's error on the labeled states.
    pub(crate) fn errors(&self, space: &ActionSpace) -> Vec<f64> {
        if self.intended.is_empty() {
            return vec![0.0; self.labels.width()];
        }
        let rows = self.labeled_rows();
        let [mut intended, mut labels] =
            [&self.intended, &self.labels].map(|batch| batch.select(&rows));
        A::to_unit(&space.bounds, &mut intended);
        A::to_unit(&space.bounds, &mut labels);
        crate::choice::drive::errors(intended.rows(), labels.rows(), self.labels.width())
    }

    pub(crate) fn queries(&self, round: usize, rows: Vec<u32>, stream: Stream) -> Queries<S, A> {
        let of = |row: &u32| *row as usize;
        let known = |count: usize| if count == 0 { &[][..] } else { &rows[..] };
        Queries {
            round,
            states: self.states.select(&rows.iter().map(of).collect::<Vec<_>>()),
            origins: known(self.origins.len()).iter().map(|r| self.origins[of(r)]).collect(),
            rewards: known(self.rewards.len()).iter().map(|r| self.rewards[of(r)]).collect(),
            intended: self
                .intended
                .select(&known(self.intended.len()).iter().map(of).collect::<Vec<_>>()),
            rows,
            stream,
        }
    }
}

impl<S: Element, A: Element> Queries<S, A> {
    /// Asks an expert, in batches of the size that it accepts. `take` receives the rows and labels of each batch and returns
    /// whether to continue.
    pub fn ask<E: From<LearnError>>(
        &self,
        expert: &mut dyn Expert<State = S, Action = A>,
        mut take: impl FnMut(&[u32], &Batch<A>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let at_once = expert.batch().clamp(1, self.rows.len().max(1));
        for (first, rows) in (0..).step_by(at_once).zip(self.rows.chunks(at_once)) {
            let states = self.states.slice(first, first + rows.len());
            let mut actions = Batch::zeros(rows.len(), self.intended.width());
            let mut rngs: Vec<Rng> = rows.iter().map(|&row| self.rng(row)).collect();
            let failed = |source: ExpertError| LearnError::Annotate { round: self.round, source };
            expert.annotate(&states, &mut rngs, &mut actions).map_err(failed)?;
            if !take(rows, &actions)? {
                break;
            }
        }
        Ok(())
    }

    /// The randomness of a row's label.
    pub fn rng(&self, row: u32) -> Rng {
        self.stream.fork("label", u64::from(row)).rng()
    }
}
