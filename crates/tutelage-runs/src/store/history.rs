//! What a log amounts to.

use std::collections::{BTreeMap, HashMap};

use tutelage::evaluation::Evaluation;
use tutelage::lesson::{Reply, Round};
use tutelage::{Batch, Dataset, Element};

use super::record::{Fingerprint, PolicyNote};

/// Everything that happened in a run, derived from its log.
#[derive(Clone, Debug, PartialEq)]
pub struct History<S, A> {
    /// The frozen spec; where the run was extended, the last one.
    pub spec: String,
    /// The stored data that the run builds on, and the expert.
    pub fingerprints: Vec<Fingerprint>,
    /// The expert's own evaluation, where it came so far.
    pub expert: Option<Evaluation>,
    /// The rounds in order; the last one may be under way. Answers are in the task's own units.
    pub rounds: Vec<Round<S, A>>,
    /// What the policy was worth after each round, in order.
    pub results: Vec<RoundResult>,
    /// What was noted of the policies, by the round after which they were trained.
    pub policies: BTreeMap<usize, PolicyNote>,
}

/// What the policy trained after a round is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundResult {
    /// n.
    pub round: usize,
    /// The policy acting as its algorithm deploys it.
    pub deployed: Evaluation,
    /// The same policy acting with a random member at every step, where it has several and is deployed otherwise.
    pub random: Option<Evaluation>,
}

impl<S, A> Default for History<S, A> {
    fn default() -> Self {
        Self {
            spec: String::new(),
            fingerprints: vec![],
            expert: None,
            rounds: vec![],
            results: vec![],
            policies: BTreeMap::new(),
        }
    }
}

impl<S: Element, A: Element> History<S, A> {
    /// How wide actions are, where anything says so.
    fn action_width(&self) -> Option<usize> {
        self.rounds.iter().find_map(known_action_width)
    }

    /// What the run noted under this name when it began.
    pub fn noted(&self, name: &str) -> Option<&Fingerprint> {
        self.fingerprints.iter().find(|fingerprint| fingerprint.name == name)
    }

    /// Whether anything happened yet.
    pub fn has_begun(&self) -> bool {
        self.expert.is_some() || !self.rounds.is_empty() || !self.results.is_empty()
    }

    /// How many rounds have all their answers: all but the last, which may be under way.
    pub fn settled(&self) -> usize {
        let is_under_way = self.rounds.last().is_some_and(|round| !round.is_settled());
        self.rounds.len() - usize::from(is_under_way)
    }

    /// How many rounds are closed: a policy was trained on their answers, so these can no longer be revised.
    pub fn closed(&self) -> usize {
        let trained = self.policies.keys().next_back().copied().unwrap_or(0);
        trained.max(self.results.len())
    }

    /// D₁, D₂, …: what each annotated round added to D, in the task's own units; some may be empty. None before the first
    /// answer.
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

    /// D after so many rounds, as far as they are annotated, in the task's own units.
    pub fn data(&self, rounds: usize) -> Option<Dataset<S, A>> {
        let rounds = self.annotated_rounds().into_iter().take(rounds);
        rounds.reduce(|mut data, round| {
            data.append(&round);
            data
        })
    }

    /// How many answers the expert has given.
    pub fn annotations(&self) -> usize {
        self.rounds.iter().map(|round| round.labeled_rows().len()).sum()
    }

    /// How many examples were trained on after so many rounds.
    pub fn annotations_after(&self, rounds: usize, states_per_round: usize) -> usize {
        self.sizes(rounds, states_per_round).into_iter().sum()
    }

    /// The same for each number of rounds from 0 on, up to those that have a result.
    pub(crate) fn annotations_by_round(&self, states_per_round: usize) -> Vec<usize> {
        sums(self.sizes(self.results.len(), states_per_round), usize::saturating_add)
    }

    /// |D₁|, |D₂|, …. A run on stored data has noted how many examples it took in each round; runs from before that was noted
    /// took K.
    fn sizes(&self, rounds: usize, states_per_round: usize) -> Vec<usize> {
        if !self.rounds.is_empty() {
            let rounds = self.rounds.iter().take(rounds);
            return rounds.map(|round| round.labeled_rows().len()).collect();
        }
        let rows = |data: &Fingerprint| (data.name.clone(), data.rows as usize);
        let noted: HashMap<String, usize> = self.fingerprints.iter().map(rows).collect();
        let size = |n| noted.get(&stored_round(n)).copied().unwrap_or(states_per_round);
        (1..=rounds).map(size).collect()
    }

    /// How many steps the expert drove in the first n rounds, for each n from 0 on, as far as the log says so: format 1 did not
    /// count steps.
    pub(crate) fn expert_steps_by_round(&self) -> Vec<u64> {
        let counted = |round: &&Round<S, A>| round.steps.all > 0 || round.states.is_empty();
        let steps = self.rounds.iter().take_while(counted).map(|round| round.steps.by_expert);
        sums(steps, u64::saturating_add)
    }

    /// How many steps the expert drove in the first so many rounds.
    pub fn expert_steps_after(&self, rounds: usize) -> u64 {
        let steps = self.rounds.iter().take(rounds).map(|round| round.steps.by_expert);
        steps.fold(0, u64::saturating_add)
    }
}

/// How wide the actions of a round are, where anything says so.
pub(super) fn known_action_width<S, A: Element>(round: &Round<S, A>) -> Option<usize> {
    let known = !round.intended.is_empty() || round.replies.contains(&Reply::Labeled);
    known.then(|| round.labels.width())
}

/// 0 and the sums of the first, the first two, ….
fn sums<T: Copy + Default>(items: impl IntoIterator<Item = T>, add: fn(T, T) -> T) -> Vec<T> {
    let sum = |sum: &mut T, item| {
        *sum = add(*sum, item);
        Some(*sum)
    };
    [T::default()].into_iter().chain(items.into_iter().scan(T::default(), sum)).collect()
}

/// What a run on stored data calls what it trained on after so many rounds of it.
pub(crate) fn stored_round(round: usize) -> String {
    format!("data: round {round}")
}
