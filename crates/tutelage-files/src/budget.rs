//! How much a file may cost its reader.

use std::io;

/// Bytes that may be held on the word of a file, spent little by little: what it unpacks to, and what is made of that.
#[derive(Debug)]
pub struct MemoryBudget {
    whole: u64,
    left: u64,
}

/// A file would take more than its budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than the {whole} bytes that are expected")]
pub struct MemoryBudgetExceeded {
    /// The budget.
    pub whole: u64,
}

impl MemoryBudget {
    /// So many bytes.
    pub fn new(whole: u64) -> Self {
        Self { whole, left: whole }
    }

    /// So many bytes for each of the file's own and 4 MiB, but no more than `most`: an honest file unpacks to a few times its size, and a
    /// small one cannot ask for much.
    pub fn in_proportion(file: &[u8], times: u64, most: u64) -> Self {
        Self::new((file.len() as u64).saturating_mul(times).saturating_add(1 << 22).min(most))
    }

    /// Spends bytes, before they are allocated.
    pub fn spend(&mut self, bytes: usize) -> Result<(), MemoryBudgetExceeded> {
        let exceeded = MemoryBudgetExceeded { whole: self.whole };
        self.left = self.left.checked_sub(bytes as u64).ok_or(exceeded)?;
        Ok(())
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl From<MemoryBudgetExceeded> for io::Error {
    fn from(exceeded: MemoryBudgetExceeded) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, exceeded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone_and_what_is_refused_is_not() {
        let mut budget = MemoryBudget::new(10);
        assert_eq!(budget.spend(7), Ok(()));
        assert_eq!(budget.spend(4), Err(MemoryBudgetExceeded { whole: 10 }));
        assert_eq!((budget.left(), budget.spend(3)), (3, Ok(())));
    }

    #[test]
    fn small_files_have_small_budgets_and_none_is_beyond_the_most() {
        let budget =
            |bytes: usize| MemoryBudget::in_proportion(&vec![0; bytes], 10, 5 << 20).left();
        assert_eq!(budget(100), (4 << 20) + 1000);
        assert_eq!(budget(1 << 20), 5 << 20);
    }
}
