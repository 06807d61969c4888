//! Label entries and messages of a row, and the evidence mask in the order of the planes.

use super::events::ones;
use super::field::{Cell, Encoding, count, half, parity};
use crate::entry::{Count, LabelEntry, Message};
use crate::job::Problem;

/// Messages of a colour of a row from which on a sink takes them.
pub(super) const HELD: usize = 512;

/// Takes messages out of a run while it goes on, so that they need not be held ([`super::Run::send_to`]).
pub trait Sink: Send + Sync {
    /// Some messages of RVs of row `y`, in any order. Called from the threads of the run, for several rows at a time.
    fn take(&self, y: u32, messages: &[Message]);
}

/// The entries of the RVs of one colour in one row, and the messages they sent.
#[derive(Debug)]
pub struct RowLog {
    entries: Vec<LabelEntry>,
    /// Collected iterations that each entry accounts for: since then its RV has had its label of then.
    accounted: Vec<u16>,
    /// RVs updated, counted over all iterations.
    pub updates: u64,
    messages: Vec<Message>,
    /// Index of the first RV; the others follow two by two.
    first: u32,
}

impl RowLog {
    /// Empty logs of all rows.
    pub fn for_rows(problem: &Problem, colour: usize) -> Vec<Self> {
        let width = problem.width as usize;
        let log = |y: usize| Self {
            entries: vec![LabelEntry::default(); count(width, y, colour)],
            accounted: vec![0; count(width, y, colour)],
            updates: 0,
            messages: Vec::new(),
            first: (y * width + parity(y, colour)) as u32,
        };
        (0..problem.height as usize).map(log).collect()
    }

    /// Enters the new label of every RV of `changed` (Algorithm 1), after as many picks of its old one as are missing.
    /// `collected` counts the iterations before; in the first one `changed` must be all RVs that are not fixed.
    pub fn enter(&mut self, cells: &[Cell], changed: &[u64], encoding: Encoding, max: u16, collected: u16) {
        for n in ones(changed) {
            self.settle(n, max, collected);
            if let Some(pair) = self.entries[n].pick(encoding.label(cells[n]), max) {
                self.send(n, pair);
            }
            self.accounted[n] = collected + 1;
        }
    }

    /// Brings the entries of the RVs of `free` up to date.
    pub fn settle_all(&mut self, free: &[u64], max: u16, collected: u16) {
        ones(free).for_each(|n| self.settle(n, max, collected));
    }

    fn settle(&mut self, n: usize, max: u16, collected: u16) {
        let times = collected - self.accounted[n];
        for _ in 0..self.entries[n].repeat(times, max) {
            self.send(n, Count { label: self.entries[n].mrp.label, count: max });
        }
        self.accounted[n] = collected;
    }

    fn send(&mut self, n: usize, pair: Count) {
        let rv = self.first + 2 * n as u32;
        self.messages.push(Message { rv, label: pair.label, count: pair.count.into() });
    }

    /// Lets `sink` take the messages sent so far, if they are many enough to be worth it; the row is `y`.
    pub fn hand_over(&mut self, sink: &dyn Sink, y: usize) {
        if self.messages.len() >= HELD {
            sink.take(y as u32, &self.messages);
            // Its memory is wanted elsewhere: rows are many.
            self.messages = Vec::new();
        }
    }

    /// The messages sent so far.
    pub fn sent(&self) -> &[Message] {
        &self.messages
    }

    /// The same, to add to or take away.
    pub fn messages(&mut self) -> &mut Vec<Message> {
        &mut self.messages
    }

    /// The messages sent so far, and those of a drain now.
    pub fn drained(&self) -> impl Iterator<Item = Message> + '_ {
        let pairs = self.entries().flat_map(|(rv, entry)| {
            entry.drain().map(move |pair| Message { rv, label: pair.label, count: pair.count.into() })
        });
        self.messages.iter().copied().chain(pairs)
    }

    /// The RVs with their entries.
    pub fn entries(&self) -> impl Iterator<Item = (u32, LabelEntry)> + '_ {
        (self.first..).step_by(2).zip(self.entries.iter().copied())
    }

    /// Takes the entries of its RVs from those of all, which account for all iterations collected.
    pub fn set_entries(&mut self, all: &[LabelEntry], collected: u16) {
        self.accounted.fill(collected);
        for (entry, new) in self.entries.iter_mut().zip(all[self.first as usize..].iter().step_by(2)) {
            *entry = *new;
        }
    }
}

/// The evidence mask, one plane a colour.
#[derive(Debug)]
pub struct Evidence {
    width: usize,
    planes: [Vec<bool>; 2],
}

impl Evidence {
    /// From the H×W mask of `problem`.
    pub fn new(problem: &Problem, fixed: &[bool]) -> Self {
        let width = problem.width as usize;
        let plane = vec![false; half(width) * problem.height as usize];
        let mut planes = [plane.clone(), plane];
        for (y, row) in fixed.chunks_exact(width).enumerate() {
            for (x, &fixed) in row.iter().enumerate() {
                planes[(x + y) % 2][y * half(width) + x / 2] = fixed;
            }
        }
        Self { width, planes }
    }

    /// The mask of the RVs of `colour` in row `y`.
    pub fn row(&self, y: usize, colour: usize) -> &[bool] {
        &self.planes[colour][y * half(self.width)..][..count(self.width, y, colour)]
    }
}
