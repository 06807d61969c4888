//! A stranger's backend: `stranger/contract.py` was written from `docs/contract.md` alone and rebuilds the golden jobs.
//!
//! If it disagrees, the page, the golden file or the script changed without the others. Skipped where there is no
//! Python 3.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use std::path::Path;
use std::process::Command;

#[test]
fn a_backend_written_from_the_page_alone_reproduces_the_known_answers() {
    let name = "a_backend_written_from_the_page_alone_reproduces_the_known_answers";
    let python =
        Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 8))"]).output();
    match python {
        Err(error) => return println!("{name}: skipped, python3 does not start: {error}"),
        Ok(output) if !output.status.success() => {
            return println!("{name}: skipped, python3 is older than 3.8");
        }
        Ok(_) => {}
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stranger/contract.py");
    let output = Command::new("python3").arg("-B").arg(&script).output().unwrap();
    let (lines, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    print!("{lines}");
    assert!(output.status.success(), "{}\n{lines}{errors}", script.display());
}
