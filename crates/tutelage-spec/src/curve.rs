//! Learning curves of runs and of experts.

use tutelage_draw::plot::{Color, Curve, Figure, Panel, Scale, Style};
use tutelage_runs::RoundLine;
use tutelage_tasks::experts::Training;
use tutelage_tasks::experts::trpo::Iteration;

/// Plots reward and imitation loss over annotations, with the expert's reward as a level.
pub fn learning_curve(title: &str, lines: &[RoundLine], expert: Option<f64>) -> Figure {
    let points = |value: &dyn Fn(&RoundLine) -> Option<f64>| -> Vec<(f64, f64)> {
        let point = |line: &RoundLine| Some((line.annotations as f64, value(line)?));
        lines.iter().filter_map(point).collect()
    };
    let several = lines.iter().any(|line| line.reward_random.is_some());
    let name = if several { "members' mean" } else { "learned policy" };
    let mean = Curve::new(name, points(&|line| Some(line.reward)))
        .color(Color::palette(0))
        .style(Style::Marked);
    let random = Curve::new("random member", points(&|line| line.reward_random))
        .color(Color::palette(1))
        .style(Style::Dashed);
    let loss = Curve { points: points(&|line| line.imitation_loss), ..mean.clone() };
    let mut reward =
        Panel::new("reward").x("annotations", Scale::Linear).y("average reward", Scale::Linear);
    if several {
        reward = reward.curve(random);
    }
    reward = reward.curve(mean);
    if let Some(expert) = expert {
        reward = reward.level("expert", expert);
    }
    if let Some(steps) = lines.last().and_then(RoundLine::driven) {
        reward = reward.note(format!("the expert drove {steps} steps"));
    }
    let figure = Figure::new(title).panel(reward);
    if loss.points.is_empty() {
        return figure;
    }
    let losses = Panel::new("imitation loss").x("annotations", Scale::Linear);
    figure.panel(losses.y("imitation loss", Scale::Log).curve(loss))
}

/// Plots the training of an expert: return, episode length, KL divergence and entropy over steps.
pub fn training_curve(training: &Training) -> Figure {
    let panel = |title: &str, y: fn(&Iteration) -> f64| {
        let points = training.curve().iter().map(|i| (i.steps as f64 / 1e6, y(i))).collect();
        Panel::new(title)
            .x("million environment steps", Scale::Linear)
            .y(title, Scale::Linear)
            .curve(Curve::new(training.robot().name(), points))
    };
    Figure::new(format!("TRPO on {}, seed {}", training.robot(), training.learner().seed()))
        .panel(panel("return", |i| i.reward))
        .panel(panel("episode length", |i| i.length))
        .panel(panel("KL divergence", |i| i.kl))
        .panel(panel("entropy", |i| i.entropy))
        .columns(2)
}
