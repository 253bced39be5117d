//! t-SNE: embeds rows in the plane such that near rows stay near (van der Maaten & Hinton 2008).
//!
//! Forces on a row are summed in a fixed order, so a map depends only on the rows and the random source, not on the
//! number of threads. Each of the 1000 epochs considers all pairs: minutes for 15,000 rows.

use rand::RngExt;
use rayon::prelude::*;
use tutelage::Rng;

/// A point of the plane.
type PlanePoint = [f64; 2];
/// For each row i, the pairs (j, p_ij) of its neighbors j in order. p_ij = p_ji, and their sum is 1.
type Affinities = Vec<Vec<(usize, f64)>>;

const EPOCHS: usize = 1000;
/// The attraction is exaggerated for this number of epochs, so that clusters form.
const EARLY: usize = 250;
const EXAGGERATION: f64 = 12.0;

/// Embeds rows of equal length; the mean of the embedding is (0, 0).
pub(crate) fn embed(rows: &[Vec<f32>], perplexity: f64, rng: &mut Rng) -> Vec<PlanePoint> {
    let affinities = affinities(rows, perplexity);
    let mut points: Vec<PlanePoint> =
        rows.iter().map(|_| [(); 2].map(|()| rng.random_range(-1e-4..1e-4))).collect();
    let (mut moves, mut gains) = (vec![[0.0; 2]; rows.len()], vec![[1.0; 2]; rows.len()]);
    // Belkina et al. (2019): the learning rate grows with the number of rows. The factor 4 is the gradient's.
    let rate = 4.0 * (rows.len() as f64 / EXAGGERATION).max(200.0 / 4.0);
    for epoch in 0..EPOCHS {
        let (exaggeration, momentum) = if epoch < EARLY { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        let gradient = gradient(&affinities, &points, exaggeration);
        for (i, slope) in gradient.iter().enumerate() {
            for axis in 0..2 {
                // The gain of a coordinate grows while the sign of its gradient persists.
                let (gain, last): (&mut f64, &mut f64) = (&mut gains[i][axis], &mut moves[i][axis]);
                let persists = (slope[axis] > 0.0) != (*last > 0.0);
                *gain = if persists { *gain + 0.2 } else { (*gain * 0.8).max(0.01) };
                *last = momentum * *last - rate * *gain * slope[axis];
                points[i][axis] += *last;
            }
        }
        for axis in 0..2 {
            let sum: f64 = points.iter().map(|point| point[axis]).sum();
            let mean = sum / points.len() as f64;
            points.iter_mut().for_each(|point| point[axis] -= mean);
        }
    }
    points
}

/// The gradient of the KL divergence Σ p_ij ln(p_ij / q_ij), without its factor 4.
fn gradient(affinities: &Affinities, points: &[PlanePoint], exaggeration: f64) -> Vec<PlanePoint> {
    let near = |a: PlanePoint, b: PlanePoint| {
        let away = [a[0] - b[0], a[1] - b[1]];
        (away, 1.0 / (1.0 + away[0] * away[0] + away[1] * away[1]))
    };
    // Σ_j w_j² (y − y_j) and Σ_j w_j with w_j = 1 / (1 + |y − y_j|²). The point itself has weight 1 and no force.
    let repulsion = |&point: &PlanePoint| {
        points.iter().fold(([0.0; 2], -1.0), |(push, total), &other| {
            let (away, weight) = near(point, other);
            let square = weight * weight;
            ([push[0] + square * away[0], push[1] + square * away[1]], total + weight)
        })
    };
    let pushes: Vec<(PlanePoint, f64)> = points.par_iter().map(repulsion).collect();
    let total: f64 = pushes.iter().map(|(_, weight)| weight).sum::<f64>().max(f64::MIN_POSITIVE);
    let slope = |i: usize| {
        let pull = affinities[i].iter().fold([0.0; 2], |pull, &(j, affinity)| {
            let (away, weight) = near(points[i], points[j]);
            [0, 1].map(|axis| pull[axis] + affinity * weight * away[axis])
        });
        [0, 1].map(|axis| exaggeration * pull[axis] - pushes[i].0[axis] / total)
    };
    (0..points.len()).into_par_iter().map(slope).collect()
}

/// p_ij = (p_j|i + p_i|j) / 2n. p_j|i is a normal density of the distance whose width gives `perplexity` effective neighbors.
fn affinities(rows: &[Vec<f32>], perplexity: f64) -> Affinities {
    let count = (3.0 * perplexity).ceil() as usize;
    let conditional: Vec<Vec<(usize, f64)>> = (0..rows.len())
        .into_par_iter()
        .map(|i| shares(neighbors(rows, i, count), perplexity))
        .collect();
    let mut joint = vec![Vec::new(); rows.len()];
    for (i, row) in conditional.iter().enumerate() {
        for &(j, share) in row {
            let half = share / (2.0 * rows.len() as f64);
            joint[i].push((j, half));
            joint[j].push((i, half));
        }
    }
    for row in &mut joint {
        row.sort_by_key(|&(j, _)| j);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
    }
    joint
}

/// Returns the `count` nearest rows of row i with their squared distances, sorted by index.
fn neighbors(rows: &[Vec<f32>], i: usize, count: usize) -> Vec<(usize, f64)> {
    let squared = |row: &Vec<f32>| {
        row.iter().zip(&rows[i]).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>()
    };
    let others = rows.iter().enumerate().filter(|&(j, _)| j != i);
    let mut others: Vec<(usize, f64)> = others.map(|(j, row)| (j, squared(row))).collect();
    if count < others.len() {
        others.select_nth_unstable_by(count, |a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        others.truncate(count);
    }
    others.sort_unstable_by_key(|&(j, _)| j);
    others
}

/// Turns squared distances into shares ∝ exp(−β d²) with sum 1, with β such that the entropy is ln(perplexity).
fn shares(mut row: Vec<(usize, f64)>, perplexity: f64) -> Vec<(usize, f64)> {
    let nearest = row.iter().map(|&(_, d)| d).fold(f64::INFINITY, f64::min);
    let entropy = |beta: f64| {
        let (mut total, mut weighted) = (0.0, 0.0);
        for &(_, d) in &row {
            let weight = (-beta * (d - nearest)).exp();
            total += weight;
            weighted += weight * (d - nearest);
        }
        total.ln() + beta * weighted / total
    };
    let (mut low, mut high, mut beta) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..100 {
        let excess = entropy(beta) - perplexity.ln();
        if excess.abs() < 1e-6 {
            break;
        }
        if excess > 0.0 {
            low = beta
        } else {
            high = beta
        }
        beta = if high.is_finite() { (low + high) / 2.0 } else { 2.0 * beta };
    }
    row.iter_mut().for_each(|(_, d)| *d = (-beta * (*d - nearest)).exp());
    let total: f64 = row.iter().map(|&(_, weight)| weight).sum();
    row.iter_mut().for_each(|(_, weight)| *weight /= total);
    row
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    /// Three clusters in four dimensions, twenty rows each.
    fn clusters() -> Vec<Vec<f32>> {
        let mut rng = Stream::new(1).rng();
        let mut near = |center: f32| (0..4).map(|_| center + rng.random_range(-0.1..0.1)).collect();
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
        let points = map(&clusters());
        for (i, &point) in points.iter().enumerate() {
            let others = (0..points.len()).filter(|&j| j != i);
            let nearest = others
                .min_by(|&a, &b| distance(point, points[a]).total_cmp(&distance(point, points[b])));
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
        let affinities = affinities(&clusters(), 10.0);
        let mut rng = Stream::new(3).rng();
        let mut points: Vec<PlanePoint> =
            (0..60).map(|_| [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)]).collect();
        let slope = gradient(&affinities, &points, 1.0)[7][1];
        let mut divergence = |step: f64| {
            points[7][1] += step;
            let near = |a, b| 1.0 / (1.0 + distance(a, b).powi(2));
            let all: f64 =
                points.iter().flat_map(|&a| points.iter().map(move |&b| near(a, b))).sum();
            let total = all - points.len() as f64;
            let pairs = affinities.iter().enumerate();
            let pairs = pairs.flat_map(|(i, row)| row.iter().map(move |&(j, p)| (i, j, p)));
            let pairs = pairs.filter(|&(_, _, p)| p > 0.0);
            let value: f64 =
                pairs.map(|(i, j, p)| p * (p * total / near(points[i], points[j])).ln()).sum();
            points[7][1] -= step;
            value
        };
        let measured = (divergence(1e-5) - divergence(-1e-5)) / 2e-5;
        assert!((4.0 * slope - measured).abs() < 1e-6, "{slope} {measured}");
    }

    #[test]
    fn affinities_are_symmetric_and_sum_to_one() {
        let rows: Vec<Vec<f32>> = (0..40).map(|i| vec![i as f32, (i * i % 7) as f32]).collect();
        let joint = affinities(&rows, 4.0);
        let total: f64 = joint.iter().flatten().map(|&(_, p)| p).sum();
        assert!((total - 1.0).abs() < 1e-9);
        for (i, row) in joint.iter().enumerate() {
            for &(j, p) in row {
                let back = joint[j].iter().find(|&&(k, _)| k == i).unwrap().1;
                assert!((back - p).abs() < 1e-15 && i != j);
            }
        }
    }

    #[test]
    fn the_effective_number_of_neighbors_is_the_perplexity() {
        let shares = shares((0..30).map(|j| (j, (j * j) as f64)).collect(), 5.0);
        let entropy: f64 = shares.iter().map(|&(_, p)| -p * p.ln().max(-700.0)).sum();
        assert!((entropy.exp() - 5.0).abs() < 1e-3, "{}", entropy.exp());
    }

    #[test]
    fn identical_rows_give_finite_points() {
        let points = embed(&vec![vec![1.0; 3]; 20], 5.0, &mut Stream::new(4).rng());
        assert!(points.iter().flatten().all(|x| x.is_finite()));
    }
}
