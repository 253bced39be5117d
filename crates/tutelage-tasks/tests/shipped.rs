//! Shipped experts agree with their cards.

use tutelage::Stream;
use tutelage::choice::ExpertActs;
use tutelage_tasks::bullet::Robot;
use tutelage_tasks::experts::{GaussianExpert, SHIPPED, Shipped, TimeFeature};

/// The minimum mean return of each shipped expert, and the maximum of its relative deviation.
const NEEDED: [(&str, f64); 5] = [
    ("hopper", 2500.0),
    ("walker2d", 2200.0),
    ("half-cheetah", 2800.0),
    ("ant", 2800.0),
    ("hopper-forgiving", 2500.0),
];
const STEADY: f64 = 0.15;

#[test]
fn cards_have_commands_and_good_scores() {
    for (name, needed) in NEEDED {
        let shipped = Shipped::named(name).unwrap();
        let (task, expert) = (shipped.task, shipped.expert().unwrap());
        assert_eq!((expert.robot(), expert.time_feature()), (task, TimeFeature::Omitted));
        assert_eq!(expert.policy().network().layout().widths()[1..3], [64, 64]);
        let card = expert.card();
        let command = card.command.as_deref().unwrap_or_default();
        assert!(command.starts_with(&format!("tutelage expert train {task} --seed")), "{command}");
        assert!(card.seed.is_some() && card.steps.is_some());
        let acts: Vec<&str> = card.scores.iter().map(|score| score.act.as_str()).collect();
        assert_eq!(acts, ["mean", "sample"]);
        let mean = &card.scores[0];
        assert!(card.scores.iter().all(|score| score.episodes >= 200), "too few episodes");
        assert!(mean.mean >= needed && mean.sd <= STEADY * mean.mean);
    }
}

#[test]
fn new_episodes_agree_with_the_cards() {
    for (name, needed) in NEEDED {
        let expert = Shipped::named(name).unwrap().expert().unwrap();
        let earned = expert.evaluate(ExpertActs::Mean, 3, &Stream::new(99)).unwrap();
        assert!(earned.mean_reward() >= needed, "{name}: {}", earned.mean_reward());
    }
}

#[test]
fn every_task_has_a_default_expert_of_its_name() {
    for task in Robot::ALL {
        assert_eq!(GaussianExpert::shipped(task).unwrap().robot(), task);
        assert_eq!(Shipped::named(task.name()).unwrap().task, task);
    }
    assert_eq!(SHIPPED.len(), NEEDED.len());
    assert_eq!(Shipped::named("humanoid"), None);
}

#[test]
fn forgiving_expert_tolerates_noise() {
    let earned = |name: &str| {
        let expert = Shipped::named(name).unwrap().expert().unwrap().with_noise(0.4);
        expert.evaluate(ExpertActs::Sampled, 5, &Stream::new(7)).unwrap().mean_reward()
    };
    let (own, forgiving) = (earned("hopper"), earned("hopper-forgiving"));
    assert!(own < 800.0 && forgiving > 2000.0, "{own} {forgiving}");
}
