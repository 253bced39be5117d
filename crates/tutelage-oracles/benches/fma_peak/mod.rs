//! The peak rate of one core: chains of fused multiply-adds in registers.

use std::hint::black_box;

use cpu_time::ThreadTime;
use tutelage_oracles::net::Isa;

/// Measures the multiply-add rate of this core in GFLOP/s (two operations each) for about `seconds`.
///
/// Uses the instructions of the kernels. Returns zero without AVX-512 and AVX2.
pub(crate) fn fma_peak(seconds: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    return match Isa::detect() {
        // SAFETY: the processor was just found to have AVX-512.
        Isa::Avx512 => rate(seconds, 16, |turns| unsafe { wide_chains(turns) }),
        // SAFETY: the processor was just found to have AVX2 and FMA.
        Isa::Avx2Fma => rate(seconds, 8, |turns| unsafe { chains(turns) }),
        _ => 0.0,
    };
    #[cfg(not(target_arch = "x86_64"))]
    rate(seconds, 0, |_| 0.0)
}

/// Returns the GFLOP/s of a function that takes a number of turns.
fn rate(seconds: f64, lanes: usize, chains: impl Fn(usize) -> f32) -> f64 {
    const TURNS: usize = 100_000;
    let (start, mut turns) = (ThreadTime::now(), 0);
    while start.elapsed().as_secs_f64() < seconds {
        black_box(chains(black_box(TURNS)));
        turns += TURNS;
    }
    (turns * CHAINS * lanes * 2) as f64 / start.elapsed().as_secs_f64() / 1e9
}

/// Enough independent chains to hide the latency, few enough for the registers.
const CHAINS: usize = 12;

macro_rules! chains {
    ($name:ident, $features:literal, $set:ident, $fma:ident, $add:ident, $first:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        unsafe fn $name(turns: usize) -> f32 {
            use std::arch::x86_64::{$add, $first, $fma, $set};
            let (factor, term) = ($set(0.999), $set(0.001));
            let mut sums = [$set(0.0); CHAINS];
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = $set(i as f32);
            }
            for _ in 0..turns {
                for sum in &mut sums {
                    *sum = $fma(*sum, factor, term);
                }
            }
            $first(sums[1..].iter().fold(sums[0], |total, sum| $add(total, *sum)))
        }
    };
}
chains!(chains, "avx2,fma", _mm256_set1_ps, _mm256_fmadd_ps, _mm256_add_ps, _mm256_cvtss_f32);
chains!(wide_chains, "avx512f", _mm512_set1_ps, _mm512_fmadd_ps, _mm512_add_ps, _mm512_cvtss_f32);
