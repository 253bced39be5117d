//! Explicit policy classes ℬ.

use std::sync::Arc;

use rand::RngExt;
use rand::seq::IndexedRandom;
use tutelage::{Batch, Policy, PolicyError, Rng, Spaces};

use crate::error::require;
use crate::{TabularPolicy, TheoryError};

/// A finite class of deterministic policies, as tables.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyClass {
    spaces: Spaces,
    size: usize,
    /// h(s) at index s·B + h: the choices of all policies in a state are contiguous.
    choices: Vec<u32>,
}

impl PolicyClass {
    /// Creates a class from tables with one action per state.
    pub fn new(spaces: Spaces, tables: &[Vec<u32>]) -> Result<Self, TheoryError> {
        let Spaces { states, actions } = spaces;
        require(!tables.is_empty(), "class size", 0.0, "at least 1")?;
        for (h, table) in tables.iter().enumerate() {
            let what = format!("the number of actions of policy {h}");
            require(table.len() == states, what, table.len() as f64, states.to_string())?;
            for (state, &action) in table.iter().enumerate() {
                if action as usize >= actions {
                    let what = format!("the action of policy {h} in state {state}");
                    require(false, what, action.into(), format!("below {actions}"))?;
                }
            }
        }
        let choices = (0..states).flat_map(|s| tables.iter().map(move |table| table[s]));
        Ok(Self { spaces, size: tables.len(), choices: choices.collect() })
    }

    /// Creates `size` policies that each differ from the expert in about this share of the states.
    ///
    /// Unless the share is 0, each policy errs in at least one state that the expert visits.
    /// Otherwise it would never reach its errors, and the class would be realizable.
    pub fn around(
        spaces: Spaces,
        expert: &[u32],
        visited: &[bool],
        size: usize,
        share: f64,
        rng: &mut Rng,
    ) -> Result<Self, TheoryError> {
        let actions = spaces.actions as u32;
        let wrong = |a: u32, rng: &mut Rng| (a + rng.random_range(1..actions.max(2))) % actions;
        let places: Vec<usize> = (0..expert.len()).filter(|&s| visited[s]).collect();
        let mut one = || {
            let mut table: Vec<u32> = expert.to_vec();
            for action in &mut table {
                if rng.random_bool(share.clamp(0.0, 1.0)) {
                    *action = wrong(*action, rng);
                }
            }
            let errs = places.iter().any(|&s| table[s] != expert[s]);
            if let Some(&place) = places.choose(rng).filter(|_| !errs && share > 0.0) {
                table[place] = wrong(table[place], rng);
            }
            table
        };
        Self::new(spaces, &(0..size).map(|_| one()).collect::<Vec<_>>())
    }

    /// B.
    pub fn size(&self) -> usize {
        self.size
    }

    /// S and A.
    pub fn spaces(&self) -> Spaces {
        self.spaces
    }

    /// h(s) for every h ∈ ℬ.
    pub fn choices(&self, state: usize) -> &[u32] {
        &self.choices[state * self.size..(state + 1) * self.size]
    }

    /// The table of policy h.
    pub fn policy(&self, h: usize) -> Vec<u32> {
        (0..self.spaces.states).map(|s| self.choices(s)[h]).collect()
    }

    /// The tables of all policies.
    pub fn tables(&self) -> Vec<Vec<u32>> {
        (0..self.size).map(|h| self.policy(h)).collect()
    }

    /// Whether some policy takes a in s, at index s·A + a.
    pub(crate) fn allowed(&self) -> Vec<bool> {
        let mut allowed = vec![false; self.spaces.states * self.spaces.actions];
        for state in 0..self.spaces.states {
            for &action in self.choices(state) {
                allowed[state * self.spaces.actions + action as usize] = true;
            }
        }
        allowed
    }

    /// A separator set: states such that any two different policies differ in at least one.
    ///
    /// The set is built greedily, so it is small, but not always the smallest.
    pub fn separator(&self) -> Vec<u32> {
        let mut groups: Vec<Vec<usize>> = vec![(0..self.size).collect()];
        let mut separator = Vec::new();
        loop {
            let splits = |s: usize| groups.iter().map(|g| self.distinct(g, s) - 1).sum::<usize>();
            let best = (0..self.spaces.states).max_by_key(|&s| (splits(s), std::cmp::Reverse(s)));
            let Some(state) = best.filter(|&s| splits(s) > 0) else { return separator };
            separator.push(state as u32);
            groups = groups.iter().flat_map(|group| self.split(group, state)).collect();
        }
    }

    fn split(&self, group: &[usize], state: usize) -> Vec<Vec<usize>> {
        let mut parts = vec![Vec::new(); self.spaces.actions];
        group.iter().for_each(|&h| parts[self.choices(state)[h] as usize].push(h));
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// The number of different actions of a group of policies in a state.
    fn distinct(&self, group: &[usize], state: usize) -> usize {
        let mut seen: Vec<u32> = group.iter().map(|&h| self.choices(state)[h]).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }
}

/// A policy of Π_ℬ: E members of the class, π(a | s) = (1/E) Σₑ I(hₑ(s) = a).
#[derive(Clone, Debug, PartialEq)]
pub struct MixedPolicy {
    class: Arc<PolicyClass>,
    members: Vec<u32>,
}

impl MixedPolicy {
    pub(crate) fn new(class: Arc<PolicyClass>, members: Vec<u32>) -> Self {
        Self { class, members }
    }

    /// `u[h]`: the share of members that are h.
    pub fn weights(&self) -> Vec<f64> {
        let mut counts = vec![0u32; self.class.size()];
        self.members.iter().for_each(|&h| counts[h as usize] += 1);
        counts.iter().map(|&count| f64::from(count) / self.members.len() as f64).collect()
    }

    /// π(a | s) for all s and a.
    pub fn table(&self) -> TabularPolicy {
        let Spaces { states, actions } = self.class.spaces();
        let weights = self.weights();
        let mut probabilities = vec![0.0; states * actions];
        for state in 0..states {
            for (&action, weight) in self.class.choices(state).iter().zip(&weights) {
                probabilities[state * actions + action as usize] += weight;
            }
        }
        TabularPolicy::new(actions, probabilities)
    }
}

impl Policy for MixedPolicy {
    type State = u32;
    type Action = u32;

    fn members(&self) -> usize {
        self.members.len()
    }

    fn act_members(
        &self,
        states: &Batch<u32>,
        members: &[u32],
        actions: &mut Batch<u32>,
    ) -> Result<(), PolicyError> {
        for (row, &member) in members.iter().enumerate() {
            let wrong = PolicyError::Member { member, members: self.members.len() };
            let h = *self.members.get(member as usize).ok_or(wrong)? as usize;
            actions.row_mut(row)[0] = self.class.choices(states.row(row)[0] as usize)[h];
        }
        Ok(())
    }

    /// The vote of the members; ties go to the lowest action.
    fn act_mean(&self, states: &Batch<u32>, actions: &mut Batch<u32>) -> Result<(), PolicyError> {
        let table = self.table();
        for row in 0..states.len() {
            let votes = table.row(states.row(row)[0] as usize);
            let most = |best, i| if votes[i] > votes[best] { i } else { best };
            actions.row_mut(row)[0] = (0..votes.len()).fold(0, most) as u32;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::invalid;

    const SPACES: Spaces = Spaces { states: 2, actions: 3 };

    fn mixture() -> MixedPolicy {
        let class = PolicyClass::new(SPACES, &[vec![0, 1], vec![0, 2], vec![1, 2]]);
        MixedPolicy::new(Arc::new(class.unwrap()), vec![0, 0, 1, 2])
    }

    fn around(visited: usize, size: usize, share: f64) -> PolicyClass {
        let mut rng = tutelage::Stream::new(4).rng();
        let visited: Vec<bool> = (0..12).map(|s| s < visited).collect();
        let spaces = Spaces { states: 12, actions: 3 };
        PolicyClass::around(spaces, &[0; 12], &visited, size, share, &mut rng).unwrap()
    }

    #[test]
    fn mixture_has_the_shares_of_its_members() {
        assert_eq!(mixture().table().row(0), &[0.75, 0.25, 0.0]);
        assert_eq!(mixture().table().row(1), &[0.0, 0.5, 0.5]);
    }

    #[test]
    fn mean_action_is_a_vote_with_ties_to_the_lowest() {
        let states = Batch::from_vec(1, vec![0, 1]).unwrap();
        let mut actions = Batch::zeros(2, 1);
        mixture().act_mean(&states, &mut actions).unwrap();
        assert_eq!(actions.as_slice(), &[0, 1]);
        mixture().act_members(&states, &[3, 2], &mut actions).unwrap();
        assert_eq!(actions.as_slice(), &[1, 2]);
    }

    #[test]
    fn separator_distinguishes_all_policies() {
        let class = around(12, 20, 0.3);
        let (separator, tables) = (class.separator(), class.tables());
        assert!(separator.len() < 12);
        for (i, j) in (0..20).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let differ = |&s: &u32| tables[i][s as usize] != tables[j][s as usize];
            assert!(tables[i] == tables[j] || separator.iter().any(differ), "{i} {j}");
        }
    }

    #[test]
    fn every_policy_errs_in_a_visited_state() {
        for table in around(3, 200, 0.1).tables() {
            assert!(table[..3].iter().any(|&a| a != 0), "{table:?}");
        }
    }

    #[test]
    fn invalid_tables_are_named() {
        assert_eq!(invalid(PolicyClass::new(SPACES, &[])).0, "class size");
        let short = invalid(PolicyClass::new(SPACES, &[vec![0]]));
        assert_eq!(short, ("the number of actions of policy 0".into(), 1.0));
        let unknown = invalid(PolicyClass::new(SPACES, &[vec![0, 3]]));
        assert_eq!(unknown, ("the action of policy 0 in state 1".into(), 3.0));
    }
}
