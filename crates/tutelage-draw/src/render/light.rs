//! One light, far away and a little wide, under a bright sky.

use glam::Vec3;

use crate::render::Colour;

/// The direction towards the light: from above, on the side of the camera. A unit vector.
pub(crate) const LIGHT: Vec3 = Vec3::new(-0.36, -0.48, 0.8);

/// The tangent of half the angle over which the light is spread.
const SPREAD: f32 = 0.07;

/// Light from the floor, light from the sky, and the lamp's own, as shares of full light.
const FROM_BELOW: Vec3 = Vec3::new(0.34, 0.32, 0.30);
const FROM_ABOVE: Vec3 = Vec3::new(0.52, 0.55, 0.60);
const DIRECT: f32 = 0.58;
/// How strongly a surface mirrors the lamp.
const GLOSS: f32 = 0.16;

/// How wide the edge of a shadow is, to each side, at some distance from what casts it.
pub(crate) fn penumbra(distance: f32) -> f32 {
    0.004 + SPREAD * distance.max(0.0)
}

/// The share of the lamp that is hidden when the ray to its middle passes a solid with some clearance (negative if it
/// goes through).
pub(crate) fn occlusion(clearance: f32, distance: f32) -> f32 {
    let hidden = (0.5 - 0.5 * clearance / penumbra(distance)).clamp(0.0, 1.0);
    hidden * hidden * (3.0 - 2.0 * hidden)
}

/// The colour of a surface: c (ambient(n) + direct max(0, n·l)) + gloss (n·h)³², where h is halfway between the light
/// and the eye, and `lit` is the share of the lamp that reaches it.
pub(crate) fn shade(colour: Vec3, normal: Vec3, to_eye: Vec3, lit: f32) -> Vec3 {
    let ambient = FROM_BELOW.lerp(FROM_ABOVE, 0.5 + 0.5 * normal.z);
    let direct = lit * DIRECT * normal.dot(LIGHT).max(0.0);
    let halfway = (LIGHT + to_eye).normalize_or_zero();
    let mirrored = lit * GLOSS * normal.dot(halfway).max(0.0).powi(32);
    colour * (ambient + direct) + mirrored
}

/// The nearest colour that a screen can show.
pub(crate) fn quantise(colour: Vec3) -> Colour {
    (colour * 255.0 + 0.5).to_array().map(|channel| channel as u8)
}

/// A body's colour from its darkest to its brightest, in `count` steps.
pub(crate) fn ramp(colour: Colour, count: usize) -> impl Iterator<Item = Colour> {
    let full = Vec3::from(colour.map(f32::from)) / 255.0;
    let [darkest, brightest] = [shade(full, -Vec3::Z, LIGHT, 0.0), shade(full, LIGHT, LIGHT, 1.0)];
    let last = count.saturating_sub(1).max(1) as f32;
    (0..count).map(move |step| quantise(darkest.lerp(brightest, step as f32 / last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_is_a_unit_vector_from_above() {
        assert!(LIGHT.is_normalized() && LIGHT.z > 0.0);
    }

    #[test]
    fn a_shadow_is_full_inside_half_at_the_edge_and_nothing_outside() {
        assert_eq!(occlusion(-1.0, 1.0), 1.0);
        assert_eq!(occlusion(0.0, 1.0), 0.5);
        assert_eq!(occlusion(1.0, 1.0), 0.0);
    }

    #[test]
    fn a_surface_that_faces_the_light_is_brighter_than_one_that_does_not() {
        let grey = Vec3::splat(0.5);
        let facing = shade(grey, LIGHT, LIGHT, 1.0).x;
        assert!(facing > shade(grey, LIGHT, LIGHT, 0.0).x);
        assert!(facing > shade(grey, -LIGHT, LIGHT, 1.0).x);
    }
}
