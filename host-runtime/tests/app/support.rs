//! Runs the program in a folder of its own.
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder with files, in which `spa` runs.
pub struct Spa {
    pub folder: tempfile::TempDir,
}

impl Spa {
    pub fn new() -> Self {
        Self { folder: tempfile::Builder::new().prefix("spa äß ").tempdir().unwrap() }
    }

    /// With a small synthetic stereo scene in `scene/`.
    pub fn with_scene(kind: &str, labels: &str) -> Self {
        let spa = Self::new();
        spa.ok(&["synth", kind, "-o", "scene", "--size", "40x30", "--labels", labels, "--seed", "3"]);
        spa
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_spa"))
            .args(args)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Runs, expects exit code 0, and gives stdout.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(0), "{args:?}\n{stdout}\n{stderr}");
        stdout
    }

    /// Runs, expects `code` and no stdout, and gives stderr without lines about parameters.
    pub fn fails(&self, code: i32, args: &[&str]) -> String {
        let before = listing(self.folder.path());
        let output = self.run(args);
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}\n{stdout}\n{stderr}");
        assert_eq!(stdout, "", "{args:?}");
        assert_eq!(listing(self.folder.path()), before, "{args:?} left something behind");
        stderr
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(self.path(name)).unwrap()).unwrap()
    }
}

pub fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// All files and folders below `folder`, sorted.
pub fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(listing(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// The folder of third-party pictures: `$SPA_DATA`, else `../shared/data` beside the workspace. Where it is missing, the
/// test that asks says its name and passes.
pub fn data(test: &str) -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("SPA_DATA").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {test}: no pictures in '{}' (set SPA_DATA)", folder.display());
    None
}
