//! From a flat picture to a frame: each mark as a mask of how much of every pixel it covers, blended in order.

use std::ops::Range;

use crate::render::frame::Frame;
use crate::render::picture::{Mark, Picture};
use crate::render::{Colour, RenderError};

/// Lines per row of pixels along which a polygon is measured; along each of them coverage is exact.
const LINES: usize = 8;

/// Draws a picture that fits into the frame whole, in the middle.
pub(crate) fn draw(picture: &Picture, frame: &mut Frame) -> Result<(), RenderError> {
    picture.check()?;
    frame.flat_colours = crate::render::Ink::ALL.map(crate::render::Ink::rgb).to_vec();
    let (width, height) = frame.size();
    let background = picture.background.rgb();
    (0..height).for_each(|y| (0..width).for_each(|x| frame.set(x, y, background)));
    let map = Map::new(picture, width, height);
    let mut mask = Mask { width, height, coverage: vec![0.0; width * height] };
    for mark in &picture.marks {
        let area = mask.cover(mark, &map);
        mask.blend(area, mark.ink().rgb(), frame);
    }
    Ok(())
}

/// From the picture's plane to pixels, whose rows count downwards.
struct Map {
    scale: f64,
    from: [f64; 2],
    to: [f64; 2],
}

impl Map {
    fn new(picture: &Picture, width: usize, height: usize) -> Self {
        let ([across, up], pixels) = (picture.view.size(), [width as f64, height as f64]);
        let scale = (pixels[0] / across).min(pixels[1] / up);
        Self { scale, from: picture.view.centre(), to: pixels.map(|length| 0.5 * length) }
    }

    fn point(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.to[0] + self.scale * (x - self.from[0]), self.to[1] - self.scale * (y - self.from[1])]
    }
}

/// A rectangle of pixels: columns and rows.
type Area = (Range<usize>, Range<usize>);

/// How much of each pixel a mark covers, from 0 to 1; all zero between two marks.
struct Mask {
    width: usize,
    height: usize,
    coverage: Vec<f32>,
}

impl Mask {
    /// Covers what the mark covers, and says where that may be.
    fn cover(&mut self, mark: &Mark, map: &Map) -> Area {
        let points: Vec<[f64; 2]> = mark.points().iter().map(|point| map.point(*point)).collect();
        match mark {
            Mark::Polygon { .. } => self.cover_polygon(&points),
            Mark::Circle { radius, .. } => self.cover_line(&points, map.scale * radius),
            Mark::Line { width, .. } => self.cover_line(&points, 0.5 * map.scale * width),
        }
    }

    /// All within `radius` of the line. What is thinner than a pixel is a pixel wide and as much fainter.
    fn cover_line(&mut self, points: &[[f64; 2]], radius: f64) -> Area {
        let (shown, strength) = (radius.max(0.5), (2.0 * radius).clamp(0.25, 1.0));
        let dot = points.first().map(|point| [*point, *point]);
        let segments = points.windows(2).map(|pair| [pair[0], pair[1]]);
        for segment in segments.chain(dot) {
            let (columns, rows) = self.area(&segment, shown + 1.0);
            for y in rows {
                for x in columns.clone() {
                    let distance = distance([x as f64 + 0.5, y as f64 + 0.5], segment);
                    let covered = strength * (shown - distance + 0.5).clamp(0.0, 1.0);
                    let pixel = &mut self.coverage[y * self.width + x];
                    *pixel = pixel.max(covered as f32);
                }
            }
        }
        self.area(points, shown + 1.0)
    }

    fn cover_polygon(&mut self, corners: &[[f64; 2]]) -> Area {
        let area = self.area(corners, 1.0);
        let mut crossings = Vec::new();
        for y in area.1.clone() {
            for line in 0..LINES {
                let height = y as f64 + (line as f64 + 0.5) / LINES as f64;
                crossings.clear();
                crossings.extend(edges(corners).filter_map(|edge| crossing(edge, height)));
                crossings.sort_by(f64::total_cmp);
                for span in crossings.as_chunks::<2>().0 {
                    self.cover_span(y, *span);
                }
            }
        }
        area
    }

    /// One line's share of the pixels between two places in a row.
    fn cover_span(&mut self, y: usize, [from, to]: [f64; 2]) {
        let (from, to) = (from.clamp(0.0, self.width as f64), to.clamp(0.0, self.width as f64));
        let row = &mut self.coverage[y * self.width..(y + 1) * self.width];
        for x in from as usize..(to.ceil() as usize) {
            let covered = to.min(x as f64 + 1.0) - from.max(x as f64);
            row[x] = (row[x] + covered as f32 / LINES as f32).min(1.0);
        }
    }

    /// The pixels that lie within `margin` of the points' bounding box.
    fn area(&self, points: &[[f64; 2]], margin: f64) -> Area {
        let range = |axis: usize, length: usize| {
            let values = || points.iter().map(|point| point[axis]);
            let low = values().fold(f64::INFINITY, f64::min) - margin;
            let high = values().fold(f64::NEG_INFINITY, f64::max) + margin;
            let end = (high.ceil().max(0.0) as usize).min(length);
            (low.floor().max(0.0) as usize).min(end)..end
        };
        (range(0, self.width), range(1, self.height))
    }

    /// Paints what is covered, and clears the mask.
    fn blend(&mut self, (columns, rows): Area, colour: Colour, frame: &mut Frame) {
        for y in rows {
            let pixels = frame.row_mut(y).as_chunks_mut::<3>().0;
            for x in columns.clone() {
                let covered = std::mem::take(&mut self.coverage[y * self.width + x]);
                for (channel, ink) in pixels[x].iter_mut().zip(colour) {
                    let before = f32::from(*channel);
                    *channel = (before + covered * (f32::from(ink) - before)).round() as u8;
                }
            }
        }
    }
}

/// The sides of a closed polygon.
fn edges(corners: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> {
    corners.iter().zip(corners.iter().cycle().skip(1)).map(|(from, to)| [*from, *to])
}

/// Where an edge crosses the horizontal line at `height`; it owns its upper end only, so corners count once.
fn crossing([[x0, y0], [x1, y1]]: [[f64; 2]; 2], height: f64) -> Option<f64> {
    ((y0 <= height) != (y1 <= height)).then(|| x0 + (x1 - x0) * (height - y0) / (y1 - y0))
}

/// From a point to the nearest point of a segment.
fn distance(point: [f64; 2], [from, to]: [[f64; 2]; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let off = [point[0] - from[0], point[1] - from[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 {
        ((off[0] * along[0] + off[1] * along[1]) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (off[0] - share * along[0]).hypot(off[1] - share * along[1])
}

#[cfg(test)]
mod tests {
    use crate::render::{Frame, GifWriter, Ink, Mark, Picture, Rectangle, Renderer};

    /// A white plane from (0, 0) to (`width`, `height`), one unit per pixel.
    fn frame_of(width: usize, height: usize, marks: Vec<Mark>) -> Frame {
        let view = Rectangle { low: [0.0; 2], high: [width as f64, height as f64] };
        let picture = Picture { view, background: Ink::Paper, marks };
        Renderer::new(width, height).unwrap().draw(&picture).unwrap()
    }

    /// How many pixels' worth of ink a frame holds, by its red channel.
    fn covered(frame: &Frame, ink: Ink) -> f64 {
        let (paper, full) = (f64::from(Ink::Paper.rgb()[0]), f64::from(ink.rgb()[0]));
        let reds = frame.rgb().iter().step_by(3);
        reds.map(|red| (f64::from(*red) - paper) / (full - paper)).sum()
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.01 * expected, "{found} instead of {expected}");
    }

    #[test]
    fn shapes_cover_their_areas() {
        let triangle = vec![[5.3, 4.1], [33.7, 9.9], [12.2, 35.4]];
        let [a, b, c] = [triangle[0], triangle[1], triangle[2]];
        let twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let mark = Mark::Polygon { points: triangle, ink: Ink::Dark };
        assert_close(covered(&frame_of(40, 40, vec![mark]), Ink::Dark), 0.5 * twice);

        let mark = Mark::Circle { centre: [20.3, 19.6], radius: 12.0, ink: Ink::Dark };
        let area = std::f64::consts::PI * 144.0;
        assert_close(covered(&frame_of(40, 40, vec![mark]), Ink::Dark), area);

        let points = vec![[8.2, 8.4], [30.0, 30.0]];
        let length = (30.0f64 - 8.2).hypot(30.0 - 8.4);
        let mark = Mark::Line { points, width: 5.0, ink: Ink::Dark };
        let area = 5.0 * length + std::f64::consts::PI * 2.5 * 2.5;
        assert_close(covered(&frame_of(40, 40, vec![mark]), Ink::Dark), area);
    }

    #[test]
    fn edges_are_smooth_and_axis_aligned_ones_exact() {
        let square = |x: f64| {
            let low = [x, 2.0];
            let points = Rectangle { low, high: [x + 4.0, 6.0] }.corners().to_vec();
            frame_of(12, 8, vec![Mark::Polygon { points, ink: Ink::Dark }])
        };
        let colours = |frame: &Frame| [2, 3, 4, 5, 6].map(|x| frame.pixel(x, 3).unwrap()[0]);
        let (dark, paper) = (Ink::Dark.rgb()[0], Ink::Paper.rgb()[0]);
        assert_eq!(colours(&square(2.0)), [dark, dark, dark, dark, paper]);
        let half = ((f32::from(dark) + f32::from(paper)) / 2.0).round() as u8;
        assert_eq!(colours(&square(2.5)), [half, dark, dark, dark, half]);
    }

    #[test]
    fn y_points_up_and_later_marks_lie_on_top() {
        let disc = |y, ink| Mark::Circle { centre: [5.0, y], radius: 2.0, ink };
        let marks = vec![disc(8.0, Ink::Blue), disc(2.0, Ink::Red), disc(2.0, Ink::Green)];
        let frame = frame_of(10, 10, marks);
        assert_eq!(frame.pixel(4, 1), Some(Ink::Blue.rgb()));
        assert_eq!(frame.pixel(4, 8), Some(Ink::Green.rgb()));
    }

    #[test]
    fn a_mark_leaves_what_it_does_not_cover() {
        let disc = Mark::Circle { centre: [2.0, 8.0], radius: 1.5, ink: Ink::Blue };
        let points = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]];
        let frame = frame_of(10, 10, vec![disc, Mark::Line { points, width: 1.0, ink: Ink::Red }]);
        assert_eq!(frame.pixel(1, 1), Some(Ink::Blue.rgb()));
        assert_eq!(frame.pixel(6, 5), Some(Ink::Paper.rgb()));
    }

    #[test]
    fn a_frame_of_other_proportions_shows_the_whole_view() {
        let view = Rectangle { low: [-1.0; 2], high: [1.0; 2] };
        let marks = vec![Mark::Polygon { points: view.corners().to_vec(), ink: Ink::Slate }];
        let picture = Picture { view, background: Ink::Paper, marks };
        let frame = Renderer::new(30, 10).unwrap().draw(&picture).unwrap();
        let row: Vec<bool> = (0..30).map(|x| frame.pixel(x, 0) == Some(Ink::Slate.rgb())).collect();
        assert_eq!(row.iter().filter(|inked| **inked).count(), 10);
        assert!(row[10] && row[19]);
    }

    #[test]
    fn marks_beyond_the_frame_and_empty_marks_leave_it_alone() {
        let far = |x: f64| vec![[x, x], [x + 9.0, x], [x, x + 9.0]];
        let marks = vec![
            Mark::Polygon { points: far(1e300), ink: Ink::Red },
            Mark::Line { points: far(-1e12), width: 1.0, ink: Ink::Red },
            Mark::Circle { centre: [50.0, 5.0], radius: 3.0, ink: Ink::Red },
            Mark::Polygon { points: vec![], ink: Ink::Red },
            Mark::Line { points: vec![], width: 1.0, ink: Ink::Red },
        ];
        assert_eq!(frame_of(10, 10, marks), frame_of(10, 10, vec![]));
    }

    #[test]
    fn an_animation_keeps_inks_that_come_later() {
        let disc = Mark::Circle { centre: [5.0, 5.0], radius: 4.0, ink: Ink::Yellow };
        let (first, second) = (frame_of(10, 10, vec![]), frame_of(10, 10, vec![disc]));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disc.gif");
        let mut gif = GifWriter::start(&path, &first, 3).unwrap();
        gif.push(&second).unwrap();
        gif.finish().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(std::fs::File::open(&path).unwrap()).unwrap();
        decoder.read_next_frame().unwrap();
        let change = decoder.read_next_frame().unwrap().unwrap();
        assert!(change.buffer.chunks_exact(4).any(|pixel| pixel[..3] == Ink::Yellow.rgb()));
    }
}
