//! The table of claims.

use tutelage_compare::format::{p_value, share};
use tutelage_compare::stats::Interval;
use tutelage_compare::tables::TextTable;

use super::markdown::markdown;
use super::ratios::range;
use crate::claims::{ClaimScore, Finding, LEVEL, Verdict};

pub(super) fn claims_text(findings: &[Finding]) -> String {
    let tests = findings.iter().filter(|finding| finding.p.is_some()).count();
    let table = markdown(claims_table(findings));
    let margin = format!("Level is what differs by at most {LEVEL} of the expert's reward.");
    format!("{margin}\n\n{table}\nHolm's correction is for {tests} tests.\n")
}

fn claims_table(findings: &[Finding]) -> TextTable {
    let cells = |finding: &Finding| {
        let seeds = match finding.seeds {
            (_, 0) => "–".into(),
            (fewest, most) => range(&[fewest, most]),
        };
        vec![
            finding.claim.says.clone(),
            above(finding),
            seeds,
            difference(finding),
            finding.improvement.map_or("–".into(), share),
            p_value(finding.p),
            format!("**{}**", describe(finding.verdict)),
        ]
    };
    let headings =
        vec!["claim", "above in panels", "seeds", "difference", "P(above)", "p (Holm)", "verdict"];
    TextTable { headings, rows: findings.iter().map(cells).collect() }
}

/// The number of panels in which the curve is higher, and of those without runs.
fn above(finding: &Finding) -> String {
    let Finding { above, panels, planned, .. } = *finding;
    match (panels, planned - panels) {
        (0, _) => "–".into(),
        (_, 0) => format!("{above} of {panels}"),
        (_, left) => format!("{above} of {panels}, {left} not run"),
    }
}

/// The difference in units of the expert's reward; for losses, the factor.
fn difference(finding: &Finding) -> String {
    let Interval { estimate, low, high } = finding.difference;
    match finding.claim.score {
        _ if finding.panels == 0 => "–".into(),
        ClaimScore::Average | ClaimScore::LastFive => share(finding.difference),
        ClaimScore::Loss => {
            let [estimate, low, high] = [-estimate, -high, -low].map(f64::exp);
            format!("loss × {}", share(Interval { estimate, low, high }))
        }
    }
}

fn describe(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::OnAverage => "holds on average",
        Verdict::Tie => "tie",
        Verdict::Contradicted => "contradicted",
        Verdict::Open => "open",
        Verdict::NotRun => "not run",
    }
}
