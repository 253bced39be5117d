//! The box of a task's vector actions.

/// A box of actions Π [lowᵢ, highᵢ], in the task's units.
///
/// Environments and experts use the task's units; losses, uniform labels and networks use [-1, 1]ⁿ.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    low: Vec<f32>,
    high: Vec<f32>,
    clips: bool,
}

/// Why bounds are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// The numbers of lower and upper ends differ.
    #[error("an action box with {low} lower and {high} upper ends; expected equally many")]
    Count {
        /// The number of lower ends.
        low: usize,
        /// The number of upper ends.
        high: usize,
    },
    /// An interval is empty or infinite.
    #[error("action[{index}]: [{low}, {high}] is not an interval of finite length with low < high")]
    Interval {
        /// The coordinate.
        index: usize,
        /// Its lower end.
        low: f32,
        /// Its upper end.
        high: f32,
    },
}

/// A value outside its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outside {
    /// The coordinate.
    pub index: usize,
    /// The value found.
    pub value: f32,
    /// The interval.
    pub interval: [f32; 2],
}

impl Bounds {
    /// [-1, 1]ⁿ, without clipping.
    pub fn unit(width: usize) -> Self {
        Self { low: vec![-1.0; width], high: vec![1.0; width], clips: false }
    }

    /// The box with these ends, without clipping.
    pub fn new(low: Vec<f32>, high: Vec<f32>) -> Result<Self, BoundsError> {
        if low.len() != high.len() {
            return Err(BoundsError::Count { low: low.len(), high: high.len() });
        }
        let is_interval = |i: &usize| low[*i] < high[*i] && (high[*i] - low[*i]).is_finite();
        if let Some(index) = (0..low.len()).find(|i| !is_interval(i)) {
            return Err(BoundsError::Interval { index, low: low[index], high: high[index] });
        }
        Ok(Self { low, high, clips: false })
    }

    /// The same box with clipping: an action outside is replaced by the nearest one inside.
    #[must_use]
    pub fn clipping(self) -> Self {
        Self { clips: true, ..self }
    }

    /// The number of coordinates.
    pub fn width(&self) -> usize {
        self.low.len()
    }

    /// The lower end of each coordinate.
    pub fn low(&self) -> &[f32] {
        &self.low
    }

    /// The upper end of each coordinate.
    pub fn high(&self) -> &[f32] {
        &self.high
    }

    /// Whether the task clips actions to the box.
    pub fn clips(&self) -> bool {
        self.clips
    }

    /// The first coordinate of an action that is outside, unless the task clips.
    pub fn outside(&self, action: &[f32]) -> Option<Outside> {
        let wrong = |(i, &value): (usize, &f32)| {
            let interval = [self.low[i], self.high[i]];
            let inside = (interval[0]..=interval[1]).contains(&value) || self.clips;
            (!inside).then_some(Outside { index: i, value, interval })
        };
        action.iter().enumerate().take(self.width()).find_map(wrong)
    }

    /// Maps the task's units to [-1, 1]ⁿ. The unit box changes no bit.
    pub fn to_unit(&self, action: &mut [f32]) {
        self.each(action, |value, low, high| (value - low) / (high - low) * 2.0 - 1.0);
    }

    /// Maps [-1, 1]ⁿ to the task's units. The unit box changes no bit, and rounding never leaves the box.
    pub fn from_unit(&self, action: &mut [f32]) {
        self.each(action, |value, low, high| {
            (low + (value + 1.0) * 0.5 * (high - low)).clamp(low, high)
        });
    }

    fn each(&self, action: &mut [f32], map: impl Fn(f32, f32, f32) -> f32) {
        for (value, (&low, &high)) in action.iter_mut().zip(self.low.iter().zip(&self.high)) {
            if (low, high) != (-1.0, 1.0) {
                *value = map(*value, low, high);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_map_to_the_unit_box_and_back() {
        let bounds = Bounds::new(vec![-2.0, 0.0, -1.0], vec![2.0, 10.0, 1.0]).unwrap();
        let mut action = [1.0, 2.5, 1.5];
        bounds.to_unit(&mut action);
        assert_eq!(action, [0.5, -0.5, 1.5], "a unit interval changes nothing, even outside");
        bounds.from_unit(&mut action);
        assert_eq!(action, [1.0, 2.5, 1.5]);
        let mut end = [1.0, 1.0000001, 0.0];
        bounds.from_unit(&mut end);
        assert_eq!(end[..2], [2.0, 10.0], "rounding stays inside");
    }

    #[test]
    fn the_first_coordinate_outside_is_found_unless_clipped() {
        let bounds = Bounds::new(vec![-2.0, 0.0], vec![2.0, 1.0]).unwrap();
        assert_eq!(bounds.outside(&[2.0, 0.0]), None);
        let expected = Outside { index: 1, value: 5.0, interval: [0.0, 1.0] };
        assert_eq!(bounds.outside(&[0.0, 5.0]), Some(expected));
        assert!(bounds.outside(&[f32::NAN, 0.0]).is_some());
        assert_eq!(bounds.clipping().outside(&[0.0, 5.0]), None);
    }

    #[test]
    fn invalid_boxes_are_refused() {
        assert_eq!(Bounds::new(vec![0.0], vec![]), Err(BoundsError::Count { low: 1, high: 0 }));
        for (low, high) in [(1.0, 1.0), (0.0, f32::INFINITY), (f32::NAN, 1.0), (-3e38, 3e38)] {
            let error = Bounds::new(vec![-1.0, low], vec![1.0, high]).unwrap_err();
            assert!(matches!(error, BoundsError::Interval { index: 1, .. }), "{error}");
        }
    }
}
