//! Families of problems to learn in.

use rand::RngExt;
use rand::seq::IndexedRandom;
use tutelage::{Spaces, Stream};

use crate::exact::{TabularPolicy, action_values, occupancy};
use crate::{ImitationProblem, Mdp, PolicyClass, ProblemError, ledge};

/// How large a problem is. Families that are of one size by nature take what concerns them.
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
    /// What random problems are drawn from.
    pub seed: u64,
}

impl Default for ProblemSize {
    fn default() -> Self {
        Self { states: 16, actions: 4, horizon: 10, class_size: 32, seed: 1 }
    }
}

/// A family of problems, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemFamily {
    /// [`trap`].
    Trap,
    /// [`limitation`].
    Limitation,
    /// [`random`].
    Random,
    /// [`gridworld`].
    Gridworld,
    /// [`chain`].
    Chain,
    /// [`ledge`].
    Ledge,
}

impl ProblemFamily {
    /// All families, by name.
    pub const ALL: [(&'static str, ProblemFamily); 6] = [
        ("trap", ProblemFamily::Trap),
        ("limitation", ProblemFamily::Limitation),
        ("random", ProblemFamily::Random),
        ("gridworld", ProblemFamily::Gridworld),
        ("chain", ProblemFamily::Chain),
        ("ledge", ProblemFamily::Ledge),
    ];

    /// The family of this name.
    pub fn named(name: &str) -> Result<Self, ProblemError> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, family)| family);
        let all = || Self::ALL.map(|(known, _)| known).join(", ");
        found.ok_or_else(|| ProblemError::Unknown { name: name.into(), all: all() })
    }

    /// The problem of this family with these dimensions.
    pub fn problem(self, dimensions: ProblemSize) -> Result<ImitationProblem, ProblemError> {
        match self {
            Self::Trap => trap(dimensions.horizon),
            Self::Limitation => limitation(dimensions.horizon),
            Self::Random => random(dimensions),
            Self::Gridworld => gridworld(dimensions),
            Self::Chain => chain(dimensions),
            Self::Ledge => ledge(dimensions.horizon, dimensions.seed),
        }
    }
}

/// The trap for followers of the leader: both policies err at the start and lead into different absorbing states; each errs
/// in its own and is right in the other's. Whoever plays the better one so far is always wrong.
pub fn trap(horizon: usize) -> Result<ImitationProblem, ProblemError> {
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

/// The five-state MDP of Proposition 1: whoever has no regret imitates the fast route, fails on it, and pays H − 1 where a
/// policy of the class pays 1.
pub fn limitation(horizon: usize) -> Result<ImitationProblem, ProblemError> {
    if horizon < 3 {
        let (field, value) = ("horizon", horizon);
        return Err(ProblemError::Size {
            field,
            value,
            family: "limitation",
            allowed: "at least 3, or both policies cost the same",
        });
    }
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

/// Three random successors for every (s, a); the expert is random and free, every other action costs up to 1. The class
/// errs in about a third of the states, each policy in its own.
pub fn random(d: ProblemSize) -> Result<ImitationProblem, ProblemError> {
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
    let cost = |s: usize, a| {
        if a as u32 == expert[s] {
            0.0
        } else {
            stream.fork("cost", (s * d.actions + a) as u64).rng().random()
        }
    };
    let uniform = vec![1.0 / d.states as f64; d.states];
    let mdp = Mdp::new([d.states, d.actions, d.horizon], uniform, next, cost)?;
    let visited = visited(&mdp, &expert);
    let class = PolicyClass::around(mdp.spaces(), &expert, &visited, d.class_size, 0.3, &mut rng)?;
    ImitationProblem::new("random", mdp, class, expert)
}

/// A square grid: four moves that slip one time in ten, cost 1 a step until the far corner. The expert is optimal; the
/// class errs in about a sixth of the cells.
pub fn gridworld(d: ProblemSize) -> Result<ImitationProblem, ProblemError> {
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
    around("gridworld", mdp, expert, d, 0.15)
}

/// A chain: action 0 goes on, every other falls back to the start; cost 1 until the end, which takes S − 1 steps, so H
/// must be at least S. An error costs all that was gained, so experts recover slowly here.
pub fn chain(d: ProblemSize) -> Result<ImitationProblem, ProblemError> {
    check("chain", d, 2)?;
    if d.horizon < d.states {
        let (horizon, family, states) = (d.horizon, "chain", d.states);
        return Err(ProblemError::Horizon { horizon, family, states });
    }
    let last = d.states - 1;
    let next = |state: usize, action: usize| {
        let to = if state == last || action == 0 { (state + 1).min(last) } else { 0 };
        vec![(to as u32, 1.0)]
    };
    let mut initial = vec![0.0; d.states];
    initial[0] = 1.0;
    let cost = |s: usize, _| f64::from(s != last);
    let mdp = Mdp::new([d.states, d.actions, d.horizon], initial, next, cost)?;
    around("chain", mdp, vec![0; d.states], d, 0.1)
}

fn around(
    name: &str,
    mdp: Mdp,
    expert: Vec<u32>,
    d: ProblemSize,
    share: f64,
) -> Result<ImitationProblem, ProblemError> {
    let mut rng = Stream::new(d.seed).fork("class", 0).rng();
    let visited = visited(&mdp, &expert);
    let class =
        PolicyClass::around(mdp.spaces(), &expert, &visited, d.class_size, share, &mut rng)?;
    ImitationProblem::new(name, mdp, class, expert)
}

/// Which states the expert visits.
fn visited(mdp: &Mdp, expert: &[u32]) -> Vec<bool> {
    let d = occupancy(mdp, &TabularPolicy::deterministic(mdp.actions(), expert));
    d.iter().map(|&d| d > 0.0).collect()
}

fn check(family: &'static str, d: ProblemSize, states: usize) -> Result<(), ProblemError> {
    if d.states < states {
        let allowed = if states == 4 { "at least 4" } else { "at least 2" };
        return Err(ProblemError::Size { field: "states", value: d.states, family, allowed });
    }
    if d.actions < 2 {
        return Err(ProblemError::Size {
            field: "actions",
            value: d.actions,
            family,
            allowed: "at least 2",
        });
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
pub fn arbitrary(seed: u64) -> Result<ImitationProblem, ProblemError> {
    let mut rng = Stream::new(seed).fork("arbitrary", 0).rng();
    let d = ProblemSize {
        states: rng.random_range(4..20),
        actions: rng.random_range(2..5),
        horizon: rng.random_range(1..35),
        class_size: rng.random_range(1..20),
        seed,
    };
    let families = [ProblemFamily::Random, ProblemFamily::Gridworld, ProblemFamily::Chain];
    let families = &families[..if d.horizon < d.states { 2 } else { 3 }];
    let problem = families.choose(&mut rng).unwrap_or(&ProblemFamily::Random).problem(d)?;
    // Any costs will do: an expert that is not optimal, and a d₀ that is not uniform.
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
    ImitationProblem::with_cover(
        &problem.name,
        mdp,
        (*problem.class).clone(),
        problem.expert.to_vec(),
        cover,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::expected_cost;

    #[test]
    fn the_trap_springs_on_either_policy() {
        let problem = trap(10).unwrap();
        for h in 0..2 {
            let policy = problem.class.policy(h);
            let d = occupancy(&problem.mdp, &TabularPolicy::deterministic(3, &policy));
            let errs = |policy: &[u32]| {
                (0..3).map(|s| d[s] * f64::from(policy[s] != problem.expert[s])).sum::<f64>()
            };
            assert!((errs(&policy) - 1.0).abs() < 1e-12, "its own errors where it goes");
            assert!(
                (errs(&problem.class.policy(1 - h)) - 0.1).abs() < 1e-12,
                "the other is wrong at the start only"
            );
        }
        assert_eq!(problem.mu, 1.0);
    }

    #[test]
    fn proposition_one_has_the_papers_values() {
        let problem = limitation(10).unwrap();
        let cost =
            |policy: &[u32]| expected_cost(&problem.mdp, &TabularPolicy::deterministic(2, policy));
        assert_eq!(
            problem.mu, 9.0,
            "erring on the fast route costs H - 1; at time 1 nobody is there"
        );
        assert!(cost(&problem.expert).abs() < 1e-12);
        assert!((cost(&problem.class.policy(0)) - 1.0).abs() < 1e-12);
        assert!((cost(&problem.class.policy(1)) - 9.0).abs() < 1e-12);
    }

    #[test]
    fn the_grids_expert_walks_to_the_goal() {
        let problem =
            gridworld(ProblemSize { states: 25, horizon: 40, ..ProblemSize::default() }).unwrap();
        let d = occupancy(&problem.mdp, &TabularPolicy::deterministic(4, &problem.expert));
        assert!(d[24] > 0.7, "share of time at the goal: {}", d[24]);
    }

    #[test]
    fn on_the_chain_every_policy_errs_where_it_goes() {
        let d = ProblemSize { states: 10, horizon: 12, ..ProblemSize::default() };
        let problem = chain(d).unwrap();
        assert!(problem.mu > 0.0);
        for h in 0..d.class_size {
            let policy = problem.class.policy(h);
            let d = occupancy(&problem.mdp, &TabularPolicy::deterministic(4, &policy));
            let errs = (0..10).any(|s| d[s] > 0.0 && policy[s] != problem.expert[s]);
            assert!(errs, "policy {h} is the expert in effect");
        }
    }

    #[test]
    fn impossible_sizes_and_unknown_names_are_named() {
        assert!(matches!(limitation(2), Err(ProblemError::Size { field: "horizon", .. })));
        assert!(matches!(
            chain(ProblemSize::default()),
            Err(ProblemError::Horizon { states: 16, .. })
        ));
        assert!(matches!(trap(0), Err(ProblemError::Mdp(_))));
        let none = ProblemSize { class_size: 0, ..ProblemSize::default() };
        assert!(matches!(random(none), Err(ProblemError::Class(crate::ClassError::Empty))));
        assert!(matches!(
            chain(ProblemSize { actions: 1, ..none }),
            Err(ProblemError::Size { field: "actions", .. })
        ));
        assert!(ProblemFamily::named("trp").unwrap_err().to_string().contains("trap, limitation"));
    }
}
