//! A round: the states asked about, and what the expert has said so far.

use crate::actor::Steps;
use crate::choice::ask::Collected;
use crate::lesson::{LearnError, Origin};
use crate::space::SpaceError;
use crate::space::check_rows;
use crate::{ActionSpace, Batch, Dataset, Element, Expert, ExpertError, Rng, Spaces, Stream};

/// The states of a round and the labels to them, in the task's own units.
///
/// Answers come in any order and in parts; until the round closes they can be revised, and a question can be skipped.
#[derive(Clone, Debug, PartialEq)]
pub struct Round<S, A> {
    /// The states asked about.
    pub states: Batch<S>,
    /// Where each comes from; empty where nobody noted it.
    pub origins: Vec<Origin>,
    /// The rewards of its episode before each; empty where nobody noted them.
    pub rewards: Vec<f64>,
    /// What the learner would have done in each, in the task's own units; without rows where nobody noted it.
    pub intended: Batch<A>,
    /// How many steps it took to reach them.
    pub steps: Steps,
    /// What became of each question.
    pub replies: Vec<Reply>,
    /// The answer to each question that has one.
    pub labels: Batch<A>,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing yet.
    Open,
    /// The expert answered.
    Labeled,
    /// The expert did not want to say: the state is not learned from.
    Skipped,
}

/// Questions to the expert: some rows of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Queries<S, A> {
    /// n.
    pub round: usize,
    /// Which rows of the round these are.
    pub rows: Vec<u32>,
    /// Their states.
    pub states: Batch<S>,
    /// Where each comes from; empty where nobody noted it.
    pub origins: Vec<Origin>,
    /// The rewards of its episode before each; empty where nobody noted them.
    pub rewards: Vec<f64>,
    /// What the learner would have done, in the task's own units; without rows where nobody noted it.
    pub intended: Batch<A>,
    pub(crate) stream: Stream,
}

impl<S: Element, A: Element> Round<S, A> {
    /// A round of these states, nothing answered yet.
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

    /// A round of these examples, all answered.
    pub fn labeled(Dataset { states, actions }: Dataset<S, A>) -> Self {
        let replies = vec![Reply::Labeled; states.len()];
        Self { replies, labels: actions.clone(), ..Self::new(states, actions.width()) }
    }

    pub(crate) fn collected(collected: Collected<S>, intended: Batch<A>) -> Self {
        let Collected { states, origins, rewards, steps } = collected;
        let width = intended.width();
        Self { origins, rewards, steps, intended, ..Self::new(states, width) }
    }

    /// The rows that still wait for an answer.
    pub fn open_rows(&self) -> Vec<u32> {
        (0..).zip(&self.replies).filter(|(_, r)| **r == Reply::Open).map(|(row, _)| row).collect()
    }

    /// The rows that were answered.
    pub fn labeled_rows(&self) -> Vec<usize> {
        (0..self.replies.len()).filter(|&row| self.replies[row] == Reply::Labeled).collect()
    }

    /// Whether nothing waits for an answer.
    pub fn is_settled(&self) -> bool {
        !self.replies.contains(&Reply::Open)
    }

    /// Takes labels to these rows, in place of what was there.
    pub fn label(&mut self, rows: &[u32], actions: &Batch<A>) {
        for (at, &row) in rows.iter().enumerate() {
            self.labels.row_mut(row as usize).copy_from_slice(actions.row(at));
            self.replies[row as usize] = Reply::Labeled;
        }
    }

    /// Takes it that these rows are not to be learned from.
    pub fn skip(&mut self, rows: &[u32]) {
        rows.iter().for_each(|&row| self.replies[row as usize] = Reply::Skipped);
    }

    /// Whether these are rows of the round.
    pub fn check_rows(&self, rows: &[u32]) -> Result<(), SpaceError> {
        let questions = self.states.len();
        match rows.iter().position(|&row| row as usize >= questions) {
            None => Ok(()),
            Some(index) => Err(SpaceError::Value {
                row: index,
                index: 0,
                value: rows[index].to_string(),
                allowed: format!("a question from 0 to {}", questions.saturating_sub(1)),
            }),
        }
    }

    /// Whether this round is of the task.
    pub(crate) fn check(&self, spaces: Spaces, space: &ActionSpace) -> Result<(), SpaceError> {
        check_rows(&self.states, self.replies.len(), spaces.states)?;
        check_rows(&self.labels, self.replies.len(), spaces.actions)?;
        let rows = self.labeled_rows();
        space.check(&self.labels.select(&rows), rows.len())
    }

    /// Dₙ: the answered states and the labels, in [-1, 1]ⁿ where they are vectors.
    pub(crate) fn examples(&self, space: &ActionSpace) -> Dataset<S, A> {
        let rows = self.labeled_rows();
        let mut actions = self.labels.select(&rows);
        A::to_unit(&space.bounds, &mut actions);
        Dataset { states: self.states.select(&rows), actions }
    }

    /// The learner's error on the answered states, as [`crate::choice::drive::errors`] measures it.
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
        let noted = |count: usize| if count == 0 { &[][..] } else { &rows[..] };
        Queries {
            round,
            states: self.states.select(&rows.iter().map(of).collect::<Vec<_>>()),
            origins: noted(self.origins.len()).iter().map(|r| self.origins[of(r)]).collect(),
            rewards: noted(self.rewards.len()).iter().map(|r| self.rewards[of(r)]).collect(),
            intended: self
                .intended
                .select(&noted(self.intended.len()).iter().map(of).collect::<Vec<_>>()),
            rows,
            stream,
        }
    }
}

impl<S: Element, A: Element> Queries<S, A> {
    /// Puts these questions to an expert, as many at a time as it wants to see; `take` gets the rows and the labels of
    /// each time, and says whether to go on.
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

    /// The randomness of the answer to a row.
    pub fn rng(&self, row: u32) -> Rng {
        self.stream.fork("label", u64::from(row)).rng()
    }
}
