//! Explicit policy classes ℬ.

use std::sync::Arc;

use rand::RngExt;
use rand::seq::IndexedRandom;
use tutelage::{Batch, Policy, PolicyError, Rng, Spaces};

use crate::TabularPolicy;

/// B deterministic policies as tables.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyClass {
    spaces: Spaces,
    size: usize,
    /// h(s) at index s·B + h: all policies' choices in one state lie together.
    choices: Vec<u32>,
}

/// Why something is no policy class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassError {
    /// B = 0.
    #[error("the policy class is empty; at least 1 policy is needed")]
    Empty,
    /// A table does not list one action per state.
    #[error(
        "policy {policy} lists {found} actions; allowed is one for each of the {states} states"
    )]
    States {
        /// Which policy.
        policy: usize,
        /// How many it lists.
        found: usize,
        /// S.
        states: usize,
    },
    /// A table names an unknown action.
    #[error("policy {policy} takes action {action} in state {state}; allowed is 0 to {last}")]
    Action {
        /// Which policy.
        policy: usize,
        /// Where.
        state: usize,
        /// What it names.
        action: u32,
        /// A − 1.
        last: usize,
    },
}

impl PolicyClass {
    /// The class of these tables, each with one action per state.
    pub fn new(spaces: Spaces, tables: &[Vec<u32>]) -> Result<Self, ClassError> {
        if tables.is_empty() {
            return Err(ClassError::Empty);
        }
        for (policy, table) in tables.iter().enumerate() {
            if table.len() != spaces.states {
                return Err(ClassError::States {
                    policy,
                    found: table.len(),
                    states: spaces.states,
                });
            }
            if let Some(state) = table.iter().position(|&a| a as usize >= spaces.actions) {
                return Err(ClassError::Action {
                    policy,
                    state,
                    action: table[state],
                    last: spaces.actions - 1,
                });
            }
        }
        let choices = (0..spaces.states).flat_map(|s| tables.iter().map(move |table| table[s]));
        Ok(Self { spaces, size: tables.len(), choices: choices.collect() })
    }

    /// `size` policies that each differ from the expert in about this share of the states.
    ///
    /// Each errs in at least one of the states that the expert visits (the class is agnostic in effect and not only on
    /// paper: whoever errs elsewhere alone never gets there), unless the share is 0.
    pub fn around(
        spaces: Spaces,
        expert: &[u32],
        visited: &[bool],
        size: usize,
        share: f64,
        rng: &mut Rng,
    ) -> Result<Self, ClassError> {
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

    /// The policy h as a table.
    pub fn policy(&self, h: usize) -> Vec<u32> {
        (0..self.spaces.states).map(|s| self.choices(s)[h]).collect()
    }

    /// Which actions some policy takes, at index s·A + a.
    pub fn allowed(&self) -> Vec<bool> {
        let mut allowed = vec![false; self.spaces.states * self.spaces.actions];
        for state in 0..self.spaces.states {
            for &action in self.choices(state) {
                allowed[state * self.spaces.actions + action as usize] = true;
            }
        }
        allowed
    }

    /// A separator set: states on which any two different policies of the class differ somewhere. Greedy, so small but not
    /// always the smallest.
    pub fn separator(&self) -> Vec<u32> {
        let mut groups: Vec<Vec<usize>> = vec![(0..self.size).collect()];
        let mut separator = Vec::new();
        loop {
            let splits =
                |s: usize| groups.iter().map(|g| distinct(self.choices(s), g) - 1).sum::<usize>();
            let best = (0..self.spaces.states).max_by_key(|&s| (splits(s), std::cmp::Reverse(s)));
            let Some(state) = best.filter(|&s| splits(s) > 0) else { break };
            separator.push(state as u32);
            groups = groups.iter().flat_map(|group| self.split(group, state)).collect();
        }
        separator
    }

    fn split(&self, group: &[usize], state: usize) -> Vec<Vec<usize>> {
        let mut parts = vec![Vec::new(); self.spaces.actions];
        group.iter().for_each(|&h| parts[self.choices(state)[h] as usize].push(h));
        parts.retain(|part| !part.is_empty());
        parts
    }
}

fn distinct(choices: &[u32], group: &[usize]) -> usize {
    let mut seen: Vec<u32> = group.iter().map(|&h| choices[h]).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len()
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

    fn act_mean(&self, states: &Batch<u32>, actions: &mut Batch<u32>) -> Result<(), PolicyError> {
        let weights = self.weights();
        for row in 0..states.len() {
            let mut votes = vec![0.0; self.class.spaces().actions];
            let choices = self.class.choices(states.row(row)[0] as usize);
            choices.iter().zip(&weights).for_each(|(&a, w)| votes[a as usize] += w);
            actions.row_mut(row)[0] = first_max(&votes) as u32;
        }
        Ok(())
    }
}

fn first_max(votes: &[f64]) -> usize {
    (0..votes.len()).fold(0, |best, i| if votes[i] > votes[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACES: Spaces = Spaces { states: 2, actions: 3 };

    fn class() -> Arc<PolicyClass> {
        Arc::new(PolicyClass::new(SPACES, &[vec![0, 1], vec![0, 2], vec![1, 2]]).unwrap())
    }

    #[test]
    fn a_mixture_has_the_members_shares() {
        let mixture = MixedPolicy::new(class(), vec![0, 0, 1, 2]);
        assert_eq!(mixture.table().row(0), &[0.75, 0.25, 0.0]);
        assert_eq!(mixture.table().row(1), &[0.0, 0.5, 0.5]);
    }

    #[test]
    fn the_mean_is_a_vote_with_ties_to_the_lowest_action() {
        let mixture = MixedPolicy::new(class(), vec![0, 0, 1, 2]);
        let states = Batch::from_vec(1, vec![0, 1]).unwrap();
        let mut actions = Batch::zeros(2, 1);
        mixture.act_mean(&states, &mut actions).unwrap();
        assert_eq!(actions.as_slice(), &[0, 1]);
        mixture.act_members(&states, &[3, 2], &mut actions).unwrap();
        assert_eq!(actions.as_slice(), &[1, 2]);
    }

    #[test]
    fn a_separator_tells_every_two_policies_apart() {
        let mut rng = tutelage::Stream::new(4).rng();
        let spaces = Spaces { states: 12, actions: 3 };
        let class = PolicyClass::around(spaces, &[0; 12], &[true; 12], 20, 0.3, &mut rng).unwrap();
        let separator = class.separator();
        assert!(separator.len() < 12);
        for (i, j) in (0..20).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let (hi, hj) = (class.policy(i), class.policy(j));
            assert!(
                hi == hj || separator.iter().any(|&s| hi[s as usize] != hj[s as usize]),
                "{i} {j}"
            );
        }
    }

    #[test]
    fn every_policy_errs_where_the_expert_goes() {
        let mut rng = tutelage::Stream::new(4).rng();
        let spaces = Spaces { states: 12, actions: 3 };
        let visited: Vec<bool> = (0..12).map(|s| s < 3).collect();
        let class = PolicyClass::around(spaces, &[0; 12], &visited, 200, 0.1, &mut rng).unwrap();
        for h in 0..200 {
            let errors: Vec<usize> = (0..12).filter(|&s| class.policy(h)[s] != 0).collect();
            assert!(errors.iter().any(|&s| s < 3), "policy {h} errs in {errors:?}");
        }
    }

    #[test]
    fn what_is_no_class_is_named() {
        assert_eq!(PolicyClass::new(SPACES, &[]), Err(ClassError::Empty));
        assert!(matches!(
            PolicyClass::new(SPACES, &[vec![0]]),
            Err(ClassError::States { found: 1, .. })
        ));
        let foreign = PolicyClass::new(SPACES, &[vec![0, 3]]);
        assert_eq!(foreign, Err(ClassError::Action { policy: 0, state: 1, action: 3, last: 2 }));
    }
}
