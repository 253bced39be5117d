//! The online learning game behind imitation, played with exact losses.

use tutelage::{
    Algorithm, Event, ExpertActs, Flow, LearnError, Plan, Progress, Sampling, Setting, Stream,
    behavior_cloning, bootstrap_dagger, dagger, learn, logger_m, mftpl_p,
};

use crate::exact::{Table, dot, expected_cost, occupancy};
use crate::{Mixture, Problem, Theorem};

/// A game of N rounds: what πₙ lost, and what the best policy of the class would have lost on the same states.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// Fₙ(πₙ) for n = 1 … N.
    pub losses: Vec<f64>,
    /// Reg(n) = Σ_{i ≤ n} Fᵢ(πᵢ) − min over h ∈ ℬ of Σ_{i ≤ n} Fᵢ(h).
    pub regret: Vec<f64>,
    /// min over h ∈ ℬ of (1/N) Σ Fₙ(h): the class's bias.
    pub bias: f64,
    /// J(πₙ) for n = 1 … N.
    pub costs: Vec<f64>,
    /// J(π^E).
    pub expert_cost: f64,
    /// u_{N+1}: the weights of the last trained mixture.
    pub weights: Vec<f64>,
    /// H² (L(πₙ) − min over h ∈ ℬ of L(h)), L(π) the loss on the expert's own states: what offline imitation is bounded by.
    pub offline_gap: Vec<f64>,
    mu_horizon: f64,
}

impl Game {
    /// EstGap(n) = µ H Reg(n)/n, for n ≥ 1.
    pub fn estimation_gap(&self, rounds: usize) -> f64 {
        self.mu_horizon * self.regret[rounds - 1] / rounds as f64
    }

    /// Both sides of Theorem 1: J(π̂) − J(π^E) ≤ µ H (bias + Reg(N)/N), with J(π̂) = (1/N) Σ J(πₙ).
    pub fn theorem_one(&self) -> (f64, f64) {
        let rounds = self.costs.len() as f64;
        let left = self.costs.iter().sum::<f64>() / rounds - self.expert_cost;
        let right = self.mu_horizon * (self.bias + self.regret[self.regret.len() - 1] / rounds);
        (left, right)
    }
}

/// Plays an algorithm for N rounds of K states each, drawn independently from d_{πₙ}.
pub fn play(
    problem: &Problem,
    algorithm: &Algorithm<u32, u32>,
    rounds: usize,
    states_per_round: usize,
    seed: u64,
) -> Result<Game, LearnError> {
    let mut lanes = problem
        .lanes()
        .map_err(|source| LearnError::Collect { round: 0, source: source.into() })?;
    let (mut expert, oracle) = (problem.annotator(), problem.oracle());
    let plan = Plan {
        rounds,
        states_per_round,
        sampling: Sampling::Independent,
        stream: Stream::new(seed),
    };
    let progress = Progress::none(problem.mdp.spaces());
    let mut referee = Referee::new(problem);
    let mut observer = |event: Event<'_, u32, u32, Mixture>| {
        if let Event::Driving { policy, .. } = event {
            referee.judge(policy);
        }
        Ok(Flow::Continue)
    };
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &oracle };
    let learned = learn(setting, algorithm, &plan, progress, &mut observer)?;
    Ok(referee.close(&learned.last))
}

/// Computes every round's losses exactly.
struct Referee<'a> {
    problem: &'a Problem,
    /// I(h(s) ≠ π^E(s)) at index s·B + h.
    errs: Vec<f64>,
    /// Σ Fᵢ(h) so far.
    cumulative: Vec<f64>,
    /// d_{π^E}, and the least loss that the class can have there.
    offline: (Vec<f64>, f64),
    game: Game,
}

impl<'a> Referee<'a> {
    fn new(problem: &'a Problem) -> Self {
        let Problem { mdp, class, expert, .. } = problem;
        let of_state = |s: usize| class.choices(s).iter().map(move |&a| f64::from(a != expert[s]));
        let expert_table = Table::deterministic(mdp.actions(), expert);
        let errs: Vec<f64> = (0..mdp.states()).flat_map(of_state).collect();
        let d = occupancy(mdp, &expert_table);
        let least = losses(&d, &errs, class.size()).into_iter().fold(f64::INFINITY, f64::min);
        let game = Game {
            losses: vec![],
            regret: vec![],
            bias: 0.0,
            costs: vec![],
            expert_cost: expected_cost(mdp, &expert_table),
            weights: vec![],
            offline_gap: vec![],
            mu_horizon: problem.mu * mdp.horizon() as f64,
        };
        Self { problem, errs, cumulative: vec![0.0; class.size()], offline: (d, least), game }
    }

    fn judge(&mut self, policy: &Mixture) {
        let Problem { mdp, expert, class, .. } = self.problem;
        let table = policy.table();
        let d = occupancy(mdp, &table);
        let loss = |d: &[f64]| {
            (0..mdp.states()).map(|s| d[s] * (1.0 - table.row(s)[expert[s] as usize])).sum::<f64>()
        };
        let cost =
            |s: usize| (0..mdp.actions()).map(|a| table.row(s)[a] * mdp.cost(s, a)).sum::<f64>();
        let costs: Vec<f64> = (0..mdp.states()).map(cost).collect();
        let class_losses = losses(&d, &self.errs, class.size());
        self.cumulative.iter_mut().zip(class_losses).for_each(|(sum, loss)| *sum += loss);
        self.game.losses.push(loss(&d));
        self.game.costs.push(mdp.horizon() as f64 * dot(&d, &costs));
        self.game.regret.push(self.game.losses.iter().sum::<f64>() - self.least());
        let (d_expert, least) = &self.offline;
        self.game.offline_gap.push((mdp.horizon() as f64).powi(2) * (loss(d_expert) - least));
    }

    /// min over h ∈ ℬ of Σ Fᵢ(h).
    fn least(&self) -> f64 {
        self.cumulative.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn close(self, last: &Mixture) -> Game {
        let bias = self.least() / self.game.losses.len() as f64;
        Game { bias, weights: last.weights(), ..self.game }
    }
}

/// Σ_s d(s) I(h(s) ≠ π^E(s)) for every h ∈ ℬ.
fn losses(d: &[f64], errs: &[f64], class_size: usize) -> Vec<f64> {
    let mut losses = vec![0.0; class_size];
    for (d, errs) in d.iter().zip(errs.chunks(class_size)).filter(|(d, _)| **d > 0.0) {
        losses.iter_mut().zip(errs).for_each(|(loss, err)| *loss += d * err);
    }
    losses
}

/// The theorem for this problem.
pub fn theorem(problem: &Problem, delta: f64) -> Theorem {
    Theorem {
        states: problem.mdp.states() as f64,
        actions: problem.mdp.actions() as f64,
        class_size: problem.class.size() as f64,
        sigma: problem.sigma,
        delta,
    }
}

/// MFTPL-P with the theorem's λ and E for N rounds of K states, E at most `most_members`.
pub fn tuned_mftpl_p(
    problem: &Problem,
    rounds: usize,
    k: usize,
    most_members: usize,
) -> Algorithm<u32, u32> {
    let theorem = theorem(problem, 0.05);
    let (n, k) = (rounds as f64, k as f64);
    let members = (theorem.ensemble(n) as usize).min(most_members);
    mftpl_p(members, theorem.lambda(n, k), problem.cover.clone())
}

/// LOGGER-M with a scale that balances its two sources of regret.
///
/// With costs N(0, η²) on a separator set of X states, the perturbation itself costs at most η √(2X ln B) / K and a round
/// moves the leader by about K/η of an example's loss; the sum over N rounds is least at η = K √(N / √(2X ln B)). As many
/// members as MFTPL-P has.
pub fn tuned_logger_m(
    problem: &Problem,
    rounds: usize,
    k: usize,
    most_members: usize,
) -> Algorithm<u32, u32> {
    let members = (theorem(problem, 0.05).ensemble(rounds as f64) as usize).min(most_members);
    let ln_b = (problem.class.size().max(2) as f64).ln();
    let separator = problem.separator.len().max(1) as f64;
    let scale = k as f64 * (rounds as f64 / (2.0 * separator * ln_b).sqrt()).sqrt();
    logger_m(members, scale, problem.separator.clone())
}

/// Every algorithm of the finite world, tuned for N rounds of K states.
pub fn contestants(
    problem: &Problem,
    rounds: usize,
    k: usize,
    most_members: usize,
) -> Vec<Algorithm<u32, u32>> {
    vec![
        behavior_cloning(ExpertActs::Sampled),
        dagger(),
        bootstrap_dagger(25),
        tuned_mftpl_p(problem, rounds, k, most_members),
        tuned_logger_m(problem, rounds, k, most_members),
    ]
}
