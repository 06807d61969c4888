//! Liberty: as much of a cell library as synthesis, simulation and reports need.
//!
//! The text is a tree of groups, `name (arguments) { attribute : value; group … }`. Tables of delays and energies are passed
//! over: OpenSTA reads them itself.

use std::collections::BTreeMap;
use std::ops::Range;

use super::function::Function;

/// A cell library.
#[derive(Debug, Clone, PartialEq)]
pub struct Library {
    /// Its name.
    pub name: String,
    /// Supply, in volts.
    pub volts: Option<f64>,
    /// Capacitances of the file times this are femtofarads.
    pub femtofarads: f64,
    /// Thresholds of slews and delays, attribute and value, which stubs for memories have to share.
    pub thresholds: Vec<(String, String)>,
    /// Cells by name.
    pub cells: BTreeMap<String, Cell>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Area in the unit of the library.
    pub area: f64,
    /// Pins in their order.
    pub pins: Vec<Pin>,
    /// The flip-flop or latch in it.
    pub state: Option<State>,
    /// Why synthesis leaves it alone.
    pub avoid: Option<&'static str>,
    /// Place in the text right behind the brace that opens its group.
    opening: usize,
}

/// A signal pin.
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// Its name.
    pub name: String,
    /// Input rather than output.
    pub input: bool,
    /// Capacitance in the unit of the library.
    pub capacitance: f64,
    /// What an output computes; `None` if it is not told, or has three states.
    pub function: Option<Function>,
}

/// A flip-flop, or a latch, which is never used.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Names of the state and its complement, as functions of outputs use them.
    pub names: [String; 2],
    /// What it takes over, and the rising edge of what makes it do so; `None` for latches and flip-flops with clear or preset.
    pub plain: Option<(Function, Function)>,
}

/// A group of the text.
#[derive(Debug, Default)]
struct Group {
    arguments: Vec<String>,
    attributes: Vec<(String, String)>,
    groups: Vec<(String, Self)>,
    opening: usize,
}

impl Group {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(|text| text.parse().ok()).filter(|number: &f64| number.is_finite())
    }

    fn all<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Self> {
        self.groups.iter().filter(move |(name, _)| name == kind).map(|(_, group)| group)
    }

    fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }
}

impl Library {
    /// Reads the text of a library.
    ///
    /// # Errors
    /// What is wrong, with the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let root = reader.file()?;
        let name = root.arguments.first().cloned().unwrap_or_default();
        let mut cells = BTreeMap::new();
        for group in root.all("cell") {
            let Some(name) = group.arguments.first() else {
                return Err(format!("line {}: a cell has no name", line(text, group.opening)));
            };
            let cell = cell(group).map_err(|cause| format!("cell '{name}': {cause}"))?;
            cells.insert(name.clone(), cell);
        }
        if cells.is_empty() {
            return Err("it has no cells".to_owned());
        }
        let thresholds = root.attributes.iter().filter(|(key, _)| key.contains("_threshold_pct_"));
        Ok(Self {
            name,
            volts: root.number("nom_voltage").filter(|volts| *volts > 0.0),
            femtofarads: unit(&root)?,
            thresholds: thresholds.cloned().collect(),
            cells,
        })
    }

    /// The text with `dont_use` in the cells that synthesis has to leave alone.
    #[must_use]
    pub fn restricted(&self, text: &str) -> String {
        let mut places: Vec<usize> =
            self.cells.values().filter(|cell| cell.avoid.is_some()).map(|cell| cell.opening).collect();
        places.sort_unstable();
        let mut out = String::with_capacity(text.len() + 20 * places.len());
        let mut from = 0;
        for place in places {
            out += &text[from..place];
            out += " dont_use : true;";
            from = place;
        }
        out + &text[from..]
    }

    /// The smallest cell with one input and one output that computes `wanted` of its input.
    fn smallest(&self, wanted: impl Fn(&Function, &str) -> bool) -> Option<(&str, &Cell)> {
        let fits = |cell: &Cell| {
            let (inputs, outputs): (Vec<&Pin>, Vec<&Pin>) = cell.pins.iter().partition(|pin| pin.input);
            match (inputs.as_slice(), outputs.as_slice()) {
                ([input], [output]) => {
                    output.function.as_ref().is_some_and(|function| wanted(function, &input.name))
                }
                _ => false,
            }
        };
        self.cells
            .iter()
            .filter(|(_, cell)| cell.avoid.is_none() && cell.state.is_none() && fits(cell))
            .min_by(|(_, a), (_, b)| a.area.total_cmp(&b.area))
            .map(|(name, cell)| (name.as_str(), cell))
    }

    /// The smallest buffer and the capacitance of its input in femtofarads.
    #[must_use]
    pub fn buffer(&self) -> Option<(&str, f64)> {
        let (name, cell) = self.smallest(Function::is_input)?;
        let input = cell.pins.iter().find(|pin| pin.input)?;
        Some((name, input.capacitance * self.femtofarads))
    }

    /// Area of the smallest NAND of two inputs, the measure of gates.
    #[must_use]
    pub fn nand(&self) -> Option<f64> {
        let is_nand = |cell: &&Cell| {
            let inputs: Vec<&Pin> = cell.pins.iter().filter(|pin| pin.input).collect();
            let mut outputs = cell.pins.iter().filter(|pin| !pin.input);
            let (Some(output), None) = (outputs.next(), outputs.next()) else { return false };
            let (Some(function), [a, b]) = (&output.function, inputs.as_slice()) else { return false };
            let value =
                |x, y| function.value(&|name: &str| if name == a.name { x } else { name == b.name && y });
            [(false, false, true), (false, true, true), (true, false, true), (true, true, false)]
                .into_iter()
                .all(|(x, y, want)| value(x, y) == want)
        };
        let plain = self.cells.values().filter(|cell| cell.avoid.is_none() && cell.state.is_none());
        plain.filter(is_nand).map(|cell| cell.area).min_by(f64::total_cmp).filter(|area| *area > 0.0)
    }
}

/// Femtofarads of `capacitive_load_unit`.
fn unit(root: &Group) -> Result<f64, String> {
    let Some(text) = root.get("capacitive_load_unit") else { return Ok(1000.0) };
    let mut words = text.split(',').map(str::trim);
    let number: Option<f64> = words.next().and_then(|word| word.parse().ok());
    let scale = match words.next().map(str::to_ascii_lowercase).as_deref() {
        Some("ff") => 1.0,
        Some("pf") => 1000.0,
        _ => return Err(format!("capacitive_load_unit is '{text}', but must be a number of ff or pf")),
    };
    number.map(|number| number * scale).ok_or_else(|| format!("capacitive_load_unit is '{text}'"))
}

fn cell(group: &Group) -> Result<Cell, String> {
    let mut pins = Vec::new();
    for pin in group.all("pin") {
        for name in &pin.arguments {
            let input = match pin.get("direction") {
                Some("input") => true,
                Some("output") => false,
                // Supplies and internal nodes of state; anything else makes the cell useless here.
                Some("internal") => continue,
                _ => return Ok(useless(group)),
            };
            let function = match pin.get("function") {
                Some(text) if pin.get("three_state").is_none() => Some(Function::parse(text)?),
                _ => None,
            };
            let capacitance = pin.number("capacitance").unwrap_or(0.0);
            pins.push(Pin { name: name.clone(), input, capacitance, function });
        }
    }
    let state = state(group)?;
    let avoid = avoid(group, &pins, state.as_ref());
    Ok(Cell { area: group.number("area").unwrap_or(0.0), pins, state, avoid, opening: group.opening })
}

fn useless(group: &Group) -> Cell {
    let avoid = Some("it has pins of both directions");
    Cell {
        area: group.number("area").unwrap_or(0.0),
        pins: Vec::new(),
        state: None,
        avoid,
        opening: group.opening,
    }
}

fn state(group: &Group) -> Result<Option<State>, String> {
    let named = |inner: &Group| {
        let name = |n: usize| inner.arguments.get(n).cloned().unwrap_or_default();
        [name(0), name(1)]
    };
    if let Some(ff) = group.all("ff").next() {
        let plain = match (ff.get("next_state"), ff.get("clocked_on")) {
            (Some(next), Some(clock)) if ff.get("clear").is_none() && ff.get("preset").is_none() => {
                Some((Function::parse(next)?, Function::parse(clock)?))
            }
            _ => None,
        };
        return Ok(Some(State { names: named(ff), plain }));
    }
    let other = ["latch", "statetable", "ff_bank", "latch_bank"];
    let found = other.iter().find_map(|kind| group.all(kind).next());
    Ok(found.map(|inner| State { names: named(inner), plain: None }))
}

/// Why synthesis should leave a cell alone.
///
/// Flip-flops with an enable or a scan input are left out as well: such an input can drive hundreds of them, which ABC, that
/// sees logic alone, does not buffer. With plain ones the enable is logic.
fn avoid(group: &Group, pins: &[Pin], state: Option<&State>) -> Option<&'static str> {
    if group.is_true("dont_use") {
        return Some("the library says so");
    }
    if ["is_isolation_cell", "is_level_shifter", "always_on", "is_macro_cell"]
        .iter()
        .any(|key| group.is_true(key))
    {
        return Some("it is for power domains, or a macro");
    }
    let supplies = group.all("pg_pin").filter(|pin| pin.get("pg_type") == Some("primary_power")).count();
    let backup = group.all("pg_pin").any(|pin| pin.get("pg_type") == Some("backup_power"));
    if supplies > 1 || backup {
        return Some("it has two supplies");
    }
    if pins.iter().any(|pin| !pin.input && pin.function.is_none()) {
        return Some("an output has no function");
    }
    match state {
        Some(State { plain: Some((next, clock)), .. }) => {
            let of_input =
                |function: &Function| pins.iter().any(|pin| pin.input && function.is_input(&pin.name));
            (!of_input(next) || !of_input(clock)).then_some("a flip-flop that is not plain")
        }
        Some(_) => Some("a latch, or a flip-flop with clear or preset"),
        None => None,
    }
}

/// Number of the line of a place in the text.
fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// A word or one of the signs that give the text its form.
#[derive(Debug, PartialEq)]
enum Token {
    Word(Range<usize>),
    Sign(u8),
    End,
}

/// Groups in groups; real libraries have some six.
const DEPTH: usize = 64;

impl Reader<'_> {
    fn file(&mut self) -> Result<Group, String> {
        match (self.token()?, self.token()?) {
            (Token::Word(word), Token::Sign(b'(')) if &self.text[word.clone()] == "library" => {
                let arguments = self.arguments()?;
                if self.token()? != Token::Sign(b'{') {
                    return Err(self.fault("'{' is missing"));
                }
                let mut root = self.body(0)?;
                root.arguments = arguments;
                Ok(root)
            }
            _ => Err("it does not begin with library (…)".to_owned()),
        }
    }

    fn fault(&self, what: &str) -> String {
        format!("line {}: {what}", line(self.text, self.at))
    }

    /// Everything up to the brace that closes a group whose own brace was read.
    fn body(&mut self, depth: usize) -> Result<Group, String> {
        if depth > DEPTH {
            return Err(self.fault("groups lie too deep in each other"));
        }
        let mut group = Group { opening: self.at, ..Group::default() };
        loop {
            let name = match self.token()? {
                Token::Sign(b'}') => return Ok(group),
                Token::Sign(b';') => continue,
                Token::Word(word) => self.word(word),
                Token::End => return Err(self.fault("the text ends within a group")),
                Token::Sign(_) => return Err(self.fault("a name is missing")),
            };
            match self.token()? {
                Token::Sign(b':') => {
                    let value = self.value()?;
                    group.attributes.push((name, value));
                }
                Token::Sign(b'(') => {
                    let arguments = self.arguments()?;
                    let before = self.at;
                    if self.token()? == Token::Sign(b'{') {
                        let mut inner = self.body(depth + 1)?;
                        inner.arguments = arguments;
                        group.groups.push((name, inner));
                    } else {
                        self.at = before;
                        // Tables are long and nobody asks for them.
                        if name != "values" && !name.starts_with("index_") {
                            group.attributes.push((name, arguments.join(",")));
                        }
                    }
                }
                _ => return Err(self.fault(&format!("':' or '(' is missing behind '{name}'"))),
            }
        }
    }

    fn word(&self, range: Range<usize>) -> String {
        self.text[range].trim_matches('"').to_owned()
    }

    /// Words up to the parenthesis that closes them.
    fn arguments(&mut self) -> Result<Vec<String>, String> {
        let mut words = Vec::new();
        loop {
            match self.token()? {
                Token::Sign(b')') => return Ok(words),
                Token::Word(word) => words.push(self.word(word)),
                Token::End => return Err(self.fault("the text ends within parentheses")),
                Token::Sign(_) => {}
            }
        }
    }

    /// The value of an attribute, up to a semicolon, the end of the line or a brace.
    fn value(&mut self) -> Result<String, String> {
        let mut value = String::new();
        let start = self.at;
        loop {
            let before = self.at;
            match self.token()? {
                Token::Word(word) => {
                    // Some libraries leave the semicolon out.
                    if !value.is_empty() && self.text[start..word.start].contains('\n') {
                        self.at = before;
                        return Ok(value);
                    }
                    value += &self.word(word);
                }
                Token::Sign(b';') => return Ok(value),
                Token::Sign(b'}') => {
                    self.at = before;
                    return Ok(value);
                }
                Token::Sign(sign) => value.push(char::from(sign)),
                Token::End => return Err(self.fault("the text ends within a value")),
            }
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                None => return Ok(Token::End),
                Some(b' ' | b'\t' | b'\r' | b'\n' | b'\\') => self.at += 1,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'*') => {
                    let Some(end) = self.text[self.at + 2..].find("*/") else {
                        return Err(self.fault("a comment has no end"));
                    };
                    self.at += end + 4;
                }
                Some(sign @ (b'(' | b')' | b'{' | b'}' | b':' | b';' | b',')) => {
                    self.at += 1;
                    return Ok(Token::Sign(*sign));
                }
                Some(b'"') => {
                    let start = self.at;
                    let Some(end) = self.text[start + 1..].find('"') else {
                        return Err(self.fault("a quotation mark has no partner"));
                    };
                    self.at = start + end + 2;
                    return Ok(Token::Word(start..self.at));
                }
                Some(_) => {
                    let start = self.at;
                    let ends = |byte: &u8| b" \t\r\n\\(){}:;,\"".contains(byte);
                    let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
                    self.at = start + length;
                    return Ok(Token::Word(start..self.at));
                }
            }
        }
    }
}
