//! Any field from its costs: drawn as an enumeration says, whatever its range, or refused.

use super::support::{Spa, texts};
use serde_json::Value;
use spa_runtime::npy;

/// Exact marginals of a small field at temperature 1, by enumeration; `edge` is what the edge of an RV to the right (0) or
/// down (1) has of the pair term.
fn marginals(
    unary: &[f64],
    labels: usize,
    width: usize,
    pair: impl Fn(usize, usize) -> f64,
    edge: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let rvs = unary.len() / labels;
    let mut sums = vec![0.0; unary.len()];
    let mut total = 0.0;
    for code in 0..labels.pow(rvs as u32) {
        let of: Vec<usize> = (0..rvs).map(|i| code / labels.pow(i as u32) % labels).collect();
        let mut energy = 0.0;
        for i in 0..rvs {
            energy += unary[i * labels + of[i]];
            if i % width + 1 < width {
                energy += pair(of[i], of[i + 1]) * edge(i, 0);
            }
            if i + width < rvs {
                energy += pair(of[i], of[i + width]) * edge(i, 1);
            }
        }
        let weight = (-energy).exp();
        total += weight;
        (0..rvs).for_each(|i| sums[i * labels + of[i]] += weight);
    }
    sums.iter().map(|s| s / total).collect()
}

#[test]
fn any_field_is_drawn_as_its_energies_say() {
    let spa = Spa::new();
    let unary: Vec<f64> = (0..3 * 2 * 3).map(|i| f64::from(i * 7 % 11) * 0.17 - 0.5).collect();
    let table = [0.1_f64, 0.9, 1.6, 0.9, 0.2, 0.7, 1.6, 0.7, 0.0];
    npy::write(&spa.path("unary.npy"), &[2, 3, 3], &unary).unwrap();
    npy::write(&spa.path("pair.npy"), &[3, 3], &table).unwrap();
    let text =
        "unary = 'unary.npy'\npair-table = 'pair.npy'\norder = 1\niterations = 60000\nburn-in = 1000\n";
    std::fs::write(spa.path("model.toml"), text).unwrap();
    spa.ok(&["infer", "model.toml", "-o", "o", "--seed", "1"]);
    let counts = npy::read(&spa.path("o/histogram.npy")).unwrap().values;
    let exact = marginals(&unary, 3, 3, |l, m| table[l * 3 + m], |_, _| 1.0);
    for (row, exact) in counts.chunks_exact(3).zip(exact.chunks_exact(3)) {
        let distance: f64 =
            row.iter().zip(exact).map(|(&c, p)| (f64::from(c) / 59_000.0 - p).abs()).sum::<f64>() / 2.0;
        assert!(distance < 0.02, "{row:?} but {exact:?}");
    }
    let summary = spa.json("o/summary.json");
    assert_eq!(summary["parameters"]["hardware"]["weights"], "linear");
    // Edges of half the weight.
    npy::write(&spa.path("half.npy"), &[2, 3, 2], &[4_u8, 4, 4, 4, 0, 4, 4, 0, 4, 0, 0, 0]).unwrap();
    spa.ok(&["infer", "model.toml", "-o", "o", "--seed", "1", "--edge-weights", "half.npy"]);
    let counts = npy::read(&spa.path("o/histogram.npy")).unwrap().values;
    let exact = marginals(&unary, 3, 3, |l, m| table[l * 3 + m], |_, _| 0.5);
    for (row, exact) in counts.chunks_exact(3).zip(exact.chunks_exact(3)) {
        for (&count, p) in row.iter().zip(exact) {
            assert!((f64::from(count) / 59_000.0 - p).abs() < 0.02, "{row:?} but {exact:?}");
        }
    }
}

#[test]
fn fields_that_cannot_be_run_are_refused_with_the_reason() {
    let spa = Spa::new();
    npy::write(&spa.path("u.npy"), &[2, 2, 300], &[0.5_f32; 1200]).unwrap();
    npy::write(&spa.path("v.npy"), &[2, 2, 2], &[0.5_f32; 8]).unwrap();
    npy::write(&spa.path("n.npy"), &[2, 2, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, f64::NAN, 5.0, 6.0]).unwrap();
    npy::write(&spa.path("a.npy"), &[2, 2], &[0.0, 1.0, 2.0, 0.0]).unwrap();
    let fails = |code: i32, text: &str| {
        std::fs::write(spa.path("m.toml"), text).unwrap();
        spa.fails(code, &["infer", "m.toml"])
    };
    assert!(
        fails(2, "unary = 'u.npy'")
            .contains("'u.npy' have 300 labels, but 2…256 can be run: a label has 8 bits")
    );
    assert!(fails(2, "unary = 'v.npy'\norder = 2").contains("order is 2, but only 1 can be run"));
    assert!(fails(2, "unary = 'v.npy'\nneighbours = 8").contains("neighbours is 8, but only 4"));
    let place = "'n.npy': at row 1, column 0 the cost of label 1 is NaN; give finite costs";
    assert!(fails(1, "unary = 'n.npy'").contains(place));
    npy::write(&spa.path("one.npy"), &[2, 2, 1], &[0.5_f32; 4]).unwrap();
    let one = fails(2, "unary = 'one.npy'");
    assert!(one.contains("have 1 label, but 2…256 can be run: with fewer than two there is"), "{one}");
    assert!(
        fails(2, "unery = 'v.npy'").contains("model 'm.toml': unknown key 'unery'; did you mean 'unary'?")
    );
    let unknown = fails(2, "unary = 'v.npy'\nxyzzy = 3");
    assert!(unknown.contains("unknown key 'xyzzy'; known are unary, order, neighbours, "), "{unknown}");
    assert!(unknown.contains(" edge-weights,") && !unknown.contains("dmin"), "{unknown}");
    assert!(fails(1, "unary = 'v.npy'\npair-table = 'a.npy'").contains("the table must be symmetric"));
    assert!(fails(2, "pair = 'potts'").contains("it has no 'unary'"));
    assert!(fails(2, "unary = 'v.npy'\nitterations = 3").contains("did you mean 'iterations'?"));
    assert!(fails(2, "unary = 'v.npy'\nmask = 'v.npy'").contains("--mask is for 'restore' only"));
    for (key, value, shown) in [
        ("beta", "-1.0", "-1"),
        ("beta", "1e30", "1e30"),
        ("alpha", "1e300", "1e300"),
        ("alpha", "nan", "NaN"),
    ] {
        let text = fails(2, &format!("unary = 'v.npy'\n{key} = {value}"));
        assert!(text.contains(&format!("{key} is {shown}, but must be a finite number, 0…1e9")), "{text}");
    }
}

#[test]
fn a_potts_term_costs_beta_as_the_formula_says() {
    let spa = Spa::new();
    let unary: Vec<f32> = (0..12 * 8 * 2).map(|i| ((i * 7) % 5) as f32).collect();
    npy::write(&spa.path("unary.npy"), &[8, 12, 2], &unary).unwrap();
    npy::write(&spa.path("table.npy"), &[2, 2], &[0.0_f32, 1.0, 1.0, 0.0]).unwrap();
    let run = |name: &str, pair: &str| {
        let model = format!("unary = 'unary.npy'\nbeta = 1.5\niterations = 60\n{pair}\n");
        std::fs::write(spa.path("model.toml"), model).unwrap();
        spa.ok(&["infer", "model.toml", "-o", name]);
        std::fs::read(spa.path(&format!("{name}/labels.npy"))).unwrap()
    };
    let table = run("table", "pair-table = 'table.npy'");
    assert_eq!(run("potts", "pair = 'potts'"), table);
    assert_ne!(run("stiff", "pair = 'potts'\ncap = 255"), table);
    std::fs::write(spa.path("model.toml"), "unary = 'unary.npy'\npair = 'abs'\npair-table = 'table.npy'\n")
        .unwrap();
    let text = spa.fails(2, &["infer", "model.toml"]);
    assert!(text.contains("pair and pair-table are two smoothness terms; give one of them"), "{text}");
}

/// Pair costs that no step of an eighth holds.
const TABLE: [f64; 9] = [0.0, 0.7, 1.3, 0.7, 0.0, 0.4, 1.3, 0.4, 0.2];

/// A 3×3 field of three labels with uneven costs of 0…2 (fractions of an irrational number times squares).
fn costs() -> Vec<f64> {
    (1..=27).map(|i| 2.0 * (f64::from(i * i) * 0.618_033_988_749_895).fract()).collect()
}

/// Runs a 3×3 field with [`TABLE`]: the mean total variation from `exact`, and the summary.
fn distance(spa: &Spa, unary: &[f64], more: &[&str], exact: &[f64]) -> (f64, Value) {
    npy::write(&spa.path("u.npy"), &[3, 3, 3], unary).unwrap();
    npy::write(&spa.path("p.npy"), &[3, 3], &TABLE).unwrap();
    let text = "unary = 'u.npy'\npair-table = 'p.npy'\niterations = 40000\nburn-in = 1000\n";
    std::fs::write(spa.path("m.toml"), text).unwrap();
    spa.ok(&[&["infer", "m.toml", "-o", "o"][..], more].concat());
    let counts = npy::read(&spa.path("o/histogram.npy")).unwrap().values;
    let off = counts.iter().zip(exact).map(|(&count, p)| (f64::from(count) / 39_000.0 - p).abs());
    (off.sum::<f64>() / 2.0 / 9.0, spa.json("o/summary.json"))
}

fn pair(l: usize, m: usize) -> f64 {
    TABLE[l * 3 + m]
}

#[test]
fn costs_that_are_never_drawn_make_no_other_coarser() {
    let spa = Spa::new();
    for (label, cost) in [(0, 1e3), (0, 1e6), (4, 1e30), (4, f64::INFINITY)] {
        let mut unary = costs();
        unary[label] = cost;
        let exact = marginals(&unary, 3, 3, pair, |_, _| 1.0);
        let (distance, summary) = distance(&spa, &unary, &[], &exact);
        assert!(distance < 0.01, "{cost}: {distance}");
        assert_eq!(summary["mapping"]["temperature_factor"], 64.0, "{cost}");
        let rounding = summary["mapping"]["rounding"].as_f64().unwrap();
        assert!((0.004..=1.0 / 128.0).contains(&rounding), "{cost}: {rounding}");
    }
    // A wide range all over, with two labels of each RV near each other.
    let mut unary: Vec<f64> = costs().iter().map(|v| v * 150.0).collect();
    unary
        .chunks_exact_mut(3)
        .zip(costs().chunks_exact(3))
        .for_each(|(row, near)| row[1] = row[0] + near[0] - 1.0);
    let exact = marginals(&unary, 3, 3, pair, |_, _| 1.0);
    let (distance, summary) = distance(&spa, &unary, &[], &exact);
    assert!(distance < 0.01, "{distance}");
    assert_eq!(summary["parameters"]["hardware"]["weights"], "linear");
}

#[test]
fn a_table_with_edge_weights_is_as_fine_as_without() {
    let spa = Spa::new();
    let weights: Vec<u8> = (0..18).map(|i| (i * 7 % 16) as u8).collect();
    npy::write(&spa.path("w.npy"), &[3, 3, 2], &weights).unwrap();
    let unary = costs();
    let exact = marginals(&unary, 3, 3, pair, |i, side| f64::from(weights[2 * i + side]) / 8.0);
    let (distance, summary) = distance(&spa, &unary, &["--edge-weights", "w.npy"], &exact);
    assert!(distance < 0.01, "{distance}");
    // A 64th of a temperature is kept for both terms, on edges of 15/8, too.
    let mapping = &summary["mapping"];
    assert_eq!(mapping["temperature_factor"], 64.0);
    assert!(mapping["shift"].as_u64().unwrap() >= 3, "{mapping}");
    let rounding = mapping["rounding"].as_f64().unwrap();
    assert!((0.005..1.1 / 128.0).contains(&rounding), "{rounding}");
    assert!(mapping["relative_error"].as_f64().unwrap() > 1e-4, "{mapping}");
}

#[test]
fn caps_count_in_the_unit_of_the_costs() {
    let spa = Spa::new();
    let unary = costs();
    let capped: Vec<f64> = unary.iter().map(|v| v.min(1.0)).collect();
    let exact = marginals(&capped, 3, 3, pair, |_, _| 1.0);
    let (near, _) = distance(&spa, &unary, &["--data-cap", "1"], &exact);
    assert!(near < 0.01, "{near}");
    let exact = marginals(&unary, 3, 3, |l, m| pair(l, m).min(1.0), |_, _| 1.0);
    let (near, _) = distance(&spa, &unary, &["--cap", "1"], &exact);
    assert!(near < 0.01, "{near}");
    let (far, _) = distance(&spa, &unary, &[], &exact);
    assert!(far > 0.01, "{far}");
}

#[test]
fn what_rounding_loses_is_told_or_refused() {
    let spa = Spa::new();
    npy::write(&spa.path("u.npy"), &[3, 3, 3], &costs()).unwrap();
    npy::write(&spa.path("p.npy"), &[3, 3], &TABLE).unwrap();
    std::fs::write(spa.path("m.toml"), "unary = 'u.npy'\npair-table = 'p.npy'\niterations = 9\n").unwrap();
    let (_, told) = texts(&spa.run(&["infer", "m.toml", "--beta", "2000"]));
    assert!(told.contains("(rounding: at most "), "{told}");
    assert!(told.contains("note: energies are rounded by up to "), "{told}");
    let (_, told) = texts(&spa.run(&["infer", "m.toml"]));
    assert!(!told.contains("note: energies are rounded"), "{told}");
    let text = spa.fails(2, &["infer", "m.toml", "--beta", "1e6"]);
    assert!(text.contains("the data term, alpha times the largest cost, is "), "{text}");
    assert!(text.contains("but would be rounded to 0: beside a smoothness term of up to 5200000 "), "{text}");
    let mut forbidden = costs();
    forbidden[1] = f64::INFINITY;
    npy::write(&spa.path("u.npy"), &[3, 3, 3], &forbidden).unwrap();
    let text = spa.fails(2, &["infer", "m.toml", "--anneal", "1e7:1"]);
    assert!(text.contains("would be rounded to 0"), "{text}");
    for option in [["--outside", "3"], ["--singleton", "abs"]] {
        let text = spa.fails(2, &[&["infer", "m.toml"][..], &option].concat());
        assert!(text.contains(&format!("{} is for 'stereo'", option[0])), "{text}");
        assert!(text.contains("not for 'infer'"), "{text}");
    }
}
