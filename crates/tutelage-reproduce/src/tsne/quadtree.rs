//! A Barnes–Hut quadtree: points in a distant square act like one.

use super::PlanePoint;

/// A square is distant if its width divided by its distance is below this θ.
const NARROW: f64 = 0.5;
/// The maximum depth. Closer points are merged.
const DEPTH: usize = 40;

/// Squares, each divided into four if it contains several points; the first contains all.
pub(super) struct Quadtree {
    nodes: Vec<QuadNode>,
}

#[derive(Clone, Copy)]
struct QuadNode {
    middle: PlanePoint,
    half: f64,
    /// The number of points in it, and their sum.
    count: f64,
    sum: PlanePoint,
    /// The index of the first of its four quarters, if it is divided.
    quarters: Option<usize>,
}

impl Quadtree {
    pub(super) fn of(places: &[PlanePoint]) -> Self {
        let extent = places.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut tree = Self { nodes: vec![QuadNode::new([0.0; 2], extent.max(f64::MIN_POSITIVE))] };
        for &place in places {
            tree.insert(place);
        }
        tree
    }

    fn insert(&mut self, place: PlanePoint) {
        let mut node = 0;
        for _ in 0..DEPTH {
            match self.nodes[node].quarters {
                Some(quarters) => {
                    self.nodes[node].hold(place, 1.0);
                    node = quarters + self.nodes[node].quarter(place);
                }
                None if self.nodes[node].count == 0.0 => break,
                None => {
                    self.divide(node);
                    self.nodes[node].hold(place, 1.0);
                    let Some(quarters) = self.nodes[node].quarters else { return };
                    node = quarters + self.nodes[node].quarter(place);
                }
            }
        }
        self.nodes[node].hold(place, 1.0);
    }

    /// Divides a square whose points coincide; they move into one quarter.
    fn divide(&mut self, node: usize) {
        let whole = self.nodes[node];
        let (first, half) = (self.nodes.len(), whole.half / 2.0);
        for [x, y] in [[-half, -half], [half, -half], [-half, half], [half, half]] {
            self.nodes.push(QuadNode::new([whole.middle[0] + x, whole.middle[1] + y], half));
        }
        let quarter = first + whole.quarter(whole.mean());
        self.nodes[quarter].hold(whole.mean(), whole.count);
        self.nodes[node].quarters = Some(first);
    }

    /// Returns Σ_j w_j² (y − y_j) over all other points, and Σ_j w_j, with w_j = 1 / (1 + |y − y_j|²).
    pub(super) fn push(&self, place: PlanePoint) -> (PlanePoint, f64) {
        let (mut push, mut total) = ([0.0; 2], 0.0);
        let mut left = vec![0];
        while let Some(node) = left.pop() {
            let node = &self.nodes[node];
            if node.count == 0.0 {
                continue;
            }
            let mean = node.mean();
            let away = [place[0] - mean[0], place[1] - mean[1]];
            let squared = away[0] * away[0] + away[1] * away[1];
            match node.quarters {
                Some(quarters) if (2.0 * node.half).powi(2) >= NARROW * NARROW * squared => {
                    left.extend(quarters..quarters + 4);
                }
                _ => {
                    let weight = 1.0 / (1.0 + squared);
                    total += node.count * weight;
                    push[0] += node.count * weight * weight * away[0];
                    push[1] += node.count * weight * weight * away[1];
                }
            }
        }
        // Subtract the point itself, which was included.
        (push, total - 1.0)
    }
}

impl QuadNode {
    fn new(middle: PlanePoint, half: f64) -> Self {
        Self { middle, half, count: 0.0, sum: [0.0; 2], quarters: None }
    }

    fn hold(&mut self, place: PlanePoint, count: f64) {
        self.count += count;
        self.sum = [self.sum[0] + count * place[0], self.sum[1] + count * place[1]];
    }

    fn mean(&self) -> PlanePoint {
        self.sum.map(|sum| sum / self.count)
    }

    fn quarter(&self, place: PlanePoint) -> usize {
        usize::from(place[0] >= self.middle[0]) + 2 * usize::from(place[1] >= self.middle[1])
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use tutelage::Stream;

    use super::*;

    fn exact(places: &[PlanePoint], i: usize) -> (PlanePoint, f64) {
        let (mut push, mut total) = ([0.0; 2], 0.0);
        for j in (0..places.len()).filter(|&j| j != i) {
            let away = [places[i][0] - places[j][0], places[i][1] - places[j][1]];
            let weight = 1.0 / (1.0 + away[0] * away[0] + away[1] * away[1]);
            total += weight;
            push = [push[0] + weight * weight * away[0], push[1] + weight * weight * away[1]];
        }
        (push, total)
    }

    #[test]
    fn the_repulsion_approximates_that_of_all_pairs() {
        let mut rng = Stream::new(5).rng();
        let mut draw = || [rng.random_range(-20.0..20.0), rng.random_range(-20.0..20.0)];
        let mut places: Vec<PlanePoint> = (0..500).map(|_| draw()).collect();
        places.extend(places[..50].to_vec());
        let tree = Quadtree::of(&places);
        for i in [0, 49, 100, 499, 549] {
            let ((push, total), (expected, weight)) = (tree.push(places[i]), exact(&places, i));
            assert!((total - weight).abs() < 0.02 * weight, "{total} {weight}");
            let error = (push[0] - expected[0]).hypot(push[1] - expected[1]);
            assert!(
                error < 0.05 * expected[0].hypot(expected[1]).max(0.2),
                "{push:?} {expected:?}"
            );
        }
    }
}
