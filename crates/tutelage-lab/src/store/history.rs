//! What a log amounts to.

use tutelage::{Action, Batch, Dataset, Evaluation, OpenRound};

use super::record::{Given, Record, Stored};

/// Everything that happened in a run, derived from its log.
#[derive(Clone, Debug, PartialEq)]
pub struct History<S, A> {
    /// The frozen spec.
    pub spec: String,
    /// The stored data that the run builds on.
    pub given: Vec<Given>,
    /// The expert's own evaluation, where it came so far.
    pub expert: Option<Evaluation>,
    /// The states of each round, in order; the last one may be under way.
    pub rounds: Vec<Round<S, A>>,
    /// What the policy was worth after each round, in order.
    pub results: Vec<RoundResult>,
}

/// A round's states and the answers to them so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Round<S, A> {
    /// The K states.
    pub states: Batch<S>,
    /// The expert's answers, from the first state on.
    pub answers: Option<Batch<A>>,
}

/// What the policy trained after a round is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundResult {
    /// n.
    pub round: usize,
    /// The policy acting with its members' mean.
    pub mean: Evaluation,
    /// The same policy acting with a random member at every step, where it has several.
    pub random: Option<Evaluation>,
}

impl<S, A> Default for History<S, A> {
    fn default() -> Self {
        Self { spec: String::new(), given: vec![], expert: None, rounds: vec![], results: vec![] }
    }
}

impl<S: Stored, A: Stored + Action> History<S, A> {
    /// Whether a record can follow what was there; if not, why.
    pub(crate) fn check(&self, record: &Record<S, A>) -> Result<(), String> {
        match record {
            Record::Spec(_) if !self.spec.is_empty() => Err("a second spec".into()),
            Record::Spec(_) | Record::Given(_) | Record::Expert(_) => Ok(()),
            Record::States { round, .. } => {
                follows("states of round", *round, self.rounds.len() + 1)?;
                if self.rounds.last().is_some_and(|round| !round.is_complete()) {
                    return Err(format!("states of round {round} before the last was annotated"));
                }
                Ok(())
            }
            Record::Answers { round, first, actions } => {
                follows("answers of round", *round, self.rounds.len())?;
                self.rounds.last().ok_or("no states")?.check(*first as usize, actions)
            }
            Record::Result { round, .. } => {
                follows("result of round", *round, self.results.len() + 1)
            }
        }
    }

    /// Adds a record that can follow what was there.
    pub(crate) fn add(&mut self, record: Record<S, A>) {
        match record {
            Record::Spec(text) => self.spec = text,
            Record::Given(given) => self.given.push(given),
            Record::Expert(evaluation) => self.expert = Some(evaluation),
            Record::States { states, .. } => self.rounds.push(Round { states, answers: None }),
            Record::Answers { actions, .. } => {
                if let Some(last) = self.rounds.last_mut() {
                    last.answer(actions);
                }
            }
            Record::Result { round, mean, random } => {
                self.results.push(RoundResult { round: round as usize, mean, random });
            }
        }
    }

    /// What the run noted under this name when it began.
    pub fn noted(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.name == name)
    }

    /// Whether anything happened yet.
    pub(crate) fn has_begun(&self) -> bool {
        self.expert.is_some() || !self.rounds.is_empty() || !self.results.is_empty()
    }

    /// D: the states of all rounds that are annotated, or of those with a result where `rounds` says so.
    pub fn data(&self, rounds: usize) -> Option<Dataset<S, A>> {
        let first = self.rounds.first()?;
        let width = first.answers.as_ref()?.width();
        let mut data =
            Dataset { states: Batch::new(first.states.width()), actions: Batch::new(width) };
        for round in self.rounds.iter().take(rounds).filter(|round| round.is_complete()) {
            data.extend(&round.states, round.answers.as_ref()?);
        }
        Some(data)
    }

    /// How many answers the expert has given.
    pub fn annotations(&self) -> usize {
        self.rounds.iter().map(Round::answered).sum()
    }

    /// The round after the last with a result, where its states are known.
    pub(crate) fn open(&self, action_width: usize) -> Option<OpenRound<S, A>> {
        let round = self.rounds.get(self.results.len())?;
        let labels = round.answers.clone().unwrap_or_else(|| Batch::new(action_width));
        Some(OpenRound { states: round.states.clone(), labels })
    }
}

impl<S: Stored, A: Stored + Action> Round<S, A> {
    /// How many of the states the expert has answered for.
    pub fn answered(&self) -> usize {
        self.answers.as_ref().map_or(0, Batch::len)
    }

    /// Whether the expert has answered for all states.
    pub fn is_complete(&self) -> bool {
        self.answered() == self.states.len()
    }

    fn check(&self, first: usize, actions: &Batch<A>) -> Result<(), String> {
        let (answered, states) = (self.answered(), self.states.len());
        if first != answered || answered + actions.len() > states {
            let last = first + actions.len();
            return Err(format!(
                "answers to rows {first}..{last} after {answered} answers to {states} states"
            ));
        }
        match &self.answers {
            Some(answers) if answers.width() != actions.width() => {
                let (found, before) = (actions.width(), answers.width());
                Err(format!("answers of width {found} after width {before}"))
            }
            _ => Ok(()),
        }
    }

    fn answer(&mut self, actions: Batch<A>) {
        match &mut self.answers {
            None => self.answers = Some(actions),
            Some(answers) => answers.extend(&actions),
        }
    }
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
        let open = history.open(3).unwrap();
        assert_eq!((open.states.len(), open.labels.len()), (2, 2), "no result: round 1 is open");
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
    fn rounds_come_in_order() {
        assert!(replay(vec![states(2)]).is_err());
        assert!(replay(vec![states(1), states(2)]).is_err());
        assert!(replay(vec![states(1), answers(1, 0, 2), states(2)]).is_ok());
    }
}
