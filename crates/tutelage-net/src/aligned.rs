//! A vector of `f32` aligned to cache lines.

use std::ops::{Deref, DerefMut};

const LINE: usize = 16;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([f32; LINE]);

/// A 64-byte aligned vector of `f32` that derefs to a slice.
///
/// If row strides are multiples of eight, a vector load of eight numbers never crosses a cache line.
#[derive(Clone)]
pub struct AlignedVec {
    lines: Vec<CacheLine>,
    len: usize,
}

impl AlignedVec {
    /// Creates a vector of `len` zeros.
    pub fn zeros(len: usize) -> Self {
        Self { lines: vec![CacheLine([0.0; LINE]); len.div_ceil(LINE)], len }
    }
}

impl Deref for AlignedVec {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `lines` holds at least `len` initialised f32 in one allocation (`CacheLine` is exactly 16 of them, no padding).
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for AlignedVec {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`, and `&mut self` makes the borrow unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

impl PartialEq for AlignedVec {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for AlignedVec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_aligned() {
        for len in [1, 5, 40] {
            let zeros = AlignedVec::zeros(len);
            assert_eq!((zeros.as_ptr() as usize % 64, zeros.len()), (0, len));
        }
    }
}
