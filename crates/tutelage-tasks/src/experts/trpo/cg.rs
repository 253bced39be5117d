//! Conjugate gradient (Hestenes & Stiefel 1952).

/// x ≈ A⁻¹b for a symmetric positive definite A, given by its products `multiply(v, Av)`.
///
/// Starts at zero and stops after `iterations` products, or once ‖b − Ax‖² ≤ 10⁻¹⁰ ‖b‖². Inner
/// products are summed in double precision, because the vectors are long.
pub(crate) fn conjugate_gradient(
    mut multiply: impl FnMut(&[f32], &mut [f32]),
    b: &[f32],
    iterations: usize,
) -> Vec<f32> {
    let mut x = vec![0.0; b.len()];
    let (mut residual, mut direction) = (b.to_vec(), b.to_vec());
    let mut image = vec![0.0; b.len()];
    let mut left = dot(&residual, &residual);
    let enough = 1e-10 * left;
    for _ in 0..iterations {
        if left <= enough {
            break;
        }
        multiply(&direction, &mut image);
        let step = left / dot(&direction, &image);
        add(&mut x, step, &direction);
        add(&mut residual, -step, &image);
        let before = std::mem::replace(&mut left, dot(&residual, &residual));
        let keep = (left / before) as f32;
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + keep * *d);
    }
    x
}

/// Σ aᵢbᵢ in double precision.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

fn add(x: &mut [f32], scale: f64, y: &[f32]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += scale as f32 * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solution_satisfies_the_equations() {
        let n = 20;
        let root = |i: usize, j: usize| ((i * 7 + j * 13) % 11) as f64 / 11.0 - 0.4;
        let entry = |i: usize, j: usize| {
            (0..n).map(|k| root(i, k) * root(j, k)).sum::<f64>() + f64::from(u8::from(i == j))
        };
        let multiply = |v: &[f32], out: &mut [f32]| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = (0..n).map(|j| entry(i, j) * f64::from(v[j])).sum::<f64>() as f32;
            }
        };
        let b: Vec<f32> = (0..n).map(|i| (i as f32 - 7.0) / 5.0).collect();
        let mut image = vec![0.0; n];
        multiply(&conjugate_gradient(multiply, &b, 2 * n), &mut image);
        for (found, expected) in image.iter().zip(&b) {
            assert!((found - expected).abs() < 1e-4, "{found}, expected {expected}");
        }
    }

    #[test]
    fn zero_right_side_gives_zero() {
        assert_eq!(conjugate_gradient(|_, _| unreachable!(), &[0.0; 3], 5), [0.0; 3]);
    }
}
