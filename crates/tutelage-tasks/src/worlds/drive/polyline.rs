//! A closed polyline with bounding circles.

use std::ops::Range;

/// Pieces per bounding circle.
const PIECES_PER_SEGMENT: usize = 8;

/// Extra radius of the circles, in meters, so that rounding cannot exclude a piece at the rim.
const SLACK: f64 = 1e-6;

/// A closed polyline: straight pieces from each point to the next, and from the last to the first.
///
/// Queries skip groups of neighboring pieces by their bounding circles. The results are bit-identical
/// to a scan over all pieces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClosedPolyline {
    points: Vec<[f64; 2]>,
    segments: Vec<Segment>,
}

/// The point of a polyline that is nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Projection {
    /// The index of its piece.
    pub(crate) piece: usize,
    /// Its position on that piece, from 0 to 1.
    pub(crate) share: f64,
    /// Its distance from the given point.
    pub(crate) aside: f64,
}

impl ClosedPolyline {
    pub(crate) fn new(mut points: Vec<[f64; 2]>) -> Self {
        let first = points.first().copied();
        points.extend(first);
        let pieces = points.len().saturating_sub(1);
        let segment =
            |start| Segment::around(&points, start..pieces.min(start + PIECES_PER_SEGMENT));
        let segments = (0..pieces).step_by(PIECES_PER_SEGMENT).map(segment).collect();
        Self { points, segments }
    }

    /// Returns the points; the first one is repeated at the end.
    pub(crate) fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Returns the two ends of a piece.
    pub(crate) fn piece(&self, piece: usize) -> [[f64; 2]; 2] {
        [self.points[piece], self.points[piece + 1]]
    }

    /// Returns the distance along a unit ray to the first intersection, at most `range`.
    pub(crate) fn first_hit(&self, from: [f64; 2], ray: [f64; 2], range: f64) -> f64 {
        self.segments.iter().fold(range, |free, segment| {
            if segment.is_off(from, ray, free) {
                return free;
            }
            let crossings =
                segment.pieces.clone().filter_map(|i| crossing(from, ray, self.piece(i)));
            crossings.fold(free, f64::min)
        })
    }

    /// Returns the nearest point.
    pub(crate) fn nearest(&self, point: [f64; 2]) -> Projection {
        let within = self.segments.iter().map(|segment| segment.distances(point).end);
        let within = within.fold(f64::INFINITY, f64::min);
        let near = self.segments.iter().filter(|segment| segment.distances(point).start <= within);
        let feet = near.flat_map(|segment| segment.pieces.clone()).map(|i| self.foot(i, point));
        let nearer =
            |best: Projection, next: Projection| if next.aside < best.aside { next } else { best };
        feet.fold(self.foot(0, point), nearer)
    }

    fn foot(&self, piece: usize, point: [f64; 2]) -> Projection {
        let [from, to] = self.piece(piece);
        let (way, off) = (minus(to, from), minus(point, from));
        let share = (dot(off, way) / dot(way, way)).clamp(0.0, 1.0);
        Projection { piece, share, aside: norm(minus(off, way.map(|x| share * x))) }
    }
}

/// Returns the distance along a unit ray to a piece, if they intersect.
fn crossing(from: [f64; 2], ray: [f64; 2], [a, b]: [[f64; 2]; 2]) -> Option<f64> {
    let (way, off) = (minus(b, a), minus(a, from));
    let slant = cross(ray, way);
    let (distance, share) = (cross(off, way) / slant, cross(off, ray) / slant);
    (distance >= 0.0 && (0.0..=1.0).contains(&share)).then_some(distance)
}

/// Consecutive pieces with a bounding circle.
#[derive(Clone, Debug, PartialEq)]
struct Segment {
    pieces: Range<usize>,
    center: [f64; 2],
    radius: f64,
}

impl Segment {
    fn around(points: &[[f64; 2]], pieces: Range<usize>) -> Self {
        let [from, to] = [points[pieces.start], points[pieces.end]];
        let center = [0, 1].map(|axis| 0.5 * (from[axis] + to[axis]));
        let reach =
            points[pieces.start..=pieces.end].iter().map(|point| norm(minus(*point, center)));
        let radius = reach.fold(0.0, f64::max) + SLACK;
        Self { pieces, center, radius }
    }

    /// Returns whether the first `free` meters of a ray miss the circle.
    fn is_off(&self, from: [f64; 2], ray: [f64; 2], free: f64) -> bool {
        let off = minus(self.center, from);
        let (ahead, aside) = (dot(off, ray), cross(off, ray).abs());
        aside > self.radius || ahead < -self.radius || ahead > free + self.radius
    }

    /// Returns the smallest and the largest distance from `point` to the disk.
    fn distances(&self, point: [f64; 2]) -> Range<f64> {
        let off = minus(self.center, point);
        let distance = dot(off, off).sqrt();
        distance - self.radius..distance + self.radius
    }
}

pub(super) fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

pub(super) fn norm(a: [f64; 2]) -> f64 {
    a[0].hypot(a[1])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use rand::RngExt;
    use tutelage::Stream;

    use super::*;

    /// Returns a polyline around the origin.
    fn around(pieces: usize, radius: impl Fn(f64) -> f64) -> ClosedPolyline {
        let angles = (0..pieces).map(|i| TAU * i as f64 / pieces as f64);
        let point = |angle: f64| [radius(angle) * angle.cos(), radius(angle) * angle.sin()];
        ClosedPolyline::new(angles.map(point).collect())
    }

    #[test]
    fn results_equal_a_scan_over_all_pieces() {
        // Bends of both kinds; the number of pieces is not a multiple of the segment size.
        let line = around(61, |angle| 10.0 + 4.0 * (5.0 * angle).cos());
        let mut rng = Stream::new(1).rng();
        let mut met = 0;
        for _ in 0..20_000 {
            let point = [0, 1].map(|_| rng.random_range(-20.0..20.0));
            let angle = rng.random_range(0.0..TAU);
            let (ray, range) = ([angle.cos(), angle.sin()], rng.random_range(1.0..30.0));
            let all = (0..61).filter_map(|i| crossing(point, ray, line.piece(i)));
            let expected = all.fold(range, f64::min);
            assert_eq!(line.first_hit(point, ray, range).to_bits(), expected.to_bits());
            met += usize::from(expected < range);
            let feet = (0..61).map(|i| line.foot(i, point));
            let nearest = feet.reduce(|a, b| if b.aside < a.aside { b } else { a });
            assert_eq!(Some(line.nearest(point)), nearest);
        }
        assert!((2_000..18_000).contains(&met), "some rays meet the line and some do not: {met}");
    }

    #[test]
    fn most_segments_are_skipped() {
        let ring = around(80, |_| 20.0);
        let looked_at = |free| {
            let segments = ring.segments.iter();
            segments.filter(|segment| !segment.is_off([0.0; 2], [1.0, 0.0], free)).count()
        };
        assert_eq!(ring.segments.len(), 10);
        assert_eq!(looked_at(30.0), 2, "those that meet on the x axis");
        assert_eq!(looked_at(5.0), 0, "the range ends before them");
    }
}
