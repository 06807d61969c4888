//! Every kernel compiles for sm_80 and sm_90, with the registers and spills of the committed table. Needs NVRTC (no
//! card): `scripts/gpu.sh --tools` installs it from PyPI; without it the test says so and passes.
//!
//! `UPDATE_RESOURCES=1 cargo test -p spa-runtime --test cuda_compile` rewrites the table.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use spa_runtime::backend::cuda::CudaError;
use spa_runtime::backend::cuda::compile::{self, resources};
use spa_runtime::backend::cuda::sys;

#[test]
fn kernels_compile_within_their_resources() {
    let version = match sys::compiler_version() {
        Ok(version) => version,
        Err(error @ CudaError::NoCompiler { .. }) => {
            eprintln!("skipped kernels_compile_within_their_resources: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    if version != "13.0" {
        eprintln!(
            "skipped kernels_compile_within_their_resources: the table is of NVRTC 13.0, found {version}"
        );
        return;
    }
    let mut text =
        String::from("# kernel  variant  arch  registers  stack bytes  spill bytes (NVRTC 13.0)\n");
    for arch in ["sm_80", "sm_90"] {
        for (name, variant) in compile::representatives() {
            let compiled = variant.compile(arch).unwrap();
            let mut all = resources(&compiled.log);
            assert!(!all.is_empty(), "no resources in the log of {name}:\n{}", compiled.log);
            all.sort();
            for r in all {
                text += &format!("{} {name} {arch} {} {} {}\n", r.function, r.registers, r.stack, r.spills);
            }
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/resources.txt");
    if std::env::var_os("UPDATE_RESOURCES").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let table = std::fs::read_to_string(path).expect("kernels/resources.txt");
    assert_eq!(text, table, "registers or spills changed: look, then UPDATE_RESOURCES=1");
}
