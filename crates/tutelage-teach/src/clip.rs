//! Clips and films, as data that the page draws.

use serde::Serialize;
use serde_json::{Value, json};
use tutelage_draw::render::{Ink, Mark, Picture};

use crate::show::View;

/// A sequence of frames. Shapes that never move are stored once.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Clip {
    /// Seconds per frame.
    pub(crate) pace: f64,
    /// The left, lower, right and upper end of the view.
    pub(crate) view: [f64; 4],
    /// The name of the background color.
    pub(crate) background: &'static str,
    /// The shapes at the back of all frames.
    pub(crate) still: Vec<Value>,
    /// The other shapes of each frame.
    pub(crate) frames: Vec<Vec<Value>>,
    /// Instead of shapes, an image for each frame, as a data URL.
    pub(crate) images: Vec<String>,
}

impl Clip {
    /// A clip with a frame per view.
    pub(crate) fn new(looks: &[View], pace: f64) -> Self {
        let still = still(looks);
        Self::with_still(still, looks, pace)
    }

    /// A clip whose first `still` marks never move.
    pub(crate) fn with_still(still: usize, looks: &[View], pace: f64) -> Self {
        let mut clip = Self { pace, background: Ink::Paper.name(), ..Self::default() };
        for look in looks {
            match look {
                View::Png(bytes) => clip.images.push(data_url(bytes)),
                View::Shapes(picture) => clip.add(picture, still.min(picture.marks.len())),
            }
        }
        clip
    }

    fn add(&mut self, picture: &Picture, still: usize) {
        let Picture { view, background, marks } = picture;
        if self.frames.is_empty() {
            self.view = [view.low[0], view.low[1], view.high[0], view.high[1]];
            self.background = background.name();
            self.still = marks[..still].iter().map(shape).collect();
        }
        self.frames.push(marks[still..].iter().map(shape).collect());
    }

    /// The clip as a JSON object, with the fields of another.
    pub(crate) fn to_json_with(&self, more: &Value) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.pop();
        text + "," + more.to_string().trim_start_matches('{')
    }
}

/// The number of leading marks that all views share.
pub(crate) fn still(looks: &[View]) -> usize {
    let marks: Vec<&[Mark]> = looks
        .iter()
        .filter_map(
            |look| if let View::Shapes(picture) = look { Some(&*picture.marks) } else { None },
        )
        .collect();
    let Some((first, others)) = marks.split_first() else { return 0 };
    let common = |at: &usize| others.iter().all(|marks| marks.get(*at) == first.get(*at));
    (0..first.len()).take_while(common).count()
}

/// A mark as the page draws it.
fn shape(mark: &Mark) -> Value {
    let all = |points: &[[f64; 2]]| -> Vec<_> { points.iter().map(|p| p.map(rounded)).collect() };
    match mark {
        Mark::Polygon { points, ink } => json!({ "polygon": all(points), "ink": ink.name() }),
        Mark::Circle { center, radius, ink } => {
            json!({ "circle": center.map(rounded), "radius": rounded(*radius), "ink": ink.name() })
        }
        Mark::Line { points, width, ink } => {
            json!({ "line": all(points), "width": rounded(*width), "ink": ink.name() })
        }
    }
}

/// Four decimals are finer than any screen.
fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// A PNG file as a data URL.
fn data_url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut url = String::from("data:image/png;base64,");
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * place)) as usize & 63];
            url.push(if place <= chunk.len() { digit.into() } else { '=' });
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use tutelage_draw::render::Rectangle;

    use super::*;

    fn look(x: f64) -> View {
        let disc = |x: f64, ink| Mark::Circle { center: [x, 0.0], radius: 0.5, ink };
        let view = Rectangle { low: [-1.0, -2.0], high: [1.0, 2.0] };
        let marks = vec![disc(0.0, Ink::Slate), disc(x, Ink::Blue), disc(0.0, Ink::Dark)];
        View::Shapes(Picture { view, background: Ink::Field, marks })
    }

    #[test]
    fn shapes_that_never_move_are_stored_once() {
        let clip = Clip::new(&[look(0.0), look(0.123_456)], 0.05);
        assert_eq!((clip.still.len(), clip.frames.len()), (1, 2));
        assert_eq!((clip.view, clip.background), ([-1.0, -2.0, 1.0, 2.0], "field"));
        let disc = json!({ "circle": [0.1235, 0.0], "radius": 0.5, "ink": "blue" });
        assert_eq!(clip.frames[1][0], disc);
        assert_eq!(Clip::new(&[look(0.0)], 1.0).still.len(), 3, "a single frame");
    }

    #[test]
    fn data_urls_match_rfc_4648() {
        // RFC 4648, section 10.
        let digits = |text: &str| data_url(text.as_bytes()).rsplit(',').next().unwrap().to_owned();
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in expected.iter().enumerate() {
            assert_eq!(digits(&"foobar"[..length]), *expected);
        }
    }
}
