//! The parameters of a run in plain words.

use crate::plan::Mapping;
use crate::summary::Summary;
use serde_json::Value;
use spagen::plot::number;

/// Keys of the record that people have not met, and their words.
const WORDS: [(&str, &str); 22] = [
    ("contract", "version of the rules that fix every bit"),
    ("hardware.label_bits", "bits of a label"),
    ("hardware.singleton_bits", "bits of a grey value"),
    ("hardware.energy_bits", "bits of an energy"),
    ("hardware.p_bits", "bits of a probability"),
    ("hardware.u_bits", "bits of a random number"),
    ("hardware.count_bits", "bits of a counter"),
    ("hardware.weights", "probability by energy"),
    ("singleton", "difference of the data"),
    ("singleton2", "data compared"),
    ("data_cap", "cap of the data cost"),
    ("s_outside", "data cost outside the picture"),
    ("pair", "difference of neighbours"),
    ("pair_cap", "cap of smoothness, as a whole number"),
    ("cutoff", "labels this many times less likely than the best one are never drawn"),
    ("iterations", "iterations in all"),
    ("burn_in", "first iterations, which are not collected"),
    ("chain", "number of the chain"),
    ("chains", "chains in all"),
    ("start", "labels at the start"),
    ("evidence", "fixed pixels"),
    ("edge_weights", "weights of edges"),
];

/// Keys that have rows of their own, or that the page tells elsewhere.
const TOLD: [&str; 7] = ["alpha", "beta", "shift", "width", "height", "labels", "schedule"];

/// Names and values of everything that the run was asked for; `schedule` in the unit that people gave.
pub fn parameters(summary: &Summary, schedule: &[(f64, u32)]) -> Vec<(String, String)> {
    let mut rows = weights(&summary.mapping);
    rows.push(("temperatures".to_string(), temperatures(schedule)));
    // The record: plain values as they are; pictures and tables are hashes there, which the summary holds.
    if let Some(record) = summary.parameters.as_object() {
        for (key, value) in record.iter().filter(|(key, _)| !TOLD.contains(&key.as_str())) {
            flat(&mut rows, key, value);
        }
    }
    rows
}

/// The weights as given, and the whole numbers that the sampler has for them.
fn weights(mapping: &Mapping) -> Vec<(String, String)> {
    let whole = |given: String, whole: u8| match given == whole.to_string() {
        true => given,
        false => format!("{given} (whole number {whole})"),
    };
    let mut rows = vec![
        ("alpha, weight of the data".to_string(), whole(mapping.real_alpha.to_string(), mapping.alpha)),
        ("beta, weight of smoothness".to_string(), whole(mapping.real_beta.to_string(), mapping.beta)),
        ("cap of smoothness".to_string(), whole(mapping.real_cap.to_string(), mapping.cap)),
    ];
    if mapping.shift > 0 || mapping.temperature_factor != 1.0 {
        let (factor, divisor) = (mapping.temperature_factor, 1_u32 << mapping.shift.min(31));
        let divided =
            if mapping.shift > 0 { format!(", energies divided by {divisor}") } else { String::new() };
        let factor = if factor < 1e-3 { format!("{factor:.6e}") } else { format!("{factor:.6}") };
        rows.push(("in whole numbers".to_string(), format!("temperatures times {factor}{divided}")));
    }
    rows
}

/// A schedule in words.
fn temperatures(schedule: &[(f64, u32)]) -> String {
    let rounded = |temperature: f64| match temperature {
        small if small != 0.0 && small.abs() < 0.01 => format!("{small:.3e}"),
        other => number(other),
    };
    let total: u64 = schedule.iter().map(|step| u64::from(step.1)).sum();
    match schedule {
        [] => "none".to_string(),
        [(temperature, _)] => format!("{} in all {total} iterations", rounded(*temperature)),
        [(first, _), .., (last, _)] => format!(
            "from {} to {} in {} steps, {total} iterations together",
            rounded(*first),
            rounded(*last),
            schedule.len()
        ),
    }
}

/// Short values of the record, groups by their keys.
fn flat(rows: &mut Vec<(String, String)>, key: &str, value: &Value) {
    let text = match value {
        Value::Object(map) => {
            for (inner, value) in map {
                flat(rows, &format!("{key}.{inner}"), value);
            }
            return;
        }
        Value::Null => return,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.chars().count() <= 60 {
        let word = WORDS.iter().find(|word| word.0 == key).map(|word| word.1.to_string());
        rows.push((word.unwrap_or_else(|| key.replace(['_', '.'], " ")), text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_told_in_the_unit_of_people() {
        assert_eq!(temperatures(&[(3.0, 400)]), "3 in all 400 iterations");
        assert_eq!(
            temperatures(&[(13.0, 20), (6.5, 20), (3.4, 60)]),
            "from 13 to 3.4 in 3 steps, 100 iterations together"
        );
        assert_eq!(temperatures(&[(1e-5, 5)]), "1.000e-5 in all 5 iterations");
    }

    #[test]
    fn every_key_of_the_record_has_words() {
        let mapping = Mapping {
            real_alpha: 1.0,
            real_beta: 2.5,
            real_cap: 8,
            alpha: 2,
            beta: 5,
            cap: 8,
            shift: 1,
            temperature_factor: 1.0,
            relative_error: 0.0,
            rounding: None,
            edge_unit: None,
        };
        let told: Vec<String> = weights(&mapping).into_iter().map(|row| row.1).collect();
        assert_eq!(
            told,
            [
                "1 (whole number 2)",
                "2.5 (whole number 5)",
                "8",
                "temperatures times 1.000000, energies divided by 2"
            ]
        );
        let mut rows = Vec::new();
        flat(&mut rows, "hardware", &serde_json::json!({ "p_bits": 6, "weights": "linear" }));
        flat(&mut rows, "s_outside", &serde_json::json!(9));
        let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
        assert_eq!(
            names,
            ["bits of a probability", "probability by energy", "data cost outside the picture"]
        );
    }
}
