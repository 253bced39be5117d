//! The rows of a batch at every level of a network.

use crate::{AlignedVec, Layout, padded};

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
    ///
    /// # Panics
    /// If so many rows have more bytes than an address can reach, as when a `Vec` is asked for them.
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
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Row `i` of level `l`, without its padding.
    ///
    /// # Panics
    /// If there is no such row or level.
    #[inline]
    pub fn row(&self, l: usize, i: usize) -> &[f32] {
        assert!(i < self.rows);
        &self.data[self.offsets[l] + i * padded(self.widths[l])..][..self.widths[l]]
    }

    /// Row `i` of level `l`, without its padding, to write.
    ///
    /// # Panics
    /// If there is no such row or level.
    #[inline]
    pub fn row_mut(&mut self, l: usize, i: usize) -> &mut [f32] {
        assert!(i < self.rows);
        &mut self.data[self.offsets[l] + i * padded(self.widths[l])..][..self.widths[l]]
    }

    /// Row `i` of the top level: the network's output (or its delta, or its tangent).
    ///
    /// # Panics
    /// If there is no such row.
    pub fn output(&self, i: usize) -> &[f32] {
        self.row(self.widths.len() - 1, i)
    }

    /// Row `i` of the top level, to write.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn output_mut(&mut self, i: usize) -> &mut [f32] {
        self.row_mut(self.widths.len() - 1, i)
    }

    /// Uses `rows` rows from now on; grows (with zeros) if there is no room for them. Contents are then unspecified, padding zero.
    ///
    /// # Panics
    /// If so many rows have more bytes than an address can reach, as when a `Vec` is asked for them.
    #[inline]
    pub fn set_rows(&mut self, rows: usize) {
        if rows > self.capacity {
            self.grow(rows);
        }
        self.rows = rows;
    }

    /// Makes room. Nothing is changed before the new memory is there: kernels trust offsets, capacity and memory to agree.
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

    /// Whether this tape was made for networks of these widths.
    pub fn fits(&self, layout: &Layout) -> bool {
        self.widths == layout.widths()
    }

    /// Raw access for kernels that write.
    pub(crate) fn levels_mut(&mut self) -> Levels<'_> {
        Levels { data: self.data.as_mut_ptr(), tape: self }
    }

    /// Raw access for kernels that only read: nothing may be written through it.
    pub(crate) fn levels(&self) -> Levels<'_> {
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

/// Copies a short row eight or four numbers at a time (the last ones may overlap those before): no call to `memcpy`, no scalar tail.
///
/// # Panics
/// If `to` is shorter than `from`.
#[inline(always)]
pub fn copy_row(from: &[f32], to: &mut [f32]) {
    match from.len() {
        8.. => copy_by::<8>(from, to),
        4.. => copy_by::<4>(from, to),
        _ => copy_by::<1>(from, to),
    }
}

/// Copies a row of at least `N` numbers (or none), `N` at a time.
#[inline(always)]
fn copy_by<const N: usize>(from: &[f32], to: &mut [f32]) {
    let width = from.len();
    assert!(width <= to.len(), "a row of {width} numbers for one of {}", to.len());
    let (from, to) = (from.as_ptr(), to.as_mut_ptr());
    let mut at = 0;
    while at < width {
        let start = at.min(width.saturating_sub(N));
        // SAFETY: `start + N` is at most the width, which neither row is shorter than; the rows are borrowed apart.
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
    fn absurd_numbers_of_rows_panic_and_leave_the_tape_as_it_was() {
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
