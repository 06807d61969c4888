//! Does this Verilator compute XOR trees? Verilator 5.006 gets 64 of 64 values of this one wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

use spa_model::hash::sha256_hex;

use super::private_folder;
use crate::error::plain;
use crate::simbuild::compiler;

const MODULE: &str = "module x(input logic [15:0] a, output logic fb);
  wire [15:0] q = a ^ 16'hACE1;
  assign fb = q[0] ^ q[2] ^ q[3] ^ q[5];
endmodule
";

const MAIN: &str = "#include \"Vx.h\"
#include <cstdio>
int main() {
  Vx x;
  for (unsigned i = 0; i < 64; ++i) {
    x.a = (i * 40503u) & 0xffffu;
    x.eval();
    std::putchar(x.fb ? '1' : '0');
  }
  std::putchar('\\n');
}
";

/// The same 64 values, computed here.
fn expected() -> String {
    let bit = |i: u32| {
        let q = (i * 40503) & 0xffff ^ 0xACE1;
        if (q ^ q >> 2 ^ q >> 3 ^ q >> 5) & 1 == 1 { '1' } else { '0' }
    };
    (0..64).map(bit).collect()
}

/// Runs the self-test, or recalls that it was passed by the same file.
pub(super) fn passes(verilator: &Path, version: &str) -> Result<(), String> {
    let cache = cache_file(verilator, version);
    if cache.as_ref().is_some_and(|path| path.is_file()) {
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("spagen-selftest-{}", std::process::id()));
    fs::create_dir_all(&folder)
        .map_err(|error| format!("self-test needs a temporary folder: {}", plain(&error)))?;
    let result = run(verilator, &folder);
    let _ = fs::remove_dir_all(&folder);
    let answer = result?;
    let wrong = answer.trim().chars().zip(expected().chars()).filter(|(a, b)| a != b).count();
    if answer.trim().len() != 64 {
        return Err("self-test printed no values".to_owned());
    }
    if wrong > 0 {
        return Err(format!("self-test: {wrong} of 64 values of an XOR tree are wrong"));
    }
    // A verdict that cannot be stored is found again next time.
    if let Some(path) = cache {
        let _ = path.parent().map(fs::create_dir_all);
        let _ = fs::write(path, format!("{}\n", verilator.display()));
    }
    Ok(())
}

/// Verilates and compiles by hand, not with Verilator's makefile: that one cannot stand a blank in its own path.
fn run(verilator: &Path, folder: &Path) -> Result<String, String> {
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).map_err(|error| format!("self-test: {}", plain(&error)))
    };
    write("x.sv", MODULE)?;
    write("main.cpp", MAIN)?;
    step(folder, Command::new(verilator).args(["--cc", "--Mdir", "obj", "x.sv"]))?;
    let root = step(folder, Command::new(verilator).args(["--getenv", "VERILATOR_ROOT"]))?;
    let include = Path::new(root.trim()).join("include");
    let mut sources = vec![PathBuf::from("main.cpp")];
    let listing =
        fs::read_dir(folder.join("obj")).map_err(|error| format!("self-test: {}", plain(&error)))?;
    let generated = listing.filter_map(Result::ok).map(|entry| entry.path());
    sources.extend(generated.filter(|path| path.extension().is_some_and(|extension| extension == "cpp")));
    sources.extend(["verilated.cpp", "verilated_threads.cpp"].map(|name| include.join(name)));
    let defines = ["VERILATOR=1", "VM_COVERAGE=0", "VM_SC=0", "VM_TIMING=0", "VM_TRACE=0"];
    step(
        folder,
        Command::new(compiler())
            .args(["-std=c++17", "-O0", "-w", "-pthread", "-o", "x", "-Iobj"])
            .args(defines.map(|define| format!("-D{define}")))
            .arg("-I")
            .arg(&include)
            .arg("-I")
            .arg(include.join("vltstd"))
            .args(sources),
    )?;
    step(folder, &mut Command::new(folder.join("x")))
}

/// Runs one command in the folder and gives its standard output.
fn step(folder: &Path, command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("self-test cannot run '{name}': {}", plain(&error)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let important = text.lines().find(|line| line.contains("rror") || line.contains("not found"));
    Err(format!("self-test: '{name}' fails: {}", important.unwrap_or("no message").trim()))
}

/// File whose existence means that this very Verilator has passed.
fn cache_file(verilator: &Path, version: &str) -> Option<PathBuf> {
    let meta = verilator.metadata().ok()?;
    let time = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let key = format!("{}\n{version}\n{time}\n{}\n{MODULE}{MAIN}", verilator.display(), meta.len());
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CACHE_HOME")
        .map(|cache| cache.join("spagen"))
        .or_else(|| set("HOME").map(|home| home.join(".cache/spagen")))
        .or_else(private_folder)?;
    Some(folder.join(format!("verilator-{}", &sha256_hex(key.as_bytes())[..32])))
}

#[cfg(test)]
mod tests {
    use super::expected;

    #[test]
    fn expected_values_are_those_of_the_module() {
        // a = 0: q = 0xACE1, bits 0, 2, 3, 5 are 1, 0, 0, 1.
        assert!(expected().starts_with('0'));
        assert_eq!(expected().len(), 64);
        assert!(expected().contains('1'));
    }
}
