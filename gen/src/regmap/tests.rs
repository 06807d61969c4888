//! The map is well formed.

use std::collections::BTreeSet;

use super::{Access, MAP_BYTES, Source, find, registers};

#[test]
fn offsets_ascend_and_are_aligned() {
    let mut end = 0;
    for register in registers() {
        assert_eq!(register.offset % 8, 0, "{}", register.name);
        assert!(register.offset >= end, "{} overlaps", register.name);
        end = register.offset + 8;
    }
    assert!(end <= MAP_BYTES);
}

#[test]
fn fields_fit_and_do_not_overlap() {
    for register in registers() {
        let mut bit = 0;
        for field in register.fields {
            assert!(field.width >= 1 && field.lsb >= bit, "{}.{}", register.name, field.name);
            bit = field.lsb + field.width;
            assert!(bit <= 64, "{}.{}", register.name, field.name);
            assert_eq!(field.reset & !field.ones(), 0, "{}.{}", register.name, field.name);
            assert!(!field.doc.is_empty());
        }
        assert!(!register.fields.is_empty());
        let alone = register.fields.len() == 1;
        assert!(register.fields.iter().all(|field| alone || field.name != "value"), "{}", register.name);
    }
}

#[test]
fn no_field_straddles_a_32_bit_access() {
    for register in registers() {
        let variable = |field: &&super::Field| field.width <= 32 && field.source != Source::Constant;
        for field in register.fields.iter().filter(variable) {
            assert_eq!(
                field.lsb / 32,
                (field.lsb + field.width - 1) / 32,
                "{}.{}",
                register.name,
                field.name
            );
        }
    }
}

#[test]
fn signal_names_are_unique() {
    let mut names = BTreeSet::new();
    for register in registers() {
        for field in register.fields {
            assert!(names.insert(format!("{}_{}", register.name, field.name).to_ascii_lowercase()));
        }
    }
}

#[test]
fn sources_match_access() {
    for register in registers() {
        for field in register.fields {
            let good = match field.source {
                Source::Constant | Source::Parameter(_) | Source::Slice(..) | Source::Hardware => {
                    register.access == Access::ReadOnly
                }
                Source::Host => matches!(register.access, Access::ReadWrite | Access::ReadWriteIdle),
                Source::HostClearedByStart => register.access == Access::ReadWrite,
                Source::Command | Source::Flag => register.access == Access::WriteOnly,
            };
            assert!(good, "{}.{}", register.name, field.name);
        }
    }
}

#[test]
fn feature_header_is_where_opae_looks() {
    for (name, offset) in [
        ("DFH", 0x00),
        ("AFU_ID_L", 0x08),
        ("AFU_ID_H", 0x10),
        ("DFH_NEXT_AFU", 0x18),
        ("DFH_RESERVED", 0x20),
    ] {
        assert_eq!(find(name).map(|register| register.offset), Some(offset));
    }
    let header = find("DFH").map_or(0, |dfh| dfh.fields.iter().fold(0, |word, f| word | (f.reset << f.lsb)));
    assert_eq!(header, (1 << 60) | (1 << 40));
}
