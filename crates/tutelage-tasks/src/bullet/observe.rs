//! Arithmetic of observations, in the order of operations of NumPy.

use std::ops::Add;

/// Returns roll, pitch and yaw of a unit quaternion (x, y, z, w), in Bullet's convention.
pub(crate) fn euler([x, y, z, w]: [f64; 4]) -> [f64; 3] {
    use std::f64::consts::FRAC_PI_2;
    let sine = -2.0 * (x * z - w * y);
    if sine <= -0.99999 {
        [0.0, -FRAC_PI_2, 2.0 * x.atan2(-y)]
    } else if sine >= 0.99999 {
        [0.0, FRAC_PI_2, 2.0 * (-x).atan2(y)]
    } else {
        let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
        let roll = (2.0 * (y * z + w * x)).atan2(ww - xx - yy + zz);
        let yaw = (2.0 * (x * y + w * z)).atan2(ww + xx - yy - zz);
        [roll, sine.asin(), yaw]
    }
}

/// Returns the sum in NumPy's order for fewer than 128 numbers: sequential below eight, else eight
/// partial sums and then the rest.
pub(crate) fn pairwise_sum<T: Copy + Default + Add<Output = T>>(numbers: &[T]) -> T {
    let (blocks, rest) = numbers.as_chunks::<8>();
    let Some((first, others)) = blocks.split_first() else {
        return rest.iter().fold(T::default(), |sum, &x| sum + x);
    };
    let mut sums = *first;
    for block in others {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum = *sum + x;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, &x| sum + x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euler_angles_of_single_rotations() {
        let half = 0.35_f64;
        let (sin, cos) = half.sin_cos();
        for axis in 0..3 {
            let mut rotation = [0.0, 0.0, 0.0, cos];
            rotation[axis] = sin;
            for (index, angle) in euler(rotation).into_iter().enumerate() {
                let expected = if index == axis { 2.0 * half } else { 0.0 };
                assert!((angle - expected).abs() < 1e-15, "axis {axis}: {angle}");
            }
        }
    }

    #[test]
    fn euler_angles_at_the_poles() {
        let s = 0.5_f64.sqrt();
        assert_eq!(euler([0.0, s, 0.0, s])[1], std::f64::consts::FRAC_PI_2);
        assert_eq!(euler([0.0, -s, 0.0, s])[1], -std::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn long_sums_are_pairwise() {
        let mut numbers = vec![1.0_f32; 17];
        numbers[0] = 1e8;
        // A sequential sum rounds every 1 away.
        assert_eq!(pairwise_sum(&numbers), 100_000_008.0);
        assert_eq!(numbers.iter().fold(0.0, |sum, x| sum + x), 1e8);
    }
}
