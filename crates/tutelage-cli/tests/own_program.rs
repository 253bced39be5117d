//! Commands on the runs of custom programs.

mod support;

#[allow(dead_code, reason = "its main is for a terminal")]
#[path = "../../tutelage-runs/examples/own_discrete.rs"]
mod own_discrete;
#[allow(dead_code, reason = "its main is for a terminal")]
#[path = "../../tutelage-runs/examples/own_environment.rs"]
mod own_environment;

use support::{fail, finish, stdout};
use tutelage_runs::Silent;

#[test]
fn runs_of_custom_programs_are_shown_exported_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let (cart, meadow) = (dir.path().join("cart"), dir.path().join("meadow"));
    let curve = own_environment::learn(&cart, &mut Silent).unwrap();
    own_discrete::learn(&meadow, &mut Silent).unwrap();
    let rounds = |text: &str| text.lines().filter(|line| line.contains('.')).count();
    assert!(rounds(&curve) >= 8, "{curve}");

    let shown = stdout(&finish(dir.path(), &["show", "cart"]));
    assert!(shown.contains("task = \"cart\""), "{shown}");
    assert!(shown.contains("Finished: 8 rounds, 80 annotations"), "{shown}");
    assert!(stdout(&finish(dir.path(), &["show", "meadow"])).contains("Finished: 10 rounds"));

    for run in ["cart", "meadow"] {
        finish(dir.path(), &["export", run, "--out", &format!("{run}.npz")]);
        finish(dir.path(), &["export", run, "--tensorboard", &format!("{run}-curves")]);
        finish(dir.path(), &["compare", run]);
        for command in ["evaluate", "resume"] {
            let words = fail(dir.path(), &[command, run]);
            assert!(words.contains("custom program"), "{command}: {words}");
        }
    }
}
