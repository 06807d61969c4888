//! `--iterations auto`: results of the newest iterations, exit codes, what it refuses.

use super::support::{Spa, texts};
use spa_runtime::npy;
use spa_runtime::summary::Summary;

/// A field of 12×12 with two labels and no data, coupled by `beta`.
fn model(spa: &Spa, beta: f64) {
    npy::write(&spa.path("unary.npy"), &[12, 12, 2], &[0.0_f32; 288]).unwrap();
    std::fs::write(
        spa.path("model.toml"),
        format!("unary = \"unary.npy\"\npair = \"potts\"\ncap = 1\nbeta = {beta}\niterations = \"auto\"\n"),
    )
    .unwrap();
}

#[test]
fn the_results_are_those_of_a_plain_run_of_as_many_iterations() {
    let spa = Spa::new();
    model(&spa, 0.8);
    let output = spa.run(&["infer", "model.toml", "--seed=3", "-o", "auto"]);
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    assert!(stderr.contains("\nconverged after "), "{stderr}");
    let auto = Summary::read(&spa.path("auto")).unwrap();
    let found = auto.convergence.unwrap();
    assert!(found.converged && found.energy_rhat.unwrap() <= 1.05 && found.label_share >= 0.99);
    assert_eq!((auto.iterations, auto.burn_in), (found.iterations, found.burn_in));
    assert!(
        auto.burn_in > 0 && auto.resumed_from == Some(auto.burn_in),
        "only the newest iterations are drawn again"
    );
    let (iterations, burn_in) =
        (format!("--iterations={}", auto.iterations), format!("--burn-in={}", auto.burn_in));
    let plain = ["infer", "model.toml", "--seed=3", &iterations, &burn_in, "--chains=8", "--start=random"];
    spa.ok(&[&plain[..], &["-o", "plain"]].concat());
    spa.ok(&["compare", "auto", "plain"]);
    let plain = Summary::read(&spa.path("plain")).unwrap();
    assert_eq!((&auto.hashes, auto.labels_evaluated), (&plain.hashes, plain.labels_evaluated));
    assert_eq!(auto.log, plain.log);
}

#[test]
fn two_modes_keep_their_results_and_fail() {
    let spa = Spa::new();
    model(&spa, 2.0);
    let output = spa.run(&["infer", "model.toml", "--max-iterations=400", "--chains=6", "-o", "out"]);
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{stdout}\n{stderr}");
    assert_eq!(stderr.matches("not converged").count(), 1, "{stderr}");
    assert!(stderr.contains("\nerror: not converged after 400 iterations: R-hat of the energy "), "{stderr}");
    let summary = Summary::read(&spa.path("out")).unwrap();
    let found = summary.convergence.unwrap();
    assert!(!found.converged && (found.iterations, found.burn_in) == (400, 200));
    assert_eq!(summary.chains.unwrap().len(), 6);
    assert!(spa.path("out/labels_5.npy").exists() && spa.path("out/mode.npy").exists());
}

#[test]
fn what_it_refuses() {
    let spa = Spa::with_scene("stereo", "12");
    let refused = |more: &[&str]| spa.fails(2, &[&["stereo", "scene", "--labels=12"][..], more].concat());
    let auto = |more: &[&str]| refused(&[&["--iterations=auto"][..], more].concat());
    assert!(auto(&[]).contains("--iterations auto samples at one temperature"));
    assert!(auto(&["--anneal=9:1"]).contains("--iterations auto samples at one temperature"));
    assert!(auto(&["--temperature=4", "--burn-in=3"]).contains("finds its burn-in itself"));
    assert!(auto(&["--temperature=4", "--start=argmin"]).contains("lets chains start apart"));
    assert!(auto(&["--temperature=4", "--chains=3"]).contains("compares at least 4 chains, not 3"));
    assert!(
        auto(&["--temperature=4", "--max-iterations=250"])
            .contains("must be a multiple of 100, at least 200")
    );
    assert!(auto(&["--temperature=4", "--max-iterations=100"]).contains("must be 200…65500"));
    assert!(auto(&["--temperature=4", "--keep-log=log"]).contains("--keep-log keeps the log of one chain"));
    assert!(refused(&["--max-iterations=500"]).contains("--max-iterations ends '--iterations auto'"));
    assert!(refused(&["--iterations=soon"]).contains("or 'auto'"));
}
