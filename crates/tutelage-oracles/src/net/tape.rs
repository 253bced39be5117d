//! The rows of a batch at every level of a network.

use super::{AlignedVec, Layout, padded};

/// Room for a batch at every level of a network: level 0 is the input, level `l` the output of layer `l`; rows are sample-major and
/// padded to whole vectors. Holds activations, deltas (`∂loss/∂z`) or tangents alike.
#[derive(Debug, Clone)]
pub struct Tape {
    widths: Vec<usize>,
    offsets: Vec<usize>,
    capacity: usize,
    rows: usize,
    data: AlignedVec,
}

impl Tape {
    /// An empty tape with room for `capacity` rows; it grows when a longer batch comes.
    #[must_use]
    pub fn new(layout: &Layout, capacity: usize) -> Self {
        let widths = layout.widths().to_vec();
        let mut tape = Self {
            offsets: vec![0; widths.len()],
            widths,
            capacity: 0,
            rows: 0,
            data: AlignedVec::zeros(0),
        };
        tape.set_rows(capacity);
        tape.rows = 0;
        tape
    }

    /// Number of rows in use.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Row `i` of level `l`, without its padding.
    #[must_use]
    pub fn row(&self, l: usize, i: usize) -> &[f32] {
        assert!(i < self.rows);
        &self.data[self.offsets[l] + i * padded(self.widths[l])..][..self.widths[l]]
    }

    /// Row `i` of level `l`, without its padding, to write.
    pub fn row_mut(&mut self, l: usize, i: usize) -> &mut [f32] {
        assert!(i < self.rows);
        &mut self.data[self.offsets[l] + i * padded(self.widths[l])..][..self.widths[l]]
    }

    /// Row `i` of the top level: the network's output (or its delta, or its tangent).
    #[must_use]
    pub fn output(&self, i: usize) -> &[f32] {
        self.row(self.widths.len() - 1, i)
    }

    /// Row `i` of the top level, to write.
    pub fn output_mut(&mut self, i: usize) -> &mut [f32] {
        self.row_mut(self.widths.len() - 1, i)
    }

    /// Uses `rows` rows from now on; grows (with zeros) if there is no room for them. Contents are then unspecified, padding zero.
    pub fn set_rows(&mut self, rows: usize) {
        if rows > self.capacity {
            let mut len = 0;
            for (offset, &width) in self.offsets.iter_mut().zip(&self.widths) {
                *offset = len;
                len += rows * padded(width);
            }
            self.data = AlignedVec::zeros(len);
            self.capacity = rows;
        }
        self.rows = rows;
    }

    /// Whether this tape was made for networks of these widths.
    pub(crate) fn fits(&self, layout: &Layout) -> bool {
        self.widths == layout.widths()
    }

    /// Raw access for kernels that write.
    pub(crate) fn levels_mut(&mut self) -> Levels<'_> {
        Levels { data: self.data.as_mut_ptr(), tape: self }
    }

    /// Raw access for kernels that only read: nothing may be written through it.
    pub(super) fn levels(&self) -> Levels<'_> {
        Levels { data: self.data.as_ptr().cast_mut(), tape: self }
    }
}

/// The levels of a tape as pointers, so that a pass may read one level while it writes the next (or overwrite one in place).
pub(crate) struct Levels<'a> {
    data: *mut f32,
    tape: &'a Tape,
}

impl Levels<'_> {
    #[inline(always)]
    pub(crate) fn stride(&self, l: usize) -> usize {
        padded(self.tape.widths[l])
    }

    /// Start of row `i` of level `l`, which must exist.
    #[inline(always)]
    pub(crate) fn row(&self, l: usize, i: usize) -> *mut f32 {
        debug_assert!(i < self.tape.capacity);
        // SAFETY: inside the allocation for every row below the capacity.
        unsafe { self.data.add(self.tape.offsets[l] + i * self.stride(l)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_apart_and_a_longer_batch_gets_room() {
        let layout = Layout::new(&[3, 9, 2]).unwrap();
        let mut tape = Tape::new(&layout, 2);
        assert_eq!(tape.rows(), 0);
        tape.set_rows(5);
        for i in 0..5 {
            tape.row_mut(0, i).fill(i as f32);
            tape.output_mut(i).fill(10.0 + i as f32);
        }
        for i in 0..5 {
            assert_eq!(
                (tape.row(0, i), tape.output(i)),
                (&[i as f32; 3][..], &[10.0 + i as f32; 2][..])
            );
        }
    }
}
