//! The normal and Student's t distribution, to the last few bits of a double.

/// ln Γ(x) for x > 0, by Stirling's series above 15 and the recurrence Γ(x) = Γ(x + 1) / x below.
fn ln_gamma(x: f64) -> f64 {
    const BERNOULLI: [f64; 6] =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let (mut z, mut shift) = (x, 0.0);
    while z < 15.0 {
        shift += z.ln();
        z += 1.0;
    }
    let square = z * z;
    let series = BERNOULLI.iter().rev().fold(0.0, |sum, term| sum / square + term) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

/// The regularized incomplete beta function I_x(a, b), by its continued fraction.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast below the mean; above it, use the symmetry.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    front.exp() / (a * beta_fraction(a, b, x))
}

/// The continued fraction 1 + d₁/(1 + d₂/(1 + …)) of the incomplete beta function, by the modified Lentz method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for i in 1..1000 {
        let m = f64::from(i / 2);
        let term = match i % 2 {
            0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        };
        d = 1.0 / away_from_zero(1.0 + term * d);
        c = away_from_zero(1.0 + term / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// P(T > t) for Student's t with `freedom` degrees of freedom.
pub(super) fn student_tail(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    let half = 0.5 * incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    if t >= 0.0 { half } else { 1.0 - half }
}

/// P(Z > z) for a standard normal Z: ½ erfc(z / √2), by a series near 0 and a continued fraction in the tail.
pub(super) fn normal_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal_tail(-z);
    }
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 3.0 {
        // ½ - φ(z) (z + z³/3 + z⁵/(3·5) + …)
        let (mut term, mut sum, mut k) = (z, z, 1.0);
        while term > 1e-18 * sum {
            k += 2.0;
            term *= z * z / k;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // φ(z) / (z + 1/(z + 2/(z + 3/(z + …))))
    density / (1..=200).rev().fold(z, |below, k| z + f64::from(k) / below)
}

/// The t with P(T > t) = `share`, which must be below ½.
pub(super) fn student_quantile(share: f64, freedom: f64) -> f64 {
    upper_quantile(share, |t| student_tail(t, freedom))
}

/// The z with P(Z > z) = `share`, which must be below ½.
pub(super) fn normal_quantile(share: f64) -> f64 {
    upper_quantile(share, normal_tail)
}

/// Solves `tail(x) = share` for a decreasing tail, by bisection to the last bit.
fn upper_quantile(share: f64, tail: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > share && high < 1e12 {
        (low, high) = (high, 2.0 * high);
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if tail(middle) > share { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn tails_with_a_closed_form() {
        // One degree of freedom is Cauchy's distribution: ½ - atan(t)/π. Two: ½ - t / (2 √(2 + t²)).
        for t in [0.1, 1.0, 3.7, 60.0] {
            close(student_tail(t, 1.0), 0.5 - f64::atan(t) / std::f64::consts::PI);
            close(student_tail(t, 2.0), 0.5 - t / (2.0 * (2.0 + t * t).sqrt()));
            close(1.0 - student_tail(-t, 2.0), student_tail(t, 2.0));
        }
        assert_eq!(student_tail(0.0, 5.0), 0.5);
        assert_eq!(student_tail(f64::INFINITY, 5.0), 0.0);
    }

    #[test]
    fn quantiles_of_printed_tables() {
        for (share, freedom, t) in
            [(0.025, 4.0, 2.776), (0.1, 4.0, 1.533), (0.025, 2.0, 4.303), (0.005, 30.0, 2.750)]
        {
            assert!((student_quantile(share, freedom) - t).abs() < 5e-4, "{share} {freedom}");
        }
        assert!((normal_quantile(0.025) - 1.959_963_984_540_054).abs() < 1e-12);
        close(normal_tail(1.0), 0.158_655_253_931_457_05);
        close(normal_tail(6.0), 9.865_876_450_376_946e-10);
        close(normal_tail(3.0), 1.349_898_031_630_094_6e-3);
    }

    #[test]
    fn many_degrees_of_freedom_are_normal() {
        let apart = student_quantile(0.025, 1e7) - normal_quantile(0.025);
        assert!(apart.abs() < 1e-6, "{apart}");
    }
}
