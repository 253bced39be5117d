//! scratch
use std::time::Instant;
use tutelage::*;
use tutelage_oracles::mlp::*;
#[target_feature(enable = "avx2,fma")]
unsafe fn peak(n: usize) -> f32 {
    use std::arch::x86_64::*;
    unsafe {
        let mut a: [__m256; 12] = std::array::from_fn(|i| _mm256_set1_ps(i as f32));
        let b = _mm256_set1_ps(0.999);
        let c = _mm256_set1_ps(0.001);
        for _ in 0..n {
            std::hint::black_box(());
            std::arch::asm!("");
            for x in &mut a {
                *x = _mm256_fmadd_ps(*x, b, c);
            }
        }
        let mut s = a[0];
        for x in a {
            s = _mm256_add_ps(s, x);
        }
        _mm256_cvtss_f32(s)
    }
}
fn cpu() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads: usize = args[1].parse().unwrap();
    let e: usize = args[2].parse().unwrap();
    let iters: usize = args[3].parse().unwrap();
    let widths: Vec<usize> = args[4].split('-').map(|s| s.parse().unwrap()).collect();
    let rows: usize = args.get(5).map_or(1000, |s| s.parse().unwrap());
    let spaces = Spaces { states: widths[0], actions: *widths.last().unwrap() };
    let mut data = Dataset::<f32, f32>::empty(spaces);
    let mut rng = Stream::new(1).rng();
    use rand::RngExt;
    for _ in 0..rows {
        let s: Vec<f32> = (0..spaces.states).map(|_| rng.random_range(-1.0..1.0)).collect();
        let a: Vec<f32> = (0..spaces.actions).map(|j| (s[j % s.len()] * 2.0).sin()).collect();
        data.states.push(&s);
        data.actions.push(&a);
    }
    let mut set = MlpSettings::new(&widths[1..widths.len() - 1]);
    set.budget = Budget::Iterations(iters);
    let oracle = MlpOracle::new(set).unwrap();
    let w: usize = widths.windows(2).map(|p| p[0] * p[1]).sum();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut best = (0f64, f64::MAX, f64::MAX);
    for _ in 0..args.get(6).map_or(8, |s| s.parse().unwrap()) {
        let n = 8_000_000;
        let mut pk = 0f64;
        for _ in 0..3 {
            let t = cpu();
            std::hint::black_box(unsafe { peak(n) });
            pk = pk.max((n * 12 * 16) as f64 / (cpu() - t) / 1e9);
        }
        let t = Instant::now();
        let tc = cpu();
        let to = TrainOn::Bootstrap;
        let sets = TrainingSets::new(&data, &to, spaces, e, Stream::new(2)).unwrap();
        let p = pool.install(|| oracle.fit(&sets, &Stream::new(3)).unwrap());
        let wall = t.elapsed().as_secs_f64();
        let d = cpu() - tc;
        let us = d / (e * iters) as f64 * 1e6;
        best = (best.0.max(pk), best.1.min(us), best.2.min(wall / (e * iters) as f64 * 1e6));
        println!(
            "peak {pk:.1} GF; wall {:.2} cpu {us:.2} us/member-iter, {:.1} GF = {:.1}% of one core; hash {:x}",
            wall / (e * iters) as f64 * 1e6,
            (6 * w * 200) as f64 / us / 1e3,
            (6 * w * 200) as f64 / us / 1e3 / pk * 100.,
            p.parameters()
                .iter()
                .flat_map(|p| p.iter())
                .fold(0u64, |h, x| h.rotate_left(5) ^ (x.to_bits() as u64))
        );
    }
    println!(
        "BEST peak {:.1} cpu {:.2} wall {:.2} pct {:.1}",
        best.0,
        best.1,
        best.2,
        (6 * w * 200) as f64 / best.1 / 1e3 / best.0 * 100.
    );
}
