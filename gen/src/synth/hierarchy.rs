//! Modules, their cells and their instances, from `stat -json` of Yosys or from a netlist.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{AddAssign, Mul};

use serde::Deserialize;

use super::Component;

/// A module with one set of parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Name in the source, without what Yosys adds for parameters.
    pub name: String,
    /// Its own cells by type, without instances of other modules.
    pub cells: Vec<(String, u64)>,
    /// Instances in it: index of the module, number.
    pub children: Vec<(usize, u64)>,
}

/// All modules of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// What wrote the statistics.
    pub creator: String,
    /// Every module after those that contain it; the top is the first. What the top does not reach is left out.
    pub modules: Vec<Module>,
}

#[derive(Deserialize)]
struct Stat {
    #[serde(default)]
    creator: String,
    modules: BTreeMap<String, StatModule>,
}

#[derive(Deserialize)]
struct StatModule {
    #[serde(default)]
    num_cells_by_type: BTreeMap<String, u64>,
}

/// `\spa_delay`, `$paramod$HASH\spa_delay` and `$paramod\spa_delay\Bits=…` are all `spa_delay`.
#[must_use]
pub fn plain_name(decorated: &str) -> &str {
    let mut parts = decorated.split('\\');
    match parts.next() {
        Some(first) if first.is_empty() || first.starts_with("$paramod") => parts.next().unwrap_or(decorated),
        Some(first) => first,
        None => decorated,
    }
}

impl Hierarchy {
    /// Reads the text of `stat -json`.
    ///
    /// # Errors
    /// If it is not JSON of that form, lacks `top`, or a module contains itself.
    pub fn parse(text: &str, top: &str) -> Result<Self, String> {
        let stat: Stat = serde_json::from_str(text).map_err(|error| error.to_string())?;
        // A cell type is printed without the backslash that the name of its module has.
        let bare = |name: &str| name.strip_prefix('\\').unwrap_or(name).to_owned();
        let modules = stat.modules.into_iter().map(|(name, module)| {
            let cells = module.num_cells_by_type.into_iter().map(|(cell, number)| (bare(&cell), number));
            (bare(&name), plain_name(&name).to_owned(), cells.collect())
        });
        Self::new(stat.creator, modules.collect(), top)
    }

    /// From modules, each with its name as cells have it, its name in the source and its cells by type.
    ///
    /// # Errors
    /// If `top` is missing, or a module contains itself.
    pub fn new(
        creator: String,
        all: Vec<(String, String, BTreeMap<String, u64>)>,
        top: &str,
    ) -> Result<Self, String> {
        let index: BTreeMap<&str, usize> =
            all.iter().enumerate().map(|(at, (name, ..))| (name.as_str(), at)).collect();
        let start = *index.get(top).ok_or_else(|| format!("it has no module '{top}'"))?;
        let mut modules = Vec::new();
        for (_, name, contents) in &all {
            let (mut cells, mut children) = (Vec::new(), Vec::new());
            for (cell, number) in contents {
                match index.get(cell.as_str()) {
                    Some(child) => children.push((*child, *number)),
                    None => cells.push((cell.clone(), *number)),
                }
            }
            modules.push(Module { name: name.clone(), cells, children });
        }
        let order = order(&modules, start)?;
        let place: BTreeMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let sorted = order.iter().map(|old| {
            let mut module = modules[*old].clone();
            for (child, _) in &mut module.children {
                *child = place[child];
            }
            module
        });
        Ok(Self { modules: sorted.collect(), creator })
    }

    /// Names of components, sorted.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        self.modules.iter().map(|module| module.name.as_str()).collect()
    }

    /// By name, in the order of the names: instances in the design, what they hold themselves, and with everything below them,
    /// where nothing is counted twice if a component contains itself. `own` has the amount of each module's own cells.
    #[must_use]
    pub fn components<T: Copy + Default + AddAssign + Mul<u64, Output = T>>(
        &self,
        own: &[T],
    ) -> Vec<Component<T>> {
        let (counts, whole) = (self.instances(None), self.subtrees(own));
        let mut components = Vec::new();
        for name in self.names() {
            let outermost = self.instances(Some(name));
            let mut sum =
                Component { name: name.to_owned(), instances: 0, own: T::default(), whole: T::default() };
            for (index, module) in self.modules.iter().enumerate() {
                if module.name == name {
                    sum.instances += counts[index];
                    sum.own += own[index] * counts[index];
                    sum.whole += whole[index] * outermost[index];
                }
            }
            if sum.instances > 0 {
                components.push(sum);
            }
        }
        components
    }

    /// How often each module stands in the design; with `within`, without what lies below components of that name.
    #[must_use]
    pub fn instances(&self, within: Option<&str>) -> Vec<u64> {
        let mut counts = vec![0u64; self.modules.len()];
        if let Some(top) = counts.first_mut() {
            *top = 1;
        }
        for (index, module) in self.modules.iter().enumerate() {
            if within == Some(module.name.as_str()) {
                continue;
            }
            for (child, number) in &module.children {
                counts[*child] = counts[*child].saturating_add(counts[index].saturating_mul(*number));
            }
        }
        counts
    }

    /// Amount of each module with everything below it, from the amounts of their own cells.
    #[must_use]
    pub fn subtrees<T: Copy + AddAssign + Mul<u64, Output = T>>(&self, own: &[T]) -> Vec<T> {
        let mut whole = own.to_vec();
        for (index, module) in self.modules.iter().enumerate().rev() {
            for (child, number) in &module.children {
                let below = whole[*child] * *number;
                whole[index] += below;
            }
        }
        whole
    }
}

/// Modules that `start` reaches, each after all that contain it.
fn order(modules: &[Module], start: usize) -> Result<Vec<usize>, String> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; modules.len()];
    let mut done = Vec::new();
    // Module, and how many of its children have been looked at.
    let mut stack = vec![(start, 0)];
    marks[start] = Mark::Open;
    while let Some((module, next)) = stack.pop() {
        let Some((child, _)) = modules[module].children.get(next) else {
            marks[module] = Mark::Done;
            done.push(module);
            continue;
        };
        stack.push((module, next + 1));
        match marks[*child] {
            Mark::New => {
                marks[*child] = Mark::Open;
                stack.push((*child, 0));
            }
            Mark::Open => return Err(format!("its module '{}' contains itself", modules[*child].name)),
            Mark::Done => {}
        }
    }
    done.reverse();
    Ok(done)
}
