//! Affinities p_ij between rows; zero except between neighbors.

use rayon::prelude::*;

use super::PlanePoint;

/// For each row i, the pairs (j, p_ij) of its neighbors j in order. p_ij = p_ji, and their sum is 1.
pub(super) struct Affinities(Vec<Vec<(usize, f64)>>);

impl Affinities {
    /// Computes p_ij = (p_j|i + p_i|j) / 2n. p_j|i is a normal density of the distance whose width gives `perplexity`
    /// effective neighbors.
    pub(super) fn of(rows: &[Vec<f32>], perplexity: f64) -> Self {
        let count = (3.0 * perplexity).ceil() as usize;
        let conditional: Vec<Vec<(usize, f64)>> = (0..rows.len())
            .into_par_iter()
            .map(|i| shares(neighbours(rows, i, count), perplexity))
            .collect();
        let mut joint = vec![Vec::new(); rows.len()];
        for (i, row) in conditional.iter().enumerate() {
            for &(j, share) in row {
                let half = share / (2.0 * rows.len() as f64);
                joint[i].push((j, half));
                joint[j].push((i, half));
            }
        }
        Self(joint.into_iter().map(merged).collect())
    }

    /// The attraction Σ_j p_ij (y_i − y_j) / (1 + |y_i − y_j|²).
    pub(super) fn pull(&self, i: usize, places: &[PlanePoint]) -> PlanePoint {
        let mut pull = [0.0; 2];
        for &(j, affinity) in &self.0[i] {
            let away = [places[i][0] - places[j][0], places[i][1] - places[j][1]];
            let weight = affinity / (1.0 + away[0] * away[0] + away[1] * away[1]);
            pull[0] += weight * away[0];
            pull[1] += weight * away[1];
        }
        pull
    }

    /// The KL divergence Σ p_ij ln(p_ij / q_ij).
    #[cfg(test)]
    pub(super) fn divergence(&self, places: &[PlanePoint]) -> f64 {
        let near = |a: PlanePoint, b: PlanePoint| {
            1.0 / (1.0 + (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2))
        };
        let all: f64 = places.iter().flat_map(|&a| places.iter().map(move |&b| near(a, b))).sum();
        let total = all - places.len() as f64;
        let terms = self.0.iter().enumerate().flat_map(|(i, row)| {
            let near_ones = row.iter().filter(|&&(_, p)| p > 0.0);
            near_ones.map(move |&(j, p)| p * (p * total / near(places[i], places[j])).ln())
        });
        terms.sum()
    }
}

/// Returns the `count` nearest rows of row i with their squared distances, sorted by index.
fn neighbours(rows: &[Vec<f32>], i: usize, count: usize) -> Vec<(usize, f64)> {
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

/// Turns distances into shares ∝ exp(−β d²) with sum 1, with β such that the entropy is ln(perplexity).
fn shares(mut row: Vec<(usize, f64)>, perplexity: f64) -> Vec<(usize, f64)> {
    let nearest = row.iter().map(|&(_, d)| d).fold(f64::INFINITY, f64::min);
    let (mut low, mut high, mut beta) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..100 {
        let entropy = entropy(&row, nearest, beta);
        if (entropy - perplexity.ln()).abs() < 1e-6 {
            break;
        }
        if entropy > perplexity.ln() {
            low = beta
        } else {
            high = beta
        }
        beta = if high.is_finite() { (low + high) / 2.0 } else { 2.0 * beta };
    }
    for (_, d) in &mut row {
        *d = (-beta * (*d - nearest)).exp();
    }
    let total: f64 = row.iter().map(|&(_, weight)| weight).sum();
    row.iter_mut().for_each(|(_, weight)| *weight /= total);
    row
}

fn entropy(row: &[(usize, f64)], nearest: f64, beta: f64) -> f64 {
    let (mut total, mut weighted) = (0.0, 0.0);
    for &(_, d) in row {
        let weight = (-beta * (d - nearest)).exp();
        total += weight;
        weighted += weight * (d - nearest);
    }
    total.ln() + beta * weighted / total
}

/// Merges the entries of each neighbor.
fn merged(mut row: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    row.sort_by_key(|&(j, _)| j);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effective_number_of_neighbors_is_the_perplexity() {
        let row: Vec<(usize, f64)> = (0..30).map(|j| (j, (j * j) as f64)).collect();
        let shares = shares(row, 5.0);
        let entropy: f64 = shares.iter().map(|&(_, p)| -p * p.ln().max(-700.0)).sum();
        assert!((entropy.exp() - 5.0).abs() < 1e-3, "{}", entropy.exp());
        assert!(shares.windows(2).all(|pair| pair[0].1 > pair[1].1));
    }

    #[test]
    fn affinities_are_symmetric_and_sum_to_one() {
        let rows: Vec<Vec<f32>> = (0..40).map(|i| vec![i as f32, (i * i % 7) as f32]).collect();
        let Affinities(joint) = Affinities::of(&rows, 4.0);
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
    fn the_nearest_are_neighbours() {
        let rows: Vec<Vec<f32>> = [0.0, 10.0, 1.0, 3.0].map(|x| vec![x]).to_vec();
        assert_eq!(neighbours(&rows, 0, 2), [(2, 1.0), (3, 9.0)]);
        assert_eq!(neighbours(&rows, 0, 9).len(), 3);
    }
}
