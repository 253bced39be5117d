//! Changes to a problem that move one quantity of the regret theorem and keep the game.
//!
//! Each adds something that no policy meets: a state, an action, a disagreement. The learner's
//! perturbations meet it, and it dilutes them. This is how σ, A and ln B enter the theorem.

use rand::RngExt;
use tutelage::{Spaces, Stream};

use crate::error::require;
use crate::{ImitationProblem, Mdp, PolicyClass, TheoryError};

/// Unreachable states in which redundant policies disagree.
const UNREACHABLE_STATES: usize = 32;

impl ImitationProblem {
    /// Keeps only this share of d₀'s weight and puts the rest on an unreachable state in which all
    /// policies agree. σ shrinks by the share.
    pub fn with_diluted_covering(&self, share: f64) -> Result<Self, TheoryError> {
        require(share > 0.0 && share <= 1.0, "the share of d0", share, "above 0 and at most 1")?;
        let diluted = self.cover_probabilities().iter().map(|p| share * p);
        let cover: Vec<f64> = diluted.chain([1.0 - share]).collect();
        let mut tables = self.class.tables();
        tables.iter_mut().for_each(|table| table.push(0));
        self.extended(1, self.mdp.actions(), &tables, cover)
    }

    /// Raises A to `actions`. No policy takes the new actions, which do what action 0 does at the
    /// highest cost.
    pub fn with_idle_actions(&self, actions: usize) -> Result<Self, TheoryError> {
        let least = self.mdp.actions();
        require(actions >= least, "actions", actions as f64, format!("at least {least}"))?;
        self.extended(0, actions, &self.class.tables(), self.cover_probabilities().to_vec())
    }

    /// Multiplies B by `copies`: the copies of a policy choose action 0 or 1 at random in
    /// unreachable states. d₀ gives these states half of its weight, so σ halves once.
    pub fn with_redundant_policies(&self, copies: usize, seed: u64) -> Result<Self, TheoryError> {
        let stream = Stream::new(seed).fork("bystanders", 0);
        let halved = self.cover_probabilities().iter().map(|p| 0.5 * p);
        let elsewhere = std::iter::repeat_n(0.5 / UNREACHABLE_STATES as f64, UNREACHABLE_STATES);
        let cover: Vec<f64> = halved.chain(elsewhere).collect();
        let mut tables = Vec::new();
        for copy in 0..copies {
            for (h, mut table) in self.class.tables().into_iter().enumerate() {
                let index = copy * self.class.size() + h;
                let mut rng = stream.fork("copy", index as u64).rng();
                table.extend((0..UNREACHABLE_STATES).map(|_| rng.random_range(0..2)));
                tables.push(table);
            }
        }
        self.extended(UNREACHABLE_STATES, self.mdp.actions(), &tables, cover)
    }

    /// This problem with more states, which lead to themselves, more actions, and another class and
    /// d₀.
    fn extended(
        &self,
        more_states: usize,
        actions: usize,
        tables: &[Vec<u32>],
        cover: Vec<f64>,
    ) -> Result<Self, TheoryError> {
        let old: Spaces = self.mdp.spaces();
        let states = old.states + more_states;
        let next = |s: usize, a: usize| match s < old.states {
            true => self.mdp.next(s, if a < old.actions { a } else { 0 }).to_vec(),
            false => vec![(s as u32, 1.0)],
        };
        let cost = |s: usize, a: usize| match s < old.states && a < old.actions {
            true => self.mdp.cost(s, a),
            false => 1.0,
        };
        let mut initial = self.mdp.initial().to_vec();
        initial.resize(states, 0.0);
        let mut expert = self.expert.to_vec();
        expert.resize(states, 0);
        let mdp = Mdp::new([states, actions, self.mdp.horizon()], initial, next, cost)?;
        let class = PolicyClass::new(mdp.spaces(), tables)?;
        Self::with_cover(&self.name, mdp, class, expert, cover)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::invalid;
    use crate::trap;

    #[test]
    fn each_variation_moves_one_quantity() {
        let trap = trap(10).unwrap();
        let about = |p: &ImitationProblem| {
            let round = |x: f64| (x * 1e9).round();
            [round(p.sigma), p.mdp.actions() as f64, p.class.size() as f64, round(p.best_cost)]
        };
        let [sigma, actions, class_size, cost] = about(&trap);
        let diluted = about(&trap.with_diluted_covering(0.25).unwrap());
        assert_eq!(diluted, [(sigma * 0.25).round(), actions, class_size, cost]);
        let idle = about(&trap.with_idle_actions(12).unwrap());
        assert_eq!(idle, [sigma, 12.0, class_size, cost]);
        let redundant = trap.with_redundant_policies(8, 1).unwrap();
        assert_eq!(
            about(&redundant),
            [(sigma * 0.5).round(), actions, 8.0 * class_size, cost],
            "sigma halves once"
        );
        assert_eq!(about(&trap.with_redundant_policies(1, 1).unwrap())[0], about(&redundant)[0]);
        assert_eq!(redundant.mu, trap.mu);
    }

    #[test]
    fn impossible_variations_are_refused() {
        let trap = trap(10).unwrap();
        assert_eq!(invalid(trap.with_diluted_covering(0.0)), ("the share of d0".into(), 0.0));
        assert_eq!(invalid(trap.with_idle_actions(2)), ("actions".into(), 2.0));
    }
}
