//! The SystemRDL description, compiled by systemrdl-compiler, against the register map.

use crate::{Moved, config, run};
use hw_tests::tool;
use serde_json::{Value, json};
use spagen::regmap::{self, Access, Source};
use std::path::{Path, PathBuf};
use std::process::Command;

const TEST: &str = "the_register_description_compiles_to_the_map";

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/registers.py")
}

fn compiled(build: &Moved) -> Value {
    let mut command = Command::new("python3");
    let (passed, text) = run(command.arg(script()).arg("sw/spa_regs.rdl"), &build.path());
    assert!(passed, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// What the compiler must say of the map.
fn expected() -> Value {
    let field = |access: Access, field: &regmap::Field| {
        let sw = match access {
            Access::ReadOnly => "r",
            Access::ReadWrite | Access::ReadWriteIdle => "rw",
            Access::WriteOnly => "w",
        };
        let hw = match field.source {
            Source::Constant | Source::Parameter(_) | Source::Slice(..) => "na",
            Source::Host | Source::Command | Source::Flag => "r",
            Source::HostClearedByStart => "rw",
            Source::Hardware => "w",
        };
        let known = !matches!(field.source, Source::Parameter(_) | Source::Slice(..));
        let pulse = matches!(field.source, Source::Command | Source::Flag);
        let reset = known.then_some(field.reset);
        json!({ "name": field.name, "lsb": field.lsb, "width": field.width, "sw": sw, "hw": hw, "reset": reset, "pulse": pulse })
    };
    let register = |register: &regmap::Register| {
        let fields: Vec<Value> = register.fields.iter().map(|f| field(register.access, f)).collect();
        json!({ "name": register.name, "offset": register.offset, "width": 64, "fields": fields })
    };
    regmap::registers().map(register).collect()
}

#[test]
fn the_register_description_compiles_to_the_map() {
    let there = Command::new("python3").args(["-c", "import systemrdl"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        return tool::skip(TEST, "systemrdl-compiler is not installed (pip install systemrdl-compiler)");
    }
    let build = Moved::new(&config());
    let (map, compiled) = (expected(), compiled(&build));
    let (map, compiled) = (map.as_array().unwrap(), compiled.as_array().unwrap());
    assert_eq!(map.len(), compiled.len());
    for (wanted, found) in map.iter().zip(compiled) {
        assert_eq!(wanted, found);
    }
    // A register somewhere else is found.
    build.change("sw/spa_regs.rdl", "} SCRATCH @ 0x0F8;", "} SCRATCH @ 0x3F0;");
    assert_ne!(map, self::compiled(&build).as_array().unwrap());
}
