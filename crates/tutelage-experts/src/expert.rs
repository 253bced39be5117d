//! An expert in the core's sense.

use tutelage::actor::{ExpertActor, RolloutError};
use tutelage::choice::ExpertActs;
use tutelage::evaluation::{Evaluation, evaluate};
use tutelage::{
    ActionSpace, Batch, Element, EnvError, Expert, ExpertError, Rng, Stream, VectorEnv,
};
use tutelage_envs::{Normalizer, ObservationConfig, Robot};
use tutelage_net::Tape;

use crate::{Card, GaussianPolicy, Score, TimeFeature};

/// A Gaussian policy for a task, with its observation of the task's states.
///
/// As a [`tutelage::Expert`] it answers states as it sees them ([`GaussianExpert::observation`]):
/// expert and learner see the same. An answer is a sample a ~ N(μ(s), σ²), not clipped; the mean
/// action is clipped to [-1, 1].
#[derive(Clone, Debug)]
pub struct GaussianExpert {
    task: Robot,
    policy: GaussianPolicy,
    observation: ObservationConfig,
    card: Card,
    tape: Tape,
}

impl GaussianExpert {
    /// An expert made of its parts.
    ///
    /// # Panics
    /// If the network's widths or the statistics are not those of the task.
    pub fn new(
        task: Robot,
        policy: GaussianPolicy,
        normalizer: Normalizer,
        time_feature: TimeFeature,
        card: Card,
    ) -> Self {
        let layout = policy.network().layout();
        let widths = (time_feature.width(task.state_width()), task.action_width());
        assert_eq!((layout.inputs(), layout.outputs()), widths, "widths of {task}");
        assert_eq!(normalizer.width(), widths.0, "statistics of {task}");
        let tape = Tape::new(layout, 0);
        Self {
            task,
            policy,
            observation: ObservationConfig { time_feature, normalizer },
            card,
            tape,
        }
    }

    /// The task that it is an expert in.
    pub fn robot(&self) -> Robot {
        self.task
    }

    /// The policy, on normalized states.
    pub fn policy(&self) -> &GaussianPolicy {
        &self.policy
    }

    /// How it sees the task's states; whoever learns from it sees them so too.
    pub fn observation(&self) -> &ObservationConfig {
        &self.observation
    }

    /// The same expert with Gaussian noise of this standard deviation on every coordinate of its
    /// mean action, whatever its own: how much error it forgives.
    #[must_use]
    pub fn with_noise(mut self, std: f32) -> Self {
        self.policy = self.policy.with_std(std);
        self
    }

    /// The statistics that states are normalized by.
    pub fn normalizer(&self) -> &Normalizer {
        &self.observation.normalizer
    }

    /// Whether it sees the time that is left.
    pub fn time_feature(&self) -> TimeFeature {
        self.observation.time_feature
    }

    /// Where it comes from and what it is worth.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The same expert with another card.
    #[must_use]
    pub fn with_card(self, card: Card) -> Self {
        Self { card, ..self }
    }

    /// Plays full episodes with the mean action, or with drawn ones; either is clipped.
    pub fn evaluate(
        &self,
        acts: ExpertActs,
        episodes: usize,
        stream: &Stream,
    ) -> Result<Evaluation, RolloutError> {
        let mut envs = self.task.envs(&self.observation, episodes.clamp(1, 25))?;
        let mut expert = self.clone();
        let space = ActionSpace { size: envs.spaces().actions, bounds: envs.bounds().clone() };
        let mut actor = ExpertActor::new(&mut expert, acts, &space);
        evaluate(&mut envs, &mut actor, None, episodes, stream)
    }

    /// Full episodes from a seed: the same for the same seed, whoever asks.
    pub fn play(
        &self,
        acts: ExpertActs,
        episodes: usize,
        seed: u64,
    ) -> Result<Evaluation, RolloutError> {
        self.evaluate(acts, episodes, &Stream::new(seed).fork("evaluate expert", 0))
    }

    /// What the mean action and drawn actions earn.
    pub fn judge(&self, episodes: usize, seed: u64) -> Result<Vec<Score>, RolloutError> {
        let score = |acts| Ok(Score::new(self.task, acts, &self.play(acts, episodes, seed)?));
        [ExpertActs::Mean, ExpertActs::Sampled].into_iter().map(score).collect()
    }

    /// μ of every state.
    fn forward(
        &mut self,
        states: &Batch<f32>,
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        let (expected, found) = (self.policy.network().layout().inputs(), states.width());
        if found != expected {
            let error = EnvError::Width { what: "a normalized state", expected, found };
            return Err(ExpertError::Other(error.into()));
        }
        self.policy.network().forward(self.policy.params(), states.as_slice(), &mut self.tape);
        actions.resize(states.len());
        (0..states.len()).for_each(|i| actions.row_mut(i).copy_from_slice(self.tape.output(i)));
        Ok(())
    }
}

impl Expert for GaussianExpert {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        rngs: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        self.forward(states, actions)?;
        for (i, rng) in rngs.iter_mut().enumerate().take(states.len()) {
            self.policy.add_noise(actions.row_mut(i), rng);
        }
        Ok(())
    }

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), ExpertError> {
        self.forward(states, actions)?;
        f32::clip(actions.as_mut_slice());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_net::Network;

    fn expert() -> GaussianExpert {
        let network = Network::new(&[15, 8, 3]).unwrap();
        let params = network.layout().orthogonal(1.4, 2.0, &mut Stream::new(2).rng());
        let policy = GaussianPolicy::new(network, params, vec![-1.0, 0.0, -2.0]);
        let normalizer = Normalizer::new(vec![0.1; 15], vec![0.5; 15]).unwrap();
        GaussianExpert::new(
            Robot::Hopper,
            policy,
            normalizer,
            TimeFeature::Omitted,
            Card::default(),
        )
    }

    fn states(rows: usize) -> Batch<f32> {
        let values = (0..rows * 15).map(|i| ((i * 29) % 31) as f32 / 10.0 - 1.5).collect();
        Batch::from_vec(15, values).unwrap()
    }

    #[test]
    fn answers_are_samples_around_the_mean_that_no_one_clipped() {
        let (mut expert, state) = (expert(), states(1));
        let mut mean = Batch::zeros(1, 3);
        expert.forward(&state, &mut mean).unwrap();
        let many = Batch::from_vec(15, state.as_slice().repeat(4000)).unwrap();
        let mut rngs: Vec<Rng> = (0..4000).map(|i| Stream::new(7).fork("row", i).rng()).collect();
        let mut answers = Batch::zeros(4000, 3);
        expert.annotate(&many, &mut rngs, &mut answers).unwrap();
        for (j, std) in [0.367_88, 1.0, 0.135_34].into_iter().enumerate() {
            let column: Vec<f64> =
                answers.rows().map(|a| f64::from(a[j] - mean.row(0)[j])).collect();
            let average = column.iter().sum::<f64>() / 4000.0;
            let spread = (column.iter().map(|x| x * x).sum::<f64>() / 4000.0).sqrt();
            assert!(average.abs() < 0.06 * std, "{j}: {average}");
            assert!((spread / std - 1.0).abs() < 0.05, "{j}: {spread}");
        }
        assert!(answers.as_slice().iter().any(|a| a.abs() > 1.0));
    }

    #[test]
    fn an_answer_depends_on_its_own_row_alone() {
        let (mut expert, states) = (expert(), states(5));
        let rngs = || -> Vec<Rng> { (0..5).map(|i| Stream::new(7).fork("row", i).rng()).collect() };
        let mut together = Batch::zeros(5, 3);
        expert.annotate(&states, &mut rngs(), &mut together).unwrap();
        for (i, rng) in rngs().iter_mut().enumerate() {
            let mut alone = Batch::zeros(1, 3);
            let rng = std::slice::from_mut(rng);
            expert.annotate(&states.slice(i, i + 1), rng, &mut alone).unwrap();
            assert_eq!(alone.row(0), together.row(i));
        }
    }

    #[test]
    fn the_mean_action_is_clipped_and_states_must_fit() {
        let mut expert = expert();
        let mut means = Batch::zeros(40, 3);
        expert.mean(&states(40), &mut means).unwrap();
        assert!(means.as_slice().iter().all(|a| a.abs() <= 1.0));
        assert!(means.as_slice().contains(&1.0));
        let error = expert.mean(&Batch::zeros(1, 16), &mut means).unwrap_err().to_string();
        assert_eq!(error, "a normalized state has 16 values, expected 15");
    }
}
