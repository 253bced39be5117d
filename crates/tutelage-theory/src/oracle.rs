//! The exact classification oracle over an explicit class.

use std::sync::Arc;

use rayon::prelude::*;
use tutelage::{
    Batch, Dataset, Expert, ExpertError, Oracle, OracleError, Rng, Spaces, Stream, TrainingSets,
    View,
};

use crate::{Mixture, PolicyClass};

/// 𝒪(D) = argmin over h ∈ ℬ of Σ I(h(s) ≠ a), exactly; the first such h where several are.
///
/// D enters as counts per (s, a), shared by all members; a member adds its own part in O(S·A·B), so tens of thousands of
/// members stay cheap. Costs per action are added as they are (cost-sensitive classification).
#[derive(Clone, Debug)]
pub struct ExactOracle {
    class: Arc<PolicyClass>,
}

impl ExactOracle {
    /// The oracle for this class.
    pub fn new(class: Arc<PolicyClass>) -> Self {
        Self { class }
    }

    /// Adds `weight` to the score of every policy that does not take this action in this state.
    fn charge(&self, scores: &mut [f64], state: u32, action: u32, weight: f64) {
        for (score, &choice) in scores.iter_mut().zip(self.class.choices(state as usize)) {
            *score += if choice == action { 0.0 } else { weight };
        }
    }

    /// The number of errors of every policy, from counts per (s, a).
    fn errors(&self, examples: impl Iterator<Item = (u32, u32)>) -> Vec<f64> {
        let Spaces { states, actions } = self.class.spaces();
        let mut counts = vec![0u32; states * actions];
        examples
            .for_each(|(state, action)| counts[state as usize * actions + action as usize] += 1);
        let mut scores = vec![0.0; self.class.size()];
        for (cell, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.charge(
                &mut scores,
                (cell / actions) as u32,
                (cell % actions) as u32,
                count.into(),
            );
        }
        scores
    }

    /// The best policy for one member.
    fn best(&self, sets: &TrainingSets<'_, u32, u32>, shared: &[f64], member: usize) -> u32 {
        let data = sets.data();
        match sets.view(member) {
            View::All => first_min(shared),
            View::Resampled(rows) => {
                let example = |row: &u32| {
                    (data.states.row(*row as usize)[0], data.actions.row(*row as usize)[0])
                };
                first_min(&self.errors(rows.iter().map(example)))
            }
            View::Extended(q) => {
                let mut scores = shared.to_vec();
                let examples = q.states.as_slice().iter().zip(q.actions.as_slice()).zip(&q.copies);
                examples
                    .for_each(|((&s, &a), &copies)| self.charge(&mut scores, s, a, copies.into()));
                first_min(&scores)
            }
            View::Costed(costs) => {
                let mut scores = shared.to_vec();
                let rows = costs
                    .states
                    .as_slice()
                    .iter()
                    .zip(costs.costs.chunks(self.class.spaces().actions));
                for (&state, costs) in rows {
                    let choices = self.class.choices(state as usize);
                    scores
                        .iter_mut()
                        .zip(choices)
                        .for_each(|(score, &a)| *score += costs[a as usize]);
                }
                first_min(&scores)
            }
        }
    }

    fn check(&self, data: &Dataset<u32, u32>) -> Result<(), OracleError> {
        let Spaces { states, actions } = self.class.spaces();
        let parts = [("states", &data.states, states), ("labels", &data.actions, actions)];
        for (what, batch, size) in parts {
            if let Some((row, column, value)) = batch.misfit(size) {
                let allowed = "an index below the size of its space";
                return Err(OracleError::Value {
                    what,
                    row,
                    column,
                    value: value.to_string(),
                    allowed,
                });
            }
        }
        Ok(())
    }
}

/// The first of the smallest.
fn first_min(scores: &[f64]) -> u32 {
    (0..scores.len()).fold(0, |best, h| if scores[h] < scores[best] { h } else { best }) as u32
}

impl Oracle for ExactOracle {
    type State = u32;
    type Action = u32;
    type Policy = Mixture;

    fn fit(&self, sets: &TrainingSets<'_, u32, u32>, _: &Stream) -> Result<Mixture, OracleError> {
        if sets.members() == 0 {
            return Err(OracleError::NoMembers);
        }
        if sets.spaces() != self.class.spaces() {
            let (expected, found) = (self.class.spaces().states, sets.spaces().states);
            return Err(OracleError::Width { what: "states", expected, found });
        }
        self.check(sets.data())?;
        let Dataset { states, actions } = sets.data();
        let shared =
            self.errors(states.as_slice().iter().copied().zip(actions.as_slice().iter().copied()));
        let members = (0..sets.members()).into_par_iter().with_min_len(64);
        let members = members.map(|member| self.best(sets, &shared, member)).collect();
        Ok(Mixture::new(self.class.clone(), members))
    }
}

/// A deterministic expert π^E: 𝒮 → 𝒜.
#[derive(Clone, Debug)]
pub struct TableExpert(pub Arc<Vec<u32>>);

impl Expert for TableExpert {
    type State = u32;
    type Action = u32;

    fn annotate(
        &mut self,
        states: &Batch<u32>,
        _: &mut [Rng],
        actions: &mut Batch<u32>,
    ) -> Result<(), ExpertError> {
        self.mean(states, actions)
    }

    fn mean(&mut self, states: &Batch<u32>, actions: &mut Batch<u32>) -> Result<(), ExpertError> {
        for row in 0..states.len() {
            actions.row_mut(row)[0] = self.0[states.row(row)[0] as usize];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::{Policy, Size, TrainOn, Weighted, check_oracle};

    const SPACES: Spaces = Spaces { states: 3, actions: 2 };

    fn class() -> Arc<PolicyClass> {
        let tables: Vec<Vec<u32>> =
            (0..8u32).map(|bits| (0..3).map(|s| bits >> s & 1).collect()).collect();
        Arc::new(PolicyClass::new(SPACES, &tables).unwrap())
    }

    fn data(pairs: &[(u32, u32)]) -> Dataset<u32, u32> {
        let mut data = Dataset::empty(SPACES);
        for &(state, action) in pairs {
            data.states.push(&[state]);
            data.actions.push(&[action]);
        }
        data
    }

    fn fit(data: &Dataset<u32, u32>, train_on: &TrainOn<u32>, members: usize) -> Mixture {
        let sets = TrainingSets::new(data, train_on, SPACES, members, Stream::new(1)).unwrap();
        ExactOracle::new(class()).fit(&sets, &Stream::new(2)).unwrap()
    }

    #[test]
    fn it_keeps_the_contract_of_an_oracle() {
        let data = data(&[(0, 1), (1, 0), (2, 1), (2, 0), (0, 1)]);
        check_oracle(&ExactOracle::new(class()), &data, SPACES, Stream::new(3)).unwrap();
    }

    #[test]
    fn the_majority_label_wins_and_ties_go_to_the_first_policy() {
        // State 0: two votes of three for 1. State 1: a tie. State 2: unseen.
        let policy = fit(&data(&[(0, 1), (0, 1), (0, 0), (1, 0), (1, 1)]), &TrainOn::Data, 1);
        assert_eq!(policy.weights()[0b001], 1.0, "{:?}", policy.weights());
    }

    #[test]
    fn every_view_gives_the_same_as_brute_force() {
        let data = data(&[(0, 1), (1, 0), (2, 1), (2, 0), (0, 0), (1, 1), (1, 1)]);
        let states = Batch::from_vec(1, vec![0, 1, 2]).unwrap();
        let cover = || Arc::new(Weighted::new(states.clone(), vec![0.2, 0.3, 0.5]).unwrap());
        let choices = [
            TrainOn::Data,
            TrainOn::Bootstrap,
            TrainOn::Perturbed { size: Size::Fixed(5), cover: cover() },
            TrainOn::Perturbed { size: Size::Poisson(7.0), cover: cover() },
            TrainOn::RandomCosts { separator: Arc::new(states.clone()), scale: 1.5 },
        ];
        for train_on in choices {
            let sets = TrainingSets::new(&data, &train_on, SPACES, 40, Stream::new(1)).unwrap();
            let policy = ExactOracle::new(class()).fit(&sets, &Stream::new(2)).unwrap();
            for member in 0..40 {
                let expected = brute_force(&data, &sets.view(member));
                let mut actions = Batch::zeros(3, 1);
                policy.act_members(&states, &[member as u32; 3], &mut actions).unwrap();
                assert_eq!(
                    actions.as_slice(),
                    class().policy(expected),
                    "{train_on:?}, member {member}"
                );
            }
        }
    }

    fn brute_force(data: &Dataset<u32, u32>, view: &View<u32, u32>) -> usize {
        let class = class();
        let errs = |h: usize, s: u32, a: u32| f64::from(class.policy(h)[s as usize] != a);
        let of_data =
            |h: usize, row: usize| errs(h, data.states.row(row)[0], data.actions.row(row)[0]);
        let score = |h: usize| match view {
            View::All => (0..data.len()).map(|row| of_data(h, row)).sum::<f64>(),
            View::Resampled(rows) => rows.iter().map(|&row| of_data(h, row as usize)).sum(),
            View::Extended(q) => {
                let own = (0..q.copies.len()).map(|i| {
                    f64::from(q.copies[i]) * errs(h, q.states.row(i)[0], q.actions.row(i)[0])
                });
                (0..data.len()).map(|row| of_data(h, row)).sum::<f64>() + own.sum::<f64>()
            }
            View::Costed(costs) => {
                let own = costs.states.rows().enumerate();
                let own =
                    own.map(|(i, s)| costs.costs[2 * i + class.policy(h)[s[0] as usize] as usize]);
                (0..data.len()).map(|row| of_data(h, row)).sum::<f64>() + own.sum::<f64>()
            }
        };
        (0..8).min_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap()
    }

    #[test]
    fn foreign_data_are_named() {
        let data = data(&[(0, 1), (3, 0)]);
        let sets = TrainingSets::new(&data, &TrainOn::Data, SPACES, 1, Stream::new(1)).unwrap();
        let error = ExactOracle::new(class()).fit(&sets, &Stream::new(2)).unwrap_err();
        assert!(matches!(error, OracleError::Value { what: "states", row: 1, .. }), "{error}");
        let none = TrainingSets::new(&data, &TrainOn::Data, SPACES, 0, Stream::new(1)).unwrap();
        assert!(matches!(
            ExactOracle::new(class()).fit(&none, &Stream::new(2)),
            Err(OracleError::NoMembers)
        ));
    }
}
