//! Light: one distant lamp of some width, and the sky.

use glam::Vec3;

use crate::render::frame::Rgb;

/// The unit vector toward the lamp: above, at the side of the camera.
pub(crate) const LIGHT: Vec3 = Vec3::new(-0.36, -0.48, 0.8);

/// The tangent of half the lamp's angle.
const SPREAD: f32 = 0.07;

/// Ambient light from the floor and from the sky, and the lamp's light, as shares of full light.
const FROM_BELOW: Vec3 = Vec3::new(0.34, 0.32, 0.30);
const FROM_ABOVE: Vec3 = Vec3::new(0.52, 0.55, 0.60);
const DIRECT: f32 = 0.58;
/// The strength of highlights.
const GLOSS: f32 = 0.16;

/// Returns half the width of the edge of a shadow at some distance from the solid.
pub(crate) fn penumbra(distance: f32) -> f32 {
    0.004 + SPREAD * distance.max(0.0)
}

/// Returns the share of the lamp that a solid hides if the ray to its middle passes with this clearance (negative inside).
pub(crate) fn occlusion(clearance: f32, distance: f32) -> f32 {
    let hidden = (0.5 - 0.5 * clearance / penumbra(distance)).clamp(0.0, 1.0);
    hidden * hidden * (3.0 - 2.0 * hidden)
}

/// Returns the color of a surface (Blinn–Phong): c (ambient(n) + direct max(0, n·l)) + gloss (n·h)³².
///
/// h is halfway between the light and the eye; `lit` is the share of the lamp that reaches the surface.
pub(crate) fn shade(color: Vec3, normal: Vec3, to_eye: Vec3, lit: f32) -> Vec3 {
    let ambient = FROM_BELOW.lerp(FROM_ABOVE, 0.5 + 0.5 * normal.z);
    let direct = lit * DIRECT * normal.dot(LIGHT).max(0.0);
    let halfway = (LIGHT + to_eye).normalize_or_zero();
    let mirrored = lit * GLOSS * normal.dot(halfway).max(0.0).powi(32);
    color * (ambient + direct) + mirrored
}

/// Returns the nearest color in 8 bits per channel.
pub(crate) fn quantize(color: Vec3) -> Rgb {
    (color * 255.0 + 0.5).to_array().map(|channel| channel as u8)
}

/// Returns shades of a body's color from the darkest to the brightest.
pub(crate) fn ramp(color: Rgb, count: usize) -> impl Iterator<Item = Rgb> {
    let full = Vec3::from(color.map(f32::from)) / 255.0;
    let [darkest, brightest] = [shade(full, -Vec3::Z, LIGHT, 0.0), shade(full, LIGHT, LIGHT, 1.0)];
    let last = count.saturating_sub(1).max(1) as f32;
    (0..count).map(move |step| quantize(darkest.lerp(brightest, step as f32 / last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_is_a_unit_vector_from_above() {
        assert!(LIGHT.is_normalized() && LIGHT.z > 0.0);
    }

    #[test]
    fn shadows_fade_over_the_edge() {
        assert_eq!(occlusion(-1.0, 1.0), 1.0);
        assert_eq!(occlusion(0.0, 1.0), 0.5);
        assert_eq!(occlusion(1.0, 1.0), 0.0);
    }

    #[test]
    fn surfaces_facing_the_light_are_brighter() {
        let gray = Vec3::splat(0.5);
        let facing = shade(gray, LIGHT, LIGHT, 1.0).x;
        assert!(facing > shade(gray, LIGHT, LIGHT, 0.0).x);
        assert!(facing > shade(gray, -LIGHT, LIGHT, 1.0).x);
    }
}
