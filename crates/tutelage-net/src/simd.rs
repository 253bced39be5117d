//! Vectors of 8 or 16 `f32`: kernels are generic and compiled once per instruction set.

use crate::LANES;

/// Arithmetic on the lanes of a vector.
///
/// All methods are `#[inline(always)]`, so that a kernel is compiled with the instructions of the
/// function through which [`run`] enters it. Operations never mix lanes, so that a kernel gives the
/// same bits with 8 and with 16 lanes.
///
/// # Safety
/// `load` and `store` need `LANES` readable (writable) numbers at the pointer; no alignment is
/// required. Call the methods only on a CPU with these instructions, which [`run`] ensures.
pub(crate) trait Simd: Copy {
    /// One vector.
    type V: Copy;
    /// Vectors of eight lanes, for rows that end in half a vector of sixteen.
    type Eight: EightLanes;

    /// Lanes of a vector: 8 or 16.
    const LANES: usize;
    /// The most rows of tiles that are one and two vectors wide, limited by the registers; at most 14.
    const TILE_ROWS: [usize; 2];

    /// Runs `kernel` in a separate function that is compiled with these instructions.
    ///
    /// # Safety
    /// The CPU must have the instructions.
    unsafe fn enter<K: SimdKernel>(kernel: K) -> K::Output;

    unsafe fn load(at: *const f32) -> Self::V;
    unsafe fn store(at: *mut f32, v: Self::V);
    fn splat(x: f32) -> Self::V;
    fn add(a: Self::V, b: Self::V) -> Self::V;
    fn sub(a: Self::V, b: Self::V) -> Self::V;
    fn mul(a: Self::V, b: Self::V) -> Self::V;
    fn div(a: Self::V, b: Self::V) -> Self::V;
    fn sqrt(a: Self::V) -> Self::V;
    /// Returns the smaller number; `b` if either is NaN.
    fn min(a: Self::V, b: Self::V) -> Self::V;
    /// Returns the larger number; `b` if either is NaN.
    fn max(a: Self::V, b: Self::V) -> Self::V;
    /// `a·b + c`, rounded once if the CPU has a fused instruction.
    fn fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `c − a·b`, rounded once if the CPU has a fused instruction.
    fn fnma(a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Returns `x` if `|z| ≤ 1`, otherwise zero.
    fn keep_inside(z: Self::V, x: Self::V) -> Self::V;
    /// Forces the compiler to compute `x` here instead of later, so that it stays in a register.
    #[inline(always)]
    fn settled(x: Self::V) -> Self::V {
        x
    }
}

/// Operations on vectors of eight lanes only.
pub(crate) trait EightLanes: Simd {
    /// Transposes an 8 × 8 block.
    fn transpose(rows: [Self::V; LANES]) -> [Self::V; LANES];
}

/// A computation that can be compiled for any instruction set.
pub(crate) trait SimdKernel {
    /// The result.
    type Output;

    /// The computation; implementations are `#[inline(always)]`.
    fn run<S: Simd>(self) -> Self::Output;
}

/// An operation on every number of several arrays of the same length.
pub(crate) trait Elementwise: Copy {
    /// Processes one vector at index `i`; implementations are `#[inline(always)]`.
    ///
    /// # Safety
    /// The arrays must have a whole vector at `i`.
    unsafe fn at<S: Simd>(self, i: usize);
}

/// Processes `len` numbers, a multiple of eight.
///
/// # Safety
/// Each array must have at least `len` numbers.
#[inline(always)]
pub(crate) unsafe fn every_vector<S: Simd>(len: usize, work: impl Elementwise) {
    let whole = len / S::LANES * S::LANES;
    // SAFETY: forwarded to the caller; a multiple of eight leaves at most one vector of eight.
    unsafe {
        for i in (0..whole).step_by(S::LANES) {
            work.at::<S>(i);
        }
        for i in (whole..len).step_by(LANES) {
            work.at::<S::Eight>(i);
        }
    }
}

/// The instruction set of the kernels, from the slowest to the fastest.
///
/// AVX-512 gives the same bits as AVX2: it computes more columns at a time, each with the same sums in
/// the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// The compiler's baseline (SSE2 on x86-64, NEON on aarch64).
    Portable,
    /// AVX2 with fused multiply-add.
    Avx2Fma,
    /// AVX-512; bit-identical to [`Avx2Fma`](Self::Avx2Fma).
    Avx512,
}

impl Isa {
    /// Returns the best instruction set of this CPU.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx2") && has!("fma") {
                return if has!("avx512f") && has!("avx512vl") {
                    Self::Avx512
                } else {
                    Self::Avx2Fma
                };
            }
        }
        Self::Portable
    }

    /// Returns all instruction sets of this CPU, the slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Portable, Self::Avx2Fma, Self::Avx512].into_iter().filter(|isa| isa.is_available())
    }

    /// Returns whether this CPU has it.
    pub fn is_available(self) -> bool {
        self <= Self::detect()
    }

    /// Describes how numbers are rounded. Instruction sets with equal descriptions give equal bits.
    ///
    /// The text is stored in records and must not change.
    pub fn rounding(self) -> &'static str {
        match self {
            Self::Portable => "portable instructions",
            Self::Avx2Fma | Self::Avx512 => "fused multiply-adds of x86-64",
        }
    }
}

/// Runs `kernel` with `isa`, or with the best available instruction set if the CPU lacks it.
pub(crate) fn run<K: SimdKernel>(isa: Isa, kernel: K) -> K::Output {
    // SAFETY of every block below: `detect` found the instructions; every CPU has the baseline.
    #[allow(clippy::undocumented_unsafe_blocks)]
    match isa.min(Isa::detect()) {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { x86::Zmm::enter(kernel) },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2Fma => unsafe { x86::Ymm::enter(kernel) },
        _ => unsafe { Portable::enter(kernel) },
    }
}

/// Plain arrays, which the compiler vectorizes.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

#[inline(always)]
fn map2(a: [f32; LANES], b: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

/// `a·b + c`; fused only if that is one instruction, because otherwise `mul_add` is a slow call.
#[inline(always)]
fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

impl Simd for Portable {
    type V = [f32; LANES];
    type Eight = Self;
    const LANES: usize = LANES;
    const TILE_ROWS: [usize; 2] = [10, 6];

    #[inline(never)]
    unsafe fn enter<K: SimdKernel>(kernel: K) -> K::Output {
        kernel.run::<Self>()
    }
    #[inline(always)]
    unsafe fn load(at: *const f32) -> Self::V {
        // SAFETY: the caller ensures eight readable numbers.
        unsafe { at.cast::<Self::V>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(at: *mut f32, v: Self::V) {
        // SAFETY: the caller ensures eight writable numbers.
        unsafe { at.cast::<Self::V>().write_unaligned(v) };
    }
    #[inline(always)]
    fn splat(x: f32) -> Self::V {
        [x; LANES]
    }
    #[inline(always)]
    fn add(a: Self::V, b: Self::V) -> Self::V {
        map2(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(a: Self::V, b: Self::V) -> Self::V {
        map2(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(a: Self::V, b: Self::V) -> Self::V {
        map2(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(a: Self::V, b: Self::V) -> Self::V {
        map2(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(a: Self::V) -> Self::V {
        a.map(f32::sqrt)
    }
    #[inline(always)]
    fn min(a: Self::V, b: Self::V) -> Self::V {
        map2(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(a: Self::V, b: Self::V) -> Self::V {
        map2(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn fma(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        std::array::from_fn(|i| multiply_add(a[i], b[i], c[i]))
    }
    #[inline(always)]
    fn fnma(a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        std::array::from_fn(|i| multiply_add(-a[i], b[i], c[i]))
    }
    #[inline(always)]
    fn keep_inside(z: Self::V, x: Self::V) -> Self::V {
        map2(z, x, |z, x| if z.abs() <= 1.0 { x } else { 0.0 })
    }
}

impl EightLanes for Portable {
    #[inline(always)]
    fn transpose(rows: [Self::V; LANES]) -> [Self::V; LANES] {
        std::array::from_fn(|j| std::array::from_fn(|i| rows[i][j]))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::*;

    use super::{EightLanes, Simd, SimdKernel};

    /// One `ymm` register.
    #[derive(Clone, Copy)]
    pub(crate) struct Ymm;

    // SAFETY of every block below: `run` enters this implementation only on CPUs with AVX2 and FMA.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl Simd for Ymm {
        type V = __m256;
        type Eight = Self;
        const LANES: usize = 8;
        /// Twelve sums, two vectors of `B` and a broadcast fill the sixteen registers.
        const TILE_ROWS: [usize; 2] = [10, 6];

        #[inline(never)]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn enter<K: SimdKernel>(kernel: K) -> K::Output {
            kernel.run::<Self>()
        }
        #[inline(always)]
        unsafe fn load(at: *const f32) -> __m256 {
            unsafe { _mm256_loadu_ps(at) }
        }
        #[inline(always)]
        unsafe fn store(at: *mut f32, v: __m256) {
            unsafe { _mm256_storeu_ps(at, v) }
        }
        #[inline(always)]
        fn splat(x: f32) -> __m256 {
            unsafe { _mm256_set1_ps(x) }
        }
        #[inline(always)]
        fn add(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_add_ps(a, b) }
        }
        #[inline(always)]
        fn sub(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_sub_ps(a, b) }
        }
        #[inline(always)]
        fn mul(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_mul_ps(a, b) }
        }
        #[inline(always)]
        fn div(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_div_ps(a, b) }
        }
        #[inline(always)]
        fn sqrt(a: __m256) -> __m256 {
            unsafe { _mm256_sqrt_ps(a) }
        }
        #[inline(always)]
        fn min(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_min_ps(a, b) }
        }
        #[inline(always)]
        fn max(a: __m256, b: __m256) -> __m256 {
            unsafe { _mm256_max_ps(a, b) }
        }
        #[inline(always)]
        fn fma(a: __m256, b: __m256, c: __m256) -> __m256 {
            unsafe { _mm256_fmadd_ps(a, b, c) }
        }
        #[inline(always)]
        fn fnma(a: __m256, b: __m256, c: __m256) -> __m256 {
            unsafe { _mm256_fnmadd_ps(a, b, c) }
        }
        #[inline(always)]
        fn keep_inside(z: __m256, x: __m256) -> __m256 {
            unsafe {
                let magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0), z);
                _mm256_and_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(magnitude, _mm256_set1_ps(1.0)), x)
            }
        }
    }

    // SAFETY of every block below: as above.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl EightLanes for Ymm {
        #[inline(always)]
        fn transpose(rows: [__m256; 8]) -> [__m256; 8] {
            let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
            unsafe {
                // Interleave pairs of rows, then groups of four within each half, then exchange the halves.
                let (a0, a1) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
                let (a2, a3) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
                let (a4, a5) = (_mm256_unpacklo_ps(r4, r5), _mm256_unpackhi_ps(r4, r5));
                let (a6, a7) = (_mm256_unpacklo_ps(r6, r7), _mm256_unpackhi_ps(r6, r7));
                let (b0, b1) =
                    (_mm256_shuffle_ps::<0x44>(a0, a2), _mm256_shuffle_ps::<0xee>(a0, a2));
                let (b2, b3) =
                    (_mm256_shuffle_ps::<0x44>(a1, a3), _mm256_shuffle_ps::<0xee>(a1, a3));
                let (b4, b5) =
                    (_mm256_shuffle_ps::<0x44>(a4, a6), _mm256_shuffle_ps::<0xee>(a4, a6));
                let (b6, b7) =
                    (_mm256_shuffle_ps::<0x44>(a5, a7), _mm256_shuffle_ps::<0xee>(a5, a7));
                [
                    _mm256_permute2f128_ps::<0x20>(b0, b4),
                    _mm256_permute2f128_ps::<0x20>(b1, b5),
                    _mm256_permute2f128_ps::<0x20>(b2, b6),
                    _mm256_permute2f128_ps::<0x20>(b3, b7),
                    _mm256_permute2f128_ps::<0x31>(b0, b4),
                    _mm256_permute2f128_ps::<0x31>(b1, b5),
                    _mm256_permute2f128_ps::<0x31>(b2, b6),
                    _mm256_permute2f128_ps::<0x31>(b3, b7),
                ]
            }
        }
    }
    /// One `zmm` register.
    #[derive(Clone, Copy)]
    pub(crate) struct Zmm;

    // SAFETY of every block below: `run` enters this implementation only on CPUs with AVX-512.
    #[allow(clippy::undocumented_unsafe_blocks)]
    impl Simd for Zmm {
        type V = __m512;
        type Eight = Ymm;
        const LANES: usize = 16;
        /// Twenty-eight sums, two vectors of `B` and a broadcast fill 31 of the 32 registers.
        const TILE_ROWS: [usize; 2] = [14, 14];

        #[inline(never)]
        #[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
        unsafe fn enter<K: SimdKernel>(kernel: K) -> K::Output {
            kernel.run::<Self>()
        }
        #[inline(always)]
        unsafe fn load(at: *const f32) -> __m512 {
            unsafe { _mm512_loadu_ps(at) }
        }
        #[inline(always)]
        unsafe fn store(at: *mut f32, v: __m512) {
            unsafe { _mm512_storeu_ps(at, v) }
        }
        #[inline(always)]
        fn splat(x: f32) -> __m512 {
            unsafe { _mm512_set1_ps(x) }
        }
        #[inline(always)]
        fn add(a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_add_ps(a, b) }
        }
        #[inline(always)]
        fn sub(a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_sub_ps(a, b) }
        }
        #[inline(always)]
        fn mul(a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_mul_ps(a, b) }
        }
        #[inline(always)]
        fn div(a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_div_ps(a, b) }
        }
        #[inline(always)]
        fn sqrt(a: __m512) -> __m512 {
            unsafe { _mm512_sqrt_ps(a) }
        }
        #[inline(always)]
        fn min(a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_min_ps(a, b) }
        }
        #[inline(always)]
        fn max(a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_max_ps(a, b) }
        }
        #[inline(always)]
        fn fma(a: __m512, b: __m512, c: __m512) -> __m512 {
            unsafe { _mm512_fmadd_ps(a, b, c) }
        }
        #[inline(always)]
        fn fnma(a: __m512, b: __m512, c: __m512) -> __m512 {
            unsafe { _mm512_fnmadd_ps(a, b, c) }
        }
        #[inline(always)]
        fn keep_inside(z: __m512, x: __m512) -> __m512 {
            unsafe {
                let inside =
                    _mm512_cmp_ps_mask::<_CMP_LE_OQ>(_mm512_abs_ps(z), _mm512_set1_ps(1.0));
                _mm512_maskz_mov_ps(inside, x)
            }
        }
        #[inline(always)]
        fn settled(x: __m512) -> __m512 {
            unsafe { in_register(x) }
        }
    }

    /// Returns `x` through an empty assembly block, which the compiler cannot move or remove.
    ///
    /// Without it, LLVM delays multiplications until sums spill to the stack (see docs/KERNELS.md).
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn in_register(mut x: __m512) -> __m512 {
        // SAFETY: the block is empty.
        unsafe {
            asm!("/* {0} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags));
        }
        x
    }
}
