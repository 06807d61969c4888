//! Layers, defaults and mistakes of configurations.

use crate::config::{Config, Draft};
use crate::parameters::{Kind, PARAMETERS, squarest};
use crate::presets::PRESETS;

fn parse(text: &str) -> Result<Config, String> {
    Draft::parse(text, "a.toml").map_err(|errors| errors.to_string())
}

#[test]
fn default_is_sixteen_by_two_for_256k() {
    let config = parse("").unwrap();
    assert_eq!((config.array.rows, config.array.cols, config.array.spus), (4, 4, 2));
    assert_eq!(config.rvs(), 256 << 10);
    assert_eq!(config.array.rv_capacity, 16384);
    assert_eq!(config.array.s2_capacity, 16384);
    assert_eq!(config.array.tile_width_max, 512);
    assert_eq!(config.array.rng_share, 4);
    assert_eq!(config.message_bits(), 32);
}

#[test]
fn fixed_defaults_are_legal_and_agree_with_the_model() {
    for parameter in PARAMETERS {
        if let crate::parameters::Default::Value(text) = parameter.default {
            assert!(parameter.parse(text).is_ok(), "{}", parameter.name);
        }
    }
    assert_eq!(parse("").unwrap().hardware, spa_model::Hardware::default());
}

#[test]
fn presets_resolve_and_round_trip() {
    for preset in PRESETS {
        let mut draft = Draft::new();
        draft.preset("--preset", preset.name);
        let config = draft.finish().unwrap_or_else(|errors| panic!("{}: {errors}", preset.name));
        assert_eq!(parse(&config.to_toml()).unwrap(), config, "{}", preset.name);
    }
}

#[test]
fn later_layers_override_shorthands_of_earlier_ones() {
    let mut draft = Draft::new();
    draft.text("preset = \"ecp5-85k\"\nrows = 2\ncols = 3\nrv_capacity = 1024", "a.toml");
    draft.set("--spe", "spe", "8");
    draft.set("--rvs", "rvs", "64K");
    let config = draft.finish().unwrap();
    assert_eq!((config.array.rows, config.array.cols), (2, 4));
    assert_eq!(config.array.rv_capacity, 8192);
    assert_eq!(config.array.line_bits, 128);
}

#[test]
fn all_mistakes_come_in_one_pass() {
    let errors = parse("spuz = 2\nspus = 3\nlabel_bits = \"many\"\ngrid = \"2x3\"\nrows = 4\n").unwrap_err();
    let expected = "\
failed to configure 'grid' (a.toml, line 4): 'rows' is given as well; give one of them
failed to configure 'label_bits' (a.toml, line 3): 'many' is not allowed, must be 1 to 8; see 'spagen explain label_bits'
failed to configure 'spus' (a.toml, line 2): '3' is not allowed, must be 1, 2, 4 or 8; see 'spagen explain spus'
failed to configure 'spuz' (a.toml, line 1): no such parameter; did you mean 'spus'?";
    let mut lines: Vec<&str> = errors.lines().collect();
    lines.sort_unstable();
    let conflict_either_way =
        errors.replace("'rows' (a.toml, line 5): 'grid'", "'grid' (a.toml, line 4): 'rows'");
    let mut lines: Vec<&str> = conflict_either_way.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn rules_between_parameters_are_checked() {
    let error = parse("weights = \"linear\"\nenergy_bits = 12").unwrap_err();
    assert_eq!(
        error,
        "failed to configure 'energy_bits': energy_bits is 12, but must be at most 10 with linear weights"
    );
    let error = parse("rows = 100\ncols = 100").unwrap_err();
    assert!(error.contains("SPEs"), "{error}");
}

#[test]
fn broken_files_say_where() {
    let error = parse("rows = 4\ncols = = 4\n").unwrap_err();
    assert!(error.starts_with("failed to read configuration 'a.toml, line 2': "), "{error}");
    assert_eq!(error.lines().count(), 1);
    let mut draft = Draft::new();
    draft.read("no/such.toml".as_ref());
    let error = draft.finish().unwrap_err().to_string();
    assert_eq!(error, "failed to read configuration 'no/such.toml': no such file or directory");
}

#[test]
fn sections_and_lists_are_refused() {
    assert!(parse("[array]\nrows = 4").unwrap_err().contains("'array' (a.toml, line 1): no such parameter"));
    assert!(parse("rows = [4]").unwrap_err().contains("'an array' is not allowed"));
    assert!(parse("rows = 4.5").unwrap_err().contains("'4.5' is not allowed"));
    assert!(parse("rows = -4").unwrap_err().contains("'-4' is not allowed"));
}

#[test]
fn grids_are_as_square_as_can_be() {
    assert_eq!(squarest(16), (4, 4));
    assert_eq!(squarest(6), (2, 3));
    assert_eq!(squarest(7), (1, 7));
    assert_eq!(squarest(1), (1, 1));
}

#[test]
fn command_regenerates_the_configuration() {
    let config = parse("grid = \"2x3\"\nrvs = \"60K\"\nline_bits = 128\nlicense = \"MIT\"").unwrap();
    assert_eq!(
        config.command(),
        "spagen --grid 2x3 --spu 2 --rvs 60K --set line_bits=128 --set license=MIT -o build"
    );
}

#[test]
fn license_is_not_in_the_hash() {
    let mine = parse("license = \"LicenseRef-Mine\"").unwrap();
    assert_eq!(mine.hash(), parse("").unwrap().hash());
    assert_ne!(parse("spe = 8").unwrap().hash(), parse("").unwrap().hash());
}

#[test]
fn ranges_agree_with_the_model_at_both_ends() {
    // What the table calls legal, the model takes, with the other parameters at their defaults or suited to it.
    for parameter in PARAMETERS {
        let ends = match parameter.kind {
            Kind::Integer(lo, hi) | Kind::Multiple(_, lo, hi) => vec![lo, hi],
            Kind::OneOf(list) => list.to_vec(),
            _ => continue,
        };
        for value in ends {
            let rest = match parameter.name {
                "rows" => "cols = 1\nrvs = 32760",
                "cols" => "rows = 1\nrvs = 32760",
                "spe" => "rvs = 32760",
                "rvs" if value > 1 << 20 => "grid = \"63x65\"",
                "rv_capacity" | "s2_capacity" if value < 64 => "spus = 1",
                "s2_capacity" => "rv_capacity = 1048576",
                "rng_share" => "spus = 1",
                _ => "",
            };
            let text = format!("{} = {value}\n{rest}", parameter.name);
            assert!(parse(&text).is_ok(), "{text}: {:?}", parse(&text));
        }
    }
}

#[test]
fn edge_weights_are_in_the_text_only_where_they_are_built() {
    let (without, with) = (parse("").unwrap(), parse("edge_weights = true").unwrap());
    assert_eq!(parse("edge_weights = false").unwrap().hash(), without.hash());
    assert!(!without.canonical().contains("edge_weights"));
    assert!(with.canonical().contains("\nedge_weights = true\n"));
    assert_ne!(with.hash(), without.hash());
    assert_eq!(parse(&with.to_toml()).unwrap(), with);
    assert!(with.command().contains("--set edge_weights=true"));
}
