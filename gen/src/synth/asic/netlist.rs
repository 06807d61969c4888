//! The netlist that Yosys writes, with names that other tools take, and what stands in it.
//!
//! `write_verilog -noattr -noexpr` puts an instance on lines of its own, so this is no parser of Verilog: lines that begin an
//! instance or a module are looked at, all others pass as they are.

use std::collections::{BTreeMap, HashMap};

use super::assign::Ranges;
use super::memory::Shape;
use crate::synth::hierarchy::{Hierarchy, plain_name};

/// The module of memories that Yosys puts in (`MAP`).
pub const MEMORY: &str = "spa_memory";

/// What stands in a netlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Netlist {
    /// Modules in their order.
    pub modules: Vec<Module>,
    /// Shapes of memories by the names of their cells.
    pub memories: BTreeMap<String, Shape>,
}

/// A module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Name in the netlist.
    pub name: String,
    /// Name of the component.
    pub component: String,
    /// Name of the instance and what it is an instance of, in their order.
    pub instances: Vec<(String, String)>,
}

impl Netlist {
    /// Reads what Yosys wrote and gives it with plain names: `spa_spe__3` for a module with parameters, `spa_memory_64x9_clocked`
    /// for a memory.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<(Self, String), String> {
        let mut names = Names::default();
        let mut out = String::with_capacity(text.len());
        let mut modules: Vec<Module> = Vec::new();
        let mut memories = BTreeMap::new();
        let mut ranges = Ranges::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some((decorated, rest)) = line.strip_prefix("module ").and_then(split) {
                let (name, component) = names.of(decorated);
                out += &format!("module {name}{rest}\n");
                modules.push(Module { name, component, instances: Vec::new() });
                ranges = Ranges::default();
                continue;
            }
            let Some((kind, rest)) = instance(line) else {
                ranges.declare(line);
                match ranges.split(line)? {
                    Some(lines) => out += &lines,
                    None => {
                        out += line;
                        out.push('\n');
                    }
                }
                continue;
            };
            let (kind, rest) = if rest == "#(" {
                if kind != MEMORY {
                    return Err(format!("the netlist has parameters at '{kind}'"));
                }
                let (shape, rest) = parameters(&mut lines)?;
                let name = shape.cell();
                memories.insert(name.clone(), shape);
                (name, rest)
            } else {
                (names.of(kind).0, rest.to_owned())
            };
            let instance = rest.strip_suffix(" (").unwrap_or(&rest).trim().to_owned();
            if instance.starts_with('\\') {
                return Err(format!(
                    "the netlist has an instance '{instance}', which other tools do not take"
                ));
            }
            out += &format!("  {kind} {instance} (\n");
            match modules.last_mut() {
                Some(module) => module.instances.push((instance, kind)),
                None => return Err("the netlist has an instance outside of modules".to_owned()),
            }
        }
        Ok((Self { modules, memories }, out))
    }

    /// Modules by name.
    #[must_use]
    pub fn index(&self) -> HashMap<&str, usize> {
        self.modules.iter().enumerate().map(|(at, module)| (module.name.as_str(), at)).collect()
    }

    /// How modules lie in each other below `top`.
    ///
    /// # Errors
    /// If there is no `top`, or a module contains itself.
    pub fn hierarchy(&self, top: &str) -> Result<Hierarchy, String> {
        let modules = self.modules.iter().map(|module| {
            let mut cells: BTreeMap<String, u64> = BTreeMap::new();
            for (_, kind) in &module.instances {
                *cells.entry(kind.clone()).or_default() += 1;
            }
            (module.name.clone(), module.component.clone(), cells)
        });
        Hierarchy::new(String::new(), modules.collect(), top)
    }

    /// Every instance below `top` that is no module: path, component that holds it, cell.
    pub fn leaves(&self, top: &str, mut visit: impl FnMut(&str, &[usize], &str)) {
        let index = self.index();
        if let Some(top) = index.get(top) {
            self.descend(&index, *top, &mut String::new(), &mut vec![*top], &mut visit);
        }
    }

    fn descend(
        &self,
        index: &HashMap<&str, usize>,
        module: usize,
        path: &mut String,
        within: &mut Vec<usize>,
        visit: &mut impl FnMut(&str, &[usize], &str),
    ) {
        for (name, kind) in &self.modules[module].instances {
            let length = path.len();
            if length > 0 {
                path.push('/');
            }
            path.push_str(name);
            match index.get(kind.as_str()) {
                Some(child) => {
                    within.push(*child);
                    self.descend(index, *child, path, within, visit);
                    within.pop();
                }
                None => visit(path, within, kind),
            }
            path.truncate(length);
        }
    }
}

/// New names by old ones.
#[derive(Default)]
struct Names {
    known: HashMap<String, (String, String)>,
    numbers: usize,
}

impl Names {
    /// New name and component of a module, or of a cell, which keeps its name.
    fn of(&mut self, decorated: &str) -> (String, String) {
        if let Some(known) = self.known.get(decorated) {
            return known.clone();
        }
        let component = plain_name(decorated.trim_start_matches('\\')).to_owned();
        let name = if decorated.starts_with('\\') {
            self.numbers += 1;
            format!("{component}__{}", self.numbers)
        } else {
            component.clone()
        };
        self.known.insert(decorated.to_owned(), (name.clone(), component.clone()));
        (name, component)
    }
}

/// A name, which a space ends if it is escaped, and what follows.
fn split(text: &str) -> Option<(&str, &str)> {
    let end = if text.starts_with('\\') { text.find(' ')? } else { text.find([' ', '('])? };
    Some((&text[..end], text[end..].strip_prefix(' ').unwrap_or(&text[end..])))
}

/// What a line that begins an instance is an instance of, and the rest of it.
fn instance(line: &str) -> Option<(&str, &str)> {
    let text = line.strip_prefix("  ").filter(|text| !text.starts_with([' ', '.', ')']))?;
    if !text.ends_with(" (") && !text.ends_with(" #(") {
        return None;
    }
    split(text)
}

/// The parameters of a memory, and the line that ends them, with the name of the instance.
fn parameters<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Result<(Shape, String), String> {
    let mut values: BTreeMap<&str, u32> = BTreeMap::new();
    for line in lines {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix(')') {
            let get = |name: &str| {
                values.get(name).copied().ok_or_else(|| format!("a memory of the netlist has no {name}"))
            };
            let shape = Shape {
                depth: get("Depth")?,
                width: get("Width")?,
                address_bits: get("AddrBits")?,
                clocked: get("Clocked")? != 0,
            };
            return Ok((shape, rest.trim().to_owned()));
        }
        let parameter = line.strip_prefix('.').and_then(|text| text.split_once('('));
        let (name, value) =
            parameter.ok_or_else(|| format!("a memory of the netlist has a parameter '{line}'"))?;
        let value = value.trim_end_matches([',', ')']);
        let number = match value.split_once('\'') {
            Some((_, digits)) if digits.starts_with('b') => u32::from_str_radix(&digits[1..], 2).ok(),
            Some((_, digits)) => digits.trim_start_matches(['s', 'd']).parse().ok(),
            None => value.parse().ok(),
        };
        values.insert(name, number.ok_or_else(|| format!("a memory of the netlist has {name} = '{value}'"))?);
    }
    Err("the netlist ends within a memory".to_owned())
}
