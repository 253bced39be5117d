//! The progress of training.

use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of a fit: the oracle counts, another thread reads.
///
/// ```
/// let training = tutelage::oracle::FitProgress::default();
/// assert_eq!(training.share(), None);
/// training.begin(4);
/// training.advance(1);
/// assert_eq!(training.share(), Some(0.25));
/// ```
#[derive(Debug, Default)]
pub struct FitProgress {
    done: AtomicU64,
    all: AtomicU64,
}

impl FitProgress {
    /// Starts a fit with `parts` parts.
    pub fn begin(&self, parts: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.all.store(parts, Ordering::Relaxed);
    }

    /// Counts `parts` more parts as done.
    pub fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
    }

    /// The share that is done, from 0 to 1, or `None` before the first fit.
    pub fn share(&self) -> Option<f64> {
        let all = self.all.load(Ordering::Relaxed);
        let done = self.done.load(Ordering::Relaxed).min(all);
        (all > 0).then(|| done as f64 / all as f64)
    }
}
