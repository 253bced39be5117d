//! Commands on the runs of custom programs.

mod support;

#[allow(dead_code, reason = "its main is for a terminal")]
#[path = "../../tutelage-runs/examples/own_discrete.rs"]
mod own_discrete;
#[allow(dead_code, reason = "its main is for a terminal")]
#[path = "../../tutelage-runs/examples/own_environment.rs"]
mod own_environment;

use support::Lab;
use tutelage_runs::Silent;

#[test]
fn runs_of_custom_programs_are_shown_exported_and_compared() {
    let dir = Lab::empty();
    let (cart, meadow) = (dir.file("cart"), dir.file("meadow"));
    let curve = own_environment::learn(&cart, &mut Silent).unwrap();
    own_discrete::learn(&meadow, &mut Silent).unwrap();
    let rounds = |text: &str| text.lines().filter(|line| line.contains('.')).count();
    assert!(rounds(&curve) >= 8, "{curve}");

    let shown = dir.text("show cart");
    assert!(shown.contains("task = \"cart\""), "{shown}");
    assert!(shown.contains("Finished: 8 rounds, 80 annotations"), "{shown}");
    assert!(dir.text("show meadow").contains("Finished: 10 rounds"));

    for run in ["cart", "meadow"] {
        dir.run(&format!("export {run} --out {run}.npz"));
        dir.run(&format!("export {run} --tensorboard {run}-curves"));
        dir.run(&format!("compare {run}"));
        for command in ["evaluate", "resume"] {
            let words = dir.fail(&format!("{command} {run}"));
            assert!(words.contains("custom program"), "{command}: {words}");
        }
    }
}
