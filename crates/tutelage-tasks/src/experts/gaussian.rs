//! Gaussian policies: a tanh network for the mean, one σ per action coordinate.

use rand_distr::{Distribution, StandardNormal};
use tutelage::Rng;
use tutelage_net::{AlignedVec, LayoutError, Network};

/// π(a | s) = N(μ_θ(s), diag(σ²)): the mean is a tanh network, σ does not depend on the state.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianPolicy {
    network: Network,
    params: AlignedVec,
    log_std: Vec<f32>,
}

impl GaussianPolicy {
    /// Creates a policy with a mean near 0: orthogonal weights with gain √2, the last layer near zero.
    pub fn random(widths: &[usize], log_std: f32, rng: &mut Rng) -> Result<Self, LayoutError> {
        let mut policy = Self::zero(widths, log_std)?;
        policy.params = policy.network.layout().orthogonal(2f64.sqrt(), 0.01, rng);
        Ok(policy)
    }

    /// Creates a policy with mean 0, whose parameters are replaced later.
    pub(crate) fn zero(widths: &[usize], log_std: f32) -> Result<Self, LayoutError> {
        let network = Network::new(widths)?;
        let params = network.layout().zeros();
        let log_std = vec![log_std; network.layout().outputs()];
        Ok(Self { network, params, log_std })
    }

    /// Creates a policy with these parameters, in the network's layout.
    ///
    /// # Panics
    /// If a length is not that of the network.
    pub fn new(network: Network, params: AlignedVec, log_std: Vec<f32>) -> Self {
        assert_eq!(params.len(), network.layout().len(), "parameters of the mean");
        assert_eq!(log_std.len(), network.layout().outputs(), "spreads");
        Self { network, params, log_std }
    }

    /// The network that computes μ.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// θ, in the network's layout.
    pub fn params(&self) -> &[f32] {
        &self.params
    }

    /// log σ, one for each coordinate of an action.
    pub fn log_std(&self) -> &[f32] {
        &self.log_std
    }

    /// Returns the same policy with this standard deviation in every coordinate.
    #[must_use]
    pub fn with_std(mut self, std: f32) -> Self {
        self.log_std.fill(std.ln());
        self
    }

    /// The entropy Σⱼ log σⱼ + ½ log 2πe, the same in every state.
    pub fn entropy(&self) -> f64 {
        let constant = 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
        self.log_std.iter().map(|&log_std| f64::from(log_std) + constant).sum()
    }

    /// Adds noise to means: a = μ + σ ε with ε ~ N(0, 1), drawn coordinate by coordinate.
    pub fn add_noise(&self, action: &mut [f32], rng: &mut Rng) {
        for (a, log_std) in action.iter_mut().zip(&self.log_std) {
            let noise: f32 = StandardNormal.sample(rng);
            *a += log_std.exp() * noise;
        }
    }

    /// log π(a | s) for a mean μ(s), without the constant −½ log 2π of each coordinate.
    pub fn log_density(&self, mean: &[f32], action: &[f32]) -> f64 {
        let coordinate = |((mean, action), log_std): ((&f32, &f32), &f32)| {
            let z = f64::from(action - mean) / f64::from(*log_std).exp();
            -0.5 * z * z - f64::from(*log_std)
        };
        mean.iter().zip(action).zip(&self.log_std).map(coordinate).sum()
    }

    /// θ followed by log σ, as one vector.
    pub(crate) fn flat(&self) -> Vec<f32> {
        self.params.iter().chain(&self.log_std).copied().collect()
    }

    /// Sets θ and log σ from one vector.
    pub(crate) fn set_flat(&mut self, flat: &[f32]) {
        let (params, log_std) = flat.split_at(self.params.len());
        self.params.copy_from_slice(params);
        self.log_std.copy_from_slice(log_std);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::Stream;

    #[test]
    fn noise_has_the_std_of_each_coordinate() {
        let mut rng = Stream::new(4).rng();
        let mut policy = GaussianPolicy::random(&[2, 3, 2], 0.0, &mut rng).unwrap();
        policy.log_std = vec![-1.0, -2.0];
        let mut squares = [0.0; 2];
        for _ in 0..20_000 {
            let mut action = [0.5, -0.5];
            policy.add_noise(&mut action, &mut rng);
            squares[0] += f64::from(action[0] - 0.5).powi(2) / 20_000.0;
            squares[1] += f64::from(action[1] + 0.5).powi(2) / 20_000.0;
        }
        assert!((squares[0].sqrt() / (-1f64).exp() - 1.0).abs() < 0.03, "{squares:?}");
        assert!((squares[1].sqrt() / (-2f64).exp() - 1.0).abs() < 0.03, "{squares:?}");
    }

    #[test]
    fn density_and_entropy_by_hand() {
        let policy = GaussianPolicy::random(&[1, 1], -1.0, &mut Stream::new(1).rng()).unwrap();
        let half_log_two_pi = 0.5 * (2.0 * std::f64::consts::PI).ln();
        // log N(0.3; 0.1, e⁻²) = −½·0.04·e² + 1 − ½ log 2π.
        let expected = -0.5 * 0.04 * 2f64.exp() + 1.0;
        assert!((policy.log_density(&[0.1], &[0.3]) - expected).abs() < 1e-6);
        assert!((policy.entropy() - (half_log_two_pi + 0.5 - 1.0)).abs() < 1e-12);
    }
}
