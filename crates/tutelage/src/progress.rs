//! Where a run stands.

use crate::{Action, Batch, Dataset, Element, LearnError, Plan, Spaces};

/// What has been done already: nothing, or what an interrupted run had come to.
#[derive(Clone, Debug)]
pub struct Progress<S, A, P> {
    /// D, K rows for each finished round.
    pub data: Dataset<S, A>,
    /// The policy trained on D, where it was kept; otherwise it is trained again, to the same bits.
    pub policy: Option<P>,
    /// The round under way, where its states were collected.
    pub open: Option<OpenRound<S, A>>,
    /// π_n̂, where a random round is deployed and it has passed.
    pub random_round: Option<P>,
}

/// A round whose states are collected but not all annotated.
#[derive(Clone, Debug)]
pub struct OpenRound<S, A> {
    /// Its K states.
    pub states: Batch<S>,
    /// What the expert has answered so far, from the first state on.
    pub labels: Batch<A>,
}

impl<S: Element, A: Action, P> Progress<S, A, P> {
    /// Nothing done yet: D = ∅.
    pub fn none(spaces: Spaces) -> Self {
        Self { data: Dataset::empty(spaces), policy: None, open: None, random_round: None }
    }
}

/// Whether a run of this plan can go on from here.
pub(crate) fn check_progress<S: Element, A: Action, P>(
    plan: &Plan,
    Progress { data, open, .. }: &Progress<S, A, P>,
    spaces: Spaces,
) -> Result<(), LearnError> {
    let k = plan.states_per_round;
    let unfit = |what, found, expected| Err(LearnError::Progress { what, found, expected });
    if data.len() % k != 0 || data.len() / k > plan.rounds || data.actions.len() != data.len() {
        return unfit(
            "annotated states",
            data.len(),
            format!("whole rounds of {k}, at most {}", plan.rounds),
        );
    }
    let names = ["a state to continue from", "an action to continue from"];
    check_widths(names, &data.states, &data.actions, spaces)?;
    let Some(OpenRound { states, labels }) = open else { return Ok(()) };
    if states.len() != k || labels.len() > k {
        return unfit("states in the open round", states.len(), format!("rounds of {k}"));
    }
    check_widths(
        ["a state of the open round", "an answer of the open round"],
        states,
        labels,
        spaces,
    )
}

/// Whether examples that come from outside are of this task.
pub(crate) fn check_widths<S: Element, A: Action>(
    names: [&'static str; 2],
    states: &Batch<S>,
    actions: &Batch<A>,
    spaces: Spaces,
) -> Result<(), LearnError> {
    let found = [states.width(), actions.width()];
    let expected = [S::width(spaces.states), A::width(spaces.actions)];
    match (0..2).find(|&i| found[i] != expected[i]) {
        None => Ok(()),
        Some(i) => {
            Err(LearnError::Width { what: names[i], found: found[i], expected: expected[i] })
        }
    }
}
