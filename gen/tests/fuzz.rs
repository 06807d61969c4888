//! Any configuration either is refused in one line a mistake or renders; nothing panics.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.

use proptest::prelude::*;
use spagen::parameters::{Kind, PARAMETERS};
use spagen::{Config, Draft, emit};

/// A value that the table calls legal, in the words of a file.
fn legal(kind: Kind) -> BoxedStrategy<String> {
    match kind {
        Kind::Choice(words) => prop::sample::select(words).prop_map(|word| format!("\"{word}\"")).boxed(),
        Kind::Flag => any::<bool>().prop_map(|flag| flag.to_string()).boxed(),
        Kind::Grid => (1_u32..70, 1_u32..58).prop_map(|(r, c)| format!("\"{r}x{c}\"")).boxed(),
        // Small values are where the corners are.
        Kind::Integer(lo, hi) => prop_oneof![lo..=hi.min(lo.saturating_add(40)), lo..=hi, Just(lo), Just(hi)]
            .prop_map(|n| n.to_string())
            .boxed(),
        Kind::Multiple(step, lo, hi) => {
            (lo / step..=hi / step).prop_map(move |n| (n * step).to_string()).boxed()
        }
        Kind::OneOf(list) => prop::sample::select(list).prop_map(|n| n.to_string()).boxed(),
        Kind::Spdx => prop::sample::select(&["MIT", "LicenseRef-A", "(MIT OR Apache-2.0)"][..])
            .prop_map(|word| format!("\"{word}\""))
            .boxed(),
    }
}

fn any_value() -> BoxedStrategy<String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (0_u32..600).prop_map(|n| n.to_string()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        "\"[a-zA-Z0-9x._ -]{0,12}\"",
        Just("[1, 2]".to_owned()),
        Just("1979-05-27".to_owned()),
        Just("{ a = 1 }".to_owned()),
        Just("0x10".to_owned()),
        Just("1.5".to_owned()),
    ]
    .boxed()
}

/// Some settings of the table, each with a value from `value`.
fn settings(value: fn(Kind) -> BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let one = (0..PARAMETERS.len())
        .prop_flat_map(move |n| value(PARAMETERS[n].kind).prop_map(move |text| (PARAMETERS[n].name, text)));
    prop::collection::vec(one, 0..8).prop_map(|list| {
        let unique: std::collections::BTreeMap<_, _> = list.into_iter().collect();
        unique.into_iter().map(|(name, text)| format!("{name} = {text}\n")).collect()
    })
}

/// Refused with whole lines, or rendered with a manifest that gives the same configuration back.
fn holds(text: &str) -> Result<Option<Config>, TestCaseError> {
    match Draft::parse(text, "fuzz.toml") {
        Err(errors) => {
            prop_assert!(!errors.0.is_empty());
            for line in errors.to_string().lines() {
                prop_assert!(line.starts_with("failed to "), "{line}");
            }
            Ok(None)
        }
        Ok(config) => {
            let files = emit::render(&config).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert!(files.len() > 20);
            let again =
                Draft::parse(&config.to_toml(), "again").map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(&again, &config);
            Ok(Some(config))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn legal_values_validate_or_break_a_named_rule(text in settings(legal)) {
        holds(&text)?;
    }

    #[test]
    fn arbitrary_values_never_panic(text in settings(|_| any_value())) {
        holds(&text)?;
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        let _ = Draft::parse(&text, "fuzz.toml");
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion(n in 0..PARAMETERS.len(), at in 0_usize..20) {
        let name = PARAMETERS[n].name;
        if name.len() > 4 {
            let mut letters: Vec<char> = name.chars().collect();
            letters.remove(at % name.len());
            let typo: String = letters.into_iter().collect();
            if spagen::parameters::find(&typo).is_none() {
                prop_assert!(spagen::parameters::nearest(&typo).is_some(), "{typo}");
            }
        }
    }
}

/// Every value of every parameter with few values renders alone, with the others at suitable values.
#[test]
fn every_small_value_renders() {
    for parameter in PARAMETERS {
        let values: Vec<String> = match parameter.kind {
            Kind::Integer(lo, hi) if hi - lo <= 32 => (lo..=hi).map(|n| n.to_string()).collect(),
            Kind::OneOf(list) => list.iter().map(ToString::to_string).collect(),
            Kind::Flag => vec!["true".into(), "false".into()],
            Kind::Choice(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
            _ => continue,
        };
        for value in values {
            let text = format!("{} = {value}\n", parameter.name);
            let text = if parameter.name == "rng_share" { text + "spus = 1\n" } else { text };
            assert!(matches!(holds(&text), Ok(Some(_))), "{text}: {:?}", Draft::parse(&text, "x"));
        }
    }
}
