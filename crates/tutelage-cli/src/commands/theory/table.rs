//! `tutelage theory table`.

use serde::Serialize;
use tutelage_theory::{Contender, annotations_needed, gap_curve};

use super::{Out, ProblemArgs};
use crate::arguments::Seeds;
use crate::output::{Output, Row, note};
use tutelage_figures::{Color, Curve, Figure, Panel, Scale};

/// Arguments of `tutelage theory table`.
#[derive(clap::Args)]
pub(crate) struct Table {
    /// The MDP: trap, limitation, random, gridworld or chain
    #[arg(long, default_value = "random")]
    mdp: String,
    /// Horizons H to compare
    #[arg(long, value_delimiter = ',', default_value = "5,10,20")]
    horizons: Vec<usize>,
    /// Estimation gaps to reach
    #[arg(long, value_delimiter = ',', default_value = "2,1,0.5,0.25")]
    epsilons: Vec<f64>,
    /// Seeds to average over: 3, 1-10 or 1,2,5-7
    #[arg(long, default_value = "1-5")]
    seeds: Seeds,
    /// Most annotations to try
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max_annotations: usize,
    /// Largest ensemble; the theorem asks for E = N A ln(N S)
    #[arg(long, default_value_t = 200, value_name = "E")]
    max_members: usize,
    #[command(flatten)]
    problem: ProblemArgs,
    #[command(flatten)]
    out: Out,
}

#[derive(Serialize)]
struct TableRow {
    algorithm: &'static str,
    horizon: usize,
    mu: f64,
    epsilon: f64,
    /// None where even the most annotations tried are too few.
    annotations: Option<usize>,
    order: f64,
    #[serde(skip)]
    most: usize,
}

impl Row for TableRow {
    const HEADINGS: &'static [&'static str] =
        &["algorithm", "H", "mu", "epsilon", "annotations", "Table 1's order"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.algorithm.into(),
            self.horizon.to_string(),
            format!("{:.3}", self.mu),
            self.epsilon.to_string(),
            self.annotations.map_or(format!("> {}", self.most), |n| n.to_string()),
            format!("{:.0}", self.order),
        ]
    }
}

impl Table {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        if let Some(bad) = self.epsilons.iter().find(|epsilon| epsilon.is_nan() || **epsilon <= 0.0)
        {
            anyhow::bail!("--epsilons holds {bad}; allowed are numbers > 0");
        }
        let mut rows = Vec::new();
        let mut figure =
            Figure::new("Estimation gap against annotations").columns(self.horizons.len());
        for &horizon in &self.horizons {
            let problem = self.problem.problem(&self.mdp, horizon)?;
            let panel = Panel::new(format!("H = {horizon}"));
            let mut panel = panel.x("annotations", Scale::Log).y("estimation gap", Scale::Linear);
            for (index, contender) in Contender::ALL.into_iter().enumerate() {
                note(&format!(
                    "H = {horizon}: {} up to {} annotations",
                    contender.name(),
                    self.max_annotations
                ));
                let curve = gap_curve(
                    &problem,
                    contender,
                    self.max_annotations,
                    self.max_members,
                    &self.seeds.0,
                )?;
                rows.extend(self.epsilons.iter().map(|&epsilon| TableRow {
                    algorithm: contender.name(),
                    horizon,
                    mu: problem.mu,
                    epsilon,
                    annotations: annotations_needed(&curve, epsilon),
                    order: contender.order(&problem, epsilon),
                    most: self.max_annotations,
                }));
                let points = curve.iter().map(|&(n, gap)| (n as f64, gap)).collect();
                panel =
                    panel.curve(Curve::new(contender.name(), points).color(Color::palette(index)));
            }
            figure = figure.panel(panel);
        }
        output.rows(&rows)?;
        self.out.save(&format!("table-{}", self.mdp), &figure)
    }
}
