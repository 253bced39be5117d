//! Draws a figure of every kind of element: `cargo run -p tutelage-draw --example plot -- DIR`.

use tutelage_draw::plot::{Color, Curve, Figure, FigureError, Panel, Scale, Style};

fn main() -> Result<(), FigureError> {
    let dir = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let figure = Figure::new("Every kind of element")
        .panel(learning_curves())
        .panel(losses())
        .panel(regret())
        .panel(map());
    figure.save_svg(dir.join("gallery.svg"))?;
    figure.save_png(dir.join("gallery.png"))?;
    figure.save_csv(dir.join("gallery.csv"))
}

fn learning_curves() -> Panel {
    let curve = |name: &str, speed: f64, style| {
        let y = |x: f64| 2600.0 * (1.0 - (-speed * x / 1000.0).exp());
        let points: Vec<_> =
            (1..=20).map(|r| (50.0 * f64::from(r), y(50.0 * f64::from(r)))).collect();
        let band = points.iter().map(|&(_, y)| (0.9 * y, 1.06 * y)).collect();
        Curve::new(name, points).band(band).style(style)
    };
    Panel::new("Hopper, realizable")
        .x("annotations", Scale::Linear)
        .y("average reward", Scale::Linear)
        .curve(curve("BC", 1.5, Style::Dotted))
        .curve(curve("DAgger", 3.0, Style::Dashed))
        .curve(curve("BD-5", 6.0, Style::Solid))
        .level("expert", 2600.0)
}

fn losses() -> Panel {
    let curve = |name: &str, rate: f64, style| {
        let points =
            (1..=20).map(|r| 50.0 * f64::from(r)).map(|x| (x, 0.5 * (-rate * x / 200.0).exp()));
        Curve::new(name, points.collect()).style(style)
    };
    Panel::new("imitation loss, log axis")
        .x("annotations", Scale::Linear)
        .y("imitation loss", Scale::Log)
        .curve(curve("BC", 0.4, Style::Dotted))
        .curve(curve("DAgger", 0.9, Style::Dashed))
        .curve(curve("BD-5", 1.4, Style::Solid))
}

fn regret() -> Panel {
    let points = (0..=10).map(|i| f64::from(1 << i)).map(|n| (n, 3.0 * n.sqrt())).collect();
    Panel::new("regret, both axes logarithmic")
        .x("rounds N", Scale::Log)
        .y("regret", Scale::Log)
        .curve(Curve::new("MFTPL-P, λ = 3·√N", points).style(Style::Marked).color(Color::BLACK))
}

fn map() -> Panel {
    let mut panel = Panel { hide_ticks: true, ..Panel::new("states by arrival round") };
    for round in 0..20 {
        let angle = |i: u32| f64::from(i * 97 + round * 31);
        let spread = 1.0 + f64::from(round) / 5.0;
        let points = (0..30).map(|i| (spread * angle(i).cos(), spread * (angle(i) * 1.7).sin()));
        let color = Color::blue_to_red(f64::from(round) / 19.0);
        panel = panel.curve(Curve::new("", points.collect()).style(Style::Points).color(color));
    }
    panel
}
