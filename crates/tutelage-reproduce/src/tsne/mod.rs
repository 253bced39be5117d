//! t-SNE: embeds rows in the plane such that near rows stay near.
//!
//! van der Maaten & Hinton, *Visualizing Data using t-SNE* (2008), with the Barnes–Hut tree of van der Maaten,
//! *Accelerating t-SNE using Tree-Based Algorithms* (2014). Forces on a row are summed in a fixed order, so a map depends
//! only on the rows and the random source, not on the number of threads.

mod affinities;
mod quadtree;

use rand::RngExt;
use rayon::prelude::*;
use tutelage::Rng;

use affinities::Affinities;
use quadtree::Quadtree;

/// A point of the plane.
pub(crate) type PlanePoint = [f64; 2];

const EPOCHS: usize = 1000;
/// The attraction is exaggerated for this number of epochs, so that clusters form.
const EARLY: usize = 250;
const EXAGGERATION: f64 = 12.0;

/// Embeds rows of equal length; the mean of the embedding is (0, 0).
pub(crate) fn embed(rows: &[Vec<f32>], perplexity: f64, rng: &mut Rng) -> Vec<PlanePoint> {
    let affinities = Affinities::of(rows, perplexity);
    let places = rows.iter().map(|_| [(); 2].map(|()| rng.random_range(-1e-4..1e-4))).collect();
    let mut descent = Descent::new(places);
    for epoch in 0..EPOCHS {
        let (exaggeration, momentum) = if epoch < EARLY { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        let gradient = gradient(&affinities, &descent.places, exaggeration);
        descent.step(&gradient, momentum);
    }
    descent.places
}

/// The gradient of the KL divergence, without its factor 4.
fn gradient(affinities: &Affinities, places: &[PlanePoint], exaggeration: f64) -> Vec<PlanePoint> {
    let tree = Quadtree::of(places);
    let pushes: Vec<(PlanePoint, f64)> = places.par_iter().map(|&place| tree.push(place)).collect();
    let total: f64 = pushes.iter().map(|(_, weight)| weight).sum::<f64>().max(f64::MIN_POSITIVE);
    let slope = |i: usize| {
        let (pull, (push, _)) = (affinities.pull(i, places), pushes[i]);
        [0, 1].map(|axis| exaggeration * pull[axis] - push[axis] / total)
    };
    (0..places.len()).into_par_iter().map(slope).collect()
}

/// Gradient descent with momentum and a gain per coordinate, which grows while the sign of the gradient persists.
struct Descent {
    places: Vec<PlanePoint>,
    moves: Vec<PlanePoint>,
    paces: Vec<PlanePoint>,
    rate: f64,
}

impl Descent {
    fn new(places: Vec<PlanePoint>) -> Self {
        let count = places.len();
        // Belkina et al. (2019): the learning rate grows with the number of rows. The factor 4 is the gradient's.
        let rate = 4.0 * (count as f64 / EXAGGERATION).max(200.0 / 4.0);
        Self { places, moves: vec![[0.0; 2]; count], paces: vec![[1.0; 2]; count], rate }
    }

    fn step(&mut self, gradient: &[PlanePoint], momentum: f64) {
        for (i, slope) in gradient.iter().enumerate() {
            for axis in 0..2 {
                let (pace, last) = (&mut self.paces[i][axis], &mut self.moves[i][axis]);
                let goes_on = (slope[axis] > 0.0) != (*last > 0.0);
                *pace = if goes_on { *pace + 0.2 } else { (*pace * 0.8).max(0.01) };
                *last = momentum * *last - self.rate * *pace * slope[axis];
                self.places[i][axis] += *last;
            }
        }
        self.centre();
    }

    fn centre(&mut self) {
        for axis in 0..2 {
            let sum: f64 = self.places.iter().map(|place| place[axis]).sum();
            let mean = sum / self.places.len() as f64;
            self.places.iter_mut().for_each(|place| place[axis] -= mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    /// Three clusters in four dimensions, twenty rows each.
    fn clusters() -> Vec<Vec<f32>> {
        let mut rng = Stream::new(1).rng();
        let mut near = |centre: f32| (0..4).map(|_| centre + rng.random_range(-0.1..0.1)).collect();
        (0..60).map(|i| near((i / 20) as f32 * 5.0)).collect()
    }

    fn map(rows: &[Vec<f32>]) -> Vec<PlanePoint> {
        embed(rows, 10.0, &mut Stream::new(2).rng())
    }

    fn distance(a: PlanePoint, b: PlanePoint) -> f64 {
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    #[test]
    fn the_nearest_point_belongs_to_the_same_cluster() {
        let places = map(&clusters());
        for (i, &place) in places.iter().enumerate() {
            let others = (0..places.len()).filter(|&j| j != i);
            let nearest = others
                .min_by(|&a, &b| distance(place, places[a]).total_cmp(&distance(place, places[b])));
            assert_eq!(nearest.unwrap() / 20, i / 20, "row {i}");
        }
    }

    #[test]
    fn a_map_does_not_depend_on_threads() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| map(&clusters()))
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn the_gradient_matches_finite_differences() {
        let affinities = Affinities::of(&clusters(), 10.0);
        let mut rng = Stream::new(3).rng();
        let mut places: Vec<PlanePoint> =
            (0..60).map(|_| [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)]).collect();
        let slope = gradient(&affinities, &places, 1.0)[7][1];
        let mut divergence = |step: f64| {
            places[7][1] += step;
            let value = affinities.divergence(&places);
            places[7][1] -= step;
            value
        };
        let measured = (divergence(1e-5) - divergence(-1e-5)) / 2e-5;
        // The tolerance covers the error of the tree.
        assert!(
            (4.0 * slope - measured).abs() < 0.05 * measured.abs().max(1e-3),
            "{slope} {measured}"
        );
    }

    #[test]
    fn identical_rows_give_finite_points() {
        let places = embed(&vec![vec![1.0; 3]; 20], 5.0, &mut Stream::new(4).rng());
        assert!(places.iter().flatten().all(|x| x.is_finite()));
    }
}
