//! The exact classification oracle over an explicit class.

use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;
use tutelage::oracle::{TrainingSets, View};
use tutelage::{Batch, Dataset, Expert, ExpertError, Oracle, OracleError, Rng, Spaces, Stream};

use crate::{MixedPolicy, PolicyClass};

/// 𝒪(D) = argmin over h ∈ ℬ of Σ ℓ(s, h(s)), exactly; ties are broken uniformly at random.
///
/// The loss is the 0–1 loss I(h(s) ≠ a), or costs ℓ(s, ·) that a label reveals. The training set of
/// a member is a table of costs per (s, a). A fit therefore takes O(S·B) for any size of D, and
/// tens of thousands of members are cheap.
#[derive(Clone, Debug)]
pub struct ExactOracle {
    class: Arc<PolicyClass>,
    /// ℓ(s, a) at index s·A + a; `None` for the 0–1 loss.
    costs: Option<Arc<Vec<f64>>>,
}

impl ExactOracle {
    /// Creates an oracle for the 0–1 loss or, if given, for the costs ℓ(s, a) at index s·A + a.
    ///
    /// The random labels of a perturbation always count 0–1.
    pub fn new(class: Arc<PolicyClass>, costs: Option<Arc<Vec<f64>>>) -> Self {
        Self { class, costs }
    }

    /// Charges a labeled example. The 0–1 loss credits the label instead, which ranks policies the
    /// same way.
    pub(crate) fn charge(&self, table: &mut [f64], state: u32, label: u32) {
        let actions = self.class.spaces().actions;
        let row = state as usize * actions;
        match &self.costs {
            None => table[row + label as usize] -= 1.0,
            Some(costs) => {
                let (table, costs) = (&mut table[row..row + actions], &costs[row..row + actions]);
                table.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
            }
        }
    }

    /// The cost of each (s, a) on these examples.
    fn table(&self, examples: impl Iterator<Item = (u32, u32)>) -> Vec<f64> {
        let Spaces { states, actions } = self.class.spaces();
        let mut table = vec![0.0; states * actions];
        examples.for_each(|(state, label)| self.charge(&mut table, state, label));
        table
    }

    /// Σₛ table(s, h(s)) for every policy.
    pub(crate) fn scores(&self, table: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.class.size()];
        let rows = table.chunks(self.class.spaces().actions).enumerate();
        for (state, row) in rows.filter(|(_, row)| row.iter().any(|&cost| cost != 0.0)) {
            let choices = self.class.choices(state);
            scores.iter_mut().zip(choices).for_each(|(score, &a)| *score += row[a as usize]);
        }
        scores
    }

    /// The table of one member's training set, where `shared` is the table of D.
    pub(crate) fn member_table(
        &self,
        sets: &TrainingSets<'_, u32, u32>,
        shared: &[f64],
        member: usize,
    ) -> Vec<f64> {
        let actions = self.class.spaces().actions;
        let mut table = shared.to_vec();
        match sets.view(member) {
            View::All => {}
            View::Resampled(rows) => {
                table = self.table(rows.iter().map(|&row| example(sets.data(), row as usize)));
            }
            View::Extended(q) => {
                let examples = q.states.as_slice().iter().zip(q.actions.as_slice()).zip(&q.copies);
                for ((&state, &label), &copies) in examples {
                    table[state as usize * actions + label as usize] -= copies as f64;
                }
            }
            View::Costed(costs) => {
                let rows = costs.states.as_slice().iter().zip(costs.costs.chunks(actions));
                for (&state, costs) in rows {
                    let row = &mut table[state as usize * actions..];
                    row.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
                }
            }
        }
        table
    }

    fn check(&self, data: &Dataset<u32, u32>) -> Result<(), OracleError> {
        let Spaces { states, actions } = self.class.spaces();
        let parts = [("states", &data.states, states), ("labels", &data.actions, actions)];
        for (what, batch, size) in parts {
            OracleError::check(what, batch, batch.len(), size)?;
        }
        Ok(())
    }
}

fn example(data: &Dataset<u32, u32>, row: usize) -> (u32, u32) {
    (data.states.row(row)[0], data.actions.row(row)[0])
}

/// A policy of the least score, drawn uniformly if there are several, so that the order of the
/// class does not matter.
pub(crate) fn least(scores: &[f64], rng: impl FnOnce() -> Rng) -> u32 {
    let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let tied = || (0u32..).zip(scores).filter(|&(_, &score)| score == best).map(|(h, _)| h);
    let chosen = match tied().count() {
        0 | 1 => 0,
        several => rng().random_range(0..several),
    };
    tied().nth(chosen).unwrap_or(0)
}

impl Oracle for ExactOracle {
    type State = u32;
    type Action = u32;
    type Policy = MixedPolicy;

    fn fit(
        &self,
        sets: &TrainingSets<'_, u32, u32>,
        stream: &Stream,
    ) -> Result<MixedPolicy, OracleError> {
        if sets.members() == 0 {
            return Err(OracleError::NoMembers);
        }
        if sets.spaces() != self.class.spaces() {
            return Err(OracleError::Unsupported("data in other spaces than its class"));
        }
        self.check(sets.data())?;
        let shared = self.table((0..sets.data().len()).map(|row| example(sets.data(), row)));
        let members = (0..sets.members()).into_par_iter().with_min_len(64);
        let best = |member| {
            let scores = self.scores(&self.member_table(sets, &shared, member));
            least(&scores, || stream.fork("tie", member as u64).rng())
        };
        Ok(MixedPolicy::new(self.class.clone(), members.map(best).collect()))
    }
}

/// A deterministic expert π^E: 𝒮 → 𝒜.
#[derive(Clone, Debug)]
pub struct TabularExpert(pub Arc<Vec<u32>>);

impl Expert for TabularExpert {
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

    /// Splits a round of a million states, so that their random generators need not exist at once.
    fn batch(&self) -> usize {
        4096
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::check::check_oracle;
    use tutelage::choice::{PerturbationSize, TrainOn};
    use tutelage::cover::Weighted;
    use tutelage::oracle::TrainingSpec;
    use tutelage::{Inputs, Policy};

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

    fn fit(data: &Dataset<u32, u32>, train_on: TrainOn, members: usize) -> MixedPolicy {
        let sets = TrainingSets::new(data, train_on, SPACES, members, Stream::new(1)).unwrap();
        ExactOracle::new(class(), None).fit(&sets, &Stream::new(2)).unwrap()
    }

    #[test]
    fn oracle_satisfies_the_contract() {
        let data = data(&[(0, 1), (1, 0), (2, 1), (2, 0), (0, 1)]);
        check_oracle(&ExactOracle::new(class(), None), &data, SPACES, Stream::new(3)).unwrap();
    }

    #[test]
    fn majority_wins_and_ties_are_broken_uniformly() {
        // State 0: two votes of three for 1. State 1: a tie. State 2: unseen. So four policies of eight are best.
        let policy = fit(&data(&[(0, 1), (0, 1), (0, 0), (1, 0), (1, 1)]), TrainOn::Data, 4000);
        for (h, weight) in policy.weights().iter().enumerate() {
            let expected = if h & 1 == 1 { 0.25 } else { 0.0 };
            assert!((weight - expected).abs() < 0.03, "{h}: {weight}");
        }
    }

    #[test]
    fn costs_count_more_than_the_number_of_errors() {
        // Two examples in state 0, where an error is cheap, and one in state 1, where it is expensive;
        // each policy errs in one of them.
        let tables = [vec![1, 0, 0], vec![0, 1, 0]];
        let class = Arc::new(PolicyClass::new(SPACES, &tables).unwrap());
        let data = data(&[(0, 0), (0, 0), (1, 0)]);
        let sets = TrainingSets::new(&data, TrainOn::Data, SPACES, 1, Stream::new(1)).unwrap();
        let weights = |oracle: ExactOracle| oracle.fit(&sets, &Stream::new(2)).unwrap().weights();
        assert_eq!(weights(ExactOracle::new(class.clone(), None)), [0.0, 1.0]);
        let costs = Arc::new(vec![0.0, 1.0, 0.0, 5.0, 0.0, 0.0]);
        assert_eq!(weights(ExactOracle::new(class, Some(costs))), [1.0, 0.0]);
    }

    #[test]
    fn every_view_agrees_with_brute_force() {
        let data = data(&[(0, 1), (1, 0), (2, 1), (2, 0), (0, 0), (1, 1), (1, 1)]);
        let states = Batch::from_vec(1, vec![0, 1, 2]).unwrap();
        let cover = Weighted::new(states.clone(), vec![0.2, 0.3, 0.5]).unwrap();
        let inputs = Inputs { cover: Some(&cover), separator: Some(&states), stored: None };
        let choices = [
            TrainOn::Data,
            TrainOn::Bootstrap,
            TrainOn::Perturbed(PerturbationSize::Fixed(5)),
            TrainOn::Perturbed(PerturbationSize::Poisson(7.0)),
            TrainOn::RandomCosts { scale: 1.5 },
        ];
        for train_on in choices {
            let spec = TrainingSpec { train_on, inputs, round: 1 };
            let sets = TrainingSets::new(&data, spec, SPACES, 40, Stream::new(1)).unwrap();
            let policy = ExactOracle::new(class(), None).fit(&sets, &Stream::new(2)).unwrap();
            for member in 0..40 {
                let scores = brute_force(&data, &sets.view(member));
                let mut actions = Batch::zeros(3, 1);
                policy.act_members(&states, &[member as u32; 3], &mut actions).unwrap();
                let chosen = (0..8).find(|&h| class().policy(h) == actions.as_slice()).unwrap();
                let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(scores[chosen] < least + 1e-9, "{train_on:?}, member {member}: {chosen}");
            }
        }
    }

    fn brute_force(data: &Dataset<u32, u32>, view: &View<u32, u32>) -> Vec<f64> {
        let class = class();
        let errs = |h: usize, s: u32, a: u32| f64::from(class.policy(h)[s as usize] != a);
        let of_row =
            |h: usize, row: usize| errs(h, data.states.row(row)[0], data.actions.row(row)[0]);
        let of_data = |h| (0..data.len()).map(|row| of_row(h, row)).sum::<f64>();
        let score = |h: usize| match view {
            View::All => of_data(h),
            View::Resampled(rows) => rows.iter().map(|&row| of_row(h, row as usize)).sum(),
            View::Extended(q) => {
                let one = |i| q.copies[i] as f64 * errs(h, q.states.row(i)[0], q.actions.row(i)[0]);
                of_data(h) + (0..q.copies.len()).map(one).sum::<f64>()
            }
            View::Costed(costs) => {
                let choice = |s: &[u32]| class.policy(h)[s[0] as usize] as usize;
                let rows = costs.states.rows().enumerate();
                of_data(h) + rows.map(|(i, s)| costs.costs[2 * i + choice(s)]).sum::<f64>()
            }
        };
        (0..8).map(score).collect()
    }

    #[test]
    fn invalid_data_are_refused() {
        let data = data(&[(0, 1), (3, 0)]);
        let sets = TrainingSets::new(&data, TrainOn::Data, SPACES, 1, Stream::new(1)).unwrap();
        let error = ExactOracle::new(class(), None).fit(&sets, &Stream::new(2)).unwrap_err();
        assert!(matches!(error, OracleError::Data { what: "states", .. }), "{error}");
        let none = TrainingSets::new(&data, TrainOn::Data, SPACES, 0, Stream::new(1)).unwrap();
        assert!(matches!(
            ExactOracle::new(class(), None).fit(&none, &Stream::new(2)),
            Err(OracleError::NoMembers)
        ));
    }
}
