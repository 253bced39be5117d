//! Lanes of numbers: the physics is generic over [`Real`] and compiled once per instruction set.
//!
//! No implementation fuses a multiplication and an addition (FMA rounds once instead of twice), so
//! all give the same bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// One quantity in `LANES` lanes.
///
/// Everything is `#[inline(always)]`, so that the physics is compiled with the instructions of the
/// function that [`Real::enter`] calls it from. The methods of an implementation may be called only
/// on a processor that has its instructions: [`crate::InstructionSet`] checks that before a world
/// of that kind is made.
pub(crate) trait Real:
    Copy
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A boolean for each lane.
    type Mask: Copy;

    /// The number of lanes.
    const LANES: usize;

    /// Runs a kernel in a separate function that is compiled with these instructions.
    fn enter<K: Kernel>(kernel: K) -> K::Output;

    fn splat(x: f64) -> Self;
    fn lanes(&self) -> &[f64];
    fn lanes_mut(&mut self) -> &mut [f64];
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// `self > other ? self : other`, as `btMax`. Returns `other` if either is NaN, like `maxpd`.
    fn larger(self, other: Self) -> Self;
    /// `self < other ? self : other`, as `btMin`. Returns `other` if either is NaN, like `minpd`.
    fn smaller(self, other: Self) -> Self;
    fn gt(self, other: Self) -> Self::Mask;
    fn ge(self, other: Self) -> Self::Mask;
    /// `yes` in the lanes of the mask, `no` in the others.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// A mask with lane `i` set by bit `i`.
    fn mask(bits: u8) -> Self::Mask;
    /// Bit `i` is the mask's value in lane `i`.
    fn bits(mask: Self::Mask) -> u8;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// A function applied to every lane.
    #[inline(always)]
    fn map(self, function: impl Fn(f64) -> f64) -> Self {
        let mut mapped = self;
        for x in mapped.lanes_mut() {
            *x = function(*x);
        }
        mapped
    }
}

/// A computation that can be compiled for any instruction set.
pub(crate) trait Kernel {
    /// The result.
    type Output;

    /// The computation; implementations are `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

impl Real for f64 {
    type Mask = bool;
    const LANES: usize = 1;

    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn lanes(&self) -> &[f64] {
        std::slice::from_ref(self)
    }
    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [f64] {
        std::slice::from_mut(self)
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn larger(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn smaller(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn gt(self, other: f64) -> bool {
        self > other
    }
    #[inline(always)]
    fn ge(self, other: f64) -> bool {
        self >= other
    }
    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn mask(bits: u8) -> bool {
        bits & 1 != 0
    }
    #[inline(always)]
    fn bits(mask: bool) -> u8 {
        u8::from(mask)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Add, Div, Kernel, Mul, Neg, Real, Sub};
    use std::arch::x86_64::*;

    /// Four lanes in a register of AVX2.
    #[derive(Clone, Copy, Debug)]
    #[repr(transparent)]
    pub(crate) struct Avx2(__m256d);

    /// Eight lanes in a register of AVX-512.
    #[derive(Clone, Copy, Debug)]
    #[repr(transparent)]
    pub(crate) struct Avx512(__m512d);

    macro_rules! arithmetic {
        ($type:ident: $($operator:ident $method:ident $intrinsic:ident),*) => {$(
            impl $operator for $type {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: values of this type exist only on processors with these instructions.
                    $type(unsafe { $intrinsic(self.0, other.0) })
                }
            }
        )*};
    }

    arithmetic!(Avx2: Add add _mm256_add_pd, Sub sub _mm256_sub_pd, Mul mul _mm256_mul_pd, Div div _mm256_div_pd);
    arithmetic!(Avx512: Add add _mm512_add_pd, Sub sub _mm512_sub_pd, Mul mul _mm512_mul_pd, Div div _mm512_div_pd);

    impl Neg for Avx2 {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: as for the other operators. Flipping the sign bit also negates zeros and
            // NaNs, as `-x` does.
            Avx2(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
        }
    }

    impl Neg for Avx512 {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: as for the other operators.
            Avx512(unsafe { _mm512_xor_pd(self.0, _mm512_set1_pd(-0.0)) })
        }
    }

    #[target_feature(enable = "avx2")]
    fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    fn with_avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }

    // SAFETY of every block below: a world of this kind is created only if the processor has the
    // instructions, and nothing else creates values of this type.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl Real for Avx2 {
        type Mask = __m256d;
        const LANES: usize = 4;

        #[inline(always)]
        fn enter<K: Kernel>(kernel: K) -> K::Output {
            unsafe { with_avx2(kernel) }
        }
        #[inline(always)]
        fn splat(x: f64) -> Self {
            Avx2(unsafe { _mm256_set1_pd(x) })
        }
        #[inline(always)]
        fn lanes(&self) -> &[f64] {
            // A register's type has the size of four numbers, and at least their alignment.
            unsafe { &*std::ptr::from_ref(self).cast::<[f64; 4]>() }
        }
        #[inline(always)]
        fn lanes_mut(&mut self) -> &mut [f64] {
            unsafe { &mut *std::ptr::from_mut(self).cast::<[f64; 4]>() }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Avx2(unsafe { _mm256_sqrt_pd(self.0) })
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Avx2(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
        }
        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_max_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn smaller(self, other: Self) -> Self {
            Avx2(unsafe { _mm256_min_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn gt(self, other: Self) -> __m256d {
            unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn ge(self, other: Self) -> __m256d {
            unsafe { _mm256_cmp_pd::<_CMP_GE_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn select(mask: __m256d, yes: Self, no: Self) -> Self {
            Avx2(unsafe { _mm256_blendv_pd(no.0, yes.0, mask) })
        }
        #[inline(always)]
        fn mask(bits: u8) -> __m256d {
            unsafe {
                let lane_bits = _mm256_setr_epi64x(1, 2, 4, 8);
                let set = _mm256_and_si256(_mm256_set1_epi64x(i64::from(bits)), lane_bits);
                _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, lane_bits))
            }
        }
        #[inline(always)]
        fn bits(mask: __m256d) -> u8 {
            unsafe { _mm256_movemask_pd(mask) as u8 }
        }
    }

    // SAFETY of every block below: as for AVX2.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl Real for Avx512 {
        type Mask = __mmask8;
        const LANES: usize = 8;

        #[inline(always)]
        fn enter<K: Kernel>(kernel: K) -> K::Output {
            unsafe { with_avx512(kernel) }
        }
        #[inline(always)]
        fn splat(x: f64) -> Self {
            Avx512(unsafe { _mm512_set1_pd(x) })
        }
        #[inline(always)]
        fn lanes(&self) -> &[f64] {
            unsafe { &*std::ptr::from_ref(self).cast::<[f64; 8]>() }
        }
        #[inline(always)]
        fn lanes_mut(&mut self) -> &mut [f64] {
            unsafe { &mut *std::ptr::from_mut(self).cast::<[f64; 8]>() }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Avx512(unsafe { _mm512_sqrt_pd(self.0) })
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Avx512(unsafe { _mm512_abs_pd(self.0) })
        }
        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_max_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn smaller(self, other: Self) -> Self {
            Avx512(unsafe { _mm512_min_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn gt(self, other: Self) -> __mmask8 {
            unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn ge(self, other: Self) -> __mmask8 {
            unsafe { _mm512_cmp_pd_mask::<_CMP_GE_OQ>(self.0, other.0) }
        }
        #[inline(always)]
        fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
            Avx512(unsafe { _mm512_mask_blend_pd(mask, no.0, yes.0) })
        }
        #[inline(always)]
        fn mask(bits: u8) -> __mmask8 {
            bits
        }
        #[inline(always)]
        fn bits(mask: __mmask8) -> u8 {
            mask
        }
    }
}
