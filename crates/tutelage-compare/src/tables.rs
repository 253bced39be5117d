//! Tables of a comparison as text, Markdown and CSV.

use std::borrow::Cow;

use tutelage_runs::terminal::digits;

use crate::format::{p_value, reward, share};
use crate::stats::Interval;
use crate::{
    Aggregate, Comparison, Cost, CostRatio, CurveRow, LEVELS, Pair, PairInPanel, PairOverPanels,
    Pairs,
};

/// A table of text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTable {
    /// The column headings.
    pub headings: Vec<String>,
    /// The rows, with one cell per heading.
    pub rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these headings and rows.
    pub fn new(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let headings = headings.iter().map(|&heading| heading.to_owned()).collect();
        Self { headings, rows: rows.into_iter().collect() }
    }

    /// Formats the table as plain text in aligned columns. Columns of numbers are right-aligned.
    ///
    /// Cells are cut at 1,000 characters, because names from files can be arbitrarily long.
    pub fn to_text(&self) -> String {
        let numeric = |column: usize| {
            let is_number = |c: char| c.is_ascii_digit() || "-+<>≤–".contains(c);
            self.rows.iter().all(|row| row[column].starts_with(is_number))
        };
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| shortened(&row[column]).chars().count());
            cells.chain([self.headings[column].chars().count()]).max().unwrap_or(0)
        };
        let columns: Vec<_> = (0..self.headings.len()).map(|c| (width(c), numeric(c))).collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().zip(&columns).map(|(cell, &(width, numeric))| {
                let cell = shortened(cell);
                if numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let rule: Vec<String> = columns.iter().map(|&(width, _)| "-".repeat(width)).collect();
        let head = [line(&self.headings), line(&rule)];
        head.into_iter().chain(self.rows.iter().map(|row| line(row))).collect()
    }

    /// Formats the table as Markdown. All columns except the first are right-aligned.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = |column| if column == 0 { "---" } else { "---:" };
        let rule: Vec<String> = (0..self.headings.len()).map(|i| rule(i).into()).collect();
        let head = [line(&self.headings), line(&rule)];
        head.into_iter().chain(self.rows.iter().map(|row| line(row))).collect()
    }

    /// Formats the table as CSV (RFC 4180).
    pub fn to_csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line =
            |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        [&self.headings].into_iter().chain(&self.rows).map(line).collect()
    }
}

fn shortened(cell: &str) -> Cow<'_, str> {
    const LONGEST_CELL: usize = 1000;
    match cell.char_indices().nth(LONGEST_CELL) {
        None => cell.into(),
        Some((end, _)) => format!("{}…", &cell[..end]).into(),
    }
}

/// The numbers of each curve. Expert steps are included if the expert drove.
pub fn curves(rows: &[&CurveRow]) -> TextTable {
    let drives = rows.iter().any(|row| row.expert_steps.is_some_and(|steps| steps > 0.0));
    let mut headings =
        vec!["", "seeds", "last five rounds", "average", "loss", "to 50 %", "75 %", "90 %", "95 %"];
    headings.extend(drives.then_some("expert steps"));
    let cells = |row: &&CurveRow| {
        let loss = row.imitation_loss.map_or("–".into(), |loss| format!("{:.3}", loss.estimate));
        let reach =
            row.to_reach.map(|to| to.map_or("–".into(), |to| format!("{:.0}", to.estimate)));
        let steps = row.expert_steps.map_or("–".into(), |steps| format!("{steps:.0}"));
        let (last_five, average) = (reward(row.last_five), reward(row.average));
        let fixed = [row.curve.clone(), row.seeds.to_string(), last_five, average, loss];
        fixed.into_iter().chain(reach).chain(drives.then_some(steps)).collect()
    };
    TextTable::new(&headings, rows.iter().map(cells))
}

/// Interquartile means over panels, in units of the expert's reward.
pub fn aggregates(rows: &[Aggregate]) -> TextTable {
    let cells = |row: &Aggregate| {
        vec![row.curve.clone(), row.runs.to_string(), share(row.last_five), share(row.average)]
    };
    TextTable::new(&["", "runs", "last five rounds", "average"], rows.iter().map(cells))
}

/// Explains [`aggregates`].
pub fn about_aggregates(panels: usize) -> String {
    let panels = if panels == 1 { "the panel".into() } else { format!("the {panels} panels") };
    format!("Interquartile means over {panels} with all curves, in units of the expert's reward")
}

/// One curve compared with another in each panel.
pub fn pairs(rows: &[PairInPanel]) -> TextTable {
    let cells = |row: &PairInPanel| {
        let names = [row.panel.clone(), difference_of(&row.pair)];
        tests(names, &row.pair, reward)
    };
    TextTable::new(&[&["panel", ""], &TESTS[..]].concat(), rows.iter().map(cells))
}

/// One curve compared with another over panels.
pub fn over_panels(rows: &[PairOverPanels]) -> TextTable {
    let cells = |row: &PairOverPanels| {
        let names = [difference_of(&row.pair), row.panels.to_string()];
        tests(names, &row.pair, share)
    };
    TextTable::new(&[&["", "panels"], &TESTS[..]].concat(), rows.iter().map(cells))
}

const TESTS: [&str; 5] = ["score", "difference", "P(above)", "p", "p (Holm)"];

fn tests(names: [String; 2], pair: &Pair, difference: impl Fn(Interval) -> String) -> Vec<String> {
    let (p, p_holm) = (p_value(pair.p), p_value(pair.p_holm));
    let improvement = share(pair.improvement);
    let tests = [pair.score.into(), difference(pair.difference), improvement, p, p_holm];
    names.into_iter().chain(tests).collect()
}

fn difference_of(pair: &Pair) -> String {
    format!("{} – {}", pair.curve, pair.against)
}

/// The cost of one curve divided by that of another, once per pair of curves.
pub fn cost_ratios(rows: &[PairOverPanels]) -> TextTable {
    let cells = |row: &PairOverPanels| {
        let names = [format!("{} / {}", row.pair.curve, row.pair.against), row.panels.to_string()];
        let costs = row.cost_ratio.into_iter().chain([row.cost_of_its_level]);
        names.into_iter().chain(costs.map(|cost| cost_ratio(cost, row.panels))).collect()
    };
    let headings = ["", "panels", "to 50 %", "75 %", "90 %", "95 %", "to where the other ends"];
    TextTable::new(&headings, once_per_pair(rows).map(cells))
}

/// Ratios do not depend on the score, for each of which there is a row.
fn once_per_pair(rows: &[PairOverPanels]) -> impl Iterator<Item = &PairOverPanels> {
    let is_first = |(i, row): &(usize, &PairOverPanels)| {
        let same = |other: &PairOverPanels| {
            (&other.pair.curve, &other.pair.against) == (&row.pair.curve, &row.pair.against)
        };
        !rows[..*i].iter().any(same)
    };
    rows.iter().enumerate().filter(is_first).map(|(_, row)| row)
}

/// Explains [`cost_ratios`], in Markdown.
pub const ABOUT_COST_RATIOS: &str = "The cost at which the mean curve reaches a share of the expert's reward and stays above it, divided by the other's cost: the \
    geometric mean over the panels in which both mean curves reach it (*in N* if not all), and the number of panels in which only one does. An end \
    of an interval is … if a curve misses the level in some resamples of the runs.";

fn cost_ratio(CostRatio { panels, alone, ratio }: CostRatio, all: usize) -> String {
    let ratio = ratio.map(|ratio| match panels == all {
        true => share(ratio),
        false => format!("{} in {panels}", share(ratio)),
    });
    let only = [(alone[0], "alone in"), (alone[1], "only the other in")];
    let only = only.into_iter().filter(|(count, _)| *count > 0);
    let words = ratio.into_iter().chain(only.map(|(count, words)| format!("{words} {count}")));
    match words.collect::<Vec<_>>() {
        none if none.is_empty() => "–".into(),
        words => words.join("; "),
    }
}

impl Comparison {
    /// Formats all tables of the comparison as plain text.
    pub fn to_text(&self) -> String {
        let (curves, aggregates, pairs) = (self.curves(), self.aggregates(), self.pairs());
        let mut parts: Vec<String> = Vec::new();
        for panel in &self.panels {
            let expert = panel
                .expert
                .map_or(String::new(), |expert| format!(", expert {expert:.*}", digits(expert)));
            let rows: Vec<_> = curves.iter().filter(|row| row.panel == panel.title).collect();
            parts.push(format!("{}{expert}\n{}", panel.title, self::curves(&rows).to_text()));
        }
        let level = 100.0 * self.settings.level;
        let cost = match self.settings.cost {
            Cost::Annotations => "annotations".into(),
            cost => format!("cost ({cost})"),
        };
        parts.push(format!(
            "Rewards with {level:.0} % t intervals over seeds. to X %: {cost} at which the mean curve reaches X % of the expert's reward and stays above it.\n"
        ));
        if self.panels.len() > 1
            && let Some(Aggregate { panels, .. }) = aggregates.first()
        {
            let table = self::aggregates(&aggregates).to_text();
            parts.push(format!("{}\n{table}", about_aggregates(*panels)));
        }
        let tests = pairs.in_panels.iter().filter(|pair| pair.pair.p.is_some()).count();
        if tests > 0 {
            let test = match self.settings.paired {
                true => "Student's t test of pairs by seed",
                false => "Welch's t test",
            };
            let table = self::pairs(&pairs.in_panels).to_text();
            parts.push(format!("{test}; Holm's correction for {tests} comparisons\n{table}"));
        }
        if self.panels.len() > 1 && !pairs.over_panels.is_empty() {
            let tests = pairs.over_panels.iter().filter(|pair| pair.pair.p.is_some()).count();
            let holm = match tests {
                0 => String::new(),
                tests => format!("; Holm's correction for {tests} comparisons"),
            };
            let table = over_panels(&pairs.over_panels).to_text();
            let heading = "Over panels, differences in units of the expert's reward";
            parts.push(format!("{heading}{holm}\n{table}"));
            let about = ABOUT_COST_RATIOS.replace('*', "");
            parts.push(format!("{about}\n{}", cost_ratios(&pairs.over_panels).to_text()));
        }
        parts.join("\n") + "\n"
    }
}

/// `table.csv`: the numbers of every curve.
pub(crate) fn curves_csv(rows: &[CurveRow]) -> String {
    let fixed = ["panel", "curve", "seeds", "expert", "annotations", "expert_steps"];
    let levels = LEVELS.map(|level| format!("to_{:.0}_percent", 100.0 * level));
    let names = ["last_five", "average", "imitation_loss"].map(str::to_owned);
    let cells = |row: &CurveRow| {
        let (panel, curve) = (row.panel.clone(), row.curve.clone());
        let numbers = [row.seeds.to_string(), optional(row.expert), row.annotations.to_string()];
        let intervals = [Some(row.last_five), Some(row.average), row.imitation_loss];
        let intervals = intervals.into_iter().chain(row.to_reach).flat_map(numbers_of);
        let fixed = [panel, curve].into_iter().chain(numbers).chain([optional(row.expert_steps)]);
        fixed.chain(intervals).collect()
    };
    with_intervals(&fixed, names.into_iter().chain(levels), &[], rows.iter().map(cells))
}

/// `pairs.csv`: comparisons in panels, then over panels, whose differences are in units of the expert's reward.
pub(crate) fn pairs_csv(pairs: &Pairs) -> String {
    let in_panels = pairs.in_panels.iter().map(|row| (row.panel.clone(), &row.pair));
    let over = pairs.over_panels.iter().map(|row| (format!("all {}", row.panels), &row.pair));
    let cells = |(panel, pair): (String, &Pair)| {
        let names = [panel, pair.curve.clone(), pair.against.clone(), pair.score.into()];
        let intervals = [pair.difference, pair.improvement].map(Some);
        let tests = [pair.p, pair.p_holm].map(optional);
        names.into_iter().chain(intervals.into_iter().flat_map(numbers_of)).chain(tests).collect()
    };
    let fixed = ["panel", "curve", "against", "score"];
    let intervals = ["difference", "improvement"].map(str::to_owned).into_iter();
    with_intervals(&fixed, intervals, &["p", "p_holm"], in_panels.chain(over).map(cells))
}

/// `ratios.csv`: cost ratios over panels, to each share of the expert's reward and to where the other curve ends.
pub(crate) fn ratios_csv(rows: &[PairOverPanels]) -> String {
    let goals = || LEVELS.map(|level| level.to_string()).into_iter().chain(["its level".into()]);
    let of_pair = |row: &PairOverPanels| {
        let names = [row.pair.curve.clone(), row.pair.against.clone()];
        let ratios = row.cost_ratio.into_iter().chain([row.cost_of_its_level]);
        let cells = move |(goal, ratio): (String, CostRatio)| {
            let [alone, only_other] = ratio.alone;
            let counts = [ratio.panels, alone, only_other].map(|count| count.to_string());
            let fixed = names.clone().into_iter().chain([goal]).chain(counts);
            fixed.chain(numbers_of(ratio.ratio)).collect::<Vec<_>>()
        };
        goals().zip(ratios).map(cells)
    };
    let fixed = ["curve", "against", "to", "panels_of_both", "only_curve", "only_against"];
    let ratio = ["ratio".to_owned()].into_iter();
    with_intervals(&fixed, ratio, &[], once_per_pair(rows).flat_map(of_pair))
}

/// A CSV table in which each interval has three columns.
fn with_intervals(
    fixed: &[&str],
    intervals: impl Iterator<Item = String>,
    last: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let ends = |name: String| [name.clone(), format!("{name}_low"), format!("{name}_high")];
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let headings = owned(fixed).into_iter().chain(intervals.flat_map(ends)).chain(owned(last));
    TextTable { headings: headings.collect(), rows: rows.collect() }.to_csv()
}

fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// An interval as three cells; unbounded ends are empty.
fn numbers_of(interval: Option<Interval>) -> [String; 3] {
    let cell = |value: f64| if value.is_finite() { value.to_string() } else { String::new() };
    interval.map_or_else(Default::default, |i| [i.estimate, i.low, i.high].map(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_ratios_show_open_ends_and_missed_panels() {
        let interval = |low, high| Some(Interval { estimate: 0.8, low, high });
        let words = |panels, alone, ratio| cost_ratio(CostRatio { panels, alone, ratio }, 8);
        assert_eq!(words(8, [0, 0], interval(0.7, 0.9)), "0.80 [0.70, 0.90]");
        let open = interval(f64::NEG_INFINITY, 0.9);
        assert_eq!(words(6, [1, 0], open), "0.80 […, 0.90] in 6; alone in 1");
        assert_eq!(words(0, [0, 3], None), "only the other in 3");
        assert_eq!(words(0, [0, 0], None), "–");
    }

    #[test]
    fn columns_are_aligned_and_long_cells_cut() {
        let table = |rows: [[&str; 2]; 2]| {
            TextTable::new(&["name", "score"], rows.map(|row| row.map(Into::into).to_vec()))
        };
        let short = table([["DAgger", "1.5"], ["BC", "10.25"]]);
        let expected = "name    score\n------  -----\nDAgger    1.5\nBC      10.25\n";
        assert_eq!(short.to_text(), expected);
        let long = table([[&"é".repeat(70_000), "1"], ["b", "2"]]).to_text();
        let widths: Vec<usize> = long.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths, [1001 + 2 + 5; 4]);
        assert!(long.contains("éé…  "), "{}", &long[..100]);
    }

    #[test]
    fn csv_cells_are_quoted_if_necessary() {
        let cells = ["a,b", "say \"x\"", "plain"].map(str::to_owned).to_vec();
        let table = TextTable::new(&["1", "2", "3"], [cells]);
        assert_eq!(table.to_csv(), "1,2,3\n\"a,b\",\"say \"\"x\"\"\",plain\n");
    }
}
