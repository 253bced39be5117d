//! `tutelage theory` as people and programs see it.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::Value;

use support::Lab;

const PLAN: &str =
    "theory plan --epsilon 1 --mu 1 --horizon 10 --actions 2 --class-size 100 --sigma 0.5";

#[test]
fn invalid_arguments_are_refused_before_anything_is_written() {
    let lab = Lab::empty();
    for (args, word) in [
        ("theory regret --delta 0", "delta is 0"),
        ("theory regret --delta nan", "delta is NaN"),
        ("theory regret --mdp gridworld --states 15", "has 9"),
        ("theory table --mdp trap --states 7", "has 3"),
        ("theory regret --mdp trap --class-size 3", "has 2"),
        ("theory regret --mdp chain", "at least 16"),
        ("theory regret --mdp limitation --d0 expert", "give one with --lambda"),
        ("theory regret --d0 mix(2)", "mix(w)"),
        ("theory regret --lambda=-1", "lambda"),
        ("theory limitation --horizon 2", "at least 3"),
        ("theory limitation --rounds 0", "rounds is 0"),
        ("theory table --epsilons 0", "expected a number > 0"),
        ("theory table --lambda-scales much", "expected a number >= 0 or proof"),
        ("theory sweep --over q", "n, k, e, sigma, a, b, lambda"),
        ("theory sweep --over a --values 2", "actions is 2"),
        (
            "theory plan --epsilon 1 --mu 1 --horizon 10 --actions 2 --class-size 1 --sigma 1",
            "class size is 1",
        ),
    ] {
        let error = lab.fail(args);
        assert!(error.contains(word), "{args}: {error}");
    }
    assert!(!lab.file("runs").exists(), "nothing is written");
}

#[test]
fn plan_counts_in_whole_numbers_and_finds_the_best_k() {
    let lab = Lab::empty();
    let [order, proof, best] = &lab.json(PLAN)[..] else { panic!("three readings") };
    for row in [order, proof, best] {
        for count in ["rounds", "states_per_round", "members", "annotations", "oracle_calls"] {
            assert!(row[count].is_u64(), "{count}: {row}");
        }
    }
    assert_eq!(order["reaches_epsilon"], false, "constants are dropped");
    assert_eq!(proof["reaches_epsilon"], true);
    let annotations = |row: &Value| row["annotations"].as_u64().unwrap();
    assert!(annotations(best) <= annotations(proof));
    let shares: f64 =
        proof["terms"].as_array().unwrap().iter().map(|term| term["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
}

#[test]
fn plan_follows_the_theorem_for_large_k_and_large_classes() {
    let lab = Lab::empty();
    let many = lab.json(&format!("{PLAN} --states-per-round 300"));
    assert_eq!(many[1]["rounds"], 44_419);
    let huge =
        "theory plan --epsilon 1 --mu 1 --horizon 10 --actions 2 --ln-class-size 1e5 --sigma 0.5";
    assert_eq!(lab.json(huge)[1]["reaches_epsilon"], true);
}

#[test]
fn regret_reports_settings_bounds_and_terms() {
    let lab = Lab::empty();
    let command = "theory regret --rounds 20 --max-members 10 --seeds 1-2 --lambda 1000 --lambda-scale 0.1 --terms";
    let rows = lab.json(command);
    let games: Vec<&Value> = rows.iter().filter(|row| row["seed"].is_u64()).collect();
    assert_eq!(games.len(), 2 * 7, "seven players, two seeds");
    for row in &games {
        for key in ["mdp", "horizon", "states", "actions", "class_size", "mu", "sigma", "bias"] {
            assert!(!row[key].is_null(), "{key}: {row}");
        }
        let perturbed = row["algorithm"].as_str().unwrap().starts_with("MFTPL-P");
        assert_eq!(row["lambda"].is_f64(), perturbed, "{row}");
        assert_eq!(row["bound_vacuous"].is_boolean(), perturbed, "{row}");
    }
    let mean = |row: &&Value| row["algorithm"] == "DAgger" && row["seed"].is_null();
    let (low, high) = ("regret_low", "regret_high");
    let dagger = rows.iter().find(mean).unwrap();
    assert!(dagger[low].as_f64().unwrap() <= dagger[high].as_f64().unwrap());
    assert_eq!(rows.iter().filter(|row| row["term"].is_string()).count(), 2 * 8);
    let table = lab.text(command);
    assert!(table.contains("vacuous: > N") && table.contains("lambda too small"), "{table}");
    let csv = std::fs::read_to_string(lab.file("runs/theory/regret-trap.csv")).unwrap();
    assert!(csv.contains("bound, vacuous"), "{csv}");
}

#[test]
fn game_without_coverage_has_no_bound() {
    let lab = Lab::empty();
    let command =
        "theory regret --mdp limitation --d0 expert --lambda 5 --rounds 10 --max-members 5";
    let rows = lab.json(command);
    let mftpl_p = rows.iter().find(|row| row["algorithm"] == "MFTPL-P").unwrap();
    assert!(mftpl_p["sigma"] == 0.0 && mftpl_p["bound"].is_null(), "{mftpl_p}");
}

#[test]
fn table_ends_with_one_fit_per_algorithm_and_scale() {
    let lab = Lab::empty();
    let command = "theory table --horizons 4,8 --epsilons 0.6,0.3 --max-rounds 64 --max-demonstrations 128 \
                   --max-members 5 --mdp-seed 1 --lambda-scales 0.1,proof";
    let rows = lab.json(command);
    let fits: Vec<&Value> = rows[rows.len() - 5..].iter().collect();
    let named: Vec<String> =
        fits.iter().map(|fit| format!("{} {}", fit["fit"], fit["lambda_scale"])).collect();
    let expected = [
        r#""BC" null"#,
        r#""DAgger" null"#,
        r#""MFTPL-P" 0.1"#,
        r#""MFTPL-P" "proof""#,
        r#""LOGGER-M" null"#,
    ];
    assert_eq!(named, expected);
    for key in ["h", "h_se", "epsilon", "epsilon_se"] {
        assert!(fits.iter().all(|fit| fit.get(key).is_some()), "{key}");
    }
    assert_eq!(rows.len(), 5 * 2 * 2 + 5);
    assert!(lab.file("runs/theory/table-ledge.png").is_file());
}

#[test]
fn sweep_and_proof_report_measurements_and_predictions() {
    let lab = Lab::empty();
    let sweep =
        "theory sweep --over sigma --values 0.1,0.3,1 --rounds 40 --max-members 10 --seeds 1-2";
    let rows = lab.json(sweep);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[3]["predicted"], -0.25);
    assert!(rows[3]["measured"].is_f64());
    assert!(lab.file("runs/theory/sweep-sigma-trap.csv").is_file());
    let proof = "theory proof --rounds 20 --draws 200 --max-members 10 --seeds 1";
    let quantities: Vec<String> =
        lab.json(proof).iter().map(|row| row["quantity"].to_string()).collect();
    let expected = ["bias", "stability", "generalization", "ensemble"];
    assert_eq!(quantities, expected.map(|name| format!("\"{name}\"")));
}

#[test]
fn limitation_has_both_losses() {
    let lab = Lab::empty();
    let rows = lab.json("theory limitation --rounds 60 --max-members 20 --seeds 1 --out here");
    assert_eq!(rows.len(), 2 * 6);
    for row in &rows {
        let of = |key: &str| row[key].as_f64().unwrap();
        let weight = of("weight_on_h2");
        assert!(
            (of("cost") - (1.0 - weight + 9.0 * weight)).abs() < 1e-9,
            "weight and cost of one policy: {row}"
        );
    }
    assert!(rows.iter().any(|row| row["loss"] == "advantage"));
    assert!(lab.file("here/limitation.png").is_file());
}
