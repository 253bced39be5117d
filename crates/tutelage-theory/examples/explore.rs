//! x
#![allow(missing_docs, clippy::all, clippy::unwrap_used)]
use std::time::Instant;
use tutelage_theory::*;
fn main() {
    let least: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let most: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let seeds: u64 = std::env::args().nth(3).unwrap().parse().unwrap();
    let members: usize = std::env::args().nth(4).unwrap().parse().unwrap();
    let which = std::env::args().nth(5).unwrap();
    let contenders = match which.as_str() {
        "bc" => vec![Contender::Bc],
        "all" => vec![
            Contender::Bc,
            Contender::Dagger,
            Contender::MftplP(Lambda::Rate(0.1)),
            Contender::MftplP(Lambda::Rate(1.0)),
            Contender::LoggerM,
        ],
        _ => vec![Contender::MftplP(Lambda::Rate(which.parse().unwrap()))],
    };
    let effort = Effort {
        most_rounds: most,
        most_demonstrations: 1 << 16,
        most_members: members,
        seeds: vec![1],
        least_gap: least,
    };
    for c in contenders {
        let mut points = vec![];
        for h in std::env::args().nth(6).unwrap().split(',').map(|h| h.parse::<usize>().unwrap()) {
            let t = Instant::now();
            let problems: Vec<_> = (1..=seeds).map(|s| ledge(h, s).unwrap()).collect();
            let curve = gap_curve(&problems, c, &effort, &|_| ()).unwrap();
            let gaps: Vec<_> =
                curve.iter().map(|p| (p.annotations as f64, p.cost_gap.value)).collect();
            let mut line = format!(
                "{} H={h} [{:.1}s] first {:.2} last {:.3}@{}:",
                c.name(),
                t.elapsed().as_secs_f64(),
                gaps[0].1,
                gaps.last().unwrap().1,
                gaps.last().unwrap().0
            );
            let mut e = 2.0;
            while e >= least * 0.999 {
                let n = annotations_needed(&gaps, e).unwrap();
                line += &format!(
                    "  {e:.2}: {}",
                    match n {
                        Needed::About(n) => format!("{n:.0}"),
                        Needed::AtMost(n) => format!("<={n}"),
                        Needed::MoreThan(n) => format!(">{n}"),
                    }
                );
                points.push((h, e, n));
                e /= 2f64.sqrt();
            }
            println!("{line}");
        }
        let [a, b] = complexity_exponents(&points);
        let big: Vec<_> = points
            .iter()
            .copied()
            .filter(|p| matches!(p.2, Needed::About(n) if n >= 32.0))
            .collect();
        let [a2, b2] = complexity_exponents(&big);
        println!("{}: {a:?} {b:?}  | C>40 {a2:?} {b2:?}", c.name());
    }
}
