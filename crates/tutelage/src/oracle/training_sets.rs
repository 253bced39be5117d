//! The training sets of a round.

use rand::RngExt;
use rand_distr::{Distribution, Normal, Poisson};

use crate::choice::{PerturbationSize, TrainOn, TrainOnError};
use crate::cover::Cover;
use crate::{Batch, Dataset, Element, Inputs, Rng, Spaces, Stream};

/// The E training sets of a round: a shared dataset D, and a [`View`] per member, drawn on demand.
pub struct TrainingSets<'a, S, A> {
    data: &'a Dataset<S, A>,
    spec: TrainingSpec<'a, S, A>,
    spaces: Spaces,
    members: usize,
    stream: Stream,
    /// Poisson(λ p(s) / |𝒜|) for each state that d₀ lists, if the Poisson number of draws can be split.
    split: Split,
}

/// How training sets are drawn in round n.
#[derive(Clone, Copy, Debug)]
pub struct TrainingSpec<'a, S, A> {
    /// Choice 3.
    pub train_on: TrainOn,
    /// The data that it needs.
    pub inputs: Inputs<'a, S, A>,
    /// n.
    pub round: usize,
}

impl<S, A> From<TrainOn> for TrainingSpec<'_, S, A> {
    /// A choice that needs only D.
    fn from(train_on: TrainOn) -> Self {
        Self { train_on, inputs: Inputs::none(), round: 1 }
    }
}

/// What distinguishes a member's training set from D.
#[derive(Clone, Debug, PartialEq)]
pub enum View<S, A> {
    /// The member trains on D.
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
    /// The labels ã.
    pub actions: Batch<A>,
    /// The multiplicity of each example.
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

impl<'a, S: Element, A: Element> TrainingSets<'a, S, A> {
    /// Creates E training sets over D. Member e's view is a function of the stream and e.
    pub fn new(
        data: &'a Dataset<S, A>,
        spec: impl Into<TrainingSpec<'a, S, A>>,
        spaces: Spaces,
        members: usize,
        stream: Stream,
    ) -> Result<Self, TrainOnError> {
        let spec = spec.into();
        spec.train_on.check(&spec.inputs, spaces, spec.round)?;
        let split = split_poisson(&spec, spaces);
        Ok(Self { data, spec, spaces, members, stream, split })
    }

    /// The same training sets for a learner that sees other forms of the rows, such as some columns of every state. Member e
    /// gets the same rows of D, and perturbations of these spaces.
    pub fn seen_as<'b>(
        &self,
        data: &'b Dataset<S, A>,
        spaces: Spaces,
    ) -> Result<TrainingSets<'b, S, A>, TrainOnError>
    where
        'a: 'b,
    {
        TrainingSets::new(data, self.spec, spaces, self.members, self.stream)
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

    /// Draws member e's view, the same at every call.
    pub fn view(&self, member: usize) -> View<S, A> {
        let rng = || self.stream.fork("member", member as u64).rng();
        let TrainingSpec { train_on, inputs, .. } = self.spec;
        match (train_on, inputs.cover, inputs.separator) {
            (TrainOn::Bootstrap, _, _) => View::Resampled(bootstrap(self.data.len(), &mut rng())),
            (TrainOn::Perturbed(size), Some(cover), _) => {
                View::Extended(self.perturbation(size, cover, &mut rng()))
            }
            (TrainOn::Shuffled(count), Some(cover), _) if !self.data.is_empty() => {
                let another = |rng: &mut Rng, label: &mut [A]| {
                    let row = rng.random_range(0..self.data.len());
                    label.copy_from_slice(self.data.actions.row(row));
                };
                View::Extended(self.drawn_perturbation(count, cover, &mut rng(), another))
            }
            (TrainOn::RandomCosts { scale }, _, Some(separator)) => {
                View::Costed(random_costs(separator, self.spaces.actions, scale, &mut rng()))
            }
            // The constructor checked the inputs. Before the first round there are no labels to draw.
            _ => View::All,
        }
    }

    fn perturbation(
        &self,
        size: PerturbationSize,
        cover: &dyn Cover<S>,
        rng: &mut Rng,
    ) -> Perturbation<S, A> {
        match (&self.split, cover.support()) {
            (Some(split), Some((states, _))) => self.split_perturbation(split, states, rng),
            _ => {
                let count = size.draw(self.spec.round, rng);
                let uniform = |rng: &mut Rng, label: &mut [A]| {
                    A::draw_uniform(self.spaces.actions, rng, label)
                };
                self.drawn_perturbation(count, cover, rng, uniform)
            }
        }
    }

    /// X times: s̃ ~ d₀, and an independent label.
    fn drawn_perturbation(
        &self,
        count: usize,
        cover: &dyn Cover<S>,
        rng: &mut Rng,
        draw_label: impl Fn(&mut Rng, &mut [A]),
    ) -> Perturbation<S, A> {
        let mut states = Batch::zeros(count, S::width(self.spaces.states));
        let mut actions = Batch::zeros(count, A::width(self.spaces.actions));
        for i in 0..count {
            cover.draw(rng, states.row_mut(i));
            draw_label(rng, actions.row_mut(i));
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

impl PerturbationSize {
    /// X in round n.
    fn draw(self, round: usize, rng: &mut Rng) -> usize {
        match self {
            Self::Fixed(count) => count,
            Self::Growing(count) => count * round,
            Self::Poisson(lambda) => poisson(lambda).map_or(0, |law| law.sample(rng) as usize),
        }
    }
}

/// Poisson(λ), or `None` if λ = 0.
fn poisson(lambda: f64) -> Option<Poisson<f64>> {
    Poisson::new(lambda).ok()
}

type Split = Option<Vec<Option<Poisson<f64>>>>;

fn split_poisson<S: Element, A: Element>(spec: &TrainingSpec<'_, S, A>, spaces: Spaces) -> Split {
    let TrainOn::Perturbed(PerturbationSize::Poisson(lambda)) = spec.train_on else { return None };
    let ((_, probabilities), labels) = (spec.inputs.cover?.support()?, A::all(spaces.actions)?);
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
    use crate::cover::{StoredStates, UniformBox, Weighted};

    const SPACES: Spaces = Spaces { states: 3, actions: 2 };

    fn indices(values: &[u32]) -> Batch<u32> {
        Batch::from_vec(1, values.to_vec()).unwrap()
    }

    fn weighted(probabilities: [f64; 3]) -> Weighted<u32> {
        Weighted::new(indices(&[0, 1, 2]), probabilities.to_vec()).unwrap()
    }

    fn perturbation<S: Element, A: Element>(
        sets: &TrainingSets<'_, S, A>,
        member: usize,
    ) -> Perturbation<S, A> {
        match sets.view(member) {
            View::Extended(q) => q,
            other => panic!("{other:?}"),
        }
    }

    fn finite_data(rows: u32) -> Dataset<u32, u32> {
        let mut data = Dataset::empty(SPACES);
        for i in 0..rows {
            data.states.push(&[i % 3]);
            data.actions.push(&[i % 2]);
        }
        data
    }

    #[test]
    fn seen_as_keeps_the_rows() {
        let spaces = |states| Spaces { states, actions: 1 };
        let whole =
            Dataset { states: Batch::<f32>::zeros(9, 4), actions: Batch::<f32>::zeros(9, 1) };
        let part = Dataset { states: Batch::<f32>::zeros(9, 2), actions: whole.actions.clone() };
        let sets =
            TrainingSets::new(&whole, TrainOn::Bootstrap, spaces(4), 3, Stream::new(1)).unwrap();
        let seen = sets.seen_as(&part, spaces(2)).unwrap();
        assert_eq!((seen.members(), seen.data().states.width()), (3, 2));
        assert!((0..3).all(|e| seen.view(e) == sets.view(e)));
    }

    fn sets<'a>(
        data: &'a Dataset<u32, u32>,
        train_on: TrainOn,
        cover: Option<&'a dyn Cover<u32>>,
        members: usize,
    ) -> TrainingSets<'a, u32, u32> {
        let inputs = Inputs { cover, ..Inputs::none() };
        let spec = TrainingSpec { train_on, inputs, round: 1 };
        TrainingSets::new(data, spec, SPACES, members, Stream::new(1)).unwrap()
    }

    #[test]
    fn a_bootstrap_keeps_the_size_and_leaves_out_a_third() {
        let data = finite_data(600);
        let sets = sets(&data, TrainOn::Bootstrap, None, 2);
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
        assert_ne!(sets.view(0), sets.view(1), "members draw independently");
    }

    #[test]
    fn a_poisson_size_has_mean_and_variance_lambda() {
        let stored = StoredStates::new(indices(&[0, 1, 2])).unwrap();
        let covers: [&dyn Cover<u32>; 2] = [&weighted([0.2, 0.3, 0.5]), &stored];
        let data = finite_data(1);
        for cover in covers {
            let train_on = TrainOn::Perturbed(PerturbationSize::Poisson(20.0));
            let sets = sets(&data, train_on, Some(cover), 4000);
            let size = |e| perturbation(&sets, e).copies.iter().sum::<u64>() as f64;
            let sizes: Vec<f64> = (0..4000).map(size).collect();
            let mean = sizes.iter().sum::<f64>() / 4000.0;
            let variance = sizes.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 3999.0;
            assert!((mean - 20.0).abs() < 0.3, "mean {mean}");
            assert!((variance - 20.0).abs() < 2.0, "variance {variance}");
        }
    }

    #[test]
    fn counts_hold_the_largest_lambda() {
        let cover = weighted([0.2, 0.3, 0.5]);
        let data = finite_data(0);
        for lambda in [4e11, 1e15] {
            let train_on = TrainOn::Perturbed(PerturbationSize::Poisson(lambda));
            let sets = sets(&data, train_on, Some(&cover), 1);
            let q = perturbation(&sets, 0);
            let total = q.copies.iter().sum::<u64>() as f64;
            assert!((total - lambda).abs() < 10.0 * lambda.sqrt(), "{total} of {lambda}");
        }
    }

    #[test]
    fn split_counts_follow_d0_and_uniform_labels() {
        let cover = weighted([0.2, 0.0, 0.8]);
        let data = finite_data(0);
        let sets =
            sets(&data, TrainOn::Perturbed(PerturbationSize::Poisson(10.0)), Some(&cover), 4000);
        let mut mean = [[0.0; 2]; 3];
        for e in 0..4000 {
            let q = perturbation(&sets, e);
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
    fn fixed_and_growing_sizes_are_exact_and_labels_are_in_the_unit_box() {
        let spaces = Spaces { states: 4, actions: 2 };
        let data = Dataset::<f32, f32>::empty(spaces);
        let cover = UniformBox::new(-2.0, 2.0).unwrap();
        let inputs = Inputs { cover: Some(&cover), ..Inputs::none() };
        let (fixed, growing) = (PerturbationSize::Fixed(15), PerturbationSize::Growing(3));
        for (size, round, count) in [(fixed, 7, 15), (growing, 1, 3), (growing, 4, 12)] {
            let spec = TrainingSpec { train_on: TrainOn::Perturbed(size), inputs, round };
            let sets = TrainingSets::new(&data, spec, spaces, 1, Stream::new(2)).unwrap();
            let q = perturbation(&sets, 0);
            assert_eq!((q.states.len(), q.actions.len(), q.copies), (count, count, vec![1; count]));
            assert!(q.states.as_slice().iter().all(|s| s.abs() <= 2.0));
            assert!(q.states.as_slice().iter().any(|s| s.abs() > 1.0));
            assert!(q.actions.as_slice().iter().all(|a| a.abs() <= 1.0));
        }
    }

    #[test]
    fn shuffled_labels_are_those_of_d_and_independent_of_the_state() {
        let cover = StoredStates::new(indices(&[0, 1, 2])).unwrap();
        // Two of three labels are 1, whatever the state.
        let data = Dataset { states: indices(&[2, 2, 2]), actions: indices(&[1, 0, 1]) };
        let sets = sets(&data, TrainOn::Shuffled(6000), Some(&cover), 1);
        let q = perturbation(&sets, 0);
        assert_eq!((q.states.len(), q.copies.len()), (6000, 6000));
        for state in 0..3 {
            let rows = || (0..6000).filter(|&i| q.states.row(i)[0] == state);
            let ones = rows().filter(|&i| q.actions.row(i)[0] == 1).count() as f64;
            let share = ones / rows().count() as f64;
            assert!((rows().count() as f64 - 2000.0).abs() < 150.0, "states are d₀'s");
            assert!((share - 2.0 / 3.0).abs() < 0.04, "{share} of state {state}");
        }
        let nothing = finite_data(0);
        let sets = self::sets(&nothing, TrainOn::Shuffled(5), Some(&cover), 1);
        assert_eq!(sets.view(0), View::All, "no label to draw yet");
    }

    #[test]
    fn random_costs_cover_every_action_of_the_separator() {
        let separator = indices(&[0, 2]);
        let inputs = Inputs { separator: Some(&separator), ..Inputs::none() };
        let spec = TrainingSpec { train_on: TrainOn::RandomCosts { scale: 3.0 }, inputs, round: 1 };
        let data = finite_data(0);
        let sets = TrainingSets::new(&data, spec, SPACES, 3000, Stream::new(1)).unwrap();
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
