//! The experts that ship are what their cards say.

use tutelage::{ExpertActs, Stream};
use tutelage_envs::Task;
use tutelage_experts::{Clock, GaussianExpert};

/// What a shipped expert's mean action must earn, and the share of it that it may vary by.
const NEEDED: [(Task, f64); 4] = [
    (Task::Hopper, 2500.0),
    (Task::Walker2d, 2200.0),
    (Task::HalfCheetah, 2800.0),
    (Task::Ant, 2800.0),
];
const STEADY: f64 = 0.15;

#[test]
fn cards_say_how_they_were_made_and_that_they_are_good() {
    for (task, needed) in NEEDED {
        let expert = GaussianExpert::shipped(task).unwrap();
        assert_eq!((expert.task(), expert.clock()), (task, Clock::Hidden));
        assert_eq!(expert.policy().network().layout().widths()[1..3], [64, 64]);
        let card = expert.card();
        let command = card.command.as_deref().unwrap_or_default();
        assert!(command.starts_with(&format!("tutelage expert train {task} --seed")), "{command}");
        assert!(card.seed.is_some() && card.steps.is_some());
        let acts: Vec<&str> = card.scores.iter().map(|score| score.act.as_str()).collect();
        assert_eq!(acts, ["mean", "sample"]);
        let mean = &card.scores[0];
        assert!(mean.episodes == 25 && mean.mean >= needed && mean.sd <= STEADY * mean.mean);
    }
}

#[test]
fn fresh_episodes_bear_the_cards_out() {
    for (task, needed) in NEEDED {
        let expert = GaussianExpert::shipped(task).unwrap();
        let earned = expert.evaluate(ExpertActs::Mean, 3, &Stream::new(99)).unwrap();
        assert!(earned.mean_reward() >= needed, "{task}: {}", earned.mean_reward());
    }
}
