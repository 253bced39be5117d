//! Pages as PNG files.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};

use crate::Color;
use crate::plot::FigureError;
use crate::plot::page::{Anchor, Area, BOLD, Dashes, INK, Item, Page, Point, THIN, VEIL, short};
use crate::render::Frame;
use crate::text;

/// The most pixels of a picture, enough for sixty panels. Drawing takes up to eight bytes per pixel.
const MOST_PIXELS: f64 = 33_554_432.0;

/// Returns a page as PNG with `scale` pixels per unit, or fewer if the page is very large.
pub(crate) fn png(page: &Page, scale: f64) -> Result<Vec<u8>, FigureError> {
    let scale = fitting(page, scale);
    let pixels = |length: f64| (length * scale).ceil() as u32;
    let pixmap = Pixmap::new(pixels(page.width), pixels(page.height)).ok_or(FigureError::Size)?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    let mut canvas = Canvas { pixmap, scale: transform, window: None, spare: None };
    canvas.pixmap.fill(tiny_skia::Color::WHITE);
    canvas.items(&page.items);
    Ok(Frame::from_pixmap(&canvas.pixmap).to_png())
}

/// Returns pixels per unit: `scale`, or fewer if there would be too many pixels.
fn fitting(page: &Page, scale: f64) -> f64 {
    scale.min((MOST_PIXELS / (page.width * page.height)).sqrt())
}

struct Canvas {
    pixmap: Pixmap,
    scale: Transform,
    /// The visible area, if it is limited.
    window: Option<Mask>,
    /// A closed window of the size of the page, for the next panel. Allocating one per panel would take longer than drawing.
    spare: Option<Mask>,
}

impl Canvas {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            // Items without extent have no path.
            let _ = self.item(item);
        }
    }

    fn item(&mut self, item: &Item) -> Option<()> {
        match item {
            Item::Group(items) => self.items(items),
            Item::Window(_) => {}
            Item::Inside(window, items) => {
                self.open(&window.area)?;
                self.items(items);
                self.close(&window.area);
            }
            Item::Frame(area, color) => self.stroke(&rectangle(area)?, *color, &thin()),
            Item::Rule(points, color) => self.stroke(&joined(points).finish()?, *color, &thin()),
            Item::Line(points, dashes, color) => {
                self.stroke(&joined(points).finish()?, *color, &bold(*dashes));
            }
            Item::Dot { center: (x, y), radius, color } => {
                let (x, y) = (short(*x) as f32, short(*y) as f32);
                let path = PathBuilder::from_circle(x, y, *radius as f32)?;
                self.fill(&path, &color.paint(1.0), Transform::identity());
            }
            Item::Patch(area, color) => {
                self.fill(&rectangle(area)?, &color.paint(1.0), Transform::identity());
            }
            Item::Veil(corners, color) => {
                let mut path = joined(corners);
                path.close();
                self.fill(&path.finish()?, &color.paint(VEIL), Transform::identity());
            }
            Item::Label { text, place, size, anchor, turned } => {
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
        self.fill(&path.finish()?, &INK.paint(1.0), place.pre_translate(-before as f32, 0.0));
        Some(())
    }

    /// Limits drawing to an area.
    fn open(&mut self, area: &Area) -> Option<()> {
        let path = rectangle(area)?;
        let closed = || Mask::new(self.pixmap.width(), self.pixmap.height());
        let mut window = self.spare.take().or_else(closed)?;
        window.fill_path(&path, FillRule::Winding, true, self.scale);
        self.window = Some(window);
        Some(())
    }

    /// Ends the limit to an area.
    fn close(&mut self, area: &Area) {
        let Some(mut window) = self.window.take() else { return };
        let (width, scale) = (window.width() as usize, f64::from(self.scale.sy));
        // Rounding may have opened one more row at either end.
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

    fn stroke(&mut self, path: &Path, color: Color, stroke: &Stroke) {
        self.pixmap.stroke_path(path, &color.paint(1.0), stroke, self.scale, self.window.as_ref());
    }
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
        // Without lengths this is `None`: a line without dashes.
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
    use crate::plot::page::Window;

    const WHITE: [u8; 3] = [255; 3];
    const BLUE: Color = Color::new(0, 0, 200);

    /// Returns the pixels of a page of 40 × 20 units.
    fn pixels(items: Vec<Item>) -> Vec<[u8; 3]> {
        let png = png(&Page { width: 40.0, height: 20.0, items }, 2.0).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.width, info.height), (80, 40));
        bytes.chunks_exact(3).map(|pixel| pixel.try_into().unwrap()).collect()
    }

    fn count(pixels: &[[u8; 3]], color: Color) -> usize {
        pixels.iter().filter(|pixel| **pixel == color.rgb).count()
    }

    fn label(text: &str, anchor: Anchor, turned: bool) -> Item {
        Item::Label { text: text.into(), place: (20.0, 15.0), size: 10.0, anchor, turned }
    }

    /// Returns the first and last columns and rows with pixels that are not white.
    fn extent(pixels: &[[u8; 3]]) -> ([usize; 2], [usize; 2]) {
        let marked: Vec<usize> = (0..pixels.len()).filter(|&i| pixels[i] != WHITE).collect();
        let range = |of: &dyn Fn(usize) -> usize| {
            let values = || marked.iter().map(|&i| of(i));
            [values().min().unwrap(), values().max().unwrap()]
        };
        (range(&|i| i % 80), range(&|i| i / 80))
    }

    #[test]
    fn text_is_drawn_around_its_anchor() {
        let columns = |anchor| extent(&pixels(vec![label("πλ₀", anchor, false)])).0;
        let [start, middle, end] = [Anchor::Start, Anchor::Middle, Anchor::End].map(columns);
        assert!(start[0] >= 40 && end[1] <= 40, "{start:?} {end:?}");
        assert!((38..=42).contains(&((middle[0] + middle[1]) / 2)), "{middle:?}");
    }

    #[test]
    fn turned_text_reads_upward() {
        let ([left, right], [top, bottom]) =
            extent(&pixels(vec![label("ill", Anchor::Start, true)]));
        assert!(right <= 42 && left < 40 && bottom <= 30 && bottom - top > 10);
    }

    #[test]
    fn windows_limit_drawing() {
        let area = Area { left: 0.0, top: 0.0, width: 20.0, height: 20.0 };
        let line = Item::Line(vec![(0.0, 10.0), (40.0, 10.0)], Dashes::None, BLUE);
        let whole = pixels(vec![line.clone()]);
        let window = Window { name: "w".into(), area };
        let half = pixels(vec![Item::Inside(window, vec![line.clone()])]);
        assert!(count(&whole, BLUE) == 2 * count(&half, BLUE) && count(&half, BLUE) > 0);
        assert!((0..40).all(|row| half[80 * row + 40..80 * row + 80].iter().all(|p| *p == WHITE)));
    }

    #[test]
    fn the_number_of_pixels_is_bounded() {
        let scale = |height| fitting(&Page { width: 864.0, height, items: vec![] }, 2.0);
        assert_eq!(scale(20.0 * 300.0), 2.0, "forty panels, two in a row");
        for height in [150.0 * 300.0, 750.0 * 300.0, 1e9] {
            let scale = scale(height);
            assert!(864.0 * scale * height * scale < 34e6, "{height}: {scale}");
        }
    }

    #[test]
    fn windows_do_not_overlap() {
        let area = |left, top| Area { left, top, width: 15.3, height: 9.7 };
        let inside = |left, top| {
            let window = Window { name: "w".into(), area: area(left, top) };
            let page = vec![(0.0, 0.0), (40.0, 0.0), (40.0, 20.0), (0.0, 20.0)];
            Item::Inside(window, vec![Item::Veil(page, Color::BLACK)])
        };
        let alone = [inside(1.1, 0.2), inside(20.7, 10.1)].map(|item| pixels(vec![item]));
        let both = pixels(vec![inside(1.1, 0.2), inside(20.7, 10.1)]);
        let darker = |i: usize| alone[0][i].min(alone[1][i]);
        assert!((0..both.len()).all(|i| both[i] == darker(i)), "each is seen once");
    }

    #[test]
    fn dashes_have_gaps_and_veils_are_translucent() {
        let line = |dashes| pixels(vec![Item::Line(vec![(0.0, 10.0), (40.0, 10.0)], dashes, BLUE)]);
        let drawn =
            [Dashes::None, Dashes::LongAndDots, Dashes::Dots].map(|d| count(&line(d), BLUE));
        assert!(drawn[0] > drawn[1] && drawn[1] > drawn[2], "{drawn:?}");
        let corners = vec![(0.0, 0.0), (40.0, 0.0), (40.0, 20.0), (0.0, 20.0)];
        let veil = pixels(vec![Item::Veil(corners, Color::BLACK)]);
        assert!(veil.iter().all(|pixel| pixel[0] == 209), "{:?}", veil[0]);
    }
}
