//! The online learning game behind imitation, played with exact losses.

use tutelage::Algorithm;

use crate::exact::{TabularPolicy, cost_of, dot, occupancy, occupancy_of, smoothness_of};
use crate::rounds::{GameEvent, run};
use crate::{ImitationProblem, MixedPolicy, TheoryError};

/// The exact results of a game of N rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// Fₙ(πₙ) for n = 1 … N.
    pub losses: Vec<f64>,
    /// Reg(n) = Σ_{i ≤ n} Fᵢ(πᵢ) − min over h ∈ ℬ of Σ_{i ≤ n} Fᵢ(h).
    pub regret: Vec<f64>,
    /// Σ ⟨gₙ, uₙ⟩ − min over h ∈ ℬ of Σ gₙ(h): the regret on the queried states instead of d_{πₙ}.
    ///
    /// λ, σ, A and B act on this one. Reg(N) differs from it by sampling, of order √(N/K).
    pub observed_regret: f64,
    /// min over h ∈ ℬ of (1/N) Σ Fₙ(h): the bias of the class.
    pub bias: f64,
    /// J(πₙ) for n = 1 … N.
    pub costs: Vec<f64>,
    /// π_{N+1}, which is not played.
    pub last: FinalPolicy,
    /// J(π^E).
    pub expert_cost: f64,
    /// min over h ∈ ℬ of J(h).
    pub best_cost: f64,
    /// The largest σ with d_{πₙ}(s) ≤ d₀(s)/σ for every πₙ played.
    pub sigma_played: f64,
    mu_horizon: f64,
}

/// The policy trained after the last round.
#[derive(Clone, Debug, PartialEq)]
pub struct FinalPolicy {
    /// u_{N+1}: its weights.
    pub weights: Vec<f64>,
    /// J(π_{N+1}).
    pub cost: f64,
    /// H² (L(π_{N+1}) − min over h ∈ ℬ of L(h)) for the loss L on the expert's states: the bound of
    /// offline imitation.
    pub offline_gap: f64,
}

impl Game {
    /// Reg(N).
    pub fn final_regret(&self) -> f64 {
        self.regret.last().copied().unwrap_or(0.0)
    }

    /// Reg(N)/N.
    pub fn mean_regret(&self) -> f64 {
        self.final_regret() / self.regret.len() as f64
    }

    /// EstGap = µ H Reg(N)/N.
    pub fn estimation_gap(&self) -> f64 {
        self.mu_horizon * self.final_regret() / self.regret.len() as f64
    }

    /// J(π̂) = (1/N) Σ J(πₙ), the expected cost of a random one of π₁ … π_N.
    pub fn mean_cost(&self) -> f64 {
        self.costs.iter().sum::<f64>() / self.costs.len() as f64
    }

    /// Both sides of Theorem 1: J(π̂) − J(π^E) ≤ µ H (bias + Reg(N)/N).
    pub fn theorem_one(&self) -> (f64, f64) {
        let right = self.mu_horizon * (self.bias + self.mean_regret());
        (self.mean_cost() - self.expert_cost, right)
    }
}

/// Plays [N, K]: N rounds of K states each, drawn independently from d_{πₙ}.
pub fn play(
    problem: &ImitationProblem,
    algorithm: Algorithm,
    sizes: [usize; 2],
    seed: u64,
) -> Result<Game, TheoryError> {
    let mut recorder = GameRecorder::new(problem);
    let mut see = |event: GameEvent<'_>| match event {
        GameEvent::Playing(policy) => recorder.play(policy),
        GameEvent::Asking(states) => recorder.observe(states),
    };
    let last = run(problem, algorithm, sizes, seed, &mut see)?;
    Ok(recorder.close(&last))
}

/// Computes the losses of every round exactly.
struct GameRecorder<'a> {
    problem: &'a ImitationProblem,
    /// ℓ(s, h(s)) at index s·B + h.
    class_losses: Vec<f64>,
    /// Σ Fᵢ(h) so far.
    cumulative: Vec<f64>,
    /// Σ Fᵢ(πᵢ) so far.
    lost: f64,
    /// πₙ.
    playing: Option<TabularPolicy>,
    /// For every state 1/K for each query, and Σ ⟨gₙ, uₙ⟩.
    asked: (Vec<f64>, f64),
    game: Game,
}

impl<'a> GameRecorder<'a> {
    fn new(problem: &'a ImitationProblem) -> Self {
        let ImitationProblem { mdp, class, expert, .. } = problem;
        let game = Game {
            losses: vec![],
            regret: vec![],
            observed_regret: 0.0,
            bias: 0.0,
            costs: vec![],
            last: FinalPolicy { weights: vec![], cost: 0.0, offline_gap: 0.0 },
            expert_cost: cost_of(mdp, expert),
            best_cost: problem.best_cost,
            sigma_played: 1.0,
            mu_horizon: problem.mu * mdp.horizon() as f64,
        };
        let class_losses = class_losses(problem);
        let (cumulative, asked) = (vec![0.0; class.size()], (vec![0.0; mdp.states()], 0.0));
        Self { problem, class_losses, cumulative, lost: 0.0, playing: None, asked, game }
    }

    fn play(&mut self, policy: &MixedPolicy) {
        let ImitationProblem { mdp, class, losses, .. } = self.problem;
        let table = policy.table();
        let d = occupancy(mdp, &table);
        let of_class = weigh(&d, &self.class_losses, class.size());
        self.cumulative.iter_mut().zip(of_class).for_each(|(sum, loss)| *sum += loss);
        let loss = mean_over(&d, &table, losses);
        self.lost += loss;
        self.game.losses.push(loss);
        self.game.costs.push(cost(self.problem, &d, &table));
        self.game.regret.push(self.lost - least(&self.cumulative));
        let sigma = smoothness_of(self.problem.cover_probabilities(), &d);
        self.game.sigma_played = self.game.sigma_played.min(sigma);
        self.playing = Some(table);
    }

    fn observe(&mut self, states: &[u32]) {
        let Some(table) = &self.playing else { return };
        let (actions, share) = (self.problem.mdp.actions(), 1.0 / states.len() as f64);
        for state in states.iter().map(|&s| s as usize) {
            let losses = &self.problem.losses[state * actions..(state + 1) * actions];
            self.asked.0[state] += share;
            self.asked.1 += share * dot(table.row(state), losses);
        }
    }

    fn close(self, last: &MixedPolicy) -> Game {
        let ImitationProblem { mdp, class, losses, expert, .. } = self.problem;
        let table = last.table();
        let d_expert = occupancy_of(mdp, expert);
        let excess = mean_over(&d_expert, &table, losses)
            - least(&weigh(&d_expert, &self.class_losses, class.size()));
        let last = FinalPolicy {
            weights: last.weights(),
            cost: cost(self.problem, &occupancy(mdp, &table), &table),
            offline_gap: (mdp.horizon() as f64).powi(2) * excess,
        };
        let bias = least(&self.cumulative) / self.game.losses.len() as f64;
        let (asked, lost) = &self.asked;
        let observed_regret = lost - least(&weigh(asked, &self.class_losses, class.size()));
        Game { bias, observed_regret, last, ..self.game }
    }
}

/// ℓ(s, h(s)) at index s·B + h.
pub(crate) fn class_losses(problem: &ImitationProblem) -> Vec<f64> {
    let actions = problem.mdp.actions();
    let of_state = |s: usize| {
        let row = &problem.losses[s * actions..(s + 1) * actions];
        problem.class.choices(s).iter().map(move |&a| row[a as usize])
    };
    (0..problem.mdp.states()).flat_map(of_state).collect()
}

/// Σ_s d(s) ℓ(s, h(s)) for every h ∈ ℬ.
pub(crate) fn weigh(d: &[f64], class_losses: &[f64], class_size: usize) -> Vec<f64> {
    let mut sums = vec![0.0; class_size];
    for (d, losses) in d.iter().zip(class_losses.chunks(class_size)).filter(|(d, _)| **d > 0.0) {
        sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += d * loss);
    }
    sums
}

/// Σ_s d(s) Σ_a π(a | s) values(s, a).
fn mean_over(d: &[f64], policy: &TabularPolicy, values: &[f64]) -> f64 {
    let rows = values.chunks(values.len() / d.len().max(1)).enumerate();
    rows.map(|(s, row)| d[s] * dot(policy.row(s), row)).sum()
}

/// J(π) = H Σ_s d_π(s) Σ_a π(a | s) c(s, a).
fn cost(problem: &ImitationProblem, d: &[f64], policy: &TabularPolicy) -> f64 {
    problem.mdp.horizon() as f64 * mean_over(d, policy, problem.mdp.costs())
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
