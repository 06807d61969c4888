//! Schedules from files: lines of temperature and iterations, or TOML.

use crate::error::{Error, Result};
use crate::formats::text_of;
use serde::Deserialize;
use spa_model::{Schedule, Step};
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    step: Vec<Step>,
}

/// Reads a schedule. A name ending in `.toml`: tables `[[step]]` with `temperature` and `iterations`. Any other name: one
/// entry a line, temperature and iterations apart by blanks or a comma; `#` starts a comment.
///
/// # Errors
/// [`Error::File`] names the line that is wrong, or what [`Schedule::new`] refuses.
pub fn read(path: &Path) -> Result<Schedule> {
    let text = text_of("read schedule", path)?;
    let steps = if path.extension().is_some_and(|e| e == "toml") {
        let parsed = toml::from_str::<File>(&text);
        parsed.map_err(|e| Error::file("read schedule", path, e.to_string().trim_end()))?.step
    } else {
        lines(&text).map_err(|cause| Error::file("read schedule", path, cause))?
    };
    Schedule::new(steps).map_err(|e| Error::file("use schedule", path, e.to_string()))
}

fn lines(text: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let mut fields = line.split([' ', '\t', ',', ';']).filter(|field| !field.is_empty());
        let step = (|| {
            let temperature = fields.next()?.parse().ok()?;
            let iterations = fields.next()?.parse().ok()?;
            fields.next().is_none().then_some(Step { temperature, iterations })
        })();
        steps.push(step.ok_or_else(|| {
            format!("line {} is '{line}', but must be a temperature and a number of iterations", n + 1)
        })?);
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, text: &str) -> Result<Schedule> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn both_forms() {
        let lines = parse("s.csv", "# heat\n20, 10\n\n1.5\t5 # cool\n").unwrap();
        let toml =
            "[[step]]\ntemperature = 20.0\niterations = 10\n[[step]]\ntemperature = 1.5\niterations = 5\n";
        assert_eq!(parse("s.toml", toml).unwrap(), lines);
        assert_eq!((lines.iterations(), lines.last_entry()), (15, 10));
    }

    #[test]
    fn mistakes_are_placed() {
        let text = |name, t| parse(name, t).unwrap_err().to_string();
        assert!(text("s", "3 4\n5\n").contains("line 2 is '5'"));
        assert!(text("s", "3 4 5").contains("line 1"));
        assert!(text("s", "").contains("0 entries"));
        assert!(text("s", "0 4").contains("temperature is 0") && text("s", "0 4").contains("/s'"));
        assert!(text("s", "nan 4").contains("temperature is NaN"));
        assert!(text("s.toml", "[[step]]\ntemperature = 1.0\n").contains("iterations"));
    }
}
