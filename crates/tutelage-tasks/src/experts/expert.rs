//! Gaussian experts.

use crate::bullet::{Normalizer, ObservationConfig, Robot};
use tutelage::actor::{ExpertActor, RolloutError};
use tutelage::choice::ExpertActs;
use tutelage::evaluation::{Evaluation, evaluate};
use tutelage::{
    ActionSpace, Batch, Element, EnvError, Expert, ExpertError, Rng, Stream, VectorEnv,
};
use tutelage_net::Tape;

use crate::experts::{Card, GaussianPolicy, Score, TimeFeature};

/// A Gaussian policy for a task, with its normalization of the task's states.
///
/// As a [`tutelage::Expert`] it labels normalized states ([`GaussianExpert::observation`]), which
/// learners see too. A label is a sample a ~ N(μ(s), σ²) without clipping; the mean action is
/// clipped to [-1, 1].
#[derive(Clone, Debug)]
pub struct GaussianExpert {
    task: Robot,
    policy: GaussianPolicy,
    observation: ObservationConfig,
    card: Card,
    tape: Tape,
}

impl GaussianExpert {
    /// Creates an expert from its parts.
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
        let observation = ObservationConfig { time_feature, normalizer };
        Self { task, policy, observation, card, tape }
    }

    /// The task.
    pub fn robot(&self) -> Robot {
        self.task
    }

    /// The policy, on normalized states.
    pub fn policy(&self) -> &GaussianPolicy {
        &self.policy
    }

    /// The observation of the task's states, for the expert and its learners.
    pub fn observation(&self) -> &ObservationConfig {
        &self.observation
    }

    /// Returns the same expert with this standard deviation in every coordinate.
    #[must_use]
    pub fn with_noise(mut self, std: f32) -> Self {
        self.policy = self.policy.with_std(std);
        self
    }

    /// The normalizer of states.
    pub fn normalizer(&self) -> &Normalizer {
        &self.observation.normalizer
    }

    /// Whether states include the remaining time.
    pub fn time_feature(&self) -> TimeFeature {
        self.observation.time_feature
    }

    /// The origin and the scores.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Returns the same expert with another card.
    #[must_use]
    pub fn with_card(self, card: Card) -> Self {
        Self { card, ..self }
    }

    /// Plays full episodes with the mean action or with samples, clipped.
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

    /// Plays full episodes that depend only on the seed.
    pub fn play(
        &self,
        acts: ExpertActs,
        episodes: usize,
        seed: u64,
    ) -> Result<Evaluation, RolloutError> {
        self.evaluate(acts, episodes, &Stream::new(seed).fork("evaluate expert", 0))
    }

    /// Evaluates the mean action and sampled actions.
    pub fn judge(&self, episodes: usize, seed: u64) -> Result<Vec<Score>, RolloutError> {
        let score = |acts| Ok(Score::new(self.task, acts, &self.play(acts, episodes, seed)?));
        [ExpertActs::Mean, ExpertActs::Sampled].into_iter().map(score).collect()
    }

    /// Computes μ of every state.
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
        let card = Card::default();
        GaussianExpert::new(Robot::Hopper, policy, normalizer, TimeFeature::Omitted, card)
    }

    fn states(rows: usize) -> Batch<f32> {
        let values = (0..rows * 15).map(|i| ((i * 29) % 31) as f32 / 10.0 - 1.5).collect();
        Batch::from_vec(15, values).unwrap()
    }

    #[test]
    fn labels_are_samples_without_clipping() {
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
    fn label_depends_only_on_its_row() {
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
    fn mean_action_is_clipped_and_widths_are_checked() {
        let mut expert = expert();
        let mut means = Batch::zeros(40, 3);
        expert.mean(&states(40), &mut means).unwrap();
        assert!(means.as_slice().iter().all(|a| a.abs() <= 1.0));
        assert!(means.as_slice().contains(&1.0));
        let error = expert.mean(&Batch::zeros(1, 16), &mut means).unwrap_err().to_string();
        assert_eq!(error, "a normalized state has 16 values, expected 15");
    }
}
