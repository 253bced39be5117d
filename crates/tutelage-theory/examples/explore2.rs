//! x
#![allow(missing_docs, clippy::all, clippy::unwrap_used)]
use std::time::Instant;
use tutelage_theory::*;
fn main() {
    let which = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let e: usize = std::env::args().nth(3).unwrap().parse().unwrap();
    let scale: f64 = std::env::args().nth(4).unwrap().parse().unwrap();
    let k: usize = std::env::args().nth(5).unwrap().parse().unwrap();
    for (name, over) in Over::ALL {
        if which != "all" && which != name {
            continue;
        }
        let t = Instant::now();
        let s = Sweep {
            problem: trap(10).unwrap(),
            schedule: Schedule { rounds: n, states_per_round: k, most_members: e },
            lambda: Lambda::Rate(scale),
            seeds: (1..=6).collect(),
            closeness: Closeness { draws: 4000, delta: 0.05 },
        };
        let s = if name == "e" {
            Sweep { schedule: Schedule { rounds: 100, ..s.schedule }, ..s }
        } else {
            s
        };
        let p = s.run(over, &over.usual_values(), &|_| ()).unwrap();
        for q in &p {
            println!(
                "{name} {:.4} {:.3} ± {:.3}   bound {:.1} {} {}",
                q.x,
                q.measured.value,
                q.measured.error,
                q.bound.value,
                q.bound.holds,
                q.bound.vacuous
            );
        }
        for c in over.compare(&s, &p) {
            println!("  {} predicted {} measured {:?}", c.part, c.predicted, c.measured);
        }
        println!("  [{:.1}s]", t.elapsed().as_secs_f64());
    }
}
