//! What one core can do at most: chains of fused multiply–adds that never leave the registers.

use std::hint::black_box;

use cpu_time::ThreadTime;

/// The rate of fused multiply–adds of this core in GFLOP/s (two operations each), over a run of about `seconds` of processor time.
///
/// Zero where there is no AVX2 with FMA to measure.
pub fn fma_peak(seconds: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        const TURNS: usize = 100_000;
        let (start, mut turns) = (ThreadTime::now(), 0);
        while start.elapsed().as_secs_f64() < seconds {
            // SAFETY: the processor was just found to have AVX2 and FMA.
            black_box(unsafe { chains(black_box(TURNS)) });
            turns += TURNS;
        }
        return (turns * CHAINS * 16) as f64 / start.elapsed().as_secs_f64() / 1e9;
    }
    let _ = (black_box(seconds), ThreadTime::now());
    0.0
}

/// Enough independent chains to hide the latency of an addition, few enough for the registers.
#[cfg(target_arch = "x86_64")]
const CHAINS: usize = 12;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn chains(turns: usize) -> f32 {
    use std::arch::x86_64::{_mm256_add_ps, _mm256_cvtss_f32, _mm256_fmadd_ps, _mm256_set1_ps};
    let (factor, term) = (_mm256_set1_ps(0.999), _mm256_set1_ps(0.001));
    let mut sums = [_mm256_set1_ps(0.0); CHAINS];
    for (i, sum) in sums.iter_mut().enumerate() {
        *sum = _mm256_set1_ps(i as f32);
    }
    for _ in 0..turns {
        for sum in &mut sums {
            *sum = _mm256_fmadd_ps(*sum, factor, term);
        }
    }
    let mut total = sums[0];
    for sum in &sums[1..] {
        total = _mm256_add_ps(total, *sum);
    }
    _mm256_cvtss_f32(total)
}
