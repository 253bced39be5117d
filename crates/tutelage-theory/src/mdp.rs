//! Finite Markov decision processes (𝒮, 𝒜, H, ρ, P, c).

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};

/// A finite episodic MDP with known dynamics. States need not be layered by time.
#[derive(Clone, Debug, PartialEq)]
pub struct Mdp {
    states: usize,
    actions: usize,
    horizon: usize,
    initial: Vec<f64>,
    /// P(· | s, a) at index s·A + a: the states that can follow, with their probabilities.
    transitions: Vec<Vec<(u32, f64)>>,
    /// c(s, a) at index s·A + a.
    costs: Vec<f64>,
}

/// Why something is no MDP.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MdpError {
    /// A size is zero or too large.
    #[error("{field} is {value}; allowed is {allowed}")]
    Size {
        /// Which size.
        field: &'static str,
        /// Its value.
        value: usize,
        /// What would be allowed.
        allowed: &'static str,
    },
    /// The initial distribution is none.
    #[error(
        "initial distribution: entry {state} is {value}; allowed are {expected} probabilities that sum to 1 (they sum to {sum})"
    )]
    Initial {
        /// The first bad entry, or the number of entries.
        state: usize,
        /// Its value.
        value: f64,
        /// S.
        expected: usize,
        /// The sum of all entries.
        sum: f64,
    },
    /// A row of P is not a distribution.
    #[error(
        "P(. | {state}, {action}): allowed are states below {states} with probabilities that sum to 1 (they sum to {sum})"
    )]
    Transition {
        /// s.
        state: usize,
        /// a.
        action: usize,
        /// S.
        states: usize,
        /// The sum of the row.
        sum: f64,
    },
    /// A cost is out of range.
    #[error("cost({state}, {action}) is {value}; allowed is 0 to 1")]
    Cost {
        /// s.
        state: usize,
        /// a.
        action: usize,
        /// The cost.
        value: f64,
    },
}

impl Mdp {
    /// An MDP from ρ, P(· | s, a) and c(s, a); rows of P and costs are asked for per (s, a).
    pub fn new(
        [states, actions, horizon]: [usize; 3],
        initial: Vec<f64>,
        transition: impl Fn(usize, usize) -> Vec<(u32, f64)>,
        cost: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, MdpError> {
        for (field, value) in [("states", states), ("actions", actions), ("horizon", horizon)] {
            if value == 0 || value > 1_000_000 {
                return Err(MdpError::Size { field, value, allowed: "1 to 1000000" });
            }
        }
        let pairs = || (0..states).flat_map(|s| (0..actions).map(move |a| (s, a)));
        let mdp = Self {
            states,
            actions,
            horizon,
            initial,
            transitions: pairs().map(|(s, a)| transition(s, a)).collect(),
            costs: pairs().map(|(s, a)| cost(s, a)).collect(),
        };
        mdp.check()?;
        Ok(mdp)
    }

    fn check(&self) -> Result<(), MdpError> {
        let valid = |p: f64| (0.0..=1.0 + 1e-9).contains(&p);
        let sum = self.initial.iter().sum::<f64>();
        let bad = self.initial.iter().position(|&p| !valid(p));
        if bad.is_some() || self.initial.len() != self.states || (sum - 1.0).abs() > 1e-9 {
            let state = bad.unwrap_or(self.initial.len());
            let value = self.initial.get(state).copied().unwrap_or(sum);
            return Err(MdpError::Initial { state, value, expected: self.states, sum });
        }
        for (index, row) in self.transitions.iter().enumerate() {
            let (state, action) = (index / self.actions, index % self.actions);
            let sum = row.iter().map(|&(_, p)| p).sum::<f64>();
            let entries = row.iter().all(|&(next, p)| valid(p) && (next as usize) < self.states);
            if !entries || (sum - 1.0).abs() > 1e-9 {
                return Err(MdpError::Transition { state, action, states: self.states, sum });
            }
            let value = self.costs[index];
            if !(0.0..=1.0).contains(&value) {
                return Err(MdpError::Cost { state, action, value });
            }
        }
        Ok(())
    }

    /// S.
    pub fn states(&self) -> usize {
        self.states
    }

    /// A.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// H.
    pub fn horizon(&self) -> usize {
        self.horizon
    }

    /// ρ.
    pub fn initial(&self) -> &[f64] {
        &self.initial
    }

    /// P(· | s, a): the states that can follow, with their probabilities.
    pub fn next(&self, state: usize, action: usize) -> &[(u32, f64)] {
        &self.transitions[state * self.actions + action]
    }

    /// c(s, a).
    pub fn cost(&self, state: usize, action: usize) -> f64 {
        self.costs[state * self.actions + action]
    }

    /// c(s, a) at index s·A + a.
    pub(crate) fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// One outcome with its probability; the last possible one where rounding leaves a gap.
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

    /// The sizes of its spaces.
    pub fn spaces(&self) -> Spaces {
        Spaces { states: self.states, actions: self.actions }
    }
}

/// An MDP to act in. Episodes have exactly H steps; the reward is −c.
#[derive(Clone, Debug)]
pub struct MdpEnv {
    mdp: Arc<Mdp>,
    state: usize,
    time: usize,
    rng: Option<Rng>,
}

impl MdpEnv {
    /// An environment with this MDP's dynamics.
    pub fn new(mdp: Arc<Mdp>) -> Self {
        Self { mdp, state: 0, time: 0, rng: None }
    }
}

impl Env for MdpEnv {
    type State = u32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        self.mdp.spaces()
    }

    fn horizon(&self) -> usize {
        self.mdp.horizon
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [u32]) -> Result<(), EnvError> {
        let outcomes = self.mdp.initial.iter().enumerate().map(|(s, &p)| (s as u32, p));
        self.state = Mdp::draw(outcomes, &mut rng);
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
        if action as usize >= self.mdp.actions {
            let allowed = "an index below the number of actions";
            return Err(EnvError::Value {
                what: "action",
                index: 0,
                value: action.into(),
                allowed,
            });
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

    fn two_states(p: f64, cost: f64) -> Result<Mdp, MdpError> {
        Mdp::new([2, 1, 3], vec![1.0, 0.0], |_, _| vec![(0, 1.0 - p), (1, p)], |_, _| cost)
    }

    #[test]
    fn what_is_no_mdp_is_named() {
        assert!(matches!(two_states(0.5, 1.5), Err(MdpError::Cost { value: 1.5, .. })));
        assert!(matches!(
            two_states(1.5, 0.5),
            Err(MdpError::Transition { state: 0, action: 0, .. })
        ));
        assert!(matches!(two_states(f64::NAN, 0.5), Err(MdpError::Transition { .. })));
        let short = Mdp::new([2, 1, 3], vec![0.5, 0.4], |_, _| vec![(0, 1.0)], |_, _| 0.0);
        assert!(matches!(short, Err(MdpError::Initial { state: 2, .. })));
        let outside = Mdp::new([2, 1, 3], vec![0.5, 0.5], |_, _| vec![(2, 1.0)], |_, _| 0.0);
        assert!(matches!(outside, Err(MdpError::Transition { .. })));
        let none = Mdp::new([2, 0, 3], vec![0.5, 0.5], |_, _| vec![(0, 1.0)], |_, _| 0.0);
        assert!(matches!(none, Err(MdpError::Size { field: "actions", .. })));
    }

    #[test]
    fn it_keeps_the_contract_of_an_environment() {
        let mdp = Arc::new(two_states(0.3, 0.5).unwrap());
        tutelage::check::check_env(|| MdpEnv::new(mdp.clone()), tutelage::Stream::new(1)).unwrap();
    }

    #[test]
    fn steps_outside_an_episode_and_foreign_actions_are_errors() {
        let mut env = MdpEnv::new(Arc::new(two_states(0.3, 0.5).unwrap()));
        assert!(matches!(env.step(&[0], &mut [0]), Err(EnvError::NoEpisode)));
        env.reset(tutelage::Stream::new(1).rng(), &mut [0]).unwrap();
        assert!(matches!(env.step(&[1], &mut [0]), Err(EnvError::Value { .. })));
    }
}
