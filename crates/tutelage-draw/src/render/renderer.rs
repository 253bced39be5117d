//! From drawings to frames.

use glam::Vec3;

use crate::render::camera::View;
use crate::render::frame::Frame;
use crate::render::ground::{self, FloorRow, Row};
use crate::render::light;
use crate::render::raster;
use crate::render::solid::{Hit, Solid};
use crate::render::{Drawing, RenderError, Scene};

/// Draws environments as frames of one size. Equal drawings give bit-identical frames.
#[derive(Clone, Copy, Debug)]
pub struct Renderer {
    width: usize,
    height: usize,
}

impl Renderer {
    /// Creates a renderer for frames of `width` by `height` pixels, each between 1 and 65535.
    pub fn new(width: usize, height: usize) -> Result<Self, RenderError> {
        let allowed = 1..=usize::from(u16::MAX);
        if allowed.contains(&width) && allowed.contains(&height) {
            Ok(Self { width, height })
        } else {
            Err(RenderError::Size { width, height })
        }
    }

    /// Draws an environment. Flat pictures are drawn whole, in the middle; frames keep their own size.
    pub fn draw(&self, drawing: &Drawing) -> Result<Frame, RenderError> {
        match drawing {
            Drawing::Picture(picture) => raster::draw(picture, self.width, self.height),
            Drawing::Scene(scene) => self.trace(scene),
            Drawing::Frame(frame) => Ok(frame.clone()),
        }
    }

    /// Traces four rays per pixel of a body, one per pixel of the background.
    fn trace(&self, scene: &Scene) -> Result<Frame, RenderError> {
        scene.check()?;
        let Scene { bodies, camera } = scene;
        let view = camera.view(self.width, self.height)?;
        let solids: Vec<Solid> = bodies.iter().map(|body| Solid::new(body, &view)).collect();
        let mut frame = Frame::new(self.width, self.height);
        frame.body_colors = bodies.iter().map(|body| body.color.rgb).collect();
        let mut colors = vec![Vec3::ZERO; self.width];
        for y in 0..self.height {
            paint_background(&view, &solids, y, &mut colors);
            paint_solids(&view, &solids, y, &mut colors);
            for (pixel, color) in frame.row_mut(y).chunks_exact_mut(3).zip(&colors) {
                pixel.copy_from_slice(&light::quantize(*color));
            }
        }
        Ok(frame)
    }
}

fn paint_background(view: &View, solids: &[Solid], y: usize, colors: &mut [Vec3]) {
    match ground::row(view, y) {
        Row::Sky(color) => colors.fill(color),
        Row::Floor(row) => {
            let mut shadows = vec![0.0f32; colors.len()];
            solids.iter().for_each(|solid| cast_shadow(view, &row, solid, &mut shadows));
            for (x, (color, shadow)) in colors.iter_mut().zip(shadows).enumerate() {
                *color = row.color(row.first + row.step * x as f32, shadow);
            }
        }
    }
}

/// Casts a shadow. The deeper of two overlapping shadows counts, so that soft edges of adjacent limbs do not add up.
fn cast_shadow(view: &View, row: &FloorRow, solid: &Solid, shadows: &mut [f32]) {
    let (center, radius) = solid.shadow(ground::height(view));
    for x in row.columns(center, radius, shadows.len()) {
        let shadow = solid.shade_on(row.first + row.step * x as f32);
        shadows[x] = shadows[x].max(shadow);
    }
}

/// Paints the pixels of a row that may show bodies.
fn paint_solids(view: &View, solids: &[Solid], y: usize, colors: &mut [Vec3]) {
    let near: Vec<&Solid> = solids.iter().filter(|solid| solid.bounds.rows.contains(&y)).collect();
    let first = near.iter().map(|solid| solid.bounds.columns.start).min().unwrap_or(0);
    let last = near.iter().map(|solid| solid.bounds.columns.end).max().unwrap_or(0);
    let mut here: Vec<&Solid> = Vec::with_capacity(near.len());
    for (x, color) in colors.iter_mut().enumerate().take(last).skip(first) {
        here.clear();
        let center = view.towards(x as f32 + 0.5, y as f32 + 0.5).normalize();
        here.extend(near.iter().filter(|solid| {
            solid.bounds.columns.contains(&x) && solid.is_near(view.eye, center, view.pixel)
        }));
        if !here.is_empty() {
            *color = pixel(view, (x, y), &here, solids, *color);
        }
    }
}

/// Returns the mean of four rays, each of which meets one of the bodies `here` or shows the background.
fn pixel(
    view: &View,
    (x, y): (usize, usize),
    here: &[&Solid],
    solids: &[Solid],
    background: Vec3,
) -> Vec3 {
    const SAMPLES: [(f32, f32); 4] = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)];
    // Shadows are soft, so the pixel's first ray that meets a body computes its shadow for the others.
    let mut shadow: Option<(&Solid, f32)> = None;
    let mut total = Vec3::ZERO;
    for (dx, dy) in SAMPLES {
        let direction = view.towards(x as f32 + dx, y as f32 + dy).normalize();
        let Some((hit, solid)) = nearest(view.eye, direction, here) else {
            total += background;
            continue;
        };
        let hidden = match shadow {
            Some((known, hidden)) if std::ptr::eq(known, solid) => hidden,
            _ => shadow_on(solid, view.eye + hit.distance * direction, solids),
        };
        shadow = Some((solid, hidden));
        total += light::shade(solid.color, hit.normal, -direction, 1.0 - hidden);
    }
    total / SAMPLES.len() as f32
}

fn nearest<'a>(eye: Vec3, direction: Vec3, here: &[&'a Solid]) -> Option<(Hit, &'a Solid)> {
    let mut best: Option<(Hit, &Solid)> = None;
    for &solid in here {
        if let Some(hit) = solid.hit(eye, direction)
            && best.as_ref().is_none_or(|(other, _)| hit.distance < other.distance)
        {
            best = Some((hit, solid));
        }
    }
    best
}

/// Returns the share of the light that the other bodies hide from a point on `solid`.
fn shadow_on(solid: &Solid, point: Vec3, solids: &[Solid]) -> f32 {
    let others = solids.iter().filter(|other| !std::ptr::eq(*other, solid));
    others.map(|other| other.shade_on(point)).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;
    use crate::render::{Body, Camera, Pose, Shape};

    const UPRIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
    /// Level, so that heights in the frame are heights in the world.
    const FIELD: f64 = 0.8;

    fn level(target: [f64; 3], distance: f64) -> Camera {
        Camera { elevation: 0.0, field_of_view: FIELD, ..Camera::from_side(target, distance) }
    }

    fn body(shape: Shape, position: [f64; 3], rotation: [f64; 4]) -> Body {
        Body { shape, pose: Pose { position, rotation }, color: Color::new(200, 0, 0) }
    }

    fn draw(bodies: Vec<Body>, camera: Camera) -> Frame {
        Renderer::new(160, 120).unwrap().draw(&Scene { bodies, camera }.into()).unwrap()
    }

    fn is_red([r, g, b]: [u8; 3]) -> bool {
        u32::from(r) > 30 + 2 * u32::from(g.max(b))
    }

    /// Counts the red pixels in column 80 and in row 60.
    fn red(frame: &Frame) -> [usize; 2] {
        let red = |x, y| usize::from(is_red(frame.pixel(x, y).unwrap()));
        [(0..120).map(|y| red(80, y)).sum(), (0..160).map(|x| red(x, 60)).sum()]
    }

    #[test]
    fn spheres_are_shaded_by_their_normals() {
        let ball = body(Shape::Sphere { radius: 0.5 }, [0.0, 0.0, 2.0], UPRIGHT);
        // An odd number of pixels each way, so that one of them is the middle.
        let renderer = Renderer::new(161, 121).unwrap();
        let scene = Scene { bodies: vec![ball], camera: level([0.0, 0.0, 2.0], 4.0) };
        let frame = renderer.draw(&scene.into()).unwrap();
        let pixel = frame.pixel(80, 60).unwrap();
        // There n = -y faces the eye: ambient (0.34 + 0.52) / 2, direct 0.58 · 0.48, and in the mirror
        // n·h = cos(acos(0.48) / 2) = √0.74, of which 0.16 · 0.74¹⁶ is left.
        let mirrored = 0.16 * 0.74f64.powi(16);
        let red = 255.0 * (200.0 / 255.0 * (0.43 + 0.58 * 0.48) + mirrored);
        assert!((f64::from(pixel[0]) - red).abs() <= 2.0, "{pixel:?}, not {red}");
        assert!((f64::from(pixel[1]) - 255.0 * mirrored).abs() <= 2.0, "{pixel:?}");
    }

    #[test]
    fn capsules_have_the_silhouette_of_their_size() {
        let shape = Shape::Capsule { radius: 0.2, half_length: 0.6 };
        let camera = level([0.0, 0.0, 3.0], 5.0);
        let per_meter = 120.0 / (2.0 * 5.0 * (FIELD / 2.0).tan());
        let standing = draw(vec![body(shape, [0.0, 0.0, 3.0], UPRIGHT)], camera);
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let lying = draw(vec![body(shape, [0.0, 0.0, 3.0], [0.0, half, 0.0, half])], camera);
        let found = [red(&standing), red(&lying)].concat();
        for (found, meters) in found.into_iter().zip([1.6, 0.4, 0.4, 1.6]) {
            let error = (found as f64 - meters * per_meter).abs();
            assert!(error <= 2.0, "{found} pixels for {meters} m");
        }
    }

    #[test]
    fn nearer_bodies_hide_farther_ones() {
        let near = body(Shape::Box { half_extents: [0.3; 3] }, [0.0, -1.0, 2.0], UPRIGHT);
        let far = Body {
            color: Color::new(0, 0, 200),
            ..body(Shape::Sphere { radius: 0.3 }, [0.0, 1.0, 2.0], UPRIGHT)
        };
        let camera = level([0.0, 0.0, 2.0], 4.0);
        for bodies in [vec![near, far], vec![far, near]] {
            assert!(is_red(draw(bodies, camera).pixel(80, 60).unwrap()));
        }
    }

    #[test]
    fn bodies_cast_shadows_on_the_floor() {
        let camera = Camera::at_an_angle([0.0, 0.0, 0.0], 4.0);
        let ball = body(Shape::Sphere { radius: 0.3 }, [-0.45, -0.6, 1.0], UPRIGHT);
        let brightness =
            |bodies| draw(bodies, camera).pixel(80, 60).unwrap().map(u32::from).iter().sum::<u32>();
        // The ball stands between this point and the light.
        assert!(brightness(vec![ball]) * 10 < brightness(vec![]) * 8);
    }

    #[test]
    fn frames_are_equal_a_kilometer_away() {
        let shape = Shape::Capsule { radius: 0.2, half_length: 0.3 };
        let scene = |x: f64| vec![body(shape, [x, 0.0, 0.6], [0.3, 0.1, 0.0, 1.0])];
        let camera = |x: f64| Camera::from_side([x, 0.0, 0.5], 4.0);
        let here = draw(scene(0.0), camera(0.0));
        assert_eq!(here, draw(scene(0.0), camera(0.0)));
        assert_eq!(here, draw(scene(1000.0), camera(1000.0)));
        assert_ne!(here, draw(scene(1000.1), camera(1000.0)));
    }

    #[test]
    fn invalid_sizes_and_bodies_are_refused() {
        assert!(matches!(Renderer::new(0, 10), Err(RenderError::Size { width: 0, height: 10 })));
        assert!(matches!(Renderer::new(10, 70_000), Err(RenderError::Size { .. })));
        let lost = body(Shape::Sphere { radius: 0.5 }, [f64::INFINITY, 0.0, 0.0], UPRIGHT);
        let scene = Scene { bodies: vec![lost], camera: level([0.0; 3], 1.0) };
        let result = Renderer::new(8, 8).unwrap().draw(&scene.into());
        assert!(matches!(result, Err(RenderError::Value { field: "position", .. })));
    }

    #[test]
    fn an_eye_inside_a_body_is_no_error() {
        let around = body(Shape::Sphere { radius: 9.0 }, [0.0, 0.0, 2.0], UPRIGHT);
        assert_eq!(draw(vec![around], level([0.0, 0.0, 2.0], 4.0)).size(), (160, 120));
    }
}
