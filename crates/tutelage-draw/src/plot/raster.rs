//! A scene as pixels.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};

use crate::plot::scene::{Anchor, Area, BOLD, Dashes, INK, Mark, Point, Scene, THIN, VEIL, short};
use crate::plot::{Colour, FigureError, text};

/// Pixels that a picture may have: some sixty panels. Each takes up to eight bytes while it is drawn.
const MOST_PIXELS: f64 = 33_554_432.0;

/// The scene at `scale` pixels per unit, as PNG; at fewer where it is too large for that.
pub(crate) fn png(scene: &Scene, scale: f64) -> Result<Vec<u8>, FigureError> {
    let scale = fitting(scene, scale);
    let pixels = |length: f64| (length * scale).ceil() as u32;
    let pixmap = Pixmap::new(pixels(scene.width), pixels(scene.height))
        .ok_or_else(|| FigureError::Raster("it has no size".into()))?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    let mut canvas = Canvas { pixmap, scale: transform, window: None, spare: None };
    canvas.pixmap.fill(tiny_skia::Color::WHITE);
    canvas.marks(&scene.marks);
    encode(&canvas.pixmap).map_err(|error| FigureError::Raster(error.to_string()))
}

/// Pixels per unit, `scale` unless there would be too many in all.
fn fitting(scene: &Scene, scale: f64) -> f64 {
    scale.min((MOST_PIXELS / (scene.width * scene.height)).sqrt())
}

/// Red, green and blue alone: the page is white all over, and nothing shines through.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut rgb = Vec::with_capacity(pixmap.data().len() / 4 * 3);
    for pixel in pixmap.data().chunks_exact(4) {
        rgb.extend_from_slice(&pixel[..3]);
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(bytes)
}

struct Canvas {
    pixmap: Pixmap,
    scale: Transform,
    /// What is seen, where not everything is.
    window: Option<Mask>,
    /// A window that is as large as the page and closed all over, to be opened for the next panel: a new one for each would take
    /// longer than all that is drawn.
    spare: Option<Mask>,
}

impl Canvas {
    fn marks(&mut self, marks: &[Mark]) {
        for mark in marks {
            // A mark without extent has no outline, and is not seen.
            let _ = self.mark(mark);
        }
    }

    fn mark(&mut self, mark: &Mark) -> Option<()> {
        match mark {
            Mark::Group(marks) => self.marks(marks),
            Mark::Window(_) => {}
            Mark::Inside(window, marks) => {
                self.open(&window.area)?;
                self.marks(marks);
                self.close(&window.area);
            }
            Mark::Frame(area, colour) => self.stroke(&rectangle(area)?, *colour, &thin()),
            Mark::Rule(points, colour) => self.stroke(&joined(points).finish()?, *colour, &thin()),
            Mark::Line(points, dashes, colour) => {
                self.stroke(&joined(points).finish()?, *colour, &bold(*dashes));
            }
            Mark::Dot { centre: (x, y), radius, colour } => {
                let (x, y) = (short(*x) as f32, short(*y) as f32);
                let path = PathBuilder::from_circle(x, y, *radius as f32)?;
                self.fill(&path, &paint(*colour, 1.0), Transform::identity());
            }
            Mark::Patch(area, colour) => {
                self.fill(&rectangle(area)?, &paint(*colour, 1.0), Transform::identity());
            }
            Mark::Veil(corners, colour) => {
                let mut path = joined(corners);
                path.close();
                self.fill(&path.finish()?, &paint(*colour, VEIL), Transform::identity());
            }
            Mark::Label { text, place, size, anchor, turned } => {
                self.label(text, *place, *size, *anchor, *turned)?;
            }
        }
        Some(())
    }

    fn label(
        &mut self,
        text: &str,
        (x, y): Point,
        size: f64,
        anchor: Anchor,
        turned: bool,
    ) -> Option<()> {
        let (path, length) = text::outlines(text, size);
        let before = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => length / 2.0,
            Anchor::End => length,
        };
        let turn = Transform::from_rotate(if turned { -90.0 } else { 0.0 });
        let place = turn.post_translate(short(x) as f32, short(y) as f32);
        self.fill(&path.finish()?, &paint(INK, 1.0), place.pre_translate(-before as f32, 0.0));
        Some(())
    }

    /// From now on only what is inside the area is seen.
    fn open(&mut self, area: &Area) -> Option<()> {
        let path = rectangle(area)?;
        let closed = || Mask::new(self.pixmap.width(), self.pixmap.height());
        let mut window = self.spare.take().or_else(closed)?;
        window.fill_path(&path, FillRule::Winding, true, self.scale);
        self.window = Some(window);
        Some(())
    }

    /// From now on everything is seen.
    fn close(&mut self, area: &Area) {
        let Some(mut window) = self.window.take() else { return };
        let (width, scale) = (window.width() as usize, f64::from(self.scale.sy));
        // Rounding may have opened a row more at either end.
        let row = |y: f64| (y.max(0.0) * scale) as usize;
        let (first, last) = (row(area.top).saturating_sub(2), row(area.bottom()) + 3);
        let data = window.data_mut();
        let end = (last * width).min(data.len());
        data[(first * width).min(end)..end].fill(0);
        self.spare = Some(window);
    }

    fn fill(&mut self, path: &Path, paint: &Paint, place: Transform) {
        let place = place.post_concat(self.scale);
        self.pixmap.fill_path(path, paint, FillRule::Winding, place, self.window.as_ref());
    }

    fn stroke(&mut self, path: &Path, colour: Colour, stroke: &Stroke) {
        let paint = paint(colour, 1.0);
        self.pixmap.stroke_path(path, &paint, stroke, self.scale, self.window.as_ref());
    }
}

fn paint(colour: Colour, opacity: f64) -> Paint<'static> {
    let [red, green, blue] = colour.rgb;
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
    paint
}

fn thin() -> Stroke {
    Stroke { width: THIN as f32, ..Stroke::default() }
}

fn bold(dashes: Dashes) -> Stroke {
    let lengths: Vec<f32> = dashes.lengths().iter().map(|&length| length as f32).collect();
    Stroke {
        width: BOLD as f32,
        line_cap: if dashes.have_round_ends() { LineCap::Round } else { LineCap::Butt },
        line_join: LineJoin::Round,
        // Without lengths there are no dashes.
        dash: StrokeDash::new(lengths, 0.0),
        ..Stroke::default()
    }
}

fn rectangle(area: &Area) -> Option<Path> {
    let [left, top, width, height] =
        [area.left, area.top, area.width, area.height].map(|side| short(side) as f32);
    Rect::from_xywh(left, top, width, height).map(PathBuilder::from_rect)
}

fn joined(points: &[Point]) -> PathBuilder {
    let mut path = PathBuilder::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        let (x, y) = (short(x) as f32, short(y) as f32);
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::scene::Window;

    const WHITE: [u8; 3] = [255; 3];
    const BLUE: Colour = Colour::new(0, 0, 200);

    /// The pixels of a page of 40 × 20 units, row by row.
    fn pixels(marks: Vec<Mark>) -> Vec<[u8; 3]> {
        let png = png(&Scene { width: 40.0, height: 20.0, marks }, 2.0).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (80, 40));
        bytes.chunks_exact(3).map(|pixel| pixel.try_into().unwrap()).collect()
    }

    fn count(pixels: &[[u8; 3]], colour: Colour) -> usize {
        pixels.iter().filter(|pixel| **pixel == colour.rgb).count()
    }

    fn label(text: &str, anchor: Anchor, turned: bool) -> Mark {
        Mark::Label { text: text.into(), place: (20.0, 15.0), size: 10.0, anchor, turned }
    }

    /// Columns and rows from the first to the last pixel that is not white.
    fn extent(pixels: &[[u8; 3]]) -> ([usize; 2], [usize; 2]) {
        let marked: Vec<usize> = (0..pixels.len()).filter(|&i| pixels[i] != WHITE).collect();
        let range = |of: &dyn Fn(usize) -> usize| {
            let values = || marked.iter().map(|&i| of(i));
            [values().min().unwrap(), values().max().unwrap()]
        };
        (range(&|i| i % 80), range(&|i| i / 80))
    }

    #[test]
    fn text_is_drawn_without_fonts_on_the_machine_around_its_anchor() {
        let columns = |anchor| extent(&pixels(vec![label("πλ₀", anchor, false)])).0;
        let (start, middle, end) =
            (columns(Anchor::Start), columns(Anchor::Middle), columns(Anchor::End));
        assert!(start[0] >= 40 && end[1] <= 40, "{start:?} {end:?}");
        assert!((38..=42).contains(&((middle[0] + middle[1]) / 2)), "{middle:?}");
    }

    #[test]
    fn text_is_turned_to_be_read_from_below() {
        let ([left, right], [top, bottom]) =
            extent(&pixels(vec![label("ill", Anchor::Start, true)]));
        assert!(
            right <= 42 && left < 40 && bottom <= 30 && bottom - top > 10,
            "{left} {right} {top} {bottom}"
        );
    }

    #[test]
    fn nothing_is_seen_outside_a_window() {
        let area = Area { left: 0.0, top: 0.0, width: 20.0, height: 20.0 };
        let line = Mark::Line(vec![(0.0, 10.0), (40.0, 10.0)], Dashes::None, BLUE);
        let whole = pixels(vec![line.clone()]);
        let window = Window { name: "w".into(), area };
        let half = pixels(vec![Mark::Inside(window, vec![line.clone()])]);
        assert!(count(&whole, BLUE) == 2 * count(&half, BLUE) && count(&half, BLUE) > 0);
        assert!((0..40).all(|row| half[80 * row + 40..80 * row + 80].iter().all(|p| *p == WHITE)));
    }

    #[test]
    fn a_page_of_any_size_has_a_bounded_number_of_pixels_and_small_ones_keep_their_scale() {
        let scale = |height| fitting(&Scene { width: 864.0, height, marks: vec![] }, 2.0);
        assert_eq!(scale(20.0 * 300.0), 2.0, "forty panels, two in a row");
        for height in [150.0 * 300.0, 750.0 * 300.0, 1e9] {
            let scale = scale(height);
            assert!(864.0 * scale * height * scale < 34e6, "{height}: {scale}");
        }
    }

    #[test]
    fn a_window_leaves_nothing_open_for_the_next() {
        let area = |left, top| Area { left, top, width: 15.3, height: 9.7 };
        let inside = |left, top| {
            let window = Window { name: "w".into(), area: area(left, top) };
            let page = vec![(0.0, 0.0), (40.0, 0.0), (40.0, 20.0), (0.0, 20.0)];
            Mark::Inside(window, vec![Mark::Veil(page, Colour::BLACK)])
        };
        let alone = [inside(1.1, 0.2), inside(20.7, 10.1)].map(|mark| pixels(vec![mark]));
        let both = pixels(vec![inside(1.1, 0.2), inside(20.7, 10.1)]);
        let darker = |i: usize| alone[0][i].min(alone[1][i]);
        assert!((0..both.len()).all(|i| both[i] == darker(i)), "each is seen once");
    }

    #[test]
    fn dashes_leave_gaps_and_veils_let_light_through() {
        let line = |dashes| pixels(vec![Mark::Line(vec![(0.0, 10.0), (40.0, 10.0)], dashes, BLUE)]);
        let drawn =
            [Dashes::None, Dashes::LongAndDots, Dashes::Dots].map(|d| count(&line(d), BLUE));
        assert!(drawn[0] > drawn[1] && drawn[1] > drawn[2], "{drawn:?}");
        let corners = vec![(0.0, 0.0), (40.0, 0.0), (40.0, 20.0), (0.0, 20.0)];
        let veil = pixels(vec![Mark::Veil(corners, Colour::BLACK)]);
        assert!(veil.iter().all(|pixel| pixel[0] == 209), "{:?}", veil[0]);
    }
}
