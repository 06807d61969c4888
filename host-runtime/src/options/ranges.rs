//! Ranges of whole numbers among the options: one table for the command line and for configuration files.

use std::fmt;

/// Name of an option and the least and largest value that it can have with any build and picture; further rules are checked
/// where they are known.
const RANGES: [(&str, u64, u64); 31] = [
    ("labels", 2, 256),
    ("window", 3, 15),
    ("values", 0, 255),
    ("cap", 1, 255),
    ("data-cap", 0, 65_535),
    ("outside", 0, 65_535),
    ("iterations", 1, 16_777_214),
    ("max-iterations", 200, 65_500),
    ("burn-in", 0, 16_777_213),
    ("seed", 0, u64::MAX),
    ("chain", 0, 255),
    ("chains", 1, 256),
    ("cutoff", 2, 255),
    ("threads", 1, 1024),
    ("label-bits", 1, 8),
    ("singleton-bits", 1, 8),
    ("energy-bits", 4, 16),
    ("p-bits", 1, 8),
    ("u-bits", 8, 32),
    ("count-bits", 1, 16),
    ("support", 0, 1000),
    ("grid", 1, 8),
    ("levels", 1, 8),
    ("sim-read-latency", 1, 100_000),
    ("sim-write-latency", 1, 100_000),
    ("sim-idle", 0, 99),
    ("sim-power-up", 0, u32::MAX as u64),
    ("sim-ring", 2, 1 << 20),
    ("sim-seed", 0, u64::MAX),
    ("card-timeout", 1, 3600),
    ("baud", 9600, 12_000_000),
];

/// What numbers count, where the name of the option does not say it.
const UNITS: [(&str, &str); 9] = [
    ("support", "pixels"),
    ("grid", "labels a pixel"),
    ("sim-read-latency", "cycles"),
    ("sim-write-latency", "cycles"),
    ("sim-idle", "percent"),
    ("sim-ring", "lines"),
    ("card-timeout", "seconds"),
    ("baud", "bits a second"),
    ("dmin", "pixels"),
];

/// Options whose numbers must be odd.
const ODD: [&str; 1] = ["window"];

/// The least disparity may be negative.
const DMIN: (i128, i128) = (-2047, 2047);

fn range(name: &str) -> Option<(i128, i128)> {
    if name == "dmin" {
        return Some(DMIN);
    }
    RANGES.iter().find(|range| range.0 == name).map(|&(_, least, most)| (least.into(), most.into()))
}

/// What an option takes, in words.
fn words((least, most): (i128, i128), odd: bool, unit: &str) -> String {
    let (odd, blank) = (if odd { "odd, " } else { "" }, if unit.is_empty() { "" } else { " " });
    format!("{odd}{least}…{most}{blank}{unit}")
}

/// What the option `name` takes, if it has a range.
fn allowed(name: &str) -> Option<String> {
    let unit = UNITS.iter().find(|unit| unit.0 == name).map_or("", |unit| unit.1);
    range(name).map(|range| words(range, ODD.contains(&name), unit))
}

/// Refuses a value outside the range of the option `name`; the text says what is allowed. Options without a range take
/// anything.
///
/// # Errors
/// The allowed values, in words.
pub fn check(name: &str, value: i128) -> Result<(), String> {
    let inside = range(name).is_none_or(|(least, most)| (least..=most).contains(&value));
    match allowed(name) {
        Some(allowed) if !inside || value % 2 == 0 && ODD.contains(&name) => {
            Err(format!("must be {allowed}"))
        }
        _ => Ok(()),
    }
}

/// Refuses a fraction for the option `name` if that takes whole numbers.
///
/// # Errors
/// The allowed values, in words.
pub fn check_whole(name: &str) -> Result<(), String> {
    allowed(name).map_or(Ok(()), |allowed| Err(format!("must be a whole number, {allowed}")))
}

fn whole(text: &str, allowed: Option<String>) -> Result<i128, String> {
    let allowed = || allowed.map_or_else(String::new, |allowed| format!(", {allowed}"));
    text.trim().parse().map_err(|_| format!("must be a whole number{}", allowed()))
}

/// Reads the value of the option `name` on the command line.
pub fn number<T>(name: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<i128, Error: fmt::Display> + 'static,
{
    move |text| {
        let value = whole(text, allowed(name))?;
        check(name, value)?;
        T::try_from(value).map_err(|e| e.to_string())
    }
}

/// Reads a value of `least…most` of an option that no run has; `unit` as in `pixels`, or empty.
pub fn within<T>(
    least: i128,
    most: i128,
    unit: &'static str,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<i128, Error: fmt::Display> + 'static,
{
    move |text| {
        let allowed = words((least, most), false, unit);
        let value = whole(text, Some(allowed.clone()))?;
        if !(least..=most).contains(&value) {
            return Err(format!("must be {allowed}"));
        }
        T::try_from(value).map_err(|e| e.to_string())
    }
}

/// A real number of the command line; what is allowed is checked where it is known.
///
/// # Errors
/// What it must be, in words.
pub fn real(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "must be a number, such as 2.5".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_show_the_range_of_the_option() {
        assert_eq!(number::<u8>("cap")("255"), Ok(255));
        for text in ["0", "256", "70000", "-1"] {
            assert_eq!(number::<u8>("cap")(text), Err("must be 1…255".to_string()), "{text}");
        }
        assert_eq!(number::<u8>("cap")("many"), Err("must be a whole number, 1…255".to_string()));
        assert_eq!(number::<i16>("dmin")("-2048"), Err("must be -2047…2047 pixels".to_string()));
        for text in ["1", "4", "17", "-3"] {
            assert_eq!(number::<u16>("window")(text), Err("must be odd, 3…15".to_string()), "{text}");
        }
        assert_eq!(number::<u16>("window")("9"), Ok(9));
        let word = number::<u32>("card-timeout")("soon");
        assert_eq!(word, Err("must be a whole number, 1…3600 seconds".to_string()));
        assert_eq!(number::<u32>("unheard-of")("x"), Err("must be a whole number".to_string()));
        let tolerance = within::<u32>(0, 50, "pixels");
        assert_eq!(tolerance("-1"), Err("must be 0…50 pixels".to_string()));
        assert_eq!(tolerance("x"), Err("must be a whole number, 0…50 pixels".to_string()));
        assert_eq!(tolerance("50"), Ok(50));
    }

    #[test]
    fn every_range_is_that_of_an_option() {
        let names = super::super::option_names();
        let units = UNITS.iter().map(|unit| unit.0).chain(ODD);
        for name in RANGES.iter().map(|range| range.0).chain(units) {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
