//! Identifies the platform's trigonometric functions.

use std::fmt;
use std::sync::OnceLock;

/// Number of test arguments. Implementations differ at a few of ten thousand.
const TRIALS: u64 = 20_000;

/// The implementation of sine, cosine, arctangent and arcsine.
///
/// All other operations of the physics (additions, multiplications, divisions, roots) give the same
/// bits everywhere. These four functions come from the platform and rarely differ in the last bit,
/// after which states diverge. Compare states by their bits only if this value is equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trigonometry {
    /// The GNU C library on a processor with fused multiplication and addition: every x86-64 server
    /// of the last ten years. The recordings of pybullet that the environments are tested with have
    /// these bits.
    GlibcFma,
    /// The GNU C library on an older x86-64 processor.
    GlibcPlain,
    /// Another implementation, with a checksum of its results.
    Other(u64),
}

/// The checksums of known implementations, taken from version 2.36.
const GLIBC_FMA: u64 = 0x856d_5de3_5c7c_b389;
const GLIBC_PLAIN: u64 = 0xb59b_fd5e_742f_e63a;

impl Trigonometry {
    /// Returns the implementation that this process uses.
    pub fn of_this_platform() -> Trigonometry {
        static FOUND: OnceLock<Trigonometry> = OnceLock::new();
        *FOUND.get_or_init(|| match checksum(f64::sin) {
            GLIBC_FMA => Trigonometry::GlibcFma,
            GLIBC_PLAIN => Trigonometry::GlibcPlain,
            other => Trigonometry::Other(other),
        })
    }
}

impl fmt::Display for Trigonometry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trigonometry::GlibcFma => formatter.pad("glibc-fma"),
            Trigonometry::GlibcPlain => formatter.pad("glibc-plain"),
            Trigonometry::Other(checksum) => write!(formatter, "other-{checksum:016x}"),
        }
    }
}

/// FNV-1a over the results of all four functions, for arguments in the range of joint angles.
fn checksum(sine: impl Fn(f64) -> f64) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for trial in 0..TRIALS {
        // Numbers in [-1, 1) from the bits of multiples of the golden ratio.
        let unit = |i: u64| {
            let bits = (trial * 3 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let [angle, x, y] = [3.2 * unit(0), unit(1), unit(2)];
        for value in [sine(angle), angle.cos(), y.atan2(x), x.asin()] {
            sum = (sum ^ value.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_detects_a_single_bit() {
        let largest = std::cell::Cell::new(0.0);
        let seen = checksum(|angle: f64| {
            largest.set(angle.max(largest.get()));
            angle.sin()
        });
        assert_eq!(seen, checksum(f64::sin));
        let off =
            |angle: f64| if angle == largest.get() { angle.sin().next_up() } else { angle.sin() };
        assert_ne!(seen, checksum(off));
    }

    #[test]
    fn implementations_have_distinct_names() {
        let all = [Trigonometry::GlibcFma, Trigonometry::GlibcPlain, Trigonometry::Other(7)];
        assert_eq!(
            all.map(|each| each.to_string()),
            ["glibc-fma", "glibc-plain", "other-0000000000000007"]
        );
    }
}
