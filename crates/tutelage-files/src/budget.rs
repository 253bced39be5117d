//! A limit on the memory that decoding a file may allocate.

use std::io;

/// The bytes that decoding a file may still allocate, for unpacked data and for what is built from it.
#[derive(Debug)]
pub struct MemoryBudget {
    whole: u64,
    left: u64,
}

/// Decoding a file needs more memory than its budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than the limit of {whole} bytes")]
pub struct MemoryBudgetExceeded {
    /// The budget in bytes.
    pub whole: u64,
}

impl MemoryBudget {
    /// Creates a budget of `whole` bytes.
    pub fn new(whole: u64) -> Self {
        Self { whole, left: whole }
    }

    /// Creates a budget of `times` bytes per byte of the file plus 4 MiB, but at most `most`.
    ///
    /// Valid files unpack to a few times their size, and a small file cannot claim much memory.
    pub fn in_proportion(file: &[u8], times: u64, most: u64) -> Self {
        Self::new((file.len() as u64).saturating_mul(times).saturating_add(1 << 22).min(most))
    }

    /// Takes bytes from the budget; call it before allocating them.
    pub fn spend(&mut self, bytes: usize) -> Result<(), MemoryBudgetExceeded> {
        let exceeded = MemoryBudgetExceeded { whole: self.whole };
        self.left = self.left.checked_sub(bytes as u64).ok_or(exceeded)?;
        Ok(())
    }

    /// Returns the bytes that are left.
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
    fn only_granted_bytes_are_spent() {
        let mut budget = MemoryBudget::new(10);
        assert_eq!(budget.spend(7), Ok(()));
        assert_eq!(budget.spend(4), Err(MemoryBudgetExceeded { whole: 10 }));
        assert_eq!((budget.left(), budget.spend(3)), (3, Ok(())));
    }

    #[test]
    fn budget_grows_with_the_file_up_to_the_maximum() {
        let budget =
            |bytes: usize| MemoryBudget::in_proportion(&vec![0; bytes], 10, 5 << 20).left();
        assert_eq!(budget(100), (4 << 20) + 1000);
        assert_eq!(budget(1 << 20), 5 << 20);
    }
}
