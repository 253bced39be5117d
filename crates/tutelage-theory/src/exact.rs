//! Exact values: occupancy, J, V, Q, recoverability µ, smoothness σ.

use crate::Mdp;

/// A stochastic stationary policy as a table: π(a | s) at index s·A + a.
#[derive(Clone, Debug, PartialEq)]
pub struct TabularPolicy {
    actions: usize,
    probabilities: Vec<f64>,
}

impl TabularPolicy {
    /// Creates a policy from its action probabilities, S rows of A.
    pub fn new(actions: usize, probabilities: Vec<f64>) -> Self {
        Self { actions: actions.max(1), probabilities }
    }

    /// Creates the deterministic policy that takes `choices[s]` in s.
    pub fn deterministic(actions: usize, choices: &[u32]) -> Self {
        let mut probabilities = vec![0.0; choices.len() * actions];
        for (state, &action) in choices.iter().enumerate() {
            probabilities[state * actions + action as usize] = 1.0;
        }
        Self { actions, probabilities }
    }

    /// π(· | s).
    pub fn row(&self, state: usize) -> &[f64] {
        &self.probabilities[state * self.actions..(state + 1) * self.actions]
    }
}

/// The state visitation distribution d_π(s) = (1/H) Σₜ P(sₜ = s).
pub fn occupancy(mdp: &Mdp, policy: &TabularPolicy) -> Vec<f64> {
    let mut total = vec![0.0; mdp.states()];
    let mut now = mdp.initial().to_vec();
    for _ in 0..mdp.horizon() {
        let mut next = vec![0.0; mdp.states()];
        for (state, &here) in now.iter().enumerate().filter(|(_, here)| **here > 0.0) {
            total[state] += here / mdp.horizon() as f64;
            let chosen = policy.row(state).iter().enumerate().filter(|(_, p)| **p > 0.0);
            for (action, &chosen) in chosen {
                for &(to, p) in mdp.next(state, action) {
                    next[to as usize] += here * chosen * p;
                }
            }
        }
        now = next;
    }
    total
}

/// d of the deterministic policy that takes `choices[s]` in s.
pub(crate) fn occupancy_of(mdp: &Mdp, choices: &[u32]) -> Vec<f64> {
    occupancy(mdp, &TabularPolicy::deterministic(mdp.actions(), choices))
}

/// V and Q of a policy at every time.
#[derive(Clone, Debug)]
pub struct Values {
    /// Vᵗ(s) for t = 1 … H, then V^{H+1} = 0.
    pub v: Vec<Vec<f64>>,
    /// Qᵗ(s, a) at index s·A + a for t = 1 … H.
    pub q: Vec<Vec<f64>>,
}

/// Computes Qᵗ(s, a) = c(s, a) + Σ P(s′ | s, a) Vᵗ⁺¹(s′) and Vᵗ(s) = Σ π(a | s) Qᵗ(s, a), backward
/// in time.
pub fn values(mdp: &Mdp, policy: &TabularPolicy) -> Values {
    let mut v = vec![vec![0.0; mdp.states()]];
    let mut q = Vec::new();
    for _ in 0..mdp.horizon() {
        let q_now = action_values(mdp, &v[v.len() - 1]);
        let v_now = q_now.chunks(mdp.actions()).enumerate().map(|(s, q)| dot(policy.row(s), q));
        v.push(v_now.collect());
        q.push(q_now);
    }
    v.reverse();
    q.reverse();
    Values { v, q }
}

/// c(s, a) + Σ P(s′ | s, a) V(s′).
pub(crate) fn action_values(mdp: &Mdp, v: &[f64]) -> Vec<f64> {
    let pairs = (0..mdp.states()).flat_map(|s| (0..mdp.actions()).map(move |a| (s, a)));
    let later = |s, a| mdp.next(s, a).iter().map(|&(to, p)| p * v[to as usize]).sum::<f64>();
    pairs.map(|(s, a)| mdp.cost(s, a) + later(s, a)).collect()
}

/// J(π) = E_{s₁ ~ ρ} V¹(s₁).
pub fn expected_cost(mdp: &Mdp, policy: &TabularPolicy) -> f64 {
    dot(mdp.initial(), &values(mdp, policy).v[0])
}

/// J of the deterministic policy that takes `choices[s]` in s.
pub(crate) fn cost_of(mdp: &Mdp, choices: &[u32]) -> f64 {
    expected_cost(mdp, &TabularPolicy::deterministic(mdp.actions(), choices))
}

/// Whether each state can be reached at each time t = 1 … H by any actions.
fn reachable(mdp: &Mdp) -> Vec<Vec<bool>> {
    let mut times = vec![mdp.initial().iter().map(|&p| p > 0.0).collect::<Vec<bool>>()];
    for time in 1..mdp.horizon() {
        let mut next = vec![false; mdp.states()];
        for state in (0..mdp.states()).filter(|&s| times[time - 1][s]) {
            let successors = (0..mdp.actions()).flat_map(|a| mdp.next(state, a));
            successors.filter(|(_, p)| *p > 0.0).for_each(|&(to, _)| next[to as usize] = true);
        }
        times.push(next);
    }
    times
}

/// The expert's advantage Qᵗ(s, a) − Vᵗ(s) at index s·A + a: the maximum over the times at which s
/// can be reached, or `None` if s is unreachable.
///
/// In a layered MDP, as in the paper, a state has one time and this is A_{π^E}(s, a).
pub(crate) fn advantages(mdp: &Mdp, expert: &[u32]) -> Vec<Option<f64>> {
    let Values { v, q } = values(mdp, &TabularPolicy::deterministic(mdp.actions(), expert));
    let mut advantages: Vec<Option<f64>> = vec![None; mdp.states() * mdp.actions()];
    for (time, reachable) in reachable(mdp).iter().enumerate() {
        for state in (0..mdp.states()).filter(|&s| reachable[s]) {
            for cell in state * mdp.actions()..(state + 1) * mdp.actions() {
                let now = q[time][cell] - v[time][state];
                advantages[cell] = Some(advantages[cell].map_or(now, |most| most.max(now)));
            }
        }
    }
    advantages
}

/// The smallest µ with Qᵗ(s, a) − Vᵗ(s) ≤ µ ℓ(s, a) for the values of a deterministic expert, at
/// all reachable (s, t), for ℓ at index s·A + a.
pub fn recoverability(mdp: &Mdp, expert: &[u32], loss: &[f64]) -> f64 {
    let advantages = advantages(mdp, expert);
    let ratios = advantages.iter().zip(loss).filter(|(_, loss)| **loss > 0.0);
    ratios.filter_map(|(advantage, loss)| Some((*advantage)? / loss)).fold(0.0, f64::max)
}

/// A σ with d_π(s) ≤ d₀(s)/σ for every policy that takes only allowed actions (at index s·A + a),
/// stationary or not.
///
/// Dynamic programming maximizes the occupancy of each state separately, so this is a lower bound
/// of σ over the mixed class Π_ℬ.
pub fn guaranteed_smoothness(mdp: &Mdp, cover: &[f64], allowed: &[bool]) -> f64 {
    let most: Vec<f64> =
        (0..mdp.states()).map(|target| most_visits(mdp, target, allowed)).collect();
    smoothness_of(cover, &most)
}

/// max over policies of d_π(target).
fn most_visits(mdp: &Mdp, target: usize, allowed: &[bool]) -> f64 {
    let mut visits = vec![0.0; mdp.states()];
    for _ in 0..mdp.horizon() {
        let best = (0..mdp.states()).map(|s| {
            let actions = (0..mdp.actions()).filter(|a| allowed[s * mdp.actions() + a]);
            let later = actions.map(|a| {
                mdp.next(s, a).iter().map(|&(to, p)| p * visits[to as usize]).sum::<f64>()
            });
            f64::from(u8::from(s == target)) + later.fold(0.0, f64::max)
        });
        visits = best.collect();
    }
    dot(mdp.initial(), &visits) / mdp.horizon() as f64
}

/// min over visited states of d₀(s)/d(s), at most 1.
pub(crate) fn smoothness_of(cover: &[f64], occupancy: &[f64]) -> f64 {
    let ratios = cover.iter().zip(occupancy).filter(|(_, d)| **d > 0.0).map(|(d0, d)| d0 / d);
    ratios.fold(1.0, f64::min)
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 →(a=0) 0, 0 →(a=1) 1 absorbing; cost 1 in state 1, H = 3.
    fn slide() -> Mdp {
        let next = |s: usize, a: usize| vec![(u32::from(s == 1 || a == 1), 1.0)];
        Mdp::new([2, 2, 3], vec![1.0, 0.0], next, |s, _| s as f64).unwrap()
    }

    #[test]
    fn occupancy_of_a_stochastic_policy_by_hand() {
        // P(s_t = 0) = 1, 1/2, 1/4.
        let half = TabularPolicy::new(2, vec![0.5; 4]);
        let d = occupancy(&slide(), &half);
        assert!((d[0] - 1.75 / 3.0).abs() < 1e-12 && (d[1] - 1.25 / 3.0).abs() < 1e-12, "{d:?}");
        assert!((expected_cost(&slide(), &half) - 1.25).abs() < 1e-12);
    }

    #[test]
    fn recoverability_is_the_largest_advantage_per_loss() {
        // The expert stays in 0; leaving at time 1 costs 1 in each of the two later steps.
        for (loss, expected) in [(1.0, 2.0), (0.5, 4.0)] {
            assert_eq!(recoverability(&slide(), &[0, 0], &[0.0, loss, 0.0, 1.0]), expected);
        }
    }

    #[test]
    fn states_that_are_reached_too_late_do_not_count() {
        // 0 → 1 → 2; from 2, action 1 leads to 3, which costs 1 a step. H = 3, so 3 is unreachable.
        let next = |s: usize, a: usize| match (s, a) {
            (2, 1) | (3, _) => vec![(3, 1.0)],
            (2, _) => vec![(2, 1.0)],
            _ => vec![(s as u32 + 1, 1.0)],
        };
        let start = vec![1.0, 0.0, 0.0, 0.0];
        let mdp = Mdp::new([4, 2, 3], start, next, |s, _| f64::from(s == 3)).unwrap();
        let wrong = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
        assert_eq!(recoverability(&mdp, &[0; 4], &wrong), 0.0);
        assert_eq!(reachable(&mdp)[2], [false, false, true, false]);
        assert!(advantages(&mdp, &[0; 4])[6..].iter().all(Option::is_none));
    }

    #[test]
    fn guaranteed_sigma_is_that_of_the_worst_allowed_policy() {
        let mdp = slide();
        // Staying in 0 visits it always; no policy that leaves for 1 does worse.
        assert_eq!(guaranteed_smoothness(&mdp, &[0.5, 0.5], &[true; 4]), 0.5);
        for p in [0.0, 0.3, 1.0] {
            let policy = TabularPolicy::new(2, vec![1.0 - p, p, 1.0, 0.0]);
            assert!(smoothness_of(&[0.5, 0.5], &occupancy(&mdp, &policy)) >= 0.5, "{p}");
        }
        // If only leaving is allowed, state 1 is visited in two of three steps.
        let sigma = guaranteed_smoothness(&mdp, &[0.5, 0.5], &[false, true, true, true]);
        assert!((sigma - 0.75).abs() < 1e-12, "{sigma}");
    }

    #[test]
    fn performance_difference_lemma_holds() {
        let (mdp, expert) = (slide(), [0u32, 0]);
        let policy = TabularPolicy::new(2, vec![0.3, 0.7, 0.5, 0.5]);
        let Values { v, q } = values(&mdp, &TabularPolicy::deterministic(2, &expert));
        // Σ_t E[Q^t - V^t] with the distribution of s_t under the policy.
        let mut now = mdp.initial().to_vec();
        let mut sum = 0.0;
        for t in 0..3 {
            let mut next = vec![0.0; 2];
            for (s, a) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let share = now[s] * policy.row(s)[a];
                sum += share * (q[t][2 * s + a] - v[t][s]);
                mdp.next(s, a).iter().for_each(|&(to, p)| next[to as usize] += share * p);
            }
            now = next;
        }
        let difference = expected_cost(&mdp, &policy) - cost_of(&mdp, &expert);
        assert!((sum - difference).abs() < 1e-12);
    }
}
