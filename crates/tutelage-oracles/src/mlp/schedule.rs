//! Minibatch sampling and training length.

use rand::seq::SliceRandom;
use tutelage::Rng;

/// How long a member trains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingBudget {
    /// Passes over the training set, of max(1, ⌊rows / batch⌋) iterations each.
    Epochs(usize),
    /// Iterations, regardless of the size of the training set.
    Iterations(usize),
}

impl TrainingBudget {
    /// Returns the number of iterations for a training set of `rows` rows.
    pub fn iterations(self, rows: usize, batch: usize) -> usize {
        match self {
            Self::Epochs(epochs) => epochs.saturating_mul((rows / batch).max(1)),
            Self::Iterations(iterations) => iterations,
        }
    }
}

/// Minibatches of fixed size, reshuffled every epoch.
///
/// Rows that do not fill a batch are left out of that epoch. A training set no larger than a batch is
/// one batch, in the given order.
pub(crate) struct Minibatches {
    rows: Vec<u32>,
    batch: usize,
    next: usize,
    rng: Rng,
}

impl Minibatches {
    pub(crate) fn new(rows: Vec<u32>, batch: usize, rng: Rng) -> Self {
        Self { next: rows.len(), rows, batch, rng }
    }

    /// Returns the rows of the next iteration.
    pub(crate) fn next(&mut self) -> &[u32] {
        if self.rows.len() <= self.batch {
            return &self.rows;
        }
        if self.next + self.batch > self.rows.len() {
            self.rows.shuffle(&mut self.rng);
            self.next = 0;
        }
        self.next += self.batch;
        &self.rows[self.next - self.batch..self.next]
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    fn batches(rows: u32) -> Minibatches {
        Minibatches::new((0..rows).collect(), 200, Stream::new(1).rng())
    }

    #[test]
    fn epochs_visit_rows_once_and_skip_the_remainder() {
        let mut minibatches = batches(650);
        let mut first_batches = vec![];
        for _ in 0..4 {
            let mut seen: Vec<u32> = (0..3).flat_map(|_| minibatches.next().to_vec()).collect();
            first_batches.push(seen[..200].to_vec());
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), 600);
        }
        first_batches.dedup();
        assert_eq!(first_batches.len(), 4, "every epoch is shuffled");
    }

    #[test]
    fn small_training_sets_are_one_batch() {
        for rows in [1, 199, 200] {
            let mut minibatches = batches(rows);
            assert_eq!(
                (minibatches.next().len(), minibatches.next().len()),
                (rows as usize, rows as usize)
            );
        }
        assert_eq!(batches(201).next().len(), 200);
    }

    #[test]
    fn every_row_is_used_eventually() {
        let mut minibatches = batches(399);
        let mut seen: Vec<u32> = (0..20).flat_map(|_| minibatches.next().to_vec()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 399);
    }

    #[test]
    fn epochs_count_whole_batches() {
        let iterations = |rows| TrainingBudget::Epochs(2000).iterations(rows, 200);
        assert_eq!(
            [iterations(50), iterations(200), iterations(399), iterations(1000)],
            [2000, 2000, 2000, 10_000]
        );
        assert_eq!(TrainingBudget::Iterations(7).iterations(1000, 200), 7);
    }
}
