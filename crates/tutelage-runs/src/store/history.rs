//! What a log amounts to.

use std::collections::BTreeMap;

use tutelage::{Action, Batch, Dataset, Evaluation, Round};

use super::record::{Given, PolicyNote, Questions, Record, Stored};

/// Everything that happened in a run, derived from its log.
#[derive(Clone, Debug, PartialEq)]
pub struct History<S, A> {
    /// The frozen spec; where the run was extended, the last one.
    pub spec: String,
    /// The stored data that the run builds on.
    pub given: Vec<Given>,
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
            given: vec![],
            expert: None,
            rounds: vec![],
            results: vec![],
            policies: BTreeMap::new(),
        }
    }
}

impl<S: Stored, A: Stored + Action> History<S, A> {
    /// Whether a record can follow what was there; if not, why.
    pub(crate) fn check(&self, record: &Record<S, A>) -> Result<(), String> {
        match record {
            Record::Spec(_) | Record::Given(_) | Record::Expert(_) => Ok(()),
            Record::States { round, states } => self.check_states(*round, states),
            Record::Questions(Questions { round, states, intended, .. }) => {
                self.check_states(*round, states)?;
                match self.action_width() {
                    Some(width) if width != intended.width() => {
                        Err(format!("actions of width {} after width {width}", intended.width()))
                    }
                    _ => Ok(()),
                }
            }
            Record::Answers { round, first, actions } => {
                let rows = rows_from(*first, actions.len());
                if (0..*first).any(|row| self.is_open(row)) {
                    return Err(format!("answers from row {first} on before the rows above"));
                }
                if rows.iter().any(|&row| !self.is_open(row)) {
                    return Err(format!("answers from row {first} on that were answered before"));
                }
                self.check_replies(*round, &rows, Some(actions))
            }
            Record::Replies { round, rows, actions } => {
                self.check_replies(*round, rows, actions.as_ref())
            }
            Record::Policy(note) => match self.policies.get(&(note.round as usize)) {
                Some(noted) if noted != note => {
                    Err(format!("another policy of round {}", note.round))
                }
                // A run on stored data has no rounds of its own.
                _ if !self.rounds.is_empty() && note.round as usize > self.settled() => {
                    Err(format!("a policy of round {} before its answers", note.round))
                }
                _ => Ok(()),
            },
            Record::Result { round, .. } => {
                follows("result of round", *round, self.results.len() + 1)
            }
        }
    }

    fn check_states(&self, round: u32, states: &Batch<S>) -> Result<(), String> {
        follows("states of round", round, self.rounds.len() + 1)?;
        if self.rounds.last().is_some_and(|round| !round.is_settled()) {
            return Err(format!("states of round {round} before the last was annotated"));
        }
        match self.rounds.first() {
            Some(first) if first.states.width() != states.width() => Err(format!(
                "states of width {} after width {}",
                states.width(),
                first.states.width()
            )),
            _ => Ok(()),
        }
    }

    fn check_replies(
        &self,
        round: u32,
        rows: &[u32],
        actions: Option<&Batch<A>>,
    ) -> Result<(), String> {
        follows("answers of round", round, self.rounds.len())?;
        if self.policies.contains_key(&self.rounds.len()) {
            return Err(format!("answers of round {round} after it was closed"));
        }
        let last = self.rounds.last().ok_or("no states")?;
        last.check_rows(rows).map_err(|error| error.to_string())?;
        let Some(actions) = actions else { return Ok(()) };
        if actions.len() != rows.len() {
            return Err(format!("{} answers to {} rows", actions.len(), rows.len()));
        }
        match self.action_width() {
            Some(width) if width != actions.width() => {
                Err(format!("answers of width {} after width {width}", actions.width()))
            }
            _ => Ok(()),
        }
    }

    fn is_open(&self, row: u32) -> bool {
        let last = self.rounds.last();
        last.is_some_and(|round| round.replies.get(row as usize) == Some(&tutelage::Reply::Open))
    }

    /// How wide actions are, where anything says so.
    fn action_width(&self) -> Option<usize> {
        let known = |round: &&Round<S, A>| {
            !round.intended.is_empty() || round.replies.contains(&tutelage::Reply::Answered)
        };
        self.rounds.iter().find(known).map(|round| round.answers.width())
    }

    /// Adds a record that can follow what was there.
    pub(crate) fn add(&mut self, record: Record<S, A>) {
        match record {
            Record::Spec(text) => self.spec = text,
            Record::Given(given) => self.given.push(given),
            Record::Expert(evaluation) => self.expert = Some(evaluation),
            Record::States { states, .. } => {
                self.rounds.push(Round::new(states, self.action_width().unwrap_or(1)));
            }
            Record::Questions(Questions { states, intended, steps, notes, .. }) => {
                let (origins, rewards) = notes.into_iter().unzip();
                let width = intended.width();
                let round = Round::new(states, width);
                self.rounds.push(Round { origins, rewards, intended, steps, ..round });
            }
            Record::Answers { first, actions, .. } => {
                self.reply(&rows_from(first, actions.len()), Some(&actions));
            }
            Record::Replies { rows, actions, .. } => self.reply(&rows, actions.as_ref()),
            Record::Policy(note) => drop(self.policies.insert(note.round as usize, note)),
            Record::Result { round, deployed, random } => {
                self.results.push(RoundResult { round: round as usize, deployed, random });
            }
        }
    }

    fn reply(&mut self, rows: &[u32], actions: Option<&Batch<A>>) {
        let Some(last) = self.rounds.last_mut() else { return };
        match actions {
            None => last.skip(rows),
            Some(actions) => {
                // Format 1 tells how wide actions are with the first answer only.
                if last.answers.width() != actions.width() {
                    *last = Round::new(last.states.clone(), actions.width());
                }
                last.answer(rows, actions);
            }
        }
    }

    /// What the run noted under this name when it began.
    pub fn noted(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.name == name)
    }

    /// Whether anything happened yet.
    pub fn has_begun(&self) -> bool {
        self.expert.is_some() || !self.rounds.is_empty() || !self.results.is_empty()
    }

    /// How many rounds have all their answers.
    pub fn settled(&self) -> usize {
        self.rounds.iter().filter(|round| round.is_settled()).count()
    }

    /// How many rounds are closed: a policy was trained on their answers, so these can no longer be revised.
    pub fn closed(&self) -> usize {
        let trained = self.policies.keys().next_back().copied().unwrap_or(0);
        trained.max(self.results.len())
    }

    /// D after so many rounds, as far as they are annotated, in the task's own units.
    pub fn data(&self, rounds: usize) -> Option<Dataset<S, A>> {
        let first = self.rounds.first()?;
        let mut data = Dataset {
            states: Batch::new(first.states.width()),
            actions: Batch::new(self.action_width()?),
        };
        for round in self.rounds.iter().take(rounds).filter(|round| round.is_settled()) {
            let rows = round.answered_rows();
            if !rows.is_empty() {
                data.extend(&round.states.select(&rows), &round.answers.select(&rows));
            }
        }
        Some(data)
    }

    /// How many answers the expert has given.
    pub fn annotations(&self) -> usize {
        self.rounds.iter().map(|round| round.answered_rows().len()).sum()
    }

    /// How many examples were trained on after so many rounds; a run on stored data, which has none of its own, took K of
    /// them in each.
    pub fn annotations_after(&self, rounds: usize, states_per_round: usize) -> usize {
        if self.rounds.is_empty() {
            return rounds * states_per_round;
        }
        self.rounds.iter().take(rounds).map(|round| round.answered_rows().len()).sum()
    }

    /// How many steps the expert drove in the first so many rounds.
    pub fn expert_steps_after(&self, rounds: usize) -> u64 {
        self.rounds.iter().take(rounds).map(|round| round.steps.by_expert).sum()
    }
}

fn rows_from(first: u32, count: usize) -> Vec<u32> {
    (first..).take(count).collect()
}

fn follows(what: &str, round: u32, expected: usize) -> Result<(), String> {
    if round as usize == expected {
        Ok(())
    } else {
        Err(format!("{what} {round} where {expected} was expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(round: u32) -> Record<f32, f32> {
        let values = vec![round as f32, 0.0, 1.0, 2.0];
        Record::States { round, states: Batch::from_vec(2, values).unwrap() }
    }

    fn answers(round: u32, first: u32, count: usize) -> Record<f32, f32> {
        Record::Answers { round, first, actions: Batch::zeros(count, 3) }
    }

    fn replay(records: Vec<Record<f32, f32>>) -> Result<History<f32, f32>, String> {
        let mut history = History::default();
        for record in records {
            history.check(&record)?;
            history.add(record);
        }
        Ok(history)
    }

    #[test]
    fn counters_follow_from_the_records() {
        let history = replay(vec![
            states(1),
            answers(1, 0, 1),
            answers(1, 1, 1),
            states(2),
            answers(2, 0, 1),
        ])
        .unwrap();
        assert_eq!(history.annotations(), 3);
        assert_eq!(history.data(9).unwrap().len(), 2, "the second round is not complete");
        assert_eq!((history.settled(), history.closed()), (1, 0), "no policy: round 1 is open");
    }

    #[test]
    fn no_state_is_answered_twice_or_skipped() {
        assert!(replay(vec![states(1), answers(1, 0, 1), answers(1, 0, 1)]).is_err());
        assert!(replay(vec![states(1), answers(1, 1, 1)]).is_err());
        assert!(replay(vec![states(1), answers(1, 0, 3)]).is_err());
        assert!(replay(vec![answers(1, 0, 1)]).is_err());
        let wider = Record::Answers { round: 1, first: 1, actions: Batch::zeros(1, 4) };
        assert!(replay(vec![states(1), answers(1, 0, 1), wider]).is_err());
    }

    #[test]
    fn replies_come_in_any_order_can_be_revised_and_are_settled_once_a_policy_is_trained() {
        let reply = |rows: &[u32], value: f32| Record::<f32, f32>::Replies {
            round: 1,
            rows: rows.to_vec(),
            actions: Some(Batch::from_vec(1, vec![value; rows.len()]).unwrap()),
        };
        let skip = |row: u32| Record::Replies { round: 1, rows: vec![row], actions: None };
        let history = replay(vec![states(1), reply(&[1], 0.5), skip(0), reply(&[1], 0.7)]).unwrap();
        assert_eq!(history.data(1).unwrap().actions.as_slice(), [0.7]);
        assert_eq!((history.annotations(), history.settled()), (1, 1));
        assert!(replay(vec![states(1), reply(&[2], 0.5)]).is_err(), "there is no such row");
        let policy = Record::Policy(PolicyNote::of(1, b"x"));
        assert!(replay(vec![states(1), reply(&[0], 0.5), policy.clone()]).is_err());
        let all = || vec![states(1), reply(&[0, 1], 0.5), policy.clone()];
        assert_eq!(replay(all()).unwrap().closed(), 1);
        assert!(replay([all(), vec![reply(&[0], 0.1)]].concat()).is_err(), "it is closed");
        let other = Record::Policy(PolicyNote::of(1, b"y"));
        assert!(replay([all(), vec![other]].concat()).is_err(), "another policy");
        assert!(replay([all(), vec![policy]].concat()).is_ok(), "the same again");
    }

    #[test]
    fn rounds_of_different_widths_are_refused() {
        let wide = Record::States { round: 2, states: Batch::zeros(2, 3) };
        assert!(replay(vec![states(1), answers(1, 0, 2), wide]).is_err());
        let wider = Record::Answers { round: 2, first: 0, actions: Batch::zeros(2, 4) };
        assert!(replay(vec![states(1), answers(1, 0, 2), states(2), wider]).is_err());
    }

    #[test]
    fn rounds_come_in_order() {
        assert!(replay(vec![states(2)]).is_err());
        assert!(replay(vec![states(1), states(2)]).is_err());
        assert!(replay(vec![states(1), answers(1, 0, 2), states(2)]).is_ok());
    }
}
