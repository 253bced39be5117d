//! Changes to a problem that move one quantity of the regret theorem and leave the game itself as it was.
//!
//! Each adds something that nobody ever meets: a state, an action, a disagreement. The learner's perturbations meet it, and
//! that is how σ, A and ln B act in the theorem: they thin out the perturbation where it is needed.

use rand::RngExt;
use tutelage::{Spaces, Stream};

use crate::{ImitationProblem, Mdp, PolicyClass, ProblemError};

/// States that only bystanders disagree in.
const BYSTANDER_STATES: usize = 32;

impl ImitationProblem {
    /// d₀ with only this share of its weight; the rest lies on a state that nobody reaches and in which all policies agree.
    /// σ shrinks by the share.
    pub fn with_diluted_covering(&self, share: f64) -> Result<Self, ProblemError> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(ProblemError::Share(share));
        }
        let thinned = self.cover_probabilities().iter().map(|p| share * p);
        let cover: Vec<f64> = thinned.chain([1.0 - share]).collect();
        let extended = |h: usize| [self.class.policy(h), vec![0]].concat();
        let tables: Vec<Vec<u32>> = (0..self.class.size()).map(extended).collect();
        self.extended(1, self.mdp.actions(), &tables, cover)
    }

    /// A actions instead of fewer; no policy takes the new ones, which do what action 0 does at the highest cost.
    pub fn with_idle_actions(&self, actions: usize) -> Result<Self, ProblemError> {
        if actions < self.mdp.actions() {
            return Err(ProblemError::Size {
                field: "actions",
                value: actions,
                family: "a problem with idle actions",
                allowed: "at least as many as it has",
            });
        }
        let tables: Vec<Vec<u32>> = (0..self.class.size()).map(|h| self.class.policy(h)).collect();
        self.extended(0, actions, &tables, self.cover_probabilities().to_vec())
    }

    /// Every policy in `copies` copies that differ at random between action 0 and 1 on states that nobody reaches, which
    /// d₀ gives half of its weight: B grows by the factor `copies`, and σ halves once.
    pub fn with_redundant_policies(&self, copies: usize, seed: u64) -> Result<Self, ProblemError> {
        let stream = Stream::new(seed).fork("bystanders", 0);
        let halved = self.cover_probabilities().iter().map(|p| 0.5 * p);
        let elsewhere = std::iter::repeat_n(0.5 / BYSTANDER_STATES as f64, BYSTANDER_STATES);
        let cover: Vec<f64> = halved.chain(elsewhere).collect();
        let copy = |h: usize, copy: usize| {
            let mut rng = stream.fork("copy", (copy * self.class.size() + h) as u64).rng();
            let choices = (0..BYSTANDER_STATES).map(|_| rng.random_range(0..2));
            self.class.policy(h).into_iter().chain(choices).collect()
        };
        let tables: Vec<Vec<u32>> = (0..copies)
            .flat_map(|c| (0..self.class.size()).map(move |h| (h, c)))
            .map(|(h, c)| copy(h, c))
            .collect();
        self.extended(BYSTANDER_STATES, self.mdp.actions(), &tables, cover)
    }

    /// This problem with more states, which lead to themselves, more actions and another class and d₀.
    fn extended(
        &self,
        more_states: usize,
        actions: usize,
        tables: &[Vec<u32>],
        cover: Vec<f64>,
    ) -> Result<Self, ProblemError> {
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
        ImitationProblem::with_cover(&self.name, mdp, class, expert, cover)
    }
}

#[cfg(test)]
mod tests {
    use crate::trap;

    #[test]
    fn each_moves_one_quantity_and_leaves_the_others() {
        let trap = trap(10).unwrap();
        let about = |p: &crate::ImitationProblem| {
            let round = |x: f64| (x * 1e9).round();
            [round(p.sigma), p.mdp.actions() as f64, p.class.size() as f64, round(p.best_cost)]
        };
        let [sigma, actions, class_size, cost] = about(&trap);
        let with_diluted_covering = about(&trap.with_diluted_covering(0.25).unwrap());
        assert_eq!(with_diluted_covering, [(sigma * 0.25).round(), actions, class_size, cost]);
        let idle = about(&trap.with_idle_actions(12).unwrap());
        assert_eq!(idle, [sigma, 12.0, class_size, cost]);
        let crowd = about(&trap.with_redundant_policies(8, 1).unwrap());
        assert_eq!(crowd, [(sigma * 0.5).round(), actions, 8.0 * class_size, cost]);
        let once = about(&trap.with_redundant_policies(1, 1).unwrap());
        assert_eq!(once[0], crowd[0], "sigma does not depend on how many there are");
        assert_eq!(trap.with_redundant_policies(8, 1).unwrap().mu, trap.mu);
    }

    #[test]
    fn impossible_changes_are_named() {
        let trap = trap(10).unwrap();
        assert!(trap.with_diluted_covering(0.0).unwrap_err().to_string().contains("share"));
        assert!(trap.with_idle_actions(2).unwrap_err().to_string().contains("actions is 2"));
    }
}
