//! Films as data: shapes that the page draws itself.

use serde::Serialize;
use tutelage_draw::render::{Ink, Mark, Picture};

use crate::show::View;

/// A film. What never moves is sent once.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Clip {
    /// Seconds that a frame is shown.
    pub pace: f64,
    /// Left, lower, right and upper end of what is seen.
    pub view: [f64; 4],
    /// The colour where nothing is.
    pub background: &'static str,
    /// What all frames have behind everything else.
    pub still: Vec<Shape>,
    /// The rest of each frame.
    pub frames: Vec<Vec<Shape>>,
    /// Instead of shapes, a picture for each frame.
    pub images: Vec<String>,
}

/// A shape with the name of its colour.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shape {
    /// A filled polygon.
    Polygon {
        /// Its corners.
        polygon: Vec<[f64; 2]>,
        /// Its colour.
        ink: &'static str,
    },
    /// A disc.
    Circle {
        /// Its centre.
        circle: [f64; 2],
        /// Its radius.
        radius: f64,
        /// Its colour.
        ink: &'static str,
    },
    /// A line with round ends.
    Line {
        /// Its points.
        line: Vec<[f64; 2]>,
        /// Its width.
        width: f64,
        /// Its colour.
        ink: &'static str,
    },
}

impl Clip {
    /// A film of these looks, a frame each.
    pub fn new(looks: &[View], pace: f64) -> Self {
        let still = still(looks);
        Self::upon(still, looks, pace)
    }

    /// A film whose first `still` marks never move.
    pub(crate) fn upon(still: usize, looks: &[View], pace: f64) -> Self {
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

    /// The film as JSON; numbers always have such a form.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// How many marks at the back all looks have in common.
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

fn shape(mark: &Mark) -> Shape {
    let all = |points: &[[f64; 2]]| points.iter().map(|point| point.map(short)).collect();
    match mark {
        Mark::Polygon { points, ink } => Shape::Polygon { polygon: all(points), ink: ink.name() },
        Mark::Circle { centre, radius, ink } => {
            Shape::Circle { circle: centre.map(short), radius: short(*radius), ink: ink.name() }
        }
        Mark::Line { points, width, ink } => {
            Shape::Line { line: all(points), width: short(*width), ink: ink.name() }
        }
    }
}

/// A number to four digits behind the point: finer than any screen.
fn short(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// A PNG file as the address of an image.
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
        let disc = |x: f64, ink| Mark::Circle { centre: [x, 0.0], radius: 0.5, ink };
        let view = Rectangle { low: [-1.0, -2.0], high: [1.0, 2.0] };
        let marks = vec![disc(0.0, Ink::Slate), disc(x, Ink::Blue), disc(0.0, Ink::Dark)];
        View::Shapes(Picture { view, background: Ink::Field, marks })
    }

    #[test]
    fn what_never_moves_is_sent_once() {
        let clip = Clip::new(&[look(0.0), look(0.123_456)], 0.05);
        assert_eq!((clip.still.len(), clip.frames.len()), (1, 2));
        assert_eq!((clip.view, clip.background), ([-1.0, -2.0, 1.0, 2.0], "field"));
        assert!(clip.to_json().contains(r#"{"circle":[0.1235,0.0],"radius":0.5,"ink":"blue"}"#));
        assert_eq!(Clip::new(&[look(0.0)], 1.0).still.len(), 3, "one picture stands still");
    }

    #[test]
    fn images_are_addressed_as_the_standard_says() {
        // RFC 4648, section 10.
        let digits = |text: &str| data_url(text.as_bytes()).rsplit(',').next().unwrap().to_owned();
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in expected.iter().enumerate() {
            assert_eq!(digits(&"foobar"[..length]), *expected);
        }
    }
}
