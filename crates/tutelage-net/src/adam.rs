//! Adam on a flat vector (Kingma & Ba 2015, Algorithm 1).

use crate::simd::{Elementwise, Isa, Simd, SimdKernel, every_vector, run};
use crate::{AlignedVec, LANES};

/// Step size and decay rates of [`Adam`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamSettings {
    /// Step size `α`.
    pub learning_rate: f64,
    /// Decay `β₁` of the first moment.
    pub beta1: f64,
    /// Decay `β₂` of the second moment.
    pub beta2: f64,
    /// `ε`, added to the root of the second moment.
    pub epsilon: f64,
}

impl Default for AdamSettings {
    /// The settings of the imitation oracles: `α = 2.5e-4`, `β = (0.9, 0.999)`, `ε = 1e-8`.
    fn default() -> Self {
        Self { learning_rate: 2.5e-4, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

/// The state of the optimizer for one parameter vector.
#[derive(Debug, Clone)]
pub struct Adam {
    settings: AdamSettings,
    steps: u64,
    mean: AlignedVec,
    square: AlignedVec,
    isa: Isa,
}

impl Adam {
    /// Creates an optimizer for `len` parameters, the length of a [`Layout`](crate::Layout).
    pub fn new(settings: AdamSettings, len: usize, isa: Isa) -> Self {
        Self {
            settings,
            steps: 0,
            mean: AlignedVec::zeros(len),
            square: AlignedVec::zeros(len),
            isa,
        }
    }

    /// Returns the number of steps so far, `m` and `v`.
    pub fn state(&self) -> (u64, &[f32], &[f32]) {
        (self.steps, &self.mean, &self.square)
    }

    /// Restores a [`state`](Self::state), so that optimization resumes from it.
    pub fn restore(&mut self, steps: u64, mean: &[f32], square: &[f32]) {
        self.steps = steps;
        self.mean.copy_from_slice(mean);
        self.square.copy_from_slice(square);
    }

    /// Takes one step along the gradient `g = Σ_p parts_p`, and sets the parts to zero:
    /// `m ← β₁m + (1−β₁)g`, `v ← β₂v + (1−β₂)g²`, `θ ← θ − α/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε)`.
    ///
    /// The gradient has parts because different threads may compute halves of a minibatch. They are
    /// always added in the given order, so threads do not change the bits.
    pub fn step<const P: usize>(&mut self, params: &mut [f32], parts: [&mut [f32]; P]) {
        let len = self.mean.len();
        assert!(
            params.len() == len
                && parts.iter().all(|g| g.len() == len)
                && len.is_multiple_of(LANES),
            "lengths of an Adam step"
        );
        self.steps += 1;
        let AdamSettings { learning_rate, beta1, beta2, epsilon } = self.settings;
        let t = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let factors = Factors {
            beta: [beta1 as f32, beta2 as f32],
            gamma: [(1.0 - beta1) as f32, (1.0 - beta2) as f32],
            rate: (learning_rate / (1.0 - beta1.powi(t))) as f32,
            root_scale: (1.0 / (1.0 - beta2.powi(t)).sqrt()) as f32,
            epsilon: epsilon as f32,
        };
        let kernel = AdamStep {
            len,
            params: params.as_mut_ptr(),
            parts: parts.map(<[f32]>::as_mut_ptr),
            mean: self.mean.as_mut_ptr(),
            square: self.square.as_mut_ptr(),
            factors,
        };
        run(self.isa, kernel);
    }
}

/// The constants of a step, the same for all parameters.
#[derive(Clone, Copy)]
struct Factors {
    beta: [f32; 2],
    /// `1 − β`.
    gamma: [f32; 2],
    rate: f32,
    root_scale: f32,
    epsilon: f32,
}

/// Pointers to `len` numbers each, a multiple of eight, that are valid and borrowed for the step.
#[derive(Clone, Copy)]
struct AdamStep<const P: usize> {
    len: usize,
    params: *mut f32,
    parts: [*mut f32; P],
    mean: *mut f32,
    square: *mut f32,
    factors: Factors,
}

impl<const P: usize> SimdKernel for AdamStep<P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        // SAFETY: all vectors have this length, a multiple of eight (checked in `Adam::step`).
        unsafe { every_vector::<S>(self.len, self) };
    }
}

impl<const P: usize> Elementwise for AdamStep<P> {
    #[inline(always)]
    unsafe fn at<S: Simd>(self, i: usize) {
        let Factors { beta, gamma, rate, root_scale, epsilon } = self.factors;
        let ([beta1, beta2], [gamma1, gamma2]) = (beta.map(S::splat), gamma.map(S::splat));
        let [rate, root_scale, epsilon] = [rate, root_scale, epsilon].map(S::splat);
        // SAFETY: forwarded to the caller.
        unsafe {
            // Reading and zeroing the parts in one pass saves a pass over memory per step.
            let mut g = S::splat(0.0);
            for part in self.parts {
                g = S::add(g, S::load(part.add(i)));
                S::store(part.add(i), S::splat(0.0));
            }
            let mean = S::fma(beta1, S::load(self.mean.add(i)), S::mul(gamma1, g));
            let square = S::load(self.square.add(i));
            let square = S::fma(beta2, square, S::mul(S::mul(gamma2, g), g));
            S::store(self.mean.add(i), mean);
            S::store(self.square.add(i), square);
            // √v/√(1−β₂ᵗ) instead of √(v/(1−β₂ᵗ)): the correction is one constant factor per step.
            let denominator = S::fma(S::sqrt(square), root_scale, epsilon);
            let params = self.params.add(i);
            S::store(params, S::fnma(rate, S::div(mean, denominator), S::load(params)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_step_has_the_size_of_the_learning_rate() {
        for isa in Isa::available() {
            let mut params = vec![1.0; 8];
            let (mut first, mut second) = (vec![0.25; 8], vec![0.25; 8]);
            first[3] = -4.0;
            first[4] = -0.25;
            Adam::new(AdamSettings::default(), 8, isa).step(&mut params, [&mut first, &mut second]);
            for (i, p) in params.iter().enumerate() {
                let expected = [1.0 - 2.5e-4, 1.0 + 2.5e-4, 1.0]
                    [usize::from(i == 3) + 2 * usize::from(i == 4)];
                assert!((p - expected).abs() < 1e-7, "{isa:?}: parameter {i} became {p}");
            }
            assert!(first.iter().chain(&second).all(|g| *g == 0.0));
        }
    }
}
