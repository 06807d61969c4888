//! Floorplan of an array on an LFE5U-85F: a place for every block RAM and multiplier of a SPE.
//!
//! The placer knows no pins (out of context) and moves block RAMs and multipliers badly: it left them fifty rows from their
//! logic. With these in place, and the memories of a SPE side by side, logic finds its way to them.

use std::fmt::Write as _;

use super::{Files, banner};
use crate::config::Config;
use crate::report::memory::Memory;

/// Path in a build; where an array does not fit this way there is none.
pub(crate) const FLOORPLAN: &str = "fpga/ecp5/floorplan-85k.ys";
/// Where the generated top has its array. Yosys looks through all cells for each name, quickly without a wildcard in front.
const PREFIX: &str = "u_top.";

/// First column of each group of four block RAMs or four multipliers in a row.
const GROUPS: [u32; 13] = [4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114];
/// Sites of a row.
const SITES: u32 = 52;
/// Rows of block RAMs with the nearest row of multipliers; the last two share one.
const ROWS: [(u32, u32); 4] = [(22, 10), (46, 34), (70, 58), (82, 58)];

const TITLE: &str = "\
# Places of the block RAMs and multipliers of an LFE5U-85F, to be run behind synth.ys.
#
# Each SPE has a window of its own, in the order of the grid. A cell that a pattern does not find keeps no place; nextpnr
# finds one then. Names begin at the top of the design: below another top they need its instances in front.

";

/// Which window a SPE has: row and column of the device, and sites of a window.
struct Windows {
    cols: u32,
    width: u32,
    /// Of the first row and column: small arrays lie in the middle.
    first: (u32, u32),
    rows: u32,
    /// The grid of the array is that of the device; else its SPEs go to and fro along the rows.
    direct: bool,
}

impl Windows {
    /// Windows for so many block RAMs and multipliers a SPE; none if there are too few sites.
    fn new(config: &Config, rams: u32, multipliers: u32) -> Option<Self> {
        let array = &config.array;
        let device_rows = ROWS.len() as u32;
        let most = (SITES / rams.max(1)).min(4);
        let direct = array.rows <= device_rows && array.cols <= most;
        let cols = if direct { array.cols } else { array.spes().div_ceil(device_rows) };
        let rows = if direct { array.rows } else { array.spes().div_ceil(cols.max(1)) };
        if cols == 0 || cols > most {
            return None;
        }
        // Windows of a quarter of a row, wider ones where a SPE needs them.
        let width = if rams <= SITES / 4 { SITES / 4 } else { SITES / cols };
        let shared = if rows == device_rows { 2 } else { 1 };
        if multipliers * shared > width {
            return None;
        }
        let first = ((device_rows - rows) / 2, (SITES / width - cols) / 2);
        Some(Self { cols, width, first, rows, direct })
    }

    /// Row of the device and first site of the window of a SPE.
    fn place(&self, row: u32, col: u32, array_cols: u32) -> (usize, u32) {
        let number = row * array_cols + col;
        let (r, c) = if self.direct {
            (row, col)
        } else {
            let r = number / self.cols;
            let c = number % self.cols;
            (r, if r.is_multiple_of(2) { c } else { self.cols - 1 - c })
        };
        ((self.first.0 + r) as usize, (self.first.1 + c) * self.width)
    }
}

fn ram_site(row: usize, site: u32) -> String {
    let (group, number) = ((site / 4) as usize, site % 4);
    format!("X{}/Y{}/EBR{number}", GROUPS[group] + 2 * number, ROWS[row].0)
}

fn multiplier_site(row: usize, site: u32) -> String {
    let (group, number) = ((site / 4) as usize, site % 4);
    let (column, name) = [(0, 0), (1, 1), (4, 4), (5, 5)][number as usize];
    format!("X{}/Y{}/MULT18_{name}", GROUPS[group] + column, ROWS[row].1)
}

/// Block RAMs of a SPE, by instance, as Yosys names them.
fn rams(config: &Config) -> Vec<String> {
    let spes = u64::from(config.array.spes());
    let memory = Memory::new(config);
    let mut list = Vec::new();
    // Singletons first, then labels, log and entries: the order of the data.
    let kinds: [(&str, &str); 7] = [
        ("S2Mem", "u_s2mem.g_bank[#].u_ram"),
        ("S1Mem", "u_s1mem.u_ram"),
        ("BMem, WMem", "u_label_mem.g_bank[#].u_ram"),
        ("halo, left and right", "u_label_mem.u_halo_h"),
        ("halo, up and down", "u_label_mem.u_halo_v"),
        ("log FIFO", "u_log_fifo.u_ram"),
        ("label entries", "u_entry_mem.u_ram"),
    ];
    for (component, instance) in kinds {
        let Some(item) = memory.items.iter().find(|item| item.component == component) else { continue };
        let copies = u64::from(item.copies) / spes;
        let pieces = item.ebr / u64::from(item.copies);
        for copy in 0..copies {
            for piece in 0..pieces {
                list.push(format!("{}.mem.0.{piece}", instance.replace('#', &copy.to_string())));
            }
        }
    }
    list
}

/// Multipliers of a SPE: what their names begin with, which is that of their result.
fn multipliers(config: &Config) -> Vec<String> {
    let mut list: Vec<String> = (0..config.array.spus)
        .flat_map(|j| ["alpha_s", "beta_v"].map(|name| format!("g_spu[{j}].u_spu.u_energy.*{name}")))
        .collect();
    list.extend(["u_draw.high", "u_draw.low"].map(str::to_owned));
    list
}

/// Brackets are what they are, and stars are wildcards.
fn pattern(name: &str) -> String {
    name.replace('[', "\\[").replace(']', "\\]")
}

/// Text of the floorplan, without a banner, of an accelerator whose names begin with `prefix`; none if the array does not fit.
pub(super) fn text(config: &Config, prefix: &str) -> Option<String> {
    let array = &config.array;
    let (rams, multipliers) = (rams(config), multipliers(config));
    let count = rams.len() as u32;
    let windows = Windows::new(config, count, multipliers.len() as u32)?;
    let mut text = TITLE.to_owned();
    for row in 0..array.rows {
        for col in 0..array.cols {
            let (r, first) = windows.place(row, col, array.cols);
            let spe = pattern(&format!("{prefix}u_array.g_row[{row}].g_col[{col}].u_spe."));
            for (site, name) in (first..).zip(&rams) {
                let _ = writeln!(text, "setattr -set BEL \"{}\" c:{spe}{}", ram_site(r, site), pattern(name));
            }
            // The last row of block RAMs takes the second half of the multipliers of its neighbour.
            let first = if r == ROWS.len() - 1 { first + windows.width / 2 } else { first };
            for (site, name) in (first..).zip(&multipliers) {
                let bel = multiplier_site(r, site);
                let _ =
                    writeln!(text, "setattr -set BEL \"{bel}\" c:{spe}{}* t:MULT18X18D %i", pattern(name));
            }
        }
    }
    // What the array has once lies between the SPEs in its middle.
    if windows.width > count && windows.rows > 1 && windows.cols > 1 {
        let names = [
            "u_array.u_scheduler.u_pass_ctrl.g_pow2.u_thresholds.mem.0.0",
            "u_array.u_scheduler.u_pass_ctrl.g_pow2.u_thresholds.mem.0.1",
            "u_array.u_scheduler.u_label_walk.u_offset.mem.0.0",
            "u_control.u_slot_issuer.schedule_mem.0.0",
        ];
        let middle = |first: u32, number: u32| first + (number - 2) / 2;
        for (n, name) in (0..).zip(names) {
            let row = middle(windows.first.0, windows.rows) + n / 2;
            let site = (middle(windows.first.1, windows.cols) + n % 2) * windows.width + count;
            let bel = ram_site(row as usize, site);
            let _ = writeln!(text, "setattr -set BEL \"{bel}\" c:{}{}", pattern(prefix), pattern(name));
        }
    }
    Some(text)
}

/// Adds the floorplan to `files` if there is one.
pub(super) fn add(config: &Config, files: &mut Files) {
    if let Some(body) = text(config, PREFIX) {
        files.insert(FLOORPLAN.to_owned(), banner::with_banner(FLOORPLAN, &body, config));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

    use std::collections::HashSet;

    use super::*;
    use crate::config::Draft;

    fn plan(grid: &str, rvs: &str) -> Option<String> {
        let mut draft = Draft::new();
        draft.preset("test", "ecp5-85k");
        draft.set("test", "grid", grid);
        draft.set("test", "rvs", rvs);
        text(&draft.finish().unwrap(), PREFIX)
    }

    /// Sites in use; no two cells have the same.
    fn sites(text: &str) -> HashSet<&str> {
        let list: Vec<&str> = text.lines().filter_map(|line| line.split('"').nth(1)).collect();
        let sites: HashSet<&str> = list.iter().copied().collect();
        assert_eq!(list.len(), sites.len(), "a site is used twice");
        sites
    }

    #[test]
    fn every_cell_has_a_site_of_its_own() {
        for (grid, rvs) in [
            ("4x4", "32K"),
            ("3x4", "24K"),
            ("2x4", "16K"),
            ("2x2", "8K"),
            ("1x1", "2K"),
            ("16x1", "32K"),
            ("4x1", "16K"),
            ("1x5", "10K"),
        ] {
            let text = plan(grid, rvs).unwrap();
            assert!(sites(&text).len() >= 18, "{grid}");
        }
    }

    #[test]
    fn sixteen_spes_fill_all_rows() {
        let text = plan("4x4", "32K").unwrap();
        let found = sites(&text);
        assert_eq!(found.len(), 16 * (12 + 6) + 4);
        let first = "\"X4/Y22/EBR0\" c:u_top.u_array.g_row\\[0\\].g_col\\[0\\].u_spe.u_s2mem.g_bank\\[0\\].u_ram.mem.0.0";
        assert!(text.contains(first), "{text}");
        // The last row has its multipliers behind those of its neighbour.
        let last = "\"X17/Y58/MULT18_4\" c:u_top.u_array.g_row\\[3\\].g_col\\[0\\].u_spe.g_spu\\[0\\].u_spu.u_energy.*alpha_s*";
        assert!(text.contains(last), "{text}");
    }

    #[test]
    fn an_array_without_room_has_none() {
        assert_eq!(plan("4x4", "128K"), None);
        assert_eq!(plan("5x5", "25K"), None);
    }
}
