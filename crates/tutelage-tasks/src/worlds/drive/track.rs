//! The closed road.

use std::f64::consts::TAU;

use super::polyline::{ClosedPolyline, Projection, minus, norm};

/// Number of straight pieces of the center line.
const PIECES: usize = 240;

/// A road of constant width along a closed center line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    pub(crate) half_width: f64,
    /// The center line, counterclockwise.
    pub(crate) middle: ClosedPolyline,
    /// Distance along the center line at which each piece starts.
    along: Vec<f64>,
    pub(crate) length: f64,
    pub(crate) borders: [ClosedPolyline; 2],
}

/// A position relative to the center line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TrackPosition {
    /// Distance along the center line to the nearest point.
    pub(crate) along: f64,
    /// Distance to that point.
    pub(crate) aside: f64,
}

impl Track {
    /// Creates the road with center line (stretch · r cos φ, r sin φ), r = radius · (1 + Σₖ aₖ cos(kφ + pₖ)).
    ///
    /// `waves` lists the pairs (aₖ, pₖ), starting at k = 1.
    pub(crate) fn new(radius: f64, stretch: f64, waves: &[[f64; 2]], half_width: f64) -> Self {
        let point = |i: usize| {
            let angle = TAU * i as f64 / PIECES as f64;
            let wave = |(k, [size, phase]): (usize, &[f64; 2])| {
                size * ((k + 1) as f64 * angle + phase).cos()
            };
            let r = radius * (1.0 + waves.iter().enumerate().map(wave).sum::<f64>());
            [stretch * r * angle.cos(), r * angle.sin()]
        };
        let middle: Vec<[f64; 2]> = (0..PIECES).map(point).collect();
        let mut along = vec![0.0];
        for i in 0..PIECES {
            along.push(along[i] + norm(minus(middle[(i + 1) % PIECES], middle[i])));
        }
        let length = along.pop().unwrap_or_default();
        let borders = [half_width, -half_width].map(|aside| {
            ClosedPolyline::new((0..PIECES).map(|i| offset(&middle, i, aside)).collect())
        });
        Self { half_width, middle: ClosedPolyline::new(middle), along, length, borders }
    }

    /// Returns the nearest point of the center line.
    pub(crate) fn nearest(&self, point: [f64; 2]) -> TrackPosition {
        let Projection { piece, share, aside } = self.middle.nearest(point);
        TrackPosition { along: self.along[piece] + share * norm(self.way(piece)), aside }
    }

    /// Returns the point at a distance along the center line, and the direction of the road there.
    pub(crate) fn at(&self, along: f64) -> ([f64; 2], f64) {
        let along = along.rem_euclid(self.length);
        let i = self.along.partition_point(|&start| start <= along).max(1) - 1;
        let ([from, _], way) = (self.middle.piece(i), self.way(i));
        let share = (along - self.along[i]) / norm(way);
        ([0, 1].map(|axis| from[axis] + share * way[axis]), way[1].atan2(way[0]))
    }

    /// Returns the signed distance between two positions along the lap, the shorter way around.
    pub(crate) fn between(&self, from: f64, to: f64) -> f64 {
        (to - from + 0.5 * self.length).rem_euclid(self.length) - 0.5 * self.length
    }

    /// Returns the free distance from a point to a border, at most `range`.
    pub(crate) fn sight(&self, from: [f64; 2], direction: f64, range: f64) -> f64 {
        let ray = [direction.cos(), direction.sin()];
        self.borders.iter().fold(range, |free, border| border.first_hit(from, ray, free))
    }

    /// Returns a piece of the center line as a vector.
    fn way(&self, piece: usize) -> [f64; 2] {
        let [from, to] = self.middle.piece(piece);
        minus(to, from)
    }
}

/// Returns the point at a distance to the left of point i of a closed line.
fn offset(middle: &[[f64; 2]], i: usize, aside: f64) -> [f64; 2] {
    let count = middle.len();
    let way = minus(middle[(i + 1) % count], middle[(i + count - 1) % count]);
    let left = [-way[1] / norm(way), way[0] / norm(way)];
    [0, 1].map(|axis| middle[i][axis] + aside * left[axis])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// Returns a circular road of radius 20.
    fn ring() -> Track {
        Track::new(20.0, 1.0, &[], 4.0)
    }

    #[test]
    fn a_ring_is_as_long_as_a_circle() {
        assert!((ring().length - TAU * 20.0).abs() < 0.02, "{}", ring().length);
    }

    #[test]
    fn positions_and_points_agree() {
        let track = ring();
        let place = track.nearest([0.0, 21.5]);
        assert!((place.aside - 1.5).abs() < 0.01, "{place:?}");
        assert!((place.along - 0.25 * track.length).abs() < 0.01, "{place:?}");
        let (point, direction) = track.at(place.along);
        assert!(norm(minus(point, [0.0, 20.0])) < 0.01 && (direction.cos() + 1.0).abs() < 0.01);
        assert!((track.between(track.length - 1.0, 2.0) - 3.0).abs() < 1e-9);
        assert!((track.between(2.0, track.length - 1.0) + 3.0).abs() < 1e-9);
    }

    #[test]
    fn sight_ends_at_the_nearer_border_or_the_range() {
        let track = ring();
        assert!((track.sight([20.0, 0.0], 0.0, 30.0) - 4.0).abs() < 0.01, "outwards");
        assert!((track.sight([20.0, 0.0], PI, 30.0) - 4.0).abs() < 0.01, "inwards");
        // Along the tangent the outer border is met where 20² + d² = 24².
        let ahead = (24.0f64.powi(2) - 20.0f64.powi(2)).sqrt();
        assert!((track.sight([20.0, 0.0], 0.5 * PI, 30.0) - ahead).abs() < 0.05);
        assert_eq!(track.sight([20.0, 0.0], 0.5 * PI, 5.0), 5.0);
    }
}
