//! What to do in a run.

use tutelage::{Algorithm, Deploy, Material, Schedule};

/// What to do in a run: everything but who takes part.
#[derive(Debug)]
pub struct Job<'a, S, A> {
    /// The four choices.
    pub algorithm: Algorithm,
    /// How long to learn, and the randomness.
    pub schedule: Schedule,
    /// What the choices need from outside.
    pub material: Material<'a, S, A>,
    /// T, the episodes of an evaluation.
    pub episodes: usize,
    /// Which policies stay on disk.
    pub keep: Keep,
}

impl<S, A> Clone for Job<'_, S, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, A> Copy for Job<'_, S, A> {}

/// Which policies a run keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Those of all rounds.
    #[default]
    All,
    /// The last one, and what the algorithm returns.
    Last,
}

impl<S, A> Job<'_, S, A> {
    /// The spec of a run of one's own: everything that changes its result, in words, so that a run is never continued as
    /// another. `task` is the environment's name with all of its settings; oracle and expert describe themselves.
    pub fn spec(&self, task: &str, expert: &str, oracle: &str) -> String {
        let Schedule { rounds, states_per_round, stream } = self.schedule;
        let Algorithm { drive, ask, train_on, deploy, members } = self.algorithm;
        let text = |name: &str, value: &dyn std::fmt::Debug| format!("{name} = {value:?}\n");
        let words = |name: &str, value: &dyn std::fmt::Debug| text(name, &format!("{value:?}"));
        [
            text("task", &task),
            text("expert", &expert),
            text("oracle", &oracle),
            words("drive", &drive),
            words("ask", &ask),
            words("train_on", &train_on),
            words("deploy", &deploy),
            text("members", &members),
            text("rounds", &rounds),
            text("states_per_round", &states_per_round),
            text("episodes", &self.episodes),
            text("stream", &stream.name()),
        ]
        .concat()
    }

    /// The round whose policy the algorithm returns after N rounds: the last, or the one before the random round.
    pub fn returned_round(&self) -> usize {
        match self.algorithm.random_round(&self.schedule) {
            Some(round) if self.algorithm.deploy == Deploy::RandomRound => round - 1,
            _ => self.schedule.rounds,
        }
    }
}
