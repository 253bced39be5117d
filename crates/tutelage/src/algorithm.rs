//! The named algorithms, each a value of the three choices.

use std::sync::Arc;

use crate::{Acting, Action, Batch, Cover, Dataset, Drive, Element, ExpertActs, Size, TrainOn};

/// An algorithm: the three choices and the ensemble size.
#[derive(Clone, Debug)]
pub struct Algorithm<S, A> {
    /// What it is called in the paper.
    pub name: String,
    /// Choice 1: who drives while states are collected.
    pub drive: Drive<S, A>,
    /// Choice 2: what each member trains on.
    pub train_on: TrainOn<S>,
    /// Choice 3: how the members act when all is done. While collecting, πₙ always draws a member at every step.
    pub deploy: Acting,
    /// E.
    pub members: usize,
}

/// BC: the learner imitates the expert's own trajectories (Pomerleau 1988).
pub fn behavior_cloning<S: Element, A: Action>(acts: ExpertActs) -> Algorithm<S, A> {
    Algorithm { name: "BC".into(), drive: Drive::Expert(acts), ..dagger() }
}

/// DAgger: follow the leader on the states that the learner reaches (Ross, Gordon & Bagnell 2011).
pub fn dagger<S: Element, A: Action>() -> Algorithm<S, A> {
    Algorithm {
        name: "DAgger".into(),
        drive: Drive::Learner,
        train_on: TrainOn::Data,
        deploy: Acting::Mean,
        members: 1,
    }
}

/// BD-E, Bootstrap-DAgger: DAgger whose E members see bootstrap samples of D (Li & Zhang 2024, Algorithm 2).
pub fn bootstrap_dagger<S: Element, A: Action>(members: usize) -> Algorithm<S, A> {
    Algorithm { name: format!("BD-{members}"), train_on: TrainOn::Bootstrap, members, ..dagger() }
}

/// MP-E(X): MFTPL-P as the paper's experiments run it, X fixed (Li & Zhang 2024, section 5).
pub fn mp<S: Element, A: Action>(
    members: usize,
    x: usize,
    cover: Arc<dyn Cover<S>>,
) -> Algorithm<S, A> {
    let train_on = TrainOn::Perturbed { size: Size::Fixed(x), cover };
    Algorithm { name: format!("MP-{members}({x})"), train_on, members, ..dagger() }
}

/// MFTPL-P: mixed follow the perturbed leader, X ~ Poisson(λ) (Li & Zhang 2024, Algorithm 1).
pub fn mftpl_p<S: Element, A: Action>(
    members: usize,
    lambda: f64,
    cover: Arc<dyn Cover<S>>,
) -> Algorithm<S, A> {
    let train_on = TrainOn::Perturbed { size: Size::Poisson(lambda), cover };
    Algorithm { name: "MFTPL-P".into(), train_on, members, deploy: Acting::RandomRound, ..dagger() }
}

/// LOGGER-M: mixed follow the perturbed leader, Gaussian costs on a separator set (Li & Zhang 2022).
pub fn logger_m<S: Element, A: Action>(
    members: usize,
    scale: f64,
    separator: Arc<Batch<S>>,
) -> Algorithm<S, A> {
    let train_on = TrainOn::RandomCosts { separator, scale };
    Algorithm {
        name: "LOGGER-M".into(),
        train_on,
        members,
        deploy: Acting::RandomRound,
        ..dagger()
    }
}

/// Bagging on stored data, which separates what an ensemble predicts from what it collects (Breiman 1996).
pub fn bagging<S: Element, A: Action>(members: usize, data: Arc<Dataset<S, A>>) -> Algorithm<S, A> {
    Algorithm {
        name: format!("Bagging-{members}"),
        drive: Drive::Stored(data),
        ..bootstrap_dagger(members)
    }
}

/// Supervised learning on stored data: one member, no resampling.
pub fn supervised<S: Element, A: Action>(data: Arc<Dataset<S, A>>) -> Algorithm<S, A> {
    Algorithm { name: "Supervised".into(), drive: Drive::Stored(data), ..dagger() }
}
