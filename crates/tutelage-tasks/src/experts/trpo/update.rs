//! The trust-region step (Schulman, Levine, Moritz, Jordan & Abbeel 2015).
//!
//! max_θ L(θ) = E[π_θ(a|s)/π_old(a|s) · A] + c·H(π_θ) subject to E[KL(π_old ‖ π_θ)] ≤ δ: a step along
//! F⁻¹∇L of the length that the quadratic model of the KL allows, then shrunk until the measured KL
//! is below δ and L improves.

use super::blocks::Blocks;
use super::cg::{conjugate_gradient, dot};
use crate::experts::GaussianPolicy;
use tutelage::Batch;

/// The size and accuracy of an update.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrustRegion {
    /// δ, the maximum mean KL divergence from the old policy.
    pub max_kl: f64,
    /// The Fisher–vector products of conjugate gradient.
    pub cg_iterations: usize,
    /// The number added to the diagonal of the Fisher matrix.
    pub cg_damping: f32,
    /// The Fisher matrix averages over every n-th state.
    pub fisher_stride: usize,
    /// The maximum number of step lengths to try.
    pub shrinks: usize,
    /// The factor between step lengths.
    pub shrink: f64,
    /// c, the weight of the entropy.
    pub entropy: f64,
    /// The minimum of log σ.
    pub min_log_std: f32,
}

impl TrustRegion {
    pub(crate) const DEFAULT: Self = Self {
        max_kl: 0.02,
        cg_iterations: 15,
        cg_damping: 0.1,
        fisher_stride: 4,
        shrinks: 10,
        shrink: 0.8,
        entropy: 0.0,
        min_log_std: -1.6,
    };
}

/// States, actions and their advantages.
pub(crate) struct Samples {
    pub(crate) states: Batch<f32>,
    pub(crate) actions: Batch<f32>,
    pub(crate) advantages: Vec<f32>,
}

/// The result of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Update {
    /// Mean KL(π_old ‖ π_new); 0 if no step improves the policy.
    pub(crate) kl: f64,
    /// L(new) − L(old).
    pub(crate) improvement: f64,
}

/// Moves the policy by a trust-region step, or keeps it if no step improves it.
pub(crate) fn update(
    policy: &mut GaussianPolicy,
    samples: &Samples,
    region: &TrustRegion,
) -> Update {
    let old = policy.clone();
    let mut rows = Blocks::new(old.network(), &samples.states, 1);
    rows.forward(old.params());
    let means = rows.outputs();
    let gradient = surrogate_gradient(&old, &mut rows, samples, region.entropy);
    let mut fisher = Fisher::new(&old, &samples.states, region.fisher_stride, region.cg_damping);
    let direction =
        conjugate_gradient(|v, fv| fisher.multiply(v, fv), &gradient, region.cg_iterations);
    let mut image = vec![0.0; direction.len()];
    fisher.multiply(&direction, &mut image);
    let curvature = dot(&direction, &image);
    if !(curvature.is_finite() && curvature > 0.0) {
        return Update::default();
    }

    let from = old.flat();
    let longest = (2.0 * region.max_kl / curvature).sqrt();
    for shrinks in 0..region.shrinks {
        let length = (longest * region.shrink.powi(shrinks as i32)) as f32;
        let mut to: Vec<f32> = from.iter().zip(&direction).map(|(p, d)| p + length * d).collect();
        let spreads = old.params().len();
        to[spreads..].iter_mut().for_each(|log_std| *log_std = log_std.max(region.min_log_std));
        policy.set_flat(&to);
        rows.forward(policy.params());
        let made = compare(&old, policy, &means, &rows, samples, region.entropy);
        if made.kl <= region.max_kl && made.improvement > 0.0 {
            return made;
        }
    }
    *policy = old;
    Update::default()
}

/// ∇L at the old policy, where every ratio is one: for the mean A (a − μ)/σ², for log σ A ((a −
/// μ)²/σ² − 1) + c.
fn surrogate_gradient(
    policy: &GaussianPolicy,
    rows: &mut Blocks<'_>,
    samples: &Samples,
    entropy: f64,
) -> Vec<f32> {
    let count = rows.rows() as f32;
    let precision = precisions(policy);
    let mut gradient = vec![0.0; policy.params().len() + precision.len()];
    let (of_mean, of_log_std) = gradient.split_at_mut(policy.params().len());
    rows.gradient(
        policy.params(),
        |i, mean, delta| {
            let weight = samples.advantages[i] / count;
            for (j, delta) in delta.iter_mut().enumerate() {
                *delta = weight * (samples.actions.row(i)[j] - mean[j]) * precision[j];
            }
        },
        of_mean,
    );
    for (j, of_log_std) in of_log_std.iter_mut().enumerate() {
        let [sum] = rows.sum(|i, mean| {
            let apart = f64::from(samples.actions.row(i)[j] - mean[j]);
            let surprise = apart * apart * f64::from(precision[j]) - 1.0;
            [f64::from(samples.advantages[i]) * surprise]
        });
        *of_log_std = (sum / f64::from(count) + entropy) as f32;
    }
    gradient
}

/// Computes the mean KL and the improvement of L from the old policy to the new one, whose means
/// are on the tapes of `rows`.
fn compare(
    old: &GaussianPolicy,
    new: &GaussianPolicy,
    old_means: &Batch<f32>,
    rows: &Blocks<'_>,
    samples: &Samples,
    entropy: f64,
) -> Update {
    let [kl, gain] = rows.sum(|i, mean| {
        let (before, action) = (old_means.row(i), samples.actions.row(i));
        let ratio = (new.log_density(mean, action) - old.log_density(before, action)).exp();
        [kl(old, before, new, mean), (ratio - 1.0) * f64::from(samples.advantages[i])]
    });
    let count = rows.rows() as f64;
    let improvement = gain / count + entropy * (new.entropy() - old.entropy());
    Update { kl: kl / count, improvement }
}

/// KL(N(μ, σ²) ‖ N(μ′, σ′²)) = Σⱼ log σ′ⱼ/σⱼ + (σⱼ² + (μⱼ − μ′ⱼ)²) / 2σ′ⱼ² − ½.
fn kl(old: &GaussianPolicy, mean: &[f32], new: &GaussianPolicy, new_mean: &[f32]) -> f64 {
    let spreads = old.log_std().iter().zip(new.log_std());
    let coordinate = |((mean, new_mean), (old, new)): ((&f32, &f32), (&f32, &f32))| {
        let (old, new) = (f64::from(*old), f64::from(*new));
        let square = (2.0 * old).exp() + f64::from(mean - new_mean).powi(2);
        new - old + 0.5 * square * (-2.0 * new).exp() - 0.5
    };
    mean.iter().zip(new_mean).zip(spreads).map(coordinate).sum()
}

fn precisions(policy: &GaussianPolicy) -> Vec<f32> {
    policy.log_std().iter().map(|log_std| (-2.0 * log_std).exp()).collect()
}

/// F + damping·I, where F is the Hessian at θ = θ_old of the mean KL(π_old ‖ π_θ).
///
/// For a Gaussian, F is block diagonal: Jᵀ diag(1/σ²) J averaged over states for the parameters of
/// the mean, and 2 for each log σ.
pub(crate) struct Fisher<'a> {
    policy: &'a GaussianPolicy,
    rows: Blocks<'a>,
    scale: Vec<f32>,
    damping: f32,
}

impl<'a> Fisher<'a> {
    pub(crate) fn new(
        policy: &'a GaussianPolicy,
        states: &Batch<f32>,
        stride: usize,
        damping: f32,
    ) -> Self {
        let mut rows = Blocks::new(policy.network(), states, stride);
        rows.forward(policy.params());
        let count = rows.rows() as f32;
        let scale = precisions(policy).iter().map(|precision| precision / count).collect();
        Self { policy, rows, scale, damping }
    }

    /// `product` = (F + damping·I) v.
    pub(crate) fn multiply(&mut self, v: &[f32], product: &mut [f32]) {
        let params = self.policy.params();
        let (mean, log_std) = product.split_at_mut(params.len());
        self.rows.gauss_newton(params, &v[..params.len()], &self.scale, mean);
        log_std.iter_mut().zip(&v[params.len()..]).for_each(|(f, v)| *f = 2.0 * v);
        product.iter_mut().zip(v).for_each(|(f, v)| *f += self.damping * v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use tutelage::Stream;
    use tutelage_net::Network;

    const REGION: TrustRegion =
        TrustRegion { max_kl: 0.01, fisher_stride: 1, min_log_std: -3.0, ..TrustRegion::DEFAULT };

    fn draw_batch(rows: usize, width: usize, stream: Stream) -> Batch<f32> {
        let mut rng = stream.rng();
        let mut batch = Batch::zeros(rows, width);
        batch.as_mut_slice().fill_with(|| rng.random_range(-1.5..1.5));
        batch
    }

    fn policy(widths: &[usize]) -> GaussianPolicy {
        let network = Network::new(widths).unwrap();
        let params = network.layout().orthogonal(1.4, 1.0, &mut Stream::new(3).rng());
        let log_std = (0..network.layout().outputs()).map(|j| -0.3 - 0.4 * j as f32).collect();
        GaussianPolicy::new(network, params, log_std)
    }

    fn double(policy: &GaussianPolicy) -> Vec<f64> {
        policy.flat().into_iter().map(f64::from).collect()
    }

    /// Means of a network in double precision.
    fn mean(policy: &GaussianPolicy, flat: &[f64], state: &[f32]) -> Vec<f64> {
        let layers = policy.network().layout().layers();
        let mut x: Vec<f64> = state.iter().map(|&x| f64::from(x)).collect();
        for (l, layer) in layers.iter().enumerate() {
            let z = |j: usize| {
                let weight = |i: usize| flat[layer.weights.start + i * layer.stride + j];
                flat[layer.bias.start + j]
                    + x.iter().enumerate().map(|(i, x)| x * weight(i)).sum::<f64>()
            };
            let z: Vec<f64> = (0..layer.outputs).map(z).collect();
            x = if l + 1 < layers.len() { z.iter().map(|z| z.tanh()).collect() } else { z };
        }
        x
    }

    /// The mean KL from the policy to the one with parameters `to`, in double precision.
    fn mean_kl(policy: &GaussianPolicy, to: &[f64], states: &Batch<f32>) -> f64 {
        let from = double(policy);
        let spreads = policy.params().len();
        let of = |state: &[f32]| -> f64 {
            let (a, b) = (mean(policy, &from, state), mean(policy, to, state));
            let coordinate = |j: usize| {
                let (old, new) = (from[spreads + j], to[spreads + j]);
                let square = (2.0 * old).exp() + (a[j] - b[j]).powi(2);
                new - old + 0.5 * square / (2.0 * new).exp() - 0.5
            };
            (0..a.len()).map(coordinate).sum()
        };
        states.rows().map(of).sum::<f64>() / states.len() as f64
    }

    #[test]
    fn fisher_product_is_the_hessian_of_the_kl() {
        let policy = policy(&[3, 4, 2]);
        let states = draw_batch(11, 3, Stream::new(5));
        let from = double(&policy);
        let layers = policy.network().layout().layers();
        let real = |p: usize| {
            p >= policy.params().len()
                || layers.iter().any(|l| {
                    let within = |r: &std::ops::Range<usize>| {
                        r.contains(&p) && (p - r.start) % l.stride < l.outputs
                    };
                    within(&l.weights) || within(&l.bias)
                })
        };
        let params: Vec<usize> = (0..from.len()).filter(|&p| real(p)).collect();
        let mut fisher = Fisher::new(&policy, &states, 1, 0.0);
        let mut column = vec![0.0; from.len()];
        let h = 1e-3;
        for &j in &params {
            let mut unit = vec![0.0; from.len()];
            unit[j] = 1.0;
            fisher.multiply(&unit, &mut column);
            for &i in &params {
                let at = |a: f64, b: f64| {
                    let mut to = from.clone();
                    to[i] += a * h;
                    to[j] += b * h;
                    mean_kl(&policy, &to, &states)
                };
                let expected =
                    (at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * h * h);
                let found = f64::from(column[i]);
                assert!(
                    (found - expected).abs() < 2e-4 * (1.0 + expected.abs()),
                    "F[{i}][{j}] = {found}, expected {expected}"
                );
            }
        }
    }

    #[test]
    fn fisher_averages_over_blocks_and_strides() {
        // 1200 equal rows are three blocks; their average is that of a single row.
        let policy = policy(&[3, 4, 2]);
        let one = draw_batch(1, 3, Stream::new(5));
        let mut many = Batch::new(3);
        (0..1200).for_each(|_| many.push(one.row(0)));
        let v: Vec<f32> = (0..policy.flat().len()).map(|i| ((i * 7) % 5) as f32 - 2.0).collect();
        let multiply = |states: &Batch<f32>, stride| {
            let mut product = vec![0.0; v.len()];
            Fisher::new(&policy, states, stride, 0.1).multiply(&v, &mut product);
            product
        };
        let expected = multiply(&one, 1);
        for stride in [1, 2, 7] {
            for (found, expected) in multiply(&many, stride).iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()));
            }
        }
    }

    /// Samples from the policy whose advantages prefer large first coordinates.
    fn samples(policy: &GaussianPolicy, stream: Stream) -> Samples {
        let states = draw_batch(1300, policy.network().layout().inputs(), stream.fork("states", 0));
        let mut rows = Blocks::new(policy.network(), &states, 1);
        rows.forward(policy.params());
        let mut actions = rows.outputs();
        let mut rng = stream.fork("noise", 0).rng();
        (0..states.len()).for_each(|i| policy.add_noise(actions.row_mut(i), &mut rng));
        let advantages: Vec<f32> = actions.rows().map(|a| a[0] - 0.3 * a[1] * a[1]).collect();
        let mean = advantages.iter().sum::<f32>() / advantages.len() as f32;
        let advantages = advantages.iter().map(|a| a - mean).collect();
        Samples { states, actions, advantages }
    }

    #[test]
    fn updates_improve_within_the_kl_bound() {
        let mut policy = policy(&[5, 16, 16, 2]);
        for (round, max_kl) in [0.01, 0.001, 0.05, 0.01].into_iter().enumerate() {
            let samples = samples(&policy, Stream::new(round as u64));
            let before = policy.clone();
            let made = update(&mut policy, &samples, &TrustRegion { max_kl, ..REGION });
            let kl = mean_kl(&before, &double(&policy), &samples.states);
            assert!(kl > 0.3 * max_kl && kl <= 1.001 * max_kl, "round {round}: {kl} of {max_kl}");
            assert!((kl - made.kl).abs() < 1e-3 * kl, "{kl} {made:?}");
            assert!(made.improvement > 0.0);
        }
    }

    #[test]
    fn policy_that_cannot_improve_is_kept() {
        let mut policy = policy(&[5, 16, 2]);
        let mut samples = samples(&policy, Stream::new(1));
        samples.advantages.fill(0.0);
        let before = policy.clone();
        assert_eq!(update(&mut policy, &samples, &REGION), Update::default());
        assert_eq!(policy, before);
    }

    #[test]
    fn log_std_stays_above_its_minimum() {
        let mut policy = policy(&[5, 16, 2]);
        let mut samples = samples(&policy, Stream::new(2));
        // Actions near the mean are good, so σ shrinks.
        samples.advantages = vec![1.0; samples.states.len()];
        let mut rows = Blocks::new(policy.network(), &samples.states, 1);
        rows.forward(policy.params());
        samples.actions = rows.outputs();
        let floor = policy.log_std()[1] - 0.01;
        update(&mut policy, &samples, &TrustRegion { min_log_std: floor, ..REGION });
        assert_eq!(policy.log_std()[1], floor);
    }

    #[test]
    fn updates_do_not_depend_on_the_number_of_threads() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut policy = policy(&[5, 16, 16, 2]);
                let samples = samples(&policy, Stream::new(8));
                update(&mut policy, &samples, &REGION);
                policy
            })
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(3));
    }
}
