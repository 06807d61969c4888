//! How often the outputs of cells switch, from the waveform (VCD) of a simulation of the netlist.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::liberty::Library;
use super::netlist::Netlist;

/// What a signal did in the window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Activity {
    /// Transitions a clock cycle.
    pub toggles: f64,
    /// Share of the time in which it was 1.
    pub duty: f64,
}

/// What the cells of a netlist did.
#[derive(Debug, Clone, PartialEq)]
pub struct Activities {
    /// Clock cycles of the window.
    pub cycles: u64,
    /// Outputs of cells by path, such as `u_top/u_regs/_12_`, and enables of memories by path and pin.
    signals: HashMap<String, Activity>,
}

impl Activities {
    /// Output of a cell; of several the one that switches most.
    #[must_use]
    pub fn of(&self, cell: &str) -> Activity {
        self.signals.get(cell).copied().unwrap_or_default()
    }

    /// Reads and writes of a memory each clock cycle.
    #[must_use]
    pub fn accesses(&self, memory: &str) -> (f64, f64) {
        (self.of(&format!("{memory}/re_i")).duty, self.of(&format!("{memory}/we_i")).duty)
    }
}

/// Whether a pin of a cell is looked at: its name behind the path of the cell, if it needs one.
fn signal(path: &str, kind: &str, pin: &str, netlist: &Netlist, library: &Library) -> Option<String> {
    if netlist.memories.contains_key(kind) {
        return ["re_i", "we_i"].contains(&pin).then(|| format!("{path}/{pin}"));
    }
    let cell = library.cells.get(kind)?;
    cell.pins.iter().any(|other| !other.input && other.name == pin).then(|| path.to_owned())
}

/// Scope of the accelerator in the simulation.
const ROOT: &str = "u_accelerator";

/// Reads a waveform. The window lasts from the first to the last slot that the scheduler is given.
///
/// # Errors
/// What is wrong with the file.
pub fn read(path: &Path, netlist: &Netlist, library: &Library, top: &str) -> Result<Activities, String> {
    let open = || File::open(path).map(BufReader::new).map_err(|error| error.to_string());
    let mut reader = open()?;
    let header = Header::read(&mut reader, netlist, library, top)?;
    let (from, to) = window(&mut reader, &header.slot)?;
    let mut reader = open()?;
    Header::skip(&mut reader)?;
    let counts = count(&mut reader, &header, from, to)?;
    let cycles = counts[header.clock].rises;
    if cycles == 0 {
        return Err("the clock does not run in it".to_owned());
    }
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let activity = |count: &Count| Activity {
        toggles: count.toggles as f64 / cycles as f64,
        duty: count.high as f64 / (to - from) as f64,
    };
    let mut signals: HashMap<String, Activity> = HashMap::new();
    for (name, at) in header.signals {
        let found = activity(&counts[at]);
        let kept = signals.entry(name).or_insert(found);
        if found.toggles > kept.toggles {
            *kept = found;
        }
    }
    Ok(Activities { cycles, signals })
}

/// What the head of the file says.
struct Header {
    /// Number of a signal by its code.
    codes: HashMap<Vec<u8>, usize>,
    /// Names with their numbers.
    signals: Vec<(String, usize)>,
    clock: usize,
    slot: Vec<u8>,
}

/// Where a scope of the file stands.
enum Scope<'a> {
    Outside,
    Module(usize),
    Cell(&'a str),
}

impl Header {
    fn read(
        reader: &mut impl std::io::BufRead,
        netlist: &Netlist,
        library: &Library,
        top: &str,
    ) -> Result<Self, String> {
        let index = netlist.index();
        let kinds: Vec<HashMap<&str, &str>> = netlist
            .modules
            .iter()
            .map(|module| {
                module.instances.iter().map(|(name, kind)| (name.as_str(), kind.as_str())).collect()
            })
            .collect();
        let root = *index.get(top).ok_or("the netlist has no top")?;
        let mut scopes: Vec<Scope<'_>> = Vec::new();
        let mut path: Vec<String> = Vec::new();
        let (mut codes, mut signals) = (HashMap::new(), Vec::new());
        let (mut clock, mut slot) = (None, None);
        let mut line = String::new();
        while next(reader, &mut line)? {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["$scope", _, name, ..] => {
                    let scope = match scopes.last() {
                        Some(Scope::Module(module)) => match kinds[*module].get(name) {
                            Some(kind) => {
                                index.get(kind).map_or(Scope::Cell(kind), |child| Scope::Module(*child))
                            }
                            None => Scope::Outside,
                        },
                        _ if *name == ROOT => Scope::Module(root),
                        _ => Scope::Outside,
                    };
                    if !matches!(scopes.last(), None | Some(Scope::Outside)) {
                        path.push((*name).to_owned());
                    }
                    scopes.push(scope);
                }
                ["$upscope", ..] => {
                    scopes.pop();
                    path.pop();
                }
                ["$var", _, "1", code, name, ..] => {
                    let mut number = || {
                        let fresh = codes.len();
                        *codes.entry(code.as_bytes().to_vec()).or_insert(fresh)
                    };
                    match scopes.last() {
                        Some(Scope::Cell(kind)) => {
                            if let Some(name) = signal(&path.join("/"), kind, name, netlist, library) {
                                signals.push((name, number()));
                            }
                        }
                        Some(Scope::Module(module)) if *module == root && *name == "clk_i" => {
                            clock = Some(number());
                        }
                        Some(Scope::Module(module))
                            if *name == "slot_valid_i"
                                && netlist.modules[*module].component == "spa_scheduler" =>
                        {
                            slot = Some(code.as_bytes().to_vec());
                        }
                        _ => {}
                    }
                }
                ["$enddefinitions", ..] => {
                    let missing = |what: &str| format!("the waveform has no {what}");
                    return Ok(Self {
                        codes,
                        signals,
                        clock: clock.ok_or_else(|| missing("clock"))?,
                        slot: slot.ok_or_else(|| missing("slots of the scheduler"))?,
                    });
                }
                _ => {}
            }
        }
        Err("the waveform ends in its head".to_owned())
    }

    fn skip(reader: &mut impl std::io::BufRead) -> Result<(), String> {
        let mut line = String::new();
        while next(reader, &mut line)? {
            if line.starts_with("$enddefinitions") {
                return Ok(());
            }
        }
        Err("the waveform ends in its head".to_owned())
    }
}

fn next(reader: &mut impl std::io::BufRead, line: &mut String) -> Result<bool, String> {
    line.clear();
    reader.read_line(line).map(|length| length > 0).map_err(|error| error.to_string())
}

/// A change of a signal of one bit, or a time.
enum Event<'a> {
    Time(u64),
    Change(bool, &'a [u8]),
    Other,
}

fn event(line: &str) -> Result<Event<'_>, String> {
    let line = line.trim_end();
    let bytes = line.as_bytes();
    Ok(match bytes.first() {
        Some(b'#') => {
            Event::Time(line[1..].parse().map_err(|_| format!("the waveform has a time '{line}'"))?)
        }
        Some(b'1') => Event::Change(true, &bytes[1..]),
        // What is unknown counts as 0.
        Some(b'0' | b'x' | b'z') => Event::Change(false, &bytes[1..]),
        _ => Event::Other,
    })
}

/// Times of the first and the last rise of a signal.
fn window(reader: &mut impl std::io::BufRead, code: &[u8]) -> Result<(u64, u64), String> {
    let (mut now, mut first, mut last) = (0, None, 0);
    let mut line = String::new();
    while next(reader, &mut line)? {
        match event(&line)? {
            Event::Time(time) => now = time,
            Event::Change(true, changed) if changed == code => {
                first.get_or_insert(now);
                last = now;
            }
            _ => {}
        }
    }
    match first {
        Some(first) if first < last => Ok((first, last)),
        _ => Err("the waveform has no two slots".to_owned()),
    }
}

#[derive(Clone, Copy, Default)]
struct Count {
    value: bool,
    toggles: u64,
    rises: u64,
    high: u64,
    since: u64,
}

fn count(
    reader: &mut impl std::io::BufRead,
    header: &Header,
    from: u64,
    to: u64,
) -> Result<Vec<Count>, String> {
    let mut counts = vec![Count { since: from, ..Count::default() }; header.codes.len()];
    let mut now = 0;
    let mut line = String::new();
    while next(reader, &mut line)? {
        match event(&line)? {
            Event::Time(time) if time >= to => break,
            Event::Time(time) => now = time,
            Event::Change(value, code) => {
                let Some(at) = header.codes.get(code) else { continue };
                let count = &mut counts[*at];
                if count.value == value {
                    continue;
                }
                count.value = value;
                if now >= from {
                    count.toggles += 1;
                    count.rises += u64::from(value);
                    if !value {
                        count.high += now - count.since;
                    }
                    count.since = now;
                }
            }
            Event::Other => {}
        }
    }
    for count in &mut counts {
        if count.value {
            count.high += to - count.since;
        }
    }
    Ok(counts)
}
