//! The floor and the sky, one row of pixels at a time.
//!
//! The camera is upright, so the points of the floor in a row of pixels have one depth and are evenly spaced. Haze and the
//! footprint of a pixel are computed per row, only the pattern per pixel.

use std::ops::Range;

use glam::{Vec2, Vec3, Vec3Swizzles};

use crate::render::camera::View;

/// The side of a tile, in meters.
const TILE: f64 = 1.0;
const LIGHT_TILE: Vec3 = Vec3::new(0.83, 0.85, 0.86);
const DARK_TILE: Vec3 = Vec3::new(0.64, 0.68, 0.71);
const HORIZON: Vec3 = Vec3::new(0.90, 0.93, 0.96);
const ZENITH: Vec3 = Vec3::new(0.50, 0.66, 0.86);
/// The distance in meters over which haze reduces the floor's color by a factor of e.
const HAZE: f32 = 11.0;
/// The floor's brightness in full shadow.
const SHADOW: f32 = 0.52;

/// A row of pixels behind the bodies.
pub(crate) enum Row {
    /// One color.
    Sky(Vec3),
    /// Points on the floor.
    Floor(FloorRow),
}

/// The floor under a row of pixels: its points are `first + column * step`, relative to the view.
pub(crate) struct FloorRow {
    pub(crate) first: Vec3,
    pub(crate) step: Vec3,
    /// The phase of the pattern at the view's origin, in tiles.
    phase: Vec2,
    /// The size of a pixel on the floor, in tiles.
    footprint: Vec2,
    light: Vec3,
    dark: Vec3,
    /// The share of the floor's color that haze leaves.
    clear: f32,
}

/// Returns the height of the floor relative to the view.
pub(crate) fn height(view: &View) -> f32 {
    -view.origin.z as f32
}

/// Returns row `y` of the background.
pub(crate) fn row(view: &View, y: usize) -> Row {
    let direction = view.towards(0.5, y as f32 + 0.5);
    let slope = direction.z;
    if slope >= -1e-4 {
        return Row::Sky(HORIZON.lerp(ZENITH, step((slope / 0.6).clamp(0.0, 1.0).sqrt(), 48.0)));
    }
    let depth = (height(view) - view.eye.z) / slope;
    let clear = step((-depth / HAZE).exp(), 24.0);
    // If a ray's direction d changes by δ, its point on the floor moves by depth (δ - d δ_z / d_z).
    let across = view.right * (view.pixel * depth);
    let middle = view.towards(view.width as f32 / 2.0, y as f32 + 0.5);
    let downwards = (view.up - middle * (view.up.z / middle.z)) * (view.pixel * depth);
    let footprint = (across.abs() + downwards.abs()).xy() / TILE as f32;
    Row::Floor(FloorRow {
        first: view.eye + direction * depth,
        step: across,
        phase: (view.origin / (2.0 * TILE)).fract().xy().as_vec2() * 2.0,
        footprint: footprint.max(Vec2::splat(1e-4)),
        light: HORIZON.lerp(LIGHT_TILE, clear),
        dark: HORIZON.lerp(DARK_TILE, clear),
        clear,
    })
}

impl FloorRow {
    /// Returns the color of the floor at a point of this row if this share of the light is hidden.
    #[inline]
    pub(crate) fn color(&self, point: Vec3, shadow: f32) -> Vec3 {
        let place = point.xy() / TILE as f32 + self.phase;
        let pattern = mean_wave(place.x, self.footprint.x) * mean_wave(place.y, self.footprint.y);
        let color = self.dark.lerp(self.light, step(0.5 + 0.5 * pattern, 8.0));
        color * (1.0 - shadow * (1.0 - SHADOW) * self.clear)
    }

    /// Returns the columns whose points may lie within `radius` of `center`.
    pub(crate) fn columns(&self, center: Vec3, radius: f32, width: usize) -> Range<usize> {
        let away = center.xy() - self.first.xy();
        let (step, length) = (self.step.xy(), self.step.xy().length_squared());
        let middle = away.dot(step) / length;
        let half_square = (radius * radius - (away - middle * step).length_squared()) / length;
        if half_square < 0.0 {
            return 0..0;
        }
        let half = half_square.sqrt();
        let clamp = |column: f32| column.clamp(0.0, width as f32) as usize;
        clamp((middle - half).floor())..clamp((middle + half).ceil() + 1.0)
    }
}

/// Returns the mean over [x - w/2, x + w/2] of the square wave that is 1 on [0, 1) and -1 on [1, 2).
///
/// The mean is a difference of its integral, a triangle wave. It filters the pattern for a pixel of that width, so that it does
/// not flicker.
fn mean_wave(x: f32, width: f32) -> f32 {
    let integral = |x: f32| 1.0 - (x - 2.0 * floor(x / 2.0) - 1.0).abs();
    (integral(x + width / 2.0) - integral(x - width / 2.0)) / width
}

/// Rounds to one of `steps` values. The steps are invisible, and flat areas compress far better.
fn step(share: f32, steps: f32) -> f32 {
    floor(share * steps + 0.5) / steps
}

/// Rounds down. `f32::floor` is a function call without SSE4.1, four times per pixel.
fn floor(x: f32) -> f32 {
    let truncated = x as i32 as f32;
    if truncated > x { truncated - 1.0 } else { truncated }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Camera;

    #[test]
    fn filtered_wave_is_the_mean() {
        let wave = |x: f32| if x.rem_euclid(2.0) < 1.0 { 1.0 } else { -1.0 };
        for (x, width) in [(0.5f32, 0.1f32), (0.95, 0.3), (-1.3, 0.8), (2.1, 5.3)] {
            let samples = 20_000;
            let place = |i: i32| x + width * ((i as f32 + 0.5) / samples as f32 - 0.5);
            let mean = (0..samples).map(|i| wave(place(i))).sum::<f32>() / samples as f32;
            assert!((mean_wave(x, width) - mean).abs() < 1e-3, "at {x} ± {width} / 2");
        }
    }

    #[test]
    fn pattern_does_not_move_with_the_camera() {
        let color = |target: [f64; 3], at: [f32; 2]| {
            let view = Camera::from_side(target, 3.0).view(40, 30).unwrap();
            let Row::Floor(row) = row(&view, 29) else { panic!("the lowest row shows the floor") };
            row.color(Vec3::new(at[0] - target[0] as f32, at[1] - target[1] as f32, 0.0), 0.0)
        };
        for x in [-0.7f32, 0.1, 0.3, 0.8] {
            let here = color([0.0, 0.0, 1.0], [x, 0.2]);
            let there = color([-0.45, 0.0, 1.0], [x, 0.2]);
            assert!(here.abs_diff_eq(there, 1e-3), "at x = {x}: {here} and {there}");
        }
    }

    #[test]
    fn columns_hold_the_points_within_the_disc() {
        let view = Camera::at_an_angle([0.3, -0.2, 0.5], 3.0).view(80, 60).unwrap();
        let Row::Floor(row) = row(&view, 40) else { panic!("row 40 shows the floor") };
        let center = row.first + row.step * 33.0;
        let radius = row.step.length() * 7.5;
        let columns = row.columns(center, radius, 80);
        let fits = (25..=26).contains(&columns.start) && (41..=43).contains(&columns.end);
        assert!(fits, "{columns:?}");
        assert!(row.columns(center + Vec3::Y * 100.0, radius, 80).is_empty());
    }
}
