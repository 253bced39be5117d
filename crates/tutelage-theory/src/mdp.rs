//! Finite Markov decision processes (𝒮, 𝒜, H, ρ, P, c).

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};

use crate::TheoryError;
use crate::error::require;

/// A finite episodic MDP with known dynamics. States need not be layered by time.
#[derive(Clone, Debug, PartialEq)]
pub struct Mdp {
    spaces: Spaces,
    horizon: usize,
    initial: Vec<f64>,
    /// P(· | s, a) at index s·A + a: the possible next states with their probabilities.
    transitions: Vec<Vec<(u32, f64)>>,
    /// c(s, a) at index s·A + a.
    costs: Vec<f64>,
}

impl Mdp {
    /// Creates an MDP from [S, A, H], ρ, P(· | s, a) and c(s, a).
    pub fn new(
        [states, actions, horizon]: [usize; 3],
        initial: Vec<f64>,
        transition: impl Fn(usize, usize) -> Vec<(u32, f64)>,
        cost: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, TheoryError> {
        for (what, size) in [("states", states), ("actions", actions), ("horizon", horizon)] {
            require((1..=1_000_000).contains(&size), what, size as f64, "from 1 to 1000000")?;
        }
        let pairs = || (0..states).flat_map(|s| (0..actions).map(move |a| (s, a)));
        let mdp = Self {
            spaces: Spaces { states, actions },
            horizon,
            initial,
            transitions: pairs().map(|(s, a)| transition(s, a)).collect(),
            costs: pairs().map(|(s, a)| cost(s, a)).collect(),
        };
        require(mdp.initial.len() == states, "the size of rho", mdp.initial.len() as f64, "S")?;
        mdp.check_distribution("rho", (0..).zip(mdp.initial.iter().copied()))?;
        for (index, (s, a)) in pairs().enumerate() {
            let outcomes = mdp.transitions[index].iter().copied();
            mdp.check_distribution(&format!("P(. | {s}, {a})"), outcomes)?;
            let cost = mdp.costs[index];
            require((0.0..=1.0).contains(&cost), format!("cost({s}, {a})"), cost, "from 0 to 1")?;
        }
        Ok(mdp)
    }

    fn check_distribution(
        &self,
        what: &str,
        outcomes: impl Iterator<Item = (u32, f64)> + Clone,
    ) -> Result<(), TheoryError> {
        let sum: f64 = outcomes.clone().map(|(_, p)| p).sum();
        let is_possible = |(state, p): (u32, f64)| {
            (0.0..=1.0 + 1e-9).contains(&p) && (state as usize) < self.states()
        };
        let is_valid = (sum - 1.0).abs() <= 1e-9 && outcomes.clone().all(is_possible);
        let expected = "1, of probabilities of existing states";
        require(is_valid, format!("the sum of {what}"), sum, expected)
    }

    /// S.
    pub fn states(&self) -> usize {
        self.spaces.states
    }

    /// A.
    pub fn actions(&self) -> usize {
        self.spaces.actions
    }

    /// H.
    pub fn horizon(&self) -> usize {
        self.horizon
    }

    /// ρ.
    pub fn initial(&self) -> &[f64] {
        &self.initial
    }

    /// P(· | s, a): the possible next states with their probabilities.
    pub fn next(&self, state: usize, action: usize) -> &[(u32, f64)] {
        &self.transitions[state * self.actions() + action]
    }

    /// c(s, a).
    pub fn cost(&self, state: usize, action: usize) -> f64 {
        self.costs[state * self.actions() + action]
    }

    /// c(s, a) at index s·A + a.
    pub(crate) fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// Draws an outcome; if rounding leaves a gap, the last possible one.
    pub(crate) fn draw(outcomes: impl Iterator<Item = (u32, f64)>, rng: &mut Rng) -> usize {
        let mut left: f64 = rng.random();
        let mut drawn = 0;
        for (outcome, probability) in outcomes.filter(|&(_, p)| p > 0.0) {
            drawn = outcome as usize;
            left -= probability;
            if left < 0.0 {
                break;
            }
        }
        drawn
    }

    /// S and A.
    pub fn spaces(&self) -> Spaces {
        self.spaces
    }
}

/// An MDP as an environment. Episodes have exactly H steps; the reward is −c.
#[derive(Clone, Debug)]
pub struct MdpEnv {
    mdp: Arc<Mdp>,
    state: usize,
    time: usize,
    rng: Option<Rng>,
}

impl MdpEnv {
    /// Creates an environment with the dynamics of `mdp`.
    pub fn new(mdp: Arc<Mdp>) -> Self {
        Self { mdp, state: 0, time: 0, rng: None }
    }
}

impl Env for MdpEnv {
    type State = u32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        self.mdp.spaces
    }

    fn horizon(&self) -> usize {
        self.mdp.horizon
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [u32]) -> Result<(), EnvError> {
        self.state = Mdp::draw((0..).zip(self.mdp.initial.iter().copied()), &mut rng);
        self.time = 0;
        self.rng = Some(rng);
        state[0] = self.state as u32;
        Ok(())
    }

    fn step(&mut self, action: &[u32], state: &mut [u32]) -> Result<Step, EnvError> {
        let rng = self.rng.as_mut().ok_or(EnvError::NoEpisode)?;
        if self.time == self.mdp.horizon {
            return Err(EnvError::NoEpisode);
        }
        let &[action] = action else {
            return Err(EnvError::Width { what: "action", expected: 1, found: action.len() });
        };
        if action as usize >= self.mdp.actions() {
            let (what, allowed) = ("action", "an index below the number of actions");
            return Err(EnvError::Value { what, index: 0, value: action.into(), allowed });
        }
        let cost = self.mdp.cost(self.state, action as usize);
        self.state = Mdp::draw(self.mdp.next(self.state, action as usize).iter().copied(), rng);
        self.time += 1;
        state[0] = self.state as u32;
        Ok(Step { reward: -cost, terminated: false, truncated: self.time == self.mdp.horizon })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::invalid;

    fn two_states(p: f64, cost: f64) -> Result<Mdp, TheoryError> {
        Mdp::new([2, 1, 3], vec![1.0, 0.0], |_, _| vec![(0, 1.0 - p), (1, p)], |_, _| cost)
    }

    #[test]
    fn invalid_parts_are_named() {
        let with = |actions, initial: [f64; 2], next| {
            Mdp::new([2, actions, 3], initial.to_vec(), |_, _| vec![(next, 1.0)], |_, _| 0.0)
        };
        let what = |result| invalid(result).0;
        assert_eq!(invalid(two_states(0.5, 1.5)), ("cost(0, 0)".into(), 1.5));
        assert_eq!(what(two_states(1.5, 0.5)), "the sum of P(. | 0, 0)");
        assert_eq!(what(two_states(f64::NAN, 0.5)), "the sum of P(. | 0, 0)");
        assert_eq!(invalid(with(1, [0.5, 0.4], 0)), ("the sum of rho".into(), 0.9));
        assert_eq!(what(with(1, [0.5, 0.5], 2)), "the sum of P(. | 0, 0)");
        assert_eq!(what(with(0, [0.5, 0.5], 0)), "actions");
    }

    #[test]
    fn environment_satisfies_the_contract() {
        let mdp = Arc::new(two_states(0.3, 0.5).unwrap());
        tutelage::check::check_env(|| MdpEnv::new(mdp.clone()), tutelage::Stream::new(1)).unwrap();
    }

    #[test]
    fn steps_outside_an_episode_and_unknown_actions_are_errors() {
        let mut env = MdpEnv::new(Arc::new(two_states(0.3, 0.5).unwrap()));
        assert!(matches!(env.step(&[0], &mut [0]), Err(EnvError::NoEpisode)));
        env.reset(tutelage::Stream::new(1).rng(), &mut [0]).unwrap();
        assert!(matches!(env.step(&[1], &mut [0]), Err(EnvError::Value { .. })));
    }
}
