//! The training sets of a round, a view of D for every member.

use rand::RngExt;
use rand_distr::{Distribution, Normal, Poisson};

use crate::{
    Action, Batch, Cover, Dataset, Element, Rng, Size, Spaces, Stream, TrainOn, TrainOnError,
};

/// The E training sets of a round: one dataset D that all share, and a [`View`] per member, drawn when asked for.
pub struct TrainingSets<'a, S, A> {
    data: &'a Dataset<S, A>,
    train_on: &'a TrainOn<S>,
    spaces: Spaces,
    members: usize,
    stream: Stream,
    /// λ p(s) / |𝒜| for each state that d₀ lists, where the Poisson number of draws can be split.
    split: Split,
}

/// The part of a training set that is a member's own.
#[derive(Clone, Debug, PartialEq)]
pub enum View<S, A> {
    /// Nothing: the member trains on D.
    All,
    /// The member trains on these rows of D instead of all.
    Resampled(Vec<u32>),
    /// The member trains on D and these examples.
    Extended(Perturbation<S, A>),
    /// The member trains on D and pays these costs.
    Costed(Costs<S>),
}

/// Q: perturbation examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation<S, A> {
    /// The states s̃ ~ d₀.
    pub states: Batch<S>,
    /// The labels ã ~ Unif(𝒜).
    pub actions: Batch<A>,
    /// How many times each example counts.
    pub copies: Vec<u64>,
}

/// Cost-sensitive examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs<S> {
    /// The states x.
    pub states: Batch<S>,
    /// The cost of each action in each state, one row of |𝒜| values per state.
    pub costs: Vec<f64>,
}

impl<'a, S: Element, A: Action> TrainingSets<'a, S, A> {
    /// E training sets over D; member e's part is a function of the stream and e alone.
    pub fn new(
        data: &'a Dataset<S, A>,
        train_on: &'a TrainOn<S>,
        spaces: Spaces,
        members: usize,
        stream: Stream,
    ) -> Result<Self, TrainOnError> {
        train_on.check::<A>(spaces)?;
        let split = split_poisson::<S, A>(train_on, spaces);
        Ok(Self { data, train_on, spaces, members, stream, split })
    }

    /// D, which all members share.
    pub fn data(&self) -> &Dataset<S, A> {
        self.data
    }

    /// E.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The sizes of the task's spaces.
    pub fn spaces(&self) -> Spaces {
        self.spaces
    }

    /// Draws member e's own part, the same at every call.
    pub fn view(&self, member: usize) -> View<S, A> {
        let rng = || self.stream.fork("member", member as u64).rng();
        match self.train_on {
            TrainOn::Data => View::All,
            TrainOn::Bootstrap => View::Resampled(bootstrap(self.data.len(), &mut rng())),
            TrainOn::Perturbed { size, cover } => {
                View::Extended(self.perturbation(*size, &**cover, &mut rng()))
            }
            TrainOn::RandomCosts { separator, scale } => {
                View::Costed(random_costs(separator, self.spaces.actions, *scale, &mut rng()))
            }
        }
    }

    fn perturbation(&self, size: Size, cover: &dyn Cover<S>, rng: &mut Rng) -> Perturbation<S, A> {
        match (&self.split, cover.support()) {
            (Some(split), Some((states, _))) => self.split_perturbation(split, states, rng),
            _ => self.drawn_perturbation(draw_size(size, rng), cover, rng),
        }
    }

    /// X times: s̃ ~ d₀, ã ~ Unif(𝒜).
    fn drawn_perturbation(
        &self,
        count: usize,
        cover: &dyn Cover<S>,
        rng: &mut Rng,
    ) -> Perturbation<S, A> {
        let mut states = Batch::zeros(count, S::width(self.spaces.states));
        let mut actions = Batch::zeros(count, A::width(self.spaces.actions));
        for i in 0..count {
            cover.draw(rng, states.row_mut(i));
            A::draw_uniform(self.spaces.actions, rng, actions.row_mut(i));
        }
        Perturbation { states, actions, copies: vec![1; count] }
    }

    /// Poisson(λ) draws from a finite distribution are independent Poisson(λ p) counts of its outcomes.
    fn split_perturbation(
        &self,
        split: &[Option<Poisson<f64>>],
        support: &Batch<S>,
        rng: &mut Rng,
    ) -> Perturbation<S, A> {
        let labels = A::all(self.spaces.actions).unwrap_or_default();
        let mut q = Perturbation {
            states: Batch::new(support.width()),
            actions: Batch::new(1),
            copies: vec![],
        };
        for (state, count) in support.rows().zip(split) {
            let Some(count) = count else { continue };
            for label in &labels {
                let copies = count.sample(rng) as u64;
                if copies > 0 {
                    q.states.push(state);
                    q.actions.push(std::slice::from_ref(label));
                    q.copies.push(copies);
                }
            }
        }
        q
    }
}

/// |D| draws with replacement.
fn bootstrap(rows: usize, rng: &mut Rng) -> Vec<u32> {
    (0..rows).map(|_| rng.random_range(0..rows as u32)).collect()
}

fn draw_size(size: Size, rng: &mut Rng) -> usize {
    match size {
        Size::Fixed(count) => count,
        Size::Poisson(lambda) => poisson(lambda).map_or(0, |law| law.sample(rng) as usize),
    }
}

/// Poisson(λ), or nothing where λ = 0.
fn poisson(lambda: f64) -> Option<Poisson<f64>> {
    Poisson::new(lambda).ok()
}

type Split = Option<Vec<Option<Poisson<f64>>>>;

fn split_poisson<S: Element, A: Action>(train_on: &TrainOn<S>, spaces: Spaces) -> Split {
    let TrainOn::Perturbed { size: Size::Poisson(lambda), cover } = train_on else { return None };
    let ((_, probabilities), labels) = (cover.support()?, A::all(spaces.actions)?);
    Some(probabilities.iter().map(|p| poisson(lambda * p / labels.len() as f64)).collect())
}

fn random_costs<S: Element>(
    separator: &Batch<S>,
    actions: usize,
    scale: f64,
    rng: &mut Rng,
) -> Costs<S> {
    let law = Normal::new(0.0, scale).ok();
    let mut cost = || law.map_or(0.0, |law| law.sample(rng));
    Costs {
        states: separator.clone(),
        costs: (0..separator.len() * actions).map(|_| cost()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StoredStates, UniformBox, Weighted};
    use std::sync::Arc;

    const SPACES: Spaces = Spaces { states: 3, actions: 2 };

    fn finite_data(rows: u32) -> Dataset<u32, u32> {
        let mut data = Dataset::empty(SPACES);
        for i in 0..rows {
            data.states.push(&[i % 3]);
            data.actions.push(&[i % 2]);
        }
        data
    }

    fn sets<'a>(
        data: &'a Dataset<u32, u32>,
        train_on: &'a TrainOn<u32>,
        members: usize,
    ) -> TrainingSets<'a, u32, u32> {
        TrainingSets::new(data, train_on, SPACES, members, Stream::new(1)).unwrap()
    }

    #[test]
    fn a_bootstrap_keeps_size_and_support_and_leaves_out_a_third() {
        let data = finite_data(600);
        let train_on = TrainOn::Bootstrap;
        let sets = sets(&data, &train_on, 2);
        let View::Resampled(rows) = sets.view(0) else { panic!("not a bootstrap") };
        assert_eq!(rows.len(), 600);
        assert!(rows.iter().all(|&row| row < 600));
        let mut distinct = rows.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let share = distinct.len() as f64 / 600.0;
        assert!(
            (share - (1.0 - (-1.0f64).exp())).abs() < 0.05,
            "{share} of the rows, expected 1 - 1/e"
        );
        assert_eq!(sets.view(0), sets.view(0), "a view is the same at every call");
        assert_ne!(sets.view(0), sets.view(1), "members draw their own");
    }

    #[test]
    fn a_poisson_size_has_mean_and_variance_lambda() {
        let uniform = || {
            Weighted::new(Batch::from_vec(1, vec![0, 1, 2]).unwrap(), vec![0.2, 0.3, 0.5]).unwrap()
        };
        let stored = StoredStates::new(Batch::from_vec(1, vec![0, 1, 2]).unwrap()).unwrap();
        let covers: [Arc<dyn Cover<u32>>; 2] = [Arc::new(uniform()), Arc::new(stored)];
        let data = finite_data(1);
        for cover in covers {
            let train_on = TrainOn::Perturbed { size: Size::Poisson(20.0), cover };
            let sets = sets(&data, &train_on, 4000);
            let sizes: Vec<f64> = (0..4000)
                .map(|e| match sets.view(e) {
                    View::Extended(q) => q.copies.iter().sum::<u64>() as f64,
                    other => panic!("{other:?}"),
                })
                .collect();
            let mean = sizes.iter().sum::<f64>() / 4000.0;
            let variance = sizes.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 3999.0;
            assert!((mean - 20.0).abs() < 0.3, "mean {mean}");
            assert!((variance - 20.0).abs() < 2.0, "variance {variance}");
        }
    }

    #[test]
    fn counts_hold_the_largest_lambda_that_is_admitted() {
        let states = Batch::from_vec(1, vec![0, 1, 2]).unwrap();
        let cover = Arc::new(Weighted::new(states, vec![0.2, 0.3, 0.5]).unwrap());
        let data = finite_data(0);
        for lambda in [4e11, 1e15] {
            let size = Size::Poisson(lambda);
            let train_on = TrainOn::Perturbed { size, cover: cover.clone() };
            let sets = sets(&data, &train_on, 1);
            let View::Extended(q) = sets.view(0) else { panic!("not a perturbation") };
            let total = q.copies.iter().sum::<u64>() as f64;
            assert!((total - lambda).abs() < 10.0 * lambda.sqrt(), "{total} of {lambda}");
        }
    }

    #[test]
    fn split_counts_follow_the_covering_distribution_and_uniform_labels() {
        let cover =
            Weighted::new(Batch::from_vec(1, vec![0, 1, 2]).unwrap(), vec![0.2, 0.0, 0.8]).unwrap();
        let train_on = TrainOn::Perturbed { size: Size::Poisson(10.0), cover: Arc::new(cover) };
        let data = finite_data(0);
        let sets = sets(&data, &train_on, 4000);
        let mut mean = [[0.0; 2]; 3];
        for e in 0..4000 {
            let View::Extended(q) = sets.view(e) else { panic!("not a perturbation") };
            for i in 0..q.copies.len() {
                mean[q.states.row(i)[0] as usize][q.actions.row(i)[0] as usize] +=
                    q.copies[i] as f64 / 4000.0;
            }
        }
        let expected = [[1.0; 2], [0.0; 2], [4.0; 2]];
        for (row, expected) in mean.iter().flatten().zip(expected.iter().flatten()) {
            assert!((row - expected).abs() < 0.15, "{mean:?}");
        }
    }

    #[test]
    fn a_fixed_size_is_exact_and_labels_lie_in_the_action_box() {
        let spaces = Spaces { states: 4, actions: 2 };
        let data = Dataset::<f32, f32>::empty(spaces);
        let cover = Arc::new(UniformBox::new(-2.0, 2.0).unwrap());
        let train_on = TrainOn::Perturbed { size: Size::Fixed(15), cover };
        let sets = TrainingSets::new(&data, &train_on, spaces, 1, Stream::new(2)).unwrap();
        let View::Extended(q) = sets.view(0) else { panic!("not a perturbation") };
        assert_eq!((q.states.len(), q.actions.len(), q.copies), (15, 15, vec![1; 15]));
        assert!(q.states.as_slice().iter().all(|s| s.abs() <= 2.0));
        assert!(q.states.as_slice().iter().any(|s| s.abs() > 1.0));
        assert!(q.actions.as_slice().iter().all(|a| a.abs() <= 1.0));
    }

    #[test]
    fn random_costs_cover_every_action_of_the_separator() {
        let separator = Arc::new(Batch::from_vec(1, vec![0u32, 2]).unwrap());
        let train_on = TrainOn::RandomCosts { separator, scale: 3.0 };
        let data = finite_data(0);
        let sets = sets(&data, &train_on, 3000);
        let costs: Vec<f64> = (0..3000)
            .flat_map(|e| match sets.view(e) {
                View::Costed(costs) => costs.costs,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(costs.len(), 3000 * 4);
        let variance = costs.iter().map(|c| c * c).sum::<f64>() / costs.len() as f64;
        assert!((variance - 9.0).abs() < 0.5, "{variance}");
    }
}
