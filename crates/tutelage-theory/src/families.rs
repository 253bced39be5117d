//! Families of problems.

use std::str::FromStr;

use rand::RngExt;
use rand::seq::IndexedRandom;
use tutelage::{Rng, Spaces, Stream};

use crate::error::{find, require};
use crate::exact::{action_values, occupancy_of};
use crate::{ImitationProblem, Mdp, PolicyClass, TheoryError, ledge};

/// The size of a problem. Families of a fixed size ignore what does not apply to them.
#[derive(Clone, Copy, Debug)]
pub struct ProblemSize {
    /// S.
    pub states: usize,
    /// A.
    pub actions: usize,
    /// H.
    pub horizon: usize,
    /// B.
    pub class_size: usize,
    /// The seed of random problems.
    pub seed: u64,
}

impl Default for ProblemSize {
    fn default() -> Self {
        Self { states: 16, actions: 4, horizon: 10, class_size: 32, seed: 1 }
    }
}

/// A family of problems, by name: `trap`, `limitation`, `random`, `gridworld`, `chain`, `ledge`.
#[derive(Clone, Copy, Debug)]
pub struct ProblemFamily {
    /// The name.
    pub name: &'static str,
    /// Creates a problem of this family.
    pub problem: fn(ProblemSize) -> Result<ImitationProblem, TheoryError>,
}

impl ProblemFamily {
    /// All families.
    pub const ALL: [Self; 6] = [
        Self { name: "trap", problem: |size| trap(size.horizon) },
        Self { name: "limitation", problem: |size| limitation(size.horizon) },
        Self { name: "random", problem: random },
        Self { name: "gridworld", problem: gridworld },
        Self { name: "chain", problem: chain },
        Self { name: "ledge", problem: |size| ledge(size.horizon, size.seed) },
    ];
}

impl FromStr for ProblemFamily {
    type Err = TheoryError;

    fn from_str(text: &str) -> Result<Self, TheoryError> {
        find("MDP", Self::ALL, |family| family.name, text)
    }
}

/// The trap for follow-the-leader: two policies that lead from the start into different absorbing
/// states. Each errs at the start and in its own absorbing state, and is right in the other's, so
/// the policy that was better so far always errs.
pub fn trap(horizon: usize) -> Result<ImitationProblem, TheoryError> {
    let expert = vec![2, 2, 2];
    let next = |state: usize, action: usize| match (state, action) {
        (0, 0) => vec![(1, 1.0)],
        (0, 1) => vec![(2, 1.0)],
        (0, _) => vec![(1, 0.5), (2, 0.5)],
        (absorbing, _) => vec![(absorbing as u32, 1.0)],
    };
    let cost = |_, action: usize| f64::from(action != 2);
    let mdp = Mdp::new([3, 3, horizon], vec![1.0, 0.0, 0.0], next, cost)?;
    let class = PolicyClass::new(mdp.spaces(), &[vec![0, 0, 2], vec![1, 2, 1]])?;
    ImitationProblem::new("trap", mdp, class, expert)
}

/// The five-state MDP of Proposition 1: a learner without regret imitates the fast route, fails on
/// it, and pays H − 1, although a policy of the class pays 1.
pub fn limitation(horizon: usize) -> Result<ImitationProblem, TheoryError> {
    // With a smaller horizon both policies cost the same.
    require(horizon >= 3, "the horizon of limitation", horizon as f64, "at least 3")?;
    const L: usize = 0;
    let next = |state: usize, action: usize| match (state, action) {
        (0, L) => vec![(1, 1.0)],
        (0, _) => vec![(2, 1.0)],
        (2, L) => vec![(3, 1.0)],
        (2, _) => vec![(4, 1.0)],
        (absorbing, _) => vec![(absorbing as u32, 1.0)],
    };
    let cost = |state: usize, action: usize| match (state, action) {
        (0, L) | (1, _) => 1.0 / horizon as f64,
        (4, _) => 1.0,
        (2, a) if a != L => 1.0,
        _ => 0.0,
    };
    let mdp = Mdp::new([5, 2, horizon], vec![1.0, 0.0, 0.0, 0.0, 0.0], next, cost)?;
    let class = PolicyClass::new(mdp.spaces(), &[vec![0, 0, 1, 0, 0], vec![1, 0, 1, 0, 0]])?;
    ImitationProblem::new("limitation", mdp, class, vec![1, 0, 0, 0, 0])
}

/// Three random successors for every (s, a). The expert is random and pays nothing; every other
/// action costs up to 1. Each policy of the class errs in about a third of the states.
pub fn random(d: ProblemSize) -> Result<ImitationProblem, TheoryError> {
    check("random", d, 2)?;
    let stream = Stream::new(d.seed).fork("random mdp", 0);
    let mut rng = stream.rng();
    let expert: Vec<u32> = (0..d.states).map(|_| rng.random_range(0..d.actions as u32)).collect();
    let cell = |s: usize, a: usize| stream.fork("cell", (s * d.actions + a) as u64).rng();
    let next = |s, a| {
        let mut rng = cell(s, a);
        let weights: [f64; 3] = std::array::from_fn(|_| rng.random_range(0.1..1.0));
        let total = weights.iter().sum::<f64>();
        weights.map(|w| (rng.random_range(0..d.states as u32), w / total)).to_vec()
    };
    let cost = |s: usize, a| match a as u32 == expert[s] {
        true => 0.0,
        false => stream.fork("cost", (s * d.actions + a) as u64).rng().random(),
    };
    let uniform = vec![1.0 / d.states as f64; d.states];
    let mdp = Mdp::new([d.states, d.actions, d.horizon], uniform, next, cost)?;
    around("random", mdp, expert, d, 0.3, &mut rng)
}

/// A square grid: four moves that slip one time in ten, and cost 1 a step until the far corner. The
/// expert is optimal; the class errs in about a sixth of the cells.
pub fn gridworld(d: ProblemSize) -> Result<ImitationProblem, TheoryError> {
    check("gridworld", d, 4)?;
    let side = (d.states as f64).sqrt().floor() as usize;
    let goal = side * side - 1;
    let go = |state: usize, action: usize| {
        let (x, y) = (state % side, state / side);
        let (x, y) = match action {
            0 => ((x + 1).min(side - 1), y),
            1 => (x, (y + 1).min(side - 1)),
            2 => (x.saturating_sub(1), y),
            _ => (x, y.saturating_sub(1)),
        };
        (x + side * y) as u32
    };
    let next = |state: usize, action: usize| {
        if state == goal {
            return vec![(goal as u32, 1.0)];
        }
        let slips = (0..4).map(|slip| (go(state, slip), 0.1 / 4.0));
        slips.chain([(go(state, action), 0.9)]).collect()
    };
    let mut initial = vec![0.0; side * side];
    initial[0] = 1.0;
    let mdp = Mdp::new([side * side, 4, d.horizon], initial, next, |s, _| f64::from(s != goal))?;
    let expert = optimal(&mdp, 4 * side);
    around("gridworld", mdp, expert, d, 0.15, &mut class_rng(d))
}

/// A chain: action 0 advances, every other action falls back to the start. Each step costs 1 until
/// the end, which is S − 1 steps away, so H must be at least S. Experts recover slowly here.
pub fn chain(d: ProblemSize) -> Result<ImitationProblem, TheoryError> {
    check("chain", d, 2)?;
    let expected = format!("at least {}, the number of states", d.states);
    require(d.horizon >= d.states, "the horizon of chain", d.horizon as f64, expected)?;
    let last = d.states - 1;
    let next = |state: usize, action: usize| {
        let to = if state == last || action == 0 { (state + 1).min(last) } else { 0 };
        vec![(to as u32, 1.0)]
    };
    let mut initial = vec![0.0; d.states];
    initial[0] = 1.0;
    let cost = |s: usize, _| f64::from(s != last);
    let mdp = Mdp::new([d.states, d.actions, d.horizon], initial, next, cost)?;
    around("chain", mdp, vec![0; d.states], d, 0.1, &mut class_rng(d))
}

fn around(
    name: &str,
    mdp: Mdp,
    expert: Vec<u32>,
    d: ProblemSize,
    share: f64,
    rng: &mut Rng,
) -> Result<ImitationProblem, TheoryError> {
    let visited: Vec<bool> = occupancy_of(&mdp, &expert).iter().map(|&d| d > 0.0).collect();
    let class = PolicyClass::around(mdp.spaces(), &expert, &visited, d.class_size, share, rng)?;
    ImitationProblem::new(name, mdp, class, expert)
}

fn class_rng(d: ProblemSize) -> Rng {
    Stream::new(d.seed).fork("class", 0).rng()
}

fn check(family: &str, d: ProblemSize, states: usize) -> Result<(), TheoryError> {
    for (what, value, least) in [("states", d.states, states), ("actions", d.actions, 2)] {
        let what = format!("the number of {what} of {family}");
        require(value >= least, what, value as f64, format!("at least {least}"))?;
    }
    Ok(())
}

/// The greedy policy after this many steps of value iteration.
fn optimal(mdp: &Mdp, steps: usize) -> Vec<u32> {
    let mut v = vec![0.0; mdp.states()];
    let mut choices = vec![0; mdp.states()];
    for _ in 0..steps {
        let q = action_values(mdp, &v);
        for (state, q) in q.chunks(mdp.actions()).enumerate() {
            let best =
                (0..q.len()).fold(0, |best, a| if q[a] < q[best] - 1e-12 { a } else { best });
            (choices[state], v[state]) = (best as u32, q[best]);
        }
    }
    choices
}

/// A small problem of random shape, for property tests.
pub fn arbitrary(seed: u64) -> Result<ImitationProblem, TheoryError> {
    let mut rng = Stream::new(seed).fork("arbitrary", 0).rng();
    let d = ProblemSize {
        states: rng.random_range(4..20),
        actions: rng.random_range(2..5),
        horizon: rng.random_range(1..35),
        class_size: rng.random_range(1..20),
        seed,
    };
    let families: [fn(ProblemSize) -> _; 3] = [random, gridworld, chain];
    let families = &families[..if d.horizon < d.states { 2 } else { 3 }];
    let family = families.choose(&mut rng).copied().unwrap_or(random);
    let problem: ImitationProblem = family(d)?;
    // Random costs and a random d₀, so that the expert is not optimal and d₀ is not uniform.
    let spaces: Spaces = problem.mdp.spaces();
    let costs: Vec<f64> = (0..spaces.states * spaces.actions).map(|_| rng.random()).collect();
    let mdp = Mdp::new(
        [spaces.states, spaces.actions, d.horizon],
        problem.mdp.initial().to_vec(),
        |s, a| problem.mdp.next(s, a).to_vec(),
        |s, a| costs[s * spaces.actions + a],
    )?;
    let weights: Vec<f64> = (0..spaces.states).map(|_| rng.random_range(0.1..1.0)).collect();
    let total = weights.iter().sum::<f64>();
    let cover = weights.iter().map(|w| w / total).collect();
    let (class, expert) = ((*problem.class).clone(), problem.expert.to_vec());
    ImitationProblem::with_cover(&problem.name, mdp, class, expert, cover)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::invalid;
    use crate::exact::cost_of;

    #[test]
    fn each_policy_of_the_trap_errs_where_it_leads() {
        let problem = trap(10).unwrap();
        let tables = problem.class.tables();
        for h in 0..2 {
            let d = occupancy_of(&problem.mdp, &tables[h]);
            let errs = |policy: &[u32]| {
                (0..3).map(|s| d[s] * f64::from(policy[s] != problem.expert[s])).sum::<f64>()
            };
            assert!((errs(&tables[h]) - 1.0).abs() < 1e-12);
            // The other policy errs at the start only.
            assert!((errs(&tables[1 - h]) - 0.1).abs() < 1e-12);
        }
        assert_eq!(problem.mu, 1.0);
    }

    #[test]
    fn limitation_has_the_values_of_the_paper() {
        let problem = limitation(10).unwrap();
        // An error on the fast route costs H - 1; at time 1 it cannot happen.
        assert_eq!(problem.mu, 9.0);
        let tables = [problem.expert.to_vec(), problem.class.policy(0), problem.class.policy(1)];
        for (table, expected) in tables.iter().zip([0.0, 1.0, 9.0]) {
            assert!((cost_of(&problem.mdp, table) - expected).abs() < 1e-12, "{table:?}");
        }
    }

    #[test]
    fn gridworld_expert_walks_to_the_goal() {
        let size = ProblemSize { states: 25, horizon: 40, ..ProblemSize::default() };
        let problem = gridworld(size).unwrap();
        let d = occupancy_of(&problem.mdp, &problem.expert);
        assert!(d[24] > 0.7, "share of time at the goal: {}", d[24]);
    }

    #[test]
    fn every_policy_of_the_chain_errs_where_it_goes() {
        let size = ProblemSize { states: 10, horizon: 12, ..ProblemSize::default() };
        let problem = chain(size).unwrap();
        assert!(problem.mu > 0.0);
        for policy in problem.class.tables() {
            let d = occupancy_of(&problem.mdp, &policy);
            assert!((0..10).any(|s| d[s] > 0.0 && policy[s] != problem.expert[s]), "{policy:?}");
        }
    }

    #[test]
    fn invalid_sizes_and_unknown_names_are_refused() {
        let empty = ProblemSize { class_size: 0, ..ProblemSize::default() };
        for (problem, what) in [
            (limitation(2), "the horizon of limitation"),
            (chain(ProblemSize::default()), "the horizon of chain"),
            (trap(0), "horizon"),
            (random(empty), "class size"),
            (chain(ProblemSize { actions: 1, ..empty }), "the number of actions of chain"),
        ] {
            assert_eq!(invalid(problem).0, what);
        }
        let error = "trp".parse::<ProblemFamily>().unwrap_err();
        assert!(matches!(error, TheoryError::Name { found, .. } if found == "trp"));
    }
}
