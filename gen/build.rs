//! Lists the template files that are emitted as they are, so that a new RTL file needs no entry anywhere.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders of `templates/` whose files belong to every build.
const FOLDERS: [&str; 9] = [
    "cocotb",
    "fpga/ecp5",
    "fpga/pac-a10/hw",
    "fpga/ulx3s/hw",
    "hls",
    "hls/catapult",
    "hls/intel",
    "rtl",
    "sim",
];

fn main() -> io::Result<()> {
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates").canonicalize()?;
    let mut table = String::from("pub(crate) const PLAIN: &[(&str, &str)] = &[\n");
    for folder in FOLDERS {
        println!("cargo:rerun-if-changed={}", templates.join(folder).display());
        let mut files = Vec::new();
        for entry in fs::read_dir(templates.join(folder))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Editors leave hidden files and backups.
            if path.is_file() && !name.starts_with('.') && !name.ends_with('~') {
                files.push((name, path));
            }
        }
        files.sort();
        for (name, path) in files {
            println!("cargo:rerun-if-changed={}", path.display());
            let _ = writeln!(table, "    ({:?}, include_str!({path:?})),", format!("{folder}/{name}"));
        }
    }
    table += "];\n";
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("plain.rs"), table)
}
