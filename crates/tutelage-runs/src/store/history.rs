//! The contents of a log.

use std::collections::{BTreeMap, HashMap};

use tutelage::evaluation::Evaluation;
use tutelage::lesson::{Reply, Round};
use tutelage::{Batch, Dataset, Element};

use super::record::{Fingerprint, PolicyNote};

/// Everything that happened in a run, derived from its log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History<S, A> {
    /// The frozen spec; if the run was extended, the last one.
    pub spec: String,
    /// The run's inputs: stored data and the expert.
    pub fingerprints: Vec<Fingerprint>,
    /// The expert's own evaluation, if it is finished.
    pub expert: Option<Evaluation>,
    /// The rounds in order; the last one may be incomplete. Labels are in the task's own units.
    pub rounds: Vec<Round<S, A>>,
    /// The evaluation after each round, in order.
    pub results: Vec<RoundResult>,
    /// The fingerprints of the policies, by the round after which they were trained.
    pub policies: BTreeMap<usize, PolicyNote>,
}

/// The evaluation of the policy trained after a round.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundResult {
    /// The round's number n.
    pub round: usize,
    /// The policy as its algorithm deploys it.
    pub deployed: Evaluation,
    /// The same policy with a random member at every step, if it has several and is deployed differently.
    pub random: Option<Evaluation>,
}

impl<S: Element, A: Element> History<S, A> {
    /// The width of actions, if it is known.
    fn action_width(&self) -> Option<usize> {
        self.rounds.iter().find_map(known_action_width)
    }

    /// The recorded fingerprint of the input with this name.
    pub fn fingerprint(&self, name: &str) -> Option<&Fingerprint> {
        self.fingerprints.iter().find(|fingerprint| fingerprint.name == name)
    }

    /// Whether any work was done.
    pub fn has_started(&self) -> bool {
        self.expert.is_some() || !self.rounds.is_empty() || !self.results.is_empty()
    }

    /// The number of closed rounds: a policy was trained on their labels, so they cannot be revised.
    pub fn closed(&self) -> usize {
        let trained = self.policies.keys().next_back().copied().unwrap_or(0);
        trained.max(self.results.len())
    }

    /// D₁, D₂, …: the data that each complete round added to D, in the task's own units. Some may be empty. There are none
    /// before the first label.
    pub fn annotated_rounds(&self) -> Vec<Dataset<S, A>> {
        let Some(width) = self.action_width() else { return vec![] };
        let examples = |round: &Round<S, A>| {
            let rows = round.labeled_rows();
            let actions = match rows[..] {
                [] => Batch::new(width),
                _ => round.labels.select(&rows),
            };
            Dataset { states: round.states.select(&rows), actions }
        };
        self.rounds.iter().filter(|round| round.is_settled()).map(examples).collect()
    }

    /// D after `rounds` rounds, as far as they are complete, in the task's own units.
    pub fn data(&self, rounds: usize) -> Option<Dataset<S, A>> {
        let rounds = self.annotated_rounds().into_iter().take(rounds);
        rounds.reduce(|mut data, round| {
            data.append(&round);
            data
        })
    }

    /// The number of labels.
    pub fn annotations(&self) -> usize {
        self.rounds.iter().map(|round| round.labeled_rows().len()).sum()
    }

    /// The number of training examples after 0, 1, … finished rounds.
    pub(crate) fn annotations_by_round(&self, states_per_round: usize) -> Vec<usize> {
        sums(self.sizes(self.results.len(), states_per_round), usize::saturating_add)
    }

    /// |D₁|, |D₂|, …. A run on stored data records the number of examples of each round. Old runs did not; they took K each.
    fn sizes(&self, rounds: usize, states_per_round: usize) -> Vec<usize> {
        if !self.rounds.is_empty() {
            let rounds = self.rounds.iter().take(rounds);
            return rounds.map(|round| round.labeled_rows().len()).collect();
        }
        let rows = |data: &Fingerprint| (data.name.clone(), data.rows as usize);
        let recorded: HashMap<String, usize> = self.fingerprints.iter().map(rows).collect();
        let size = |n| recorded.get(&stored_round(n)).copied().unwrap_or(states_per_round);
        (1..=rounds).map(size).collect()
    }

    /// The number of steps that the expert drove in the first 0, 1, … rounds. Stops at the first round of format 1, which did
    /// not count steps.
    pub(crate) fn expert_steps_by_round(&self) -> Vec<u64> {
        let counted = |round: &&Round<S, A>| round.steps.all > 0 || round.states.is_empty();
        let steps = self.rounds.iter().take_while(counted).map(|round| round.steps.by_expert);
        sums(steps, u64::saturating_add)
    }

    /// The number of steps that the expert drove.
    pub fn expert_steps(&self) -> u64 {
        self.rounds.iter().fold(0, |sum, round| sum.saturating_add(round.steps.by_expert))
    }
}

/// The width of a round's actions, if it is known.
pub(super) fn known_action_width<S, A: Element>(round: &Round<S, A>) -> Option<usize> {
    let known = !round.intended.is_empty() || round.replies.contains(&Reply::Labeled);
    known.then(|| round.labels.width())
}

/// The sums of the first 0, 1, … items.
fn sums<T: Copy + Default>(items: impl IntoIterator<Item = T>, add: fn(T, T) -> T) -> Vec<T> {
    let sum = |sum: &mut T, item| {
        *sum = add(*sum, item);
        Some(*sum)
    };
    [T::default()].into_iter().chain(items.into_iter().scan(T::default(), sum)).collect()
}

/// The name of the fingerprint of a round of stored data.
pub(crate) fn stored_round(round: usize) -> String {
    format!("data: round {round}")
}
