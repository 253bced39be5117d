//! The values of a batch at every level of a network.

use crate::{AlignedVec, Layout, padded};

/// The values of a batch at every level of a network: activations, deltas (`∂loss/∂z`) or tangents.
///
/// Level 0 is the input, level `l` the output of layer `l`. Rows are padded to whole vectors.
#[derive(Debug, Clone)]
pub struct Tape {
    widths: Vec<usize>,
    offsets: Vec<usize>,
    capacity: usize,
    rows: usize,
    data: AlignedVec,
}

impl Tape {
    /// Creates an empty tape with capacity for `capacity` rows; it grows if needed.
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

    /// Returns the number of rows in use.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns row `i` of level `l`, without padding.
    #[inline]
    pub fn row(&self, l: usize, i: usize) -> &[f32] {
        assert!(i < self.rows);
        &self.data[self.offsets[l] + i * padded(self.widths[l])..][..self.widths[l]]
    }

    /// Returns row `i` of level `l`, without padding, for writing.
    #[inline]
    pub fn row_mut(&mut self, l: usize, i: usize) -> &mut [f32] {
        assert!(i < self.rows);
        &mut self.data[self.offsets[l] + i * padded(self.widths[l])..][..self.widths[l]]
    }

    /// Returns row `i` of the top level: the output of the network, its delta or its tangent.
    pub fn output(&self, i: usize) -> &[f32] {
        self.row(self.widths.len() - 1, i)
    }

    /// Returns row `i` of the top level for writing.
    pub fn output_mut(&mut self, i: usize) -> &mut [f32] {
        self.row_mut(self.widths.len() - 1, i)
    }

    /// Sets the number of rows and grows if needed. Contents are then unspecified; padding is zero.
    #[inline]
    pub fn set_rows(&mut self, rows: usize) {
        if rows > self.capacity {
            self.grow(rows);
        }
        self.rows = rows;
    }

    /// Grows the memory.
    ///
    /// Changes no field before the allocation succeeds: kernels rely on consistent offsets.
    #[cold]
    fn grow(&mut self, rows: usize) {
        let mut end = 0_usize;
        let offset = |&width: &usize| {
            let start = end;
            end = rows.checked_mul(padded(width)).and_then(|len| start.checked_add(len))?;
            Some(start)
        };
        let offsets: Option<Vec<usize>> = self.widths.iter().map(offset).collect();
        let Some(offsets) = offsets else { panic!("capacity overflow: a tape of {rows} rows") };
        self.data = AlignedVec::zeros(end);
        (self.offsets, self.capacity) = (offsets, rows);
    }

    /// Returns whether this tape was created for networks of these widths.
    pub fn fits(&self, layout: &Layout) -> bool {
        self.widths == layout.widths()
    }

    /// Returns raw access for kernels that write.
    pub(crate) fn levels_mut(&mut self) -> Levels<'_> {
        Levels { data: self.data.as_mut_ptr(), tape: self }
    }

    /// Returns raw access for kernels that only read. Do not write through it.
    pub(crate) fn levels(&self) -> Levels<'_> {
        Levels { data: self.data.as_ptr().cast_mut(), tape: self }
    }
}

/// The levels of a tape as pointers, so that a pass can read one level while it writes another.
pub(crate) struct Levels<'a> {
    data: *mut f32,
    tape: &'a Tape,
}

impl Levels<'_> {
    #[inline(always)]
    pub(crate) fn stride(&self, l: usize) -> usize {
        padded(self.tape.widths[l])
    }

    /// Returns the start of row `i` of level `l`, which must exist.
    #[inline(always)]
    pub(crate) fn row(&self, l: usize, i: usize) -> *mut f32 {
        debug_assert!(i < self.tape.capacity);
        // SAFETY: inside the allocation for every row below the capacity.
        unsafe { self.data.add(self.tape.offsets[l] + i * self.stride(l)) }
    }
}

/// Copies a short row 8 or 4 numbers at a time.
///
/// The last group may overlap the previous one. This avoids a call to `memcpy` and a scalar tail.
#[inline(always)]
pub fn copy_row(from: &[f32], to: &mut [f32]) {
    match from.len() {
        8.. => copy_by::<8>(from, to),
        4.. => copy_by::<4>(from, to),
        _ => copy_by::<1>(from, to),
    }
}

/// Copies a row that is empty or has at least `N` numbers, `N` at a time.
#[inline(always)]
fn copy_by<const N: usize>(from: &[f32], to: &mut [f32]) {
    let width = from.len();
    assert!(width <= to.len(), "cannot copy {width} numbers to {}", to.len());
    let (from, to) = (from.as_ptr(), to.as_mut_ptr());
    let mut at = 0;
    while at < width {
        let start = at.min(width.saturating_sub(N));
        // SAFETY: `start + N` is at most the width, which both rows have; the rows do not overlap.
        unsafe {
            to.add(start)
                .cast::<[f32; N]>()
                .write_unaligned(from.add(start).cast::<[f32; N]>().read_unaligned())
        };
        at += N;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_do_not_overlap_and_tapes_grow() {
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

    #[test]
    fn rows_of_every_width_are_copied_exactly() {
        for width in 0..40 {
            let from: Vec<f32> = (0..width).map(|i| i as f32 + 1.0).collect();
            let mut to = vec![0.0; width + 3];
            copy_row(&from, &mut to);
            assert_eq!((&to[..width], &to[width..]), (&from[..], &[0.0; 3][..]));
        }
    }

    #[test]
    fn size_overflow_panics_and_leaves_the_tape_unchanged() {
        let layout = Layout::new(&[3, 9, 2]).unwrap();
        for rows in [1 << 61, usize::MAX, (1 << 61) + 1, usize::MAX / 32] {
            assert!(std::panic::catch_unwind(|| Tape::new(&layout, rows)).is_err(), "{rows}");
            let mut tape = Tape::new(&layout, 2);
            let grow = std::panic::AssertUnwindSafe(|| tape.set_rows(rows));
            assert!(std::panic::catch_unwind(grow).is_err(), "{rows}");
            tape.set_rows(2);
            (0..2).for_each(|i| tape.output_mut(i).fill(i as f32));
            assert_eq!((tape.output(0), tape.output(1)), (&[0.0; 2][..], &[1.0; 2][..]));
        }
    }
}
