//! What to do in a run.

use std::path::Path;
use std::sync::Arc;

use tutelage::choice::Deploy;
use tutelage::oracle::DurableOracle;
use tutelage::{Algorithm, Element, Expert, Inputs, Schedule};

use crate::line::{RoundLine, table};
use crate::spec_text::{ChoiceTexts, line, quoted, stored_text};
use crate::store::{OsDisk, RunDir, StoreError, read_spec, read_times};

/// The configuration of a run, except for its environments, expert and oracle.
#[derive(Clone, Copy, Debug)]
pub struct RunConfig<'a, S, A> {
    /// The four choices.
    pub algorithm: Algorithm,
    /// The number of rounds, states per round, and the random stream.
    pub schedule: Schedule,
    /// The inputs that the choices need.
    pub inputs: Inputs<'a, S, A>,
    /// T, the episodes of an evaluation.
    pub episodes: usize,
    /// The policies that stay on disk.
    pub keep: Keep,
}

/// The policies that a run keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The policies of all rounds.
    #[default]
    All,
    /// The last policy, and the policy that the algorithm returns.
    Last,
}

impl<S: Element, A: Element> RunConfig<'_, S, A> {
    /// Returns the spec of a custom program's run: everything that affects its results, so that a run is never resumed as
    /// another. `task` is the environment's name with all of its settings.
    ///
    /// ```
    /// use tutelage::{Inputs, Sampling, Schedule, Stream};
    /// use tutelage::algorithm::dagger;
    /// use tutelage_runs::{RunConfig, Keep};
    ///
    /// let config = RunConfig::<f32, f32> {
    ///     algorithm: dagger(Sampling::Stride(10)),
    ///     schedule: Schedule { rounds: 8, states_per_round: 10, stream: Stream::new(1) },
    ///     inputs: Inputs::none(),
    ///     episodes: 10,
    ///     keep: Keep::Last,
    /// };
    /// let slow = config.spec("cart, 100 steps", "brakes", "learning rate 0.001");
    /// let fast = config.spec("cart, 100 steps", "brakes", "learning rate 0.1");
    /// assert_ne!(slow, fast);
    /// ```
    pub fn spec(&self, task: &str, expert: &str, oracle: &str) -> String {
        let Schedule { rounds, states_per_round, stream } = self.schedule;
        let Inputs { cover, separator, stored } = self.inputs;
        let ChoiceTexts { drive, ask, train_on, deploy } = ChoiceTexts::of(&self.algorithm);
        let texts = [("task", task), ("expert", expert), ("oracle", oracle)];
        let choices = [("drive", drive), ("ask", ask), ("train_on", train_on), ("deploy", deploy)];
        let numbers = [
            ("members", self.algorithm.members),
            ("rounds", rounds),
            ("states_per_round", states_per_round),
            ("episodes", self.episodes),
        ];
        let inputs = [
            ("cover", cover.map(|cover| cover.describe())),
            ("separator", separator.map(|separator| separator.describe())),
            ("stored", stored.map(stored_text)),
        ];
        let texts = texts.map(|(name, text)| format!("{name} = {}\n", quoted(text)));
        let choices = choices.map(|(name, text)| line(name, &text));
        let numbers = numbers.map(|(name, number)| format!("{name} = {number}\n"));
        let stream = format!("stream = {}\n", quoted(&stream.name()));
        let inputs =
            inputs.map(|(name, text)| text.map_or(String::new(), |text| line(name, &text)));
        [texts.concat(), choices.concat(), numbers.concat(), stream, inputs.concat()].concat()
    }
}

impl<S, A> RunConfig<'_, S, A> {
    /// The round whose policy the algorithm returns after N rounds: the last, or the one before the random round.
    pub fn returned_round(&self) -> usize {
        match self.algorithm.random_round(&self.schedule) {
            Some(round) if self.algorithm.deploy == Deploy::RandomRound => round - 1,
            _ => self.schedule.rounds,
        }
    }
}

impl<S: Element, A: Element> RunConfig<'_, S, A> {
    /// Starts or opens the run of a custom program: [`RunDir::open`] with the text of [`RunConfig::spec`].
    ///
    /// A run with other settings that affect results, such as another learning rate, is rejected. A run with fewer rounds is
    /// extended.
    pub fn open<X, O>(
        &self,
        path: &Path,
        task: &str,
        expert: &X,
        oracle: &O,
    ) -> Result<RunDir<S, A>, StoreError>
    where
        X: Expert<State = S, Action = A>,
        O: DurableOracle<State = S, Action = A>,
    {
        let spec = self.spec(task, &expert.describe(), &oracle.describe());
        let begun = match read_spec(path) {
            Ok(begun) if self.extends(&begun, &spec) => begun,
            _ => spec.clone(),
        };
        let mut dir = RunDir::open(path, &begun, Arc::new(OsDisk))?;
        dir.extend(&spec)?;
        Ok(dir)
    }

    /// Whether a run that was begun as this becomes this config by more rounds alone. A round that is drawn from all of them
    /// is drawn when the run begins.
    fn extends(&self, begun: &str, spec: &str) -> bool {
        let rounds = |text: &str| -> Option<usize> {
            text.lines().find_map(|line| line.strip_prefix(ROUNDS)?.parse().ok())
        };
        let others = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.starts_with(ROUNDS)).map(str::to_owned).collect()
        };
        let fewer = rounds(begun).is_some_and(|begun| begun < self.schedule.rounds);
        fewer && self.algorithm.deploy != Deploy::RandomRound && others(begun) == others(spec)
    }

    /// The learning curve so far as plain text: [`table`] of the rounds in the folder.
    pub fn table(&self, dir: &RunDir<S, A>) -> String {
        let (history, k) = (dir.history(), self.schedule.states_per_round);
        let lines = RoundLine::all(history, k, &read_times(dir.path()));
        table(&lines, history.expert.as_ref().map(tutelage::evaluation::Evaluation::mean_reward))
    }
}

/// How a spec's line of rounds begins.
const ROUNDS: &str = "rounds = ";
