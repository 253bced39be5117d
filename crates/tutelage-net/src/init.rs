//! Orthogonal initialization (Saxe, McClelland & Ganguli 2014).

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::{AlignedVec, Layer, Layout};

impl Layout {
    /// Returns random orthogonal parameters; biases are zero.
    ///
    /// Each weight matrix is a gain times a uniformly distributed matrix with orthonormal rows or columns
    /// (whichever are fewer). Hidden layers use `hidden_gain`, the last one `output_gain`.
    pub fn orthogonal(&self, hidden_gain: f64, output_gain: f64, rng: &mut impl Rng) -> AlignedVec {
        let mut params = self.zeros();
        let last = self.layers().len() - 1;
        for (l, layer) in self.layers().iter().enumerate() {
            let gain = if l == last { output_gain } else { hidden_gain };
            let vectors =
                orthonormal(layer.inputs.min(layer.outputs), layer.inputs.max(layer.outputs), rng);
            write(layer, &vectors, gain, &mut params);
        }
        params
    }
}

/// Returns `count` orthonormal vectors of length `len ≥ count`.
///
/// Applies Gram–Schmidt to normal draws twice: the second pass removes the rounding errors of the first.
fn orthonormal(count: usize, len: usize, rng: &mut impl Rng) -> Vec<Vec<f64>> {
    let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(count);
    while vectors.len() < count {
        let mut v: Vec<f64> = (0..len).map(|_| StandardNormal.sample(rng)).collect();
        let drawn = norm(&v);
        for _ in 0..2 {
            for u in &vectors {
                let along: f64 = u.iter().zip(&v).map(|(u, v)| u * v).sum();
                v.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
            }
        }
        let left = norm(&v);
        // If a draw lies almost in the span of the others, its remainder is rounding noise: draw again.
        if left > 1e-9 * drawn {
            v.iter_mut().for_each(|x| *x /= left);
            vectors.push(v);
        }
    }
    vectors
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Writes the vectors as columns of `W` if there are at most as many outputs as inputs, else as rows.
fn write(layer: &Layer, vectors: &[Vec<f64>], gain: f64, params: &mut [f32]) {
    let weights = &mut params[layer.weights.clone()];
    for i in 0..layer.inputs {
        for j in 0..layer.outputs {
            let x = if layer.outputs <= layer.inputs { vectors[j][i] } else { vectors[i][j] };
            weights[i * layer.stride + j] = (gain * x) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn weights_are_orthogonal_and_the_rest_is_zero() {
        let layout = Layout::new(&[28, 64, 64, 8]).unwrap();
        let params = layout.orthogonal(2f64.sqrt(), 1.0, &mut ChaCha8Rng::seed_from_u64(3));
        for (l, gain_squared) in [(0, 2.0), (1, 2.0), (2, 1.0)] {
            let layer = &layout.layers()[l];
            let (w, bias) = layout.dense(&params, l);
            let at = |i: usize, j: usize| f64::from(w[i * layer.outputs + j]);
            let by_columns = layer.outputs <= layer.inputs;
            let (count, len) = if by_columns {
                (layer.outputs, layer.inputs)
            } else {
                (layer.inputs, layer.outputs)
            };
            for a in 0..count {
                for b in 0..count {
                    let dot: f64 = (0..len)
                        .map(|i| if by_columns { at(i, a) * at(i, b) } else { at(a, i) * at(b, i) })
                        .sum();
                    let expected = if a == b { gain_squared } else { 0.0 };
                    assert!((dot - expected).abs() < 1e-6, "layer {l}: {a}·{b} = {dot}");
                }
            }
            assert!(bias.iter().all(|b| *b == 0.0));
        }
    }

    #[test]
    fn draws_differ_by_seed_and_repeat_by_seed() {
        let layout = Layout::new(&[4, 3]).unwrap();
        let draw = |seed| layout.orthogonal(1.0, 1.0, &mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
