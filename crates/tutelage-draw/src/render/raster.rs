//! Flat pictures as pixels.

use tiny_skia::{FillRule, LineCap, LineJoin, Path, PathBuilder, Pixmap, Stroke, Transform};

use crate::render::frame::Frame;
use crate::render::picture::{Mark, Picture};
use crate::render::{Ink, RenderError};

/// Lines are at least this wide in pixels, so that they stay visible.
const LEAST_WIDTH: f32 = 0.25;

/// Draws a picture whole, in the middle of a frame.
pub(crate) fn draw(picture: &Picture, width: usize, height: usize) -> Result<Frame, RenderError> {
    picture.check()?;
    let pixmap = Pixmap::new(width as u32, height as u32);
    let mut pixmap = pixmap.ok_or(RenderError::Size { width, height })?;
    pixmap.fill(picture.background.color().into());
    let map = Map::new(picture, width, height);
    for mark in &picture.marks {
        // Marks without extent and marks at infinity have no path.
        let _ = map.paint(mark, &mut pixmap);
    }
    let mut frame = Frame::from_pixmap(&pixmap);
    frame.flat_colors = Ink::ALL.map(|ink| ink.color().rgb).to_vec();
    Ok(frame)
}

/// Maps the picture's plane to pixels, whose rows count downward.
struct Map {
    scale: f64,
    from: [f64; 2],
    to: [f64; 2],
}

impl Map {
    fn new(picture: &Picture, width: usize, height: usize) -> Self {
        let ([across, up], pixels) = (picture.view.size(), [width as f64, height as f64]);
        let scale = (pixels[0] / across).min(pixels[1] / up);
        Self { scale, from: picture.view.center(), to: pixels.map(|length| 0.5 * length) }
    }

    fn point(&self, [x, y]: [f64; 2]) -> [f32; 2] {
        let x = self.to[0] + self.scale * (x - self.from[0]);
        [x as f32, (self.to[1] - self.scale * (y - self.from[1])) as f32]
    }

    fn length(&self, length: f64) -> f32 {
        (self.scale * length) as f32
    }

    fn paint(&self, mark: &Mark, pixmap: &mut Pixmap) -> Option<()> {
        let (paint, still) = (mark.ink().color().paint(1.0), Transform::identity());
        let path = match mark {
            Mark::Circle { center, radius, .. } => self.circle(*center, *radius)?,
            // A stroke of one point has no path.
            Mark::Line { points, width, .. } if points.len() == 1 => {
                self.circle(points[0], 0.5 * width)?
            }
            Mark::Line { points, width, .. } => {
                let stroke = Stroke {
                    width: self.length(*width).max(LEAST_WIDTH),
                    line_cap: LineCap::Round,
                    line_join: LineJoin::Round,
                    ..Stroke::default()
                };
                pixmap.stroke_path(&self.joined(points).finish()?, &paint, &stroke, still, None);
                return Some(());
            }
            Mark::Polygon { points, .. } => {
                let mut path = self.joined(points);
                path.close();
                path.finish()?
            }
        };
        pixmap.fill_path(&path, &paint, FillRule::EvenOdd, still, None);
        Some(())
    }

    fn circle(&self, center: [f64; 2], radius: f64) -> Option<Path> {
        let [x, y] = self.point(center);
        PathBuilder::from_circle(x, y, self.length(radius).max(0.5 * LEAST_WIDTH))
    }

    fn joined(&self, points: &[[f64; 2]]) -> PathBuilder {
        let mut path = PathBuilder::new();
        for (i, [x, y]) in points.iter().map(|point| self.point(*point)).enumerate() {
            if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::render::{Rectangle, Renderer};

    /// Returns a plane from (0, 0) to (`width`, `height`), one unit per pixel.
    fn frame_of(width: usize, height: usize, marks: Vec<Mark>) -> Frame {
        let view = Rectangle { low: [0.0; 2], high: [width as f64, height as f64] };
        let picture = Picture { view, background: Ink::Paper, marks };
        Renderer::new(width, height).unwrap().draw(&picture.into()).unwrap()
    }

    #[test]
    fn shapes_cover_their_areas() {
        let triangle = vec![[5.3, 4.1], [33.7, 9.9], [12.2, 35.4]];
        let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
        let twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let (from, to, ink) = ([8.2f64, 8.4], [30.0, 30.0], Ink::Dark);
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        for (mark, area) in [
            (Mark::Polygon { points: triangle, ink }, 0.5 * twice),
            (Mark::Circle { center: [20.3, 19.6], radius: 12.0, ink }, 144.0 * PI),
            (Mark::Line { points: vec![from, to], width: 5.0, ink }, 5.0 * length + 6.25 * PI),
        ] {
            let reds = frame_of(40, 40, vec![mark]).rgb().to_vec().into_iter().step_by(3);
            let [paper, dark] = [Ink::Paper, ink].map(|ink| f64::from(ink.color().rgb[0]));
            let covered: f64 = reds.map(|red| (f64::from(red) - paper) / (dark - paper)).sum();
            assert!((covered - area).abs() < 0.01 * area, "{covered} instead of {area}");
        }
    }

    #[test]
    fn y_points_up_and_later_marks_lie_on_top() {
        let disc = |y, ink| Mark::Circle { center: [5.0, y], radius: 2.0, ink };
        let marks = vec![disc(8.0, Ink::Blue), disc(2.0, Ink::Red), disc(2.0, Ink::Green)];
        let frame = frame_of(10, 10, marks);
        assert_eq!(frame.pixel(4, 1), Some(Ink::Blue.color().rgb));
        assert_eq!(frame.pixel(4, 8), Some(Ink::Green.color().rgb));
        assert_eq!(frame.pixel(8, 5), Some(Ink::Paper.color().rgb));
    }

    #[test]
    fn a_frame_of_other_proportions_shows_the_whole_view() {
        let view = Rectangle { low: [-1.0; 2], high: [1.0; 2] };
        let marks = vec![Mark::Polygon { points: view.corners().to_vec(), ink: Ink::Slate }];
        let picture = Picture { view, background: Ink::Paper, marks };
        let frame = Renderer::new(30, 10).unwrap().draw(&picture.into()).unwrap();
        let slate = Some(Ink::Slate.color().rgb);
        let row: Vec<bool> = (0..30).map(|x| frame.pixel(x, 0) == slate).collect();
        assert_eq!(row.iter().filter(|inked| **inked).count(), 10);
        assert!(row[10] && row[19]);
    }

    #[test]
    fn marks_outside_the_frame_and_empty_marks_draw_nothing() {
        let far = |x: f64| vec![[x, x], [x + 9.0, x], [x, x + 9.0]];
        let marks = vec![
            Mark::Polygon { points: far(1e300), ink: Ink::Red },
            Mark::Line { points: far(-1e12), width: 1.0, ink: Ink::Red },
            Mark::Circle { center: [50.0, 5.0], radius: 3.0, ink: Ink::Red },
            Mark::Polygon { points: vec![], ink: Ink::Red },
            Mark::Line { points: vec![], width: 1.0, ink: Ink::Red },
        ];
        assert_eq!(frame_of(10, 10, marks), frame_of(10, 10, vec![]));
    }
}
