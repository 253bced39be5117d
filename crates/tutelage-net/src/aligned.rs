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

    /// Grows to at least `len` numbers; new numbers are zero. Never shrinks.
    pub fn reserve_len(&mut self, len: usize) {
        if len > self.len {
            self.lines.resize(len.div_ceil(LINE), CacheLine([0.0; LINE]));
            self.len = len;
        }
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
    fn is_aligned_and_keeps_its_content_when_it_grows() {
        let mut v = AlignedVec::zeros(5);
        v.copy_from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        v.reserve_len(40);
        assert_eq!(v.as_ptr() as usize % 64, 0);
        assert_eq!((v.len(), &v[..6]), (40, &[1.0, 2.0, 3.0, 4.0, 5.0, 0.0][..]));
        v.reserve_len(3);
        assert_eq!(v.len(), 40);
    }
}
