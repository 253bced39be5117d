//! Axes: ranges, positions and ticks.

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Equal ratios have equal lengths; only positive numbers can be shown.
    Log,
}

/// A tick with its label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// A scale over a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Scale {
    fn forward(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.log10(),
        }
    }

    fn backward(self, position: f64) -> f64 {
        match self {
            Self::Linear => position,
            Self::Log => 10f64.powf(position),
        }
    }

    /// Returns whether a number can be shown.
    pub(crate) fn shows(self, value: f64) -> bool {
        value.is_finite() && (self == Self::Linear || value > 0.0)
    }
}

impl Axis {
    /// Creates an axis over these numbers, ignoring those that cannot be shown, with a margin at both ends as a share of the
    /// range.
    pub(crate) fn over(scale: Scale, values: impl Iterator<Item = f64>, margin: f64) -> Self {
        let positions = values.filter(|&value| scale.shows(value)).map(|v| scale.forward(v));
        let (low, high) = positions
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let (low, high) = match (low, high) {
            _ if low > high => (0.0, 1.0),
            _ if low == high => (low - 0.5, high + 0.5),
            _ => (low - margin * (high - low), high + margin * (high - low)),
        };
        Self { scale, low: scale.backward(low), high: scale.backward(high) }
    }

    /// Creates an axis over this range, if it can be shown.
    pub(crate) fn exactly(scale: Scale, (low, high): (f64, f64)) -> Option<Self> {
        (scale.shows(low) && scale.shows(high) && low < high).then_some(Self { scale, low, high })
    }

    /// Returns the position of a number, from 0 at the low end to 1 at the high end, if it can be shown.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let [value, low, high] = [value, self.low, self.high].map(|v| self.scale.forward(v));
        (value.is_finite() && self.scale.shows(self.low)).then(|| (value - low) / (high - low))
    }

    /// Returns about `count` ticks at round numbers.
    pub(crate) fn ticks(&self, count: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Log if (self.high / self.low) >= 30.0 => self.decades(count),
            _ => self.steps(count),
        }
    }

    /// Returns the multiples of powers of ten on a logarithmic axis that spans more than one decade.
    pub(crate) fn between(&self) -> Vec<f64> {
        if self.scale != Scale::Log || self.high / self.low < 30.0 || self.high / self.low > 1e9 {
            return vec![];
        }
        let exponents = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        // On many decades there is room for three multiples of each: 2, 5 and 8.
        let every = if self.high / self.low > 1e5 { 3 } else { 1 };
        let of = |e: i32| (2..10).step_by(every).map(move |m| f64::from(m) * 10f64.powi(e));
        let multiples = exponents.flat_map(of);
        multiples.filter(|value| (self.low..=self.high).contains(value)).collect()
    }

    /// Returns ticks at multiples of 1, 2, 2.5 or 5 times a power of ten.
    fn steps(&self, count: usize) -> Vec<Tick> {
        let rough = (self.high - self.low) / count.max(1) as f64;
        let magnitude = 10f64.powf(rough.log10().floor());
        let distance = |factor: &f64| (factor * magnitude / rough).ln().abs();
        let nearest = |a: &f64, b: &f64| distance(a).total_cmp(&distance(b));
        let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().min_by(nearest).unwrap_or(1.0);
        let step = factor * magnitude;
        let decimals = (0..12).find(|&d| is_whole(step * 10f64.powi(d))).unwrap_or(12) as usize;
        let (first, last) =
            ((self.low / step - 1e-6).ceil() as i64, (self.high / step + 1e-6).floor() as i64);
        let tick = |i| {
            let value = i as f64 * step;
            Tick { value, label: format!("{value:.decimals$}").replace('-', "−") }
        };
        (first..=last).map(tick).collect()
    }

    /// Returns ticks at powers of ten, at most about `count`.
    fn decades(&self, count: usize) -> Vec<Tick> {
        let first = (self.low.log10() - 1e-9).ceil() as i32;
        let last = (self.high.log10() + 1e-9).floor() as i32;
        let every = ((last - first) as usize / count.max(1) + 1).max(1);
        let exponents = || (first..=last).step_by(every);
        // All labels of an axis have one format.
        let is_short = exponents().all(|e| (-3..=4).contains(&e));
        let power = |e: i32| {
            let value = 10f64.powi(e);
            Tick { value, label: if is_short { format!("{value}") } else { power_of_ten(e) } }
        };
        exponents().map(power).collect()
    }
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6
}

/// 10⁻⁴, 10⁰, 10¹².
fn power_of_ten(exponent: i32) -> String {
    let superscript = |c| match c {
        '-' => '⁻',
        c => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c as usize - '0' as usize],
    };
    "10".chars().chain(exponent.to_string().chars().map(superscript)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis) -> Vec<String> {
        axis.ticks(5).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        let axis = |low, high| Axis::exactly(Scale::Linear, (low, high)).unwrap();
        assert_eq!(labels(axis(0.0, 1000.0)), ["0", "200", "400", "600", "800", "1000"]);
        assert_eq!(labels(axis(-0.3, 0.1)), ["−0.3", "−0.2", "−0.1", "0.0", "0.1"]);
        assert_eq!(labels(axis(0.0, 1.2)), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
    }

    #[test]
    fn log_axes_have_decades_or_steps() {
        let axis = |low, high| Axis::exactly(Scale::Log, (low, high)).unwrap();
        assert_eq!(labels(axis(1e-4, 2.0)), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
        assert_eq!(labels(axis(8.0, 2e4)), ["10", "100", "1000", "10000"]);
        assert_eq!(labels(axis(5e-4, 3e3)), ["0.001", "0.1", "10", "1000"]);
        assert!(axis(5e-4, 3e3).between().len() > 15, "even if not every decade has a label");
        assert_eq!(labels(axis(1.0, 3.0)), ["1.0", "1.5", "2.0", "2.5", "3.0"]);
        assert_eq!(axis(3.0, 100.0).between()[..3], [3.0, 4.0, 5.0]);
        assert_eq!(axis(1.0, 100.0).between().len(), 16, "2 to 9, 20 to 90");
        assert!(axis(1.0, 3.0).between().is_empty(), "its steps have labels");
        assert_eq!(axis(1.0, 100.0).place(10.0), Some(0.5));
        assert_eq!(axis(1.0, 100.0).place(0.0), None);
    }

    #[test]
    fn ranges_ignore_numbers_that_cannot_be_shown() {
        let axis = Axis::over(Scale::Log, [0.0, f64::NAN, 1.0, 100.0].into_iter(), 0.0);
        assert!((axis.low - 1.0).abs() < 1e-12 && (axis.high - 100.0).abs() < 1e-9);
        let nothing = Axis::over(Scale::Linear, std::iter::empty(), 0.1);
        assert_eq!((nothing.low, nothing.high), (0.0, 1.0));
        let same = Axis::over(Scale::Linear, [5.0, 5.0].into_iter(), 0.1);
        assert_eq!((same.low, same.high), (4.5, 5.5));
    }
}
