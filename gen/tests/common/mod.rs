//! Runs the binary in a folder of its own and checks what it prints and returns.

#![allow(dead_code)] // Every test binary uses its own part.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary folder with files in which commands run.
pub struct Case {
    folder: tempfile::TempDir,
}

/// What a command did.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Case {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Adds a file.
    pub fn file(self, name: &str, text: &str) -> Self {
        self.write(name, text);
        self
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spagen"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Done {
        Done::from(&self.command(arguments).output().unwrap())
    }

    /// Every file below `name` with its contents, sorted.
    pub fn tree(&self, name: &str) -> Vec<(String, Vec<u8>)> {
        let root = self.path(name);
        let mut files = Vec::new();
        walk(&root, &root, &mut files);
        files.sort();
        files
    }
}

impl From<&Output> for Done {
    fn from(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

impl Done {
    /// Checks that it went well and printed nothing on standard error.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Checks exit code and the exact message.
    #[track_caller]
    pub fn fails(self, code: i32, message: &str) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (code, "", message));
    }
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.push((name, std::fs::read(&path).unwrap()));
        }
    }
}
