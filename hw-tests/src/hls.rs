//! HLS C++ of a build, compiled and run on this machine against the real AC datatypes (docs/hls.md).

mod program;
pub mod sweep;

use crate::{builds, cosim, tool};
use anyhow::{Context as _, Result, bail, ensure};
use spa_model::hash::sha256_hex;
use spa_model::message::MessageFormat;
use spa_model::{ArrayShape, Hardware, Histogram, Job, Outcome, Tiling, fast};
use spagen::runs::labels_of_readback;
use spagen::{Build, Config};
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Which of the two vendors' forms of the same algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Flavour {
    /// Components of the Intel HLS compiler, connected as the Platform Designer scripts say.
    Intel,
    /// The hierarchy of Catapult over `ac_channel`.
    Catapult,
}

impl Flavour {
    /// Name of its folder in a build.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intel => "intel",
            Self::Catapult => "catapult",
        }
    }
}

/// What the emulation needs and a machine may lack.
#[derive(Debug, Clone)]
pub struct Tools {
    /// C++ compiler.
    pub compiler: PathBuf,
    /// Folder with `ac_int.h` and `ac_channel.h`.
    pub headers: PathBuf,
    /// Runs the Platform Designer scripts.
    pub tclsh: PathBuf,
}

impl Tools {
    /// Looks for them; `compiler` is `g++` or `clang++`.
    ///
    /// # Errors
    /// What is missing, as a reason to skip a test.
    pub fn find(compiler: &str) -> Result<Self, String> {
        let compiler = tool::find(&[compiler], "--version").ok_or(format!("no {compiler}"))?;
        let headers = headers().ok_or("no AC datatype headers; scripts/setup.sh --test fetches them")?;
        let tclsh = tool::find(&["tclsh", "tclsh8.6"], "/dev/null").ok_or("no tclsh")?;
        Ok(Self { compiler, headers, tclsh })
    }
}

/// `$SPA_AC_TYPES`, or where `scripts/setup.sh --test` puts them: in the private folder of tools.
fn headers() -> Option<PathBuf> {
    let tools = std::env::var_os("SPAGEN_TOOLS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.tools");
    let folders =
        [std::env::var_os("SPA_AC_TYPES").map(PathBuf::from), tools.map(|folder| folder.join("ac_types"))];
    let mut all = folders.into_iter().flatten().chain([beside.join("ac_types")]);
    all.find(|folder| folder.join("ac_channel.h").is_file())
}

/// An array in C++, waiting for jobs.
#[derive(Debug)]
pub struct Emulation {
    shape: ArrayShape,
    hardware: Hardware,
    process: Child,
}

/// How the host of the emulation behaves.
#[derive(Debug, Clone, Copy)]
pub struct HostOptions {
    /// Lines of the log ring.
    pub ring_lines: u64,
    /// Rounds of the emulation between two looks at the ring; 0: every round.
    pub interval: u64,
}

impl Emulation {
    /// Generates and compiles `config`, where the cache does not have it, and starts it.
    ///
    /// `edit` changes sources before they are compiled: (file below `hls/`, text) to text.
    ///
    /// # Errors
    /// If something cannot be generated, compiled or started.
    pub fn new(
        config: &Config,
        flavour: Flavour,
        tools: &Tools,
        edit: &dyn Fn(&str, String) -> String,
    ) -> Result<Self> {
        let build = builds::build(config)?;
        let (program, netlist) = compile(&build, flavour, tools, edit)?;
        let mut command = Command::new(&program);
        command.args(netlist).stdin(Stdio::piped()).stdout(Stdio::piped());
        let process = command.spawn().with_context(|| format!("failed to start '{}'", program.display()))?;
        Ok(Self { shape: config.array.clone(), hardware: config.hardware, process })
    }

    /// Runs `job`.
    ///
    /// # Errors
    /// If the emulation stops, or what it answers cannot be.
    pub fn run(&mut self, job: &Job, options: HostOptions) -> Result<Outcome> {
        let tiling = Tiling::new(&self.shape, job)?;
        let records = program::records(&self.shape, &tiling, job);
        let label_bytes = u64::from(self.shape.spes() * tiling.tile_width * tiling.tile_height);
        let head = [records.len() as u64, options.ring_lines, label_bytes / 4, options.interval];
        let bytes: Vec<u8> = head.iter().chain(&records).flat_map(|word| word.to_le_bytes()).collect();
        let stopped = "the emulation has stopped; its last words are above";
        self.process.stdin.as_mut().context(stopped)?.write_all(&bytes).context(stopped)?;

        let [messages, lines, bytes] = [self.word()?, self.word()?, self.word()?];
        let format = MessageFormat::new(&self.shape, &self.hardware);
        let mut log = vec![0; lines as usize * format.line_bytes()];
        let mut labels = vec![0; bytes as usize];
        let output = self.process.stdout.as_mut().context(stopped)?;
        output.read_exact(&mut log).context(stopped)?;
        output.read_exact(&mut labels).context(stopped)?;

        let field = (job.problem().width, job.problem().height, job.problem().labels);
        let mut sent = Vec::new();
        format.decode(&tiling, field, 0, &log, &mut sent)?;
        ensure!(sent.len() as u64 == messages, "{messages} messages counted, {} in the log", sent.len());
        let labels = labels_of_readback(job, &tiling, self.shape.rv_capacity, &labels);
        let histogram = Histogram::from_messages(job, &sent, &labels)?;
        Ok(Outcome { labels, histogram, messages: sent, labels_touched: job.labels_evaluated() })
    }

    /// Runs `job` here and on the CPU; gives the number of messages.
    ///
    /// # Errors
    /// If a run fails, or a hash differs.
    pub fn check(&mut self, job: &Job, options: HostOptions) -> Result<usize> {
        let expected = fast::run(job, &fast::Options::default(), &mut |_| true)?;
        let got = self.run(job, options)?;
        cosim::compare(job, &expected, &got)?;
        Ok(got.messages.len())
    }

    fn word(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        let output = self.process.stdout.as_mut().context("no output of the emulation")?;
        output.read_exact(&mut bytes).context("the emulation has stopped; its last words are above")?;
        Ok(u64::from_le_bytes(bytes))
    }
}

impl Drop for Emulation {
    fn drop(&mut self) {
        // Without input it ends by itself; after an error it may not.
        self.process.stdin.take();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const FLAGS: [&str; 8] = [
    "-std=c++14",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unknown-pragmas",
    "-Wno-unused-label",
    "-isystem",
];

/// The program for the `hls/` of `build`, and its arguments.
fn compile(
    build: &Build,
    flavour: Flavour,
    tools: &Tools,
    edit: &dyn Fn(&str, String) -> String,
) -> Result<(PathBuf, Vec<PathBuf>)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("hls");
    let sources = sources(build, flavour, edit)?;
    let mut key = format!("{} {FLAGS:?} {}\n", tools.compiler.display(), tools.headers.display());
    for (name, text) in &sources {
        let _ = writeln!(key, "{} {name}", sha256_hex(text.as_bytes()));
    }
    for name in ["fiber.hpp", "host.hpp", "intel.cpp", "catapult.cpp", "netlist.tcl", "include/HLS/hls.h"] {
        let _ = writeln!(key, "{} {name}", sha256_hex(&fs::read(tests.join(name))?));
    }
    let key = &sha256_hex(key.as_bytes())[..16];
    let folder = builds::target_folder()?.join("hw-tests/hls").join(format!("{}-{key}", flavour.name()));
    let (program, netlist) = (folder.join("emulate"), folder.join("netlist.txt"));
    let arguments = if flavour == Flavour::Intel { vec![netlist.clone()] } else { Vec::new() };
    if program.is_file() {
        return Ok((program, arguments));
    }
    for (name, text) in &sources {
        let path = folder.join("hls").join(name);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(path, text)?;
    }
    if flavour == Flavour::Intel {
        fs::write(folder.join("components.inc"), components(&sources)?)?;
        let mut command = Command::new(&tools.tclsh);
        command.arg(tests.join("netlist.tcl")).arg(folder.join("hls/intel"));
        fs::write(&netlist, output(&mut command)?)?;
    }
    // Tests of one program compile side by side, and so do programs.
    let unfinished = folder.join(format!("emulate.{}.{:?}", std::process::id(), std::thread::current().id()));
    let mut command = Command::new(&tools.compiler);
    command.args(FLAGS).arg(&tools.headers);
    for include in [&folder.join("hls").join(flavour.name()), &folder.join("hls"), &folder, &tests] {
        command.arg("-I").arg(include);
    }
    command.arg("-I").arg(tests.join("include"));
    command.arg(tests.join(format!("{}.cpp", flavour.name()))).arg("-o").arg(&unfinished);
    output(&mut command)?;
    fs::rename(&unfinished, &program)?;
    Ok((program, arguments))
}

/// Files below `hls/` that `flavour` consists of, by name.
fn sources(
    build: &Build,
    flavour: Flavour,
    edit: &dyn Fn(&str, String) -> String,
) -> Result<Vec<(String, String)>> {
    let mut sources = Vec::new();
    for path in build.manifest().files.keys() {
        let Some(name) = path.strip_prefix("hls/") else { continue };
        if name.contains('/') && !name.starts_with(flavour.name()) {
            continue;
        }
        let text = fs::read_to_string(build.folder().join(path)).with_context(|| path.clone())?;
        sources.push((name.to_owned(), edit(name, text)));
    }
    ensure!(!sources.is_empty(), "the build has no hls/");
    Ok(sources)
}

/// C++ that includes every component and lists it with the names of its arguments, as its own source says.
fn components(sources: &[(String, String)]) -> Result<String> {
    let (mut includes, mut table) = (String::new(), String::from("#define SPA_COMPONENTS"));
    for (name, text) in
        sources.iter().filter(|(name, _)| name.starts_with("intel/spa_") && name.ends_with(".cpp"))
    {
        let _ = writeln!(includes, "#include \"hls/{name}\"");
        let Some((_, rest)) = text.split_once("SPA_COMPONENT void ") else {
            ensure!(text.contains("SPA_STARTED_COMPONENT void "), "{name} has no component");
            continue;
        };
        let parts = rest.split_once('(').and_then(|(head, rest)| Some((head, rest.split_once(") {")?.0)));
        let (function, arguments) = parts.with_context(|| format!("{name}: no arguments"))?;
        // Every argument is a reference: its name follows the '&'.
        let names: Vec<&str> =
            arguments.split('&').skip(1).filter_map(|part| part.split(',').next()).collect();
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.trim())).collect();
        let _ = write!(table, " \\\n  SPA_COMPONENT_ENTRY({function}, {})", quoted.join(", "));
    }
    Ok(includes + &table + "\n")
}

/// Standard output of a command that must succeed.
fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("failed to run {command:?}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let first: Vec<&str> = text.lines().take(40).collect();
        bail!("{command:?} failed:\n{}", first.join("\n"));
    }
    Ok(output.stdout)
}
