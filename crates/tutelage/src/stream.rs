//! Random streams, forked by name and index.

use rand::{Rng as _, SeedableRng};

/// The generator of all random draws: ChaCha with 8 rounds, which is the same on every machine.
pub type Rng = rand_chacha::ChaCha8Rng;

/// A node in the tree of random streams of a seed: `seed → ("round", 3) → ("member", 7) → …`
///
/// A child depends on its path only, not on other draws. The same seed therefore gives the same bits for any number of
/// threads and after any interruption.
///
/// ```
/// use tutelage::Stream;
/// let member = |seed| Stream::new(seed).fork("round", 3).fork("member", 7);
/// assert_eq!(member(1), member(1));
/// assert_ne!(member(1), member(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    key: [u8; 32],
}

impl Stream {
    /// The root of a run's streams.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        Rng::seed_from_u64(seed).fill_bytes(&mut key);
        Self { key }
    }

    /// The child of this name and index.
    ///
    /// ChaCha is a pseudo-random function of (key, stream, counter). The parent's key, a hash of the name, and the index fill
    /// these places; the output block is the child's key.
    #[must_use]
    pub fn fork(&self, name: &str, index: u64) -> Self {
        const WORDS_PER_BLOCK: u128 = 16;
        let mut function = Rng::from_seed(self.key);
        function.set_stream(fnv1a(name));
        function.set_word_pos(u128::from(index) * WORDS_PER_BLOCK);
        let mut key = [0; 32];
        function.fill_bytes(&mut key);
        Self { key }
    }

    /// 16 hexadecimal digits that identify this stream.
    pub fn name(&self) -> String {
        self.key.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// A generator at the start of this stream.
    pub fn rng(&self) -> Rng {
        Rng::from_seed(self.key)
    }
}

/// The 64-bit FNV-1a hash, forced odd: generators use stream 0.
fn fnv1a(name: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, mix) | 1
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn streams_are_frozen() {
        // Stored runs depend on these bits.
        assert_eq!(Stream::new(1).rng().next_u64(), 4_161_021_452_045_807_583);
        assert_eq!(Stream::new(1).fork("round", 2).rng().next_u64(), 4_352_686_817_592_791_717);
    }

    #[test]
    fn forks_differ_by_name_index_and_parent() {
        let root = Stream::new(5);
        let mut keys = HashSet::from([root.key]);
        for name in ["round", "member", "label"] {
            for index in (0..100).chain([u64::from(u32::MAX), u64::from(u32::MAX) + 1]) {
                assert!(keys.insert(root.fork(name, index).key), "{name} {index}");
                assert!(keys.insert(root.fork("round", 1).fork(name, index).key), "{name} {index}");
            }
        }
    }

    #[test]
    fn a_fork_does_not_overlap_its_parent() {
        let root = Stream::new(9);
        let mut parent = root.rng();
        let drawn: HashSet<u64> = (0..1000).map(|_| parent.next_u64()).collect();
        assert!(!drawn.contains(&root.fork("round", 0).rng().next_u64()));
    }
}
